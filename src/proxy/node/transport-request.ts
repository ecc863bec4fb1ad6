/**
 * What a caller of the Node transport wants sent, checked: all it supports, and a clear refusal of the rest.
 *
 * Knows no connection.
 */

/** Methods that may be sent over a connection that could be dying: what they ask for can be asked again. */
export const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Methods that `fetch` refuses, and that mean a tunnel or an echo (Fetch, section 2.2.1). */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

const knownOptions: ReadonlySet<string> = new Set([
  'method',
  'headers',
  'body',
  'signal',
  'redirect',
]);

/** What this file writes itself: another value would break the framing, or a body nobody decodes. */
const ownHeaders = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
];

/** A request, ready to be sent. */
export interface Call {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | null;
  readonly signal: AbortSignal | null;
}

/** @throws TypeError naming what is not supported, never a value */
export function toCall(input: RequestInfo | URL, init: RequestInit): Call {
  if (typeof input !== 'string' && !(input instanceof URL)) {
    throw new TypeError('A Request is not supported: an address and options are');
  }
  const unknown = Object.entries(init).find(
    ([name, value]) => value !== undefined && !knownOptions.has(name),
  );
  if (unknown) throw new TypeError(`${unknown[0]} is not supported`);
  if (init.redirect !== 'manual') throw new TypeError('redirect must be manual');
  const { method = 'GET', body = null, signal = null } = init;
  if (body !== null && typeof body !== 'string') throw new TypeError('body must be a string');
  if (!/^[A-Z]+$/.test(method) || forbiddenMethods.has(method)) {
    throw new TypeError('method is not supported');
  }
  if (body !== null && idempotentMethods.has(method)) {
    throw new TypeError(`body is not supported with ${method}`);
  }
  return { url: toUrl(String(input)), method, headers: toHeaders(init.headers), body, signal };
}

function toUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new TypeError('The address must be an absolute one of http or https');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('The address must not hold credentials');
  }
  return url;
}

function toHeaders(given: HeadersInit | undefined): Headers {
  const headers = new Headers(given);
  const own = ownHeaders.find((name) => headers.has(name));
  if (own !== undefined) throw new TypeError(`The header ${own} is not supported`);
  headers.set('Accept-Encoding', 'identity');
  if (!headers.has('accept')) headers.set('Accept', '*/*');
  // As Node's own: firewalls turn away who has no name.
  if (!headers.has('user-agent')) headers.set('User-Agent', 'node');
  return headers;
}
