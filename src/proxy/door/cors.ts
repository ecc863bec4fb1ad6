/**
 * CORS (Fetch, section 3.2): which pages may call the proxy, and read what it answers.
 *
 *     const origin = admitOrigin(request.headers, allowedOrigins); // throws 403 for a page that is not listed
 *     if (request.method === 'OPTIONS') return toPreflightHeaders('GET, HEAD', origin, request.headers);
 *     allowOrigin(headers, origin); // lets the page read the answer
 *
 * An origin does not authenticate, tokens do: the check keeps other sites from using the browsers of their visitors.
 */

import { hourSeconds } from '../../domain/spans.js';
import { SetupError } from '../set-up/proxy-error.js';

/** How long a browser may cache a preflight response, seconds. Chromium allows no more. */
const preflightAgeSeconds = 2 * hourSeconds;

/** The headers that the element sends. */
const pageHeaders = 'authorization, content-type, idempotency-key, lookup-token, order-token';

/** Names of headers (RFC 9110 section 5.1), as browsers list them. */
const headerNames = /^[\w!#$%&'*+.^`|~-]{1,100}(?:, ?[\w!#$%&'*+.^`|~-]{1,100}){0,30}$/;

/** Forms of an origin that the log may repeat. Any other text of a request stays out of it. */
const originForm = /^(?:null|[a-z][a-z0-9+.-]{0,20}:\/\/[a-z0-9.:[\]-]{1,100})$/i;

/** The hint for a page whose origin is listed by http. */
const byTlsHint =
  'Browsers come by https: write allowedOrigins and publicUrl so, also where TLS ends in front of this process';

/** The hint for a page with the origin `null`, which no list can name. */
const noOriginHint =
  'The page is a file, an HTML string in a WebView, or in a sandboxed iframe: load it by https from an allowed origin';

/**
 * Admits pages of the allowed origins, and requests without an origin: those of servers, and GETs of the same origin.
 * @returns the origin of the page; null if there is none
 * @throws SetupError 403
 */
export function admitOrigin(
  headers: Pick<Headers, 'get'>,
  allowed: ReadonlySet<string>,
): string | null {
  const origin = headers.get('origin');
  if (origin !== null && allowed.has(origin)) return origin;
  // Browsers omit Origin from some cross-site requests, but not Sec-Fetch-Site.
  const isCrossSite = headers.get('sec-fetch-site') === 'cross-site';
  if (origin === null && !isCrossSite) return null;
  throw toOriginError(origin, allowed);
}

/** Makes the error for a page of this origin. @param origin as the browser sent it; null if it sent none */
export function toOriginError(origin: string | null, allowed: ReadonlySet<string>): SetupError {
  const got = origin === null ? 'none' : originForm.test(origin) ? origin : 'unreadable';
  const expected = [...allowed].join(' ');
  const isByTls = allowed.has(got.replace(/^https:/, 'http:'));
  const hint = got === 'null' ? noOriginHint : isByTls ? byTlsHint : null;
  return new SetupError('origin_refused', { got, expected, ...(hint !== null && { hint }) });
}

/**
 * Lets a page read the answer that gets these headers. Credentials are allowed because a page's wrapper of `fetch` may send
 * them; the proxy reads no cookie.
 * @param origin of the page; null if there is none
 */
export function allowOrigin(headers: Record<string, string>, origin: string | null): void {
  headers['Vary'] = 'Origin';
  if (origin === null) return;
  headers['Access-Control-Allow-Origin'] = origin;
  headers['Access-Control-Allow-Credentials'] = 'true';
  headers['Access-Control-Expose-Headers'] = 'Retry-After';
}

/**
 * Makes the headers of the answer to a preflight. Programs that trace a page add headers to its requests: an allowed page may
 * send any header, and the proxy reads only those that it knows.
 * @param methods of the route, as in `GET, HEAD`
 */
export function toPreflightHeaders(
  methods: string,
  origin: string | null,
  headers: Pick<Headers, 'get'>,
): Record<string, string> {
  if (origin === null) return { Allow: methods };
  const [asked = ''] = headerNames.exec(headers.get('access-control-request-headers') ?? '') ?? [];
  return {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': asked ? `${pageHeaders}, ${asked}` : pageHeaders,
    'Access-Control-Max-Age': String(preflightAgeSeconds),
  };
}
