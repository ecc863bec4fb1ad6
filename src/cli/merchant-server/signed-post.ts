/**
 * One signed JSON POST to the merchant's server: no redirect, a time-out, an answer of limited size. Its errors contain no
 * address, no body and no secret, because the proxy logs them.
 */

import { BodyError, readText } from '../../service/body.js';
import { parseSecureUrl } from '../../service/secure-url.js';
import { parseWebhookSecrets, signWebhook } from './webhook-signature.js';

/** Largest answer that is read, bytes. */
const maxAnswerBytes = 64 * 1024;

/** The address of the merchant's server, and the secrets that sign our calls. */
export interface MerchantServer {
  /** An https address; or http on loopback and on the hosts of `plainHttpHosts`. It may have a query. */
  readonly url: string;
  /** `whsec_…`, the current one first. Each of them signs. */
  readonly secrets: readonly string[];
  /** Hosts of a private network that are called by http, such as a container's name. Default none. */
  readonly plainHttpHosts?: readonly string[];
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Wall clock, milliseconds since 1970. */
  readonly now?: () => number;
  /** Longest time of one call, milliseconds. */
  readonly timeoutMs?: number;
}

/** A call without its signature. */
interface SignedCall {
  readonly id: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why a call did not succeed. The proxy's log shows these words as `errorName`. */
type CallFault =
  | 'MerchantNotReached'
  | 'MerchantRedirects'
  | 'SignatureRefused'
  | 'MerchantRefused'
  | 'MerchantFailed'
  | 'AnswerTooLarge'
  | 'AnswerNotJson'
  | 'OrderUrlNotFound';

export class MerchantCallError extends Error {
  constructor(
    override readonly name: CallFault,
    /** HTTP status, where there was an answer. */
    readonly status?: number,
  ) {
    super(status === undefined ? name : `${name}: ${status}`);
  }
}

/**
 * Makes the function that calls. It reads the answers that have one of the given statuses. For other answers, and for an
 * error whose body cannot be read, the text is empty.
 * @param option the name of `url` in errors
 * @throws TypeError
 */
export function createSignedPost(
  option: string,
  server: MerchantServer & { readonly timeoutMs: number },
) {
  const { fetch: send = globalThis.fetch, now = Date.now, timeoutMs } = server;
  const url = parseMerchantUrl(option, server.url, server.plainHttpHosts);
  const keys = parseWebhookSecrets('webhookSecrets', server.secrets);

  return async ({ id, body: value, headers }: SignedCall, readsOf: readonly number[]) => {
    const body = JSON.stringify(value);
    const signal = AbortSignal.timeout(timeoutMs);
    const init = {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': 'pix-checkout',
        ...signWebhook(keys, { id, sentAtMs: now(), body }),
      },
      body,
      redirect: 'manual',
      signal,
    } as const;
    const response = await send(url, init).catch(() => failAsUnreached(signal));
    const { status } = response;
    if (readsOf.includes(status)) return { status, text: await readAnswer(response, signal) };
    void response.body?.cancel().catch(() => undefined);
    return { status, text: '' };
  };
}

/** Reads the address. @throws TypeError naming the option, never its value, because a query may be a secret */
export function parseMerchantUrl(
  option: string,
  value: unknown,
  plainHttpHosts: readonly string[] = [],
): string {
  const given = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  const isPlain = given?.protocol === 'http:' && plainHttpHosts.includes(given.hostname);
  // The other rules for an address also hold with http.
  const url = parseSecureUrl(option, isPlain ? given.href.replace(/^http/, 'https') : value);
  if (url.hash !== '') throw new TypeError(`${option} must not hold a fragment`);
  return (isPlain ? given : url).href;
}

/** Makes the error for an answer that is not a success. */
export function toMerchantCallError(status: number): MerchantCallError {
  if (status === 401 || status === 403) return new MerchantCallError('SignatureRefused', status);
  if (status >= 300 && status < 400) return new MerchantCallError('MerchantRedirects', status);
  return new MerchantCallError(status < 500 ? 'MerchantRefused' : 'MerchantFailed', status);
}

/** Reads the answer's text. @throws MerchantCallError, or the signal's `TimeoutError` */
async function readAnswer(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await readText(response.body?.getReader(), maxAnswerBytes);
  } catch (thrown) {
    if (!(thrown instanceof BodyError)) return failAsUnreached(signal);
    // An error may come with any page.
    if (response.status !== 200) return '';
    const isLarge = thrown.problem === 'too_large';
    throw new MerchantCallError(isLarge ? 'AnswerTooLarge' : 'AnswerNotJson', response.status);
  }
}

/**
 * Throws an error of our own, because that of `fetch` may name the address. @throws the signal's `TimeoutError` after a
 * time-out
 */
function failAsUnreached(signal: AbortSignal): never {
  signal.throwIfAborted();
  throw new MerchantCallError('MerchantNotReached');
}
