/**
 * Turns the payer's card into credentials: loads the card form, has it make them (credentials.ts), and hands the result
 * to one request.
 *
 * Between the press of the button and the request, card data lives here and nowhere else: not in the machine's state, an
 * event, storage, an attribute or a log.
 */

import { html, nothing } from 'lit';
import type { Card } from '../../contract/types.js';
import { loadCardForm } from './card-loader.js';
import type { CardContext, CardForm, TokenizeCard } from './card-file-contract.js';
import type { Environment } from '../browser/environment.js';
import { formatMoney } from '../locales/format.js';

export type { CardContext, CardDetails, TokenizeCard } from './card-file-contract.js';

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
            // Clock, timers, warnings.
            ...this.#host.environment,
            html,
            nothing,
            formatMoney,
            requestUpdate: () => this.#host.requestUpdate(),
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
    const stop = new AbortController();
    this.#stop = stop;
    const isWanted = () => this.#stop === stop;
    const made = await this.form?.makeCredentials({ tokenize, context, slotted, stop, isWanted });
    if (!isWanted()) return false;
    // Whatever still waits is over.
    this.discard();
    this.#ready = made ? { ...made, installment: context.installment } : null;
    return this.#ready !== null;
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
