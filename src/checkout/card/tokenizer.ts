/**
 * Turns the payer's card into credentials: loads the card form, calls the page's `tokenizeCard`, and hands the result to
 * one request.
 *
 * Between the press of the button and the request, card data lives here and nowhere else: not in the machine's state, an
 * event, storage, an attribute or a log.
 */

import { html, nothing } from 'lit';
import type { Card, CardCredentials } from '../../contract/types.js';
import { loadCardForm } from './card-loader.js';
import type { CardDetails, CardForm } from './card-file-contract.js';
import type { Environment } from '../browser/environment.js';
import { formatMoney } from '../locales/format.js';

export type { CardDetails } from './card-file-contract.js';

/** What `tokenizeCard` is told beside the card. */
export interface CardContext {
  readonly externalId: string;
  /** Integer cents, of the chosen instalments; `null`: the page did not say. */
  readonly totalCents: number | null;
  readonly installment: number;
  /** Aborted when the element no longer waits. */
  readonly signal: AbortSignal;
}

/** Makes a token of a card; the card is `null` when the provider's own fields fill the slot `card`. */
export type TokenizeCard = (
  card: CardDetails | null,
  context: CardContext,
) => Promise<CardCredentials>;

/** A provider may ask the payer for a challenge; after this long it counts as hung. */
const tokenizeTimeoutMs = 300_000;

/** The fields that travel: never a number or a security code. */
const credentialFields = [
  'token',
  'first_name',
  'last_name',
  'cavv',
  'xid',
  'eci',
  'version',
  'referenceid',
] as const;

/** The element, as far as the tokenizer needs it. */
interface CardHost {
  readonly environment: Environment;
  requestUpdate(): void;
}

/** The tokenizer of one element. */
export class Tokenizer {
  /** `null` until it is there. */
  form: CardForm | null = null;
  /** The card form could not be fetched; Pix is there all the same. */
  failed = false;

  readonly #host: CardHost;
  #loading = false;
  #ready: Card | null = null;
  #stop: AbortController | null = null;

  constructor(host: CardHost) {
    this.#host = host;
  }

  /** Fetches the card form, once; a call after a failure tries again. */
  load(): void {
    if (this.form || this.#loading) return;
    this.#loading = true;
    this.failed = false;
    // The screen shows again that the form is loading.
    this.#host.requestUpdate();
    loadCardForm()
      .then(
        (createCardForm) => {
          this.form = createCardForm({
            html,
            nothing,
            formatMoney,
            requestUpdate: () => this.#host.requestUpdate(),
            warn: (text) => this.#host.environment.warn(text),
            today: () => {
              const date = this.#host.environment.wallClock();
              return { year: date.getFullYear(), month: date.getMonth() + 1 };
            },
          });
        },
        () => {
          this.failed = true;
        },
      )
      .finally(() => {
        this.#loading = false;
        this.#host.requestUpdate();
      });
  }

  /**
   * Makes the credentials.
   * @param tokenize the page's hook; `null`: the card itself travels, which the page has typed out
   * @returns whether there is something to send; the reason goes to the merchant's developer, without any value
   */
  async prepare(
    tokenize: TokenizeCard | null,
    context: Omit<CardContext, 'signal'>,
    slotted: boolean,
  ): Promise<boolean> {
    this.discard();
    const card = slotted ? null : (this.form?.read() ?? null);
    const { installment } = context;
    if (!tokenize) {
      this.#ready = card && { ...card, installment };
      return card !== null;
    }
    const stop = new AbortController();
    this.#stop = stop;
    const hung = new Promise<never>((_, reject) => {
      const timer = this.#host.environment.setTimer(() => stop.abort(), tokenizeTimeoutMs);
      stop.signal.addEventListener('abort', () => {
        this.#host.environment.clearTimer(timer);
        reject(new Error('aborted'));
      });
    });
    // A hook need not be an async function: what it throws at once is a rejection, too.
    const making = (async () => tokenize(card, { ...context, signal: stop.signal }))();
    try {
      const made: unknown = await Promise.race([making, hung]);
      const credentials = readCredentials(made);
      if (this.#stop !== stop) return false;
      if (!credentials) this.#host.environment.warn('tokenizeCard gave no token');
      this.#ready = credentials && { ...credentials, installment };
      return credentials !== null;
    } catch {
      if (this.#stop === stop) this.#host.environment.warn('tokenizeCard failed');
      return false;
    } finally {
      if (this.#stop === stop) this.#stop = null;
      stop.abort();
    }
  }

  /** Hands out the credentials once: then they are gone from memory, and the security code from the form. */
  take(): Card | null {
    const ready = this.#ready;
    this.#ready = null;
    this.form?.clear('code');
    return ready;
  }

  /** Drops the credentials, or stops making them. */
  discard(): void {
    this.#ready = null;
    this.#stop?.abort();
    this.#stop = null;
  }
}

/** Own, known, non-empty strings only, and a token among them. */
function readCredentials(made: unknown): CardCredentials | null {
  if (typeof made !== 'object' || made === null) return null;
  const credentials: CardCredentials = {};
  for (const [name, value] of Object.entries(made)) {
    const field = credentialFields.find((one) => one === name);
    if (field && typeof value === 'string' && value !== '') credentials[field] = value;
  }
  return credentials.token === undefined ? null : credentials;
}
