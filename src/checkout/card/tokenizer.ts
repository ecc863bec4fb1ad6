/**
 * Makes a card's credentials: by the page's `tokenizeCard`, within a time limit and with known fields only, or else from the
 * card itself. Hands them to one request.
 *
 * Between the press of the button and the request, card data lives here and nowhere else: not in the machine's state, an
 * event, storage, an attribute or a log. This is in the card form's file, because a payer by Pix does not need it.
 */

import type { Card, CardCredentials } from '../../contract/types.js';
import type { CardDetails, CardTools, CredentialsRequest } from './card-file-contract.js';
import type { Tokenizer } from './card-file-contract.js';

/** The time limit for a provider, milliseconds. It is long, because a provider may ask the payer for a challenge. */
const tokenizeTimeoutMs = 300_000;

/** The fields that a provider may return: never a number or a security code. */
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

/**
 * Creates the tokenizer of one form.
 * @param read reads the typed card
 */
export function createTokenizer(tools: Tools, read: () => CardDetails): Tokenizer {
  let ready: Card | null = null;
  let stop: AbortController | null = null;
  const discard = () => {
    ready = null;
    stop?.abort();
    stop = null;
  };
  return {
    async prepare(request) {
      discard();
      const own = new AbortController();
      stop = own;
      const isWanted = () => stop === own;
      const made = await makeCredentials(
        tools,
        request.slotted ? null : read(),
        request,
        own,
        isWanted,
      );
      if (!isWanted()) return false;
      // Discarding stops the time-out.
      discard();
      ready = made && { ...made, installment: request.context.installment };
      return made !== null;
    },
    take() {
      const taken = ready;
      ready = null;
      return taken;
    },
    discard,
  };
}

type Tools = Pick<CardTools, 'setTimer' | 'clearTimer' | 'warn'>;

/**
 * Makes the credentials.
 * @param card `null` if the page's own fields fill the slot
 * @param stop aborts the hook
 * @param isWanted whether the element still waits
 * @returns `null` if nothing can be sent; the merchant's developer is warned, without any value
 */
async function makeCredentials(
  { setTimer, clearTimer, warn }: Tools,
  card: CardDetails | null,
  { tokenize, context }: CredentialsRequest,
  stop: AbortController,
  isWanted: () => boolean,
): Promise<CardCredentials | null> {
  if (!tokenize) return card;
  const hung = new Promise<never>((_, reject) => {
    const timer = setTimer(() => stop.abort(), tokenizeTimeoutMs);
    stop.signal.addEventListener('abort', () => {
      clearTimer(timer);
      reject(new Error('aborted'));
    });
  });
  // The hook is called in an async function, so that a hook that throws at once also rejects.
  const making = (async () => tokenize(card, { ...context, signal: stop.signal }))();
  try {
    const credentials = readCredentials(await Promise.race([making, hung]));
    if (!credentials && isWanted()) warn('tokenizeCard gave no token');
    return credentials;
  } catch {
    if (isWanted()) warn('tokenizeCard failed');
    return null;
  }
}

/** Reads known, non-empty strings only. @returns `null` without a token */
function readCredentials(made: unknown): CardCredentials | null {
  if (typeof made !== 'object' || made === null) return null;
  const credentials: CardCredentials = {};
  for (const [name, value] of Object.entries(made)) {
    const field = credentialFields.find((one) => one === name);
    if (field && typeof value === 'string' && value !== '') credentials[field] = value;
  }
  return credentials.token === undefined ? null : credentials;
}
