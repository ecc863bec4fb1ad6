/**
 * Calls the invoice service: two operations, each sent once and never again.
 *
 * The only holder of the access token, which lives in one closure here. Knows nothing of orders, of the contract with
 * the browser, or of what a failed call means for a payer.
 */

import { toNetworkError, toStatusError } from './failures.js';
import { readText } from './read-text.js';
import { ServiceError } from './service-error.js';
import { parseServiceUrl } from './service-url.js';
import { parseCreation, parseLookUp, wireIdPattern, WireError } from './wire.js';
import type { CreatedWireInvoice, CreationRequest, WireInvoice } from './wire.js';

/** Time for one whole call, milliseconds: token, connection, answer and body. */
const defaultTimeoutMs = 10_000;

/** Largest answer that is read, bytes. */
const maxAnswerBytes = 256 * 1024;

/** What a token may hold: visible ASCII. Wider than RFC 6750 section 2.1, because real tokens have bars in them. */
const tokenPattern = /^[\x21-\x7e]+$/;

const invoicesPath = '/api/v2/invoices';

/** The bearer: a string, or a function asked before each call. */
export type AccessToken = string | (() => Promise<string>);

/** Options of {@link createServiceClient}. */
export interface ServiceClientOptions {
  /** Base address; https except on loopback, a path prefix is kept. */
  readonly serviceUrl: string;
  readonly accessToken: AccessToken;
  /** Time for one whole call, milliseconds; default 10 s. */
  readonly timeoutMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Wall clock, milliseconds since 1970, to read a Retry-After date by; default: the system's. */
  readonly now?: () => number;
}

/** Where an answer came from. */
export interface Provenance {
  /** The answer is marked as the sandbox's: no money moves behind it. */
  readonly isSandbox: boolean;
}

/** What one creation may carry beside its body. */
export interface CreationOptions {
  /** Sent as `Idempotency-Key`. */
  readonly idempotencyKey?: string;
}

/** The two operations. Each rejects with a {@link ServiceError} and nothing else. */
export interface ServiceClient {
  createInvoice(
    request: CreationRequest,
    options?: CreationOptions,
  ): Promise<CreatedWireInvoice & Provenance>;
  lookUpInvoice(id: string): Promise<WireInvoice & Provenance>;
}

/**
 * Makes a client of the invoice service.
 *
 * @throws TypeError naming an option that is wrong
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const baseUrl = parseServiceUrl(options.serviceUrl);
  const { timeoutMs = defaultTimeoutMs, now = Date.now } = options;
  const send = options.fetch ?? globalThis.fetch;
  const readToken = toTokenReader(options.accessToken);

  return {
    async createInvoice(request, { idempotencyKey } = {}) {
      // Assumed: the service ignores Idempotency-Key (service spec does not show it), so the caller chooses to send it.
      const extra = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
      const init = { method: 'POST', body: JSON.stringify(request) };
      return call(toUrl(baseUrl), init, extra, parseCreation);
    },

    async lookUpInvoice(id) {
      return call(toUrl(baseUrl, id), { method: 'GET' }, {}, parseLookUp);
    },
  };

  async function call<T extends object>(
    url: string,
    init: RequestInit,
    extraHeaders: Record<string, string>,
    parse: (value: unknown) => T,
  ): Promise<T & Provenance> {
    return withDeadline(timeoutMs, async (signal) => {
      const headers = await toHeaders(readToken, extraHeaders);
      // The deadline may have passed while the token was awaited: then the request must never leave.
      if (signal.aborted) throw new ServiceError('unsent');
      const response = await send(url, { ...init, headers, signal, redirect: 'manual' });
      if (!response.ok) {
        void response.body?.cancel().catch(() => undefined);
        throw toStatusError(response, now());
      }
      const invoice = parseAnswer(await readText(response, maxAnswerBytes), response.status, parse);
      return { ...invoice, isSandbox: response.headers.has('x-pix-sandbox') };
    });
  }
}

/** Runs one call against the clock, and turns whatever it throws into a `ServiceError`. */
async function withDeadline<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new ServiceError('timeout'));
      controller.abort();
    }, timeoutMs);
  });
  try {
    // A race, because a token function or an injected fetch may not know the signal.
    return await Promise.race([work(controller.signal), expired]);
  } catch (thrown) {
    throw thrown instanceof ServiceError ? thrown : toNetworkError(thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** Whatever fails here never left, and its error may quote the token. */
async function toHeaders(
  readToken: () => Promise<string>,
  extraHeaders: Record<string, string>,
): Promise<Headers> {
  try {
    return new Headers({
      Authorization: `Bearer ${await readToken()}`,
      // The specification sends it on the look-up too, which has no body.
      'Content-Type': 'application/json',
      Accept: 'application/json',
      ...extraHeaders,
    });
  } catch {
    throw new ServiceError('unsent');
  }
}

/** The id matches a strict pattern; that the URL is still what was meant is checked all the same. */
function toUrl(baseUrl: string, id?: string): string {
  const text = baseUrl + invoicesPath + (id === undefined ? '' : `/${id}`);
  const isWhole = id === undefined || wireIdPattern.test(id);
  if (!isWhole || new URL(text).href !== text) throw new ServiceError('unsent', { field: 'id' });
  return text;
}

function parseAnswer<T>(text: string, status: number, parse: (value: unknown) => T): T {
  try {
    return parse(JSON.parse(text));
  } catch (thrown) {
    const field = thrown instanceof WireError ? { field: thrown.field } : {};
    throw new ServiceError('invalid_answer', { status, ...field });
  }
}

function toTokenReader(accessToken: AccessToken): () => Promise<string> {
  if (typeof accessToken === 'function') {
    return async () => checkToken(await accessToken());
  }
  const token = checkToken(accessToken);
  return async () => token;
}

/** A token that no header can carry must fail here: `fetch` would quote it in its error. */
function checkToken(token: unknown): string {
  if (typeof token === 'string' && tokenPattern.test(token)) return token;
  throw new TypeError('accessToken is not a bearer token');
}
