/**
 * The edge to HTTP: origins, request bodies, and the one place that makes responses. A response repeats nothing of its
 * request but an allowed origin.
 */

import { errorCodes } from '../../contract/codes.js';
import type { Problem } from '../../contract/types.js';
import { BodyError, readText } from '../../service/call.js';
import type { PlainResponse, RequestHead } from './request.js';
import { ProxyError, SetupError } from '../runtime/proxy-error.js';

/** Largest request body, bytes. */
const maxBodyBytes = 16 * 1024;

/** How long a browser may cache a preflight response, seconds: Chromium's own maximum. */
const preflightAgeSeconds = 7_200;

/**
 * Admits pages of the allowed origins, and requests without an origin (same-origin GET, servers). An origin does not
 * authenticate, tokens do; this check keeps other sites from using their visitors' browsers.
 *
 * @returns the origin to respond to; null: there was none
 * @throws ProxyError 403
 */
export function admitOrigin(request: RequestHead, allowed: ReadonlySet<string>): string | null {
  const origin = request.headers.get('origin');
  if (origin !== null && allowed.has(origin)) return origin;
  // Browsers omit Origin from some cross-site requests, but not Sec-Fetch-Site.
  const isCrossSite = request.headers.get('sec-fetch-site') === 'cross-site';
  if (origin !== null || isCrossSite) throw new SetupError('origin_refused');
  return null;
}

/**
 * Reads a JSON body.
 * @throws ProxyError 415, 413 or 400
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw new ProxyError('invalid_request', { status: 415 });
  }
  if (request.bodyUsed) throw new SetupError('body_already_read');
  try {
    return JSON.parse(await readText(request.body?.getReader(), maxBodyBytes));
  } catch (thrown) {
    const isTooLarge = thrown instanceof BodyError && thrown.problem === 'too_large';
    if (isTooLarge) throw new ProxyError('invalid_request', { status: 413 });
    // Not UTF-8, not JSON, or a client that disconnected.
    throw new ProxyError('invalid_request', { field: 'body' });
  }
}

/** Response bodies by their data: the result of a shared look-up is written once for all its requests. */
const bodies = new WeakMap<object, string>();

/** A response of the contract. @param data must not change afterwards */
export function toAnswer(data: object, origin: string | null): PlainResponse {
  const headers = toHeaders(origin, { 'Content-Type': 'application/json' });
  let body = bodies.get(data);
  if (body === undefined) {
    // The service's own message is free text and not passed on.
    body = JSON.stringify({ data, message: '' });
    bodies.set(data, body);
  }
  return { status: 200, headers, body };
}

/** An error as problem details (RFC 9457). `detail` is the name of a field or an option, never a value. */
export function toProblem(error: ProxyError, origin: string | null): PlainResponse {
  const { code, status, field, retryAfterSeconds, allow, data } = error;
  const problem: Problem & { detail?: string } = {
    type: 'about:blank',
    title: errorCodes[code].title,
    status,
    code,
    ...(field === undefined ? {} : { detail: field }),
    ...(data === undefined ? {} : { data }),
  };
  const headers = toHeaders(origin, {
    'Content-Type': 'application/problem+json',
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...(allow === undefined ? {} : { Allow: allow }),
  });
  return { status, headers, body: JSON.stringify(problem) };
}

/** The response to a preflight. @param methods of the route, as in `GET, POST` */
export function toPreflight(methods: string, origin: string | null): PlainResponse {
  const headers = toHeaders(origin, {
    Allow: methods,
    ...(origin === null
      ? {}
      : {
          'Access-Control-Allow-Methods': methods,
          'Access-Control-Allow-Headers': 'authorization, content-type, idempotency-key',
          'Access-Control-Max-Age': String(preflightAgeSeconds),
        }),
  });
  return { status: 204, headers, body: null };
}

/** A response to the service or to the operator's checks, which no page reads. */
export function toServerAnswer(status: number, state: object | null): PlainResponse {
  const type = state === null ? {} : { 'Content-Type': 'application/json' };
  const body = state === null ? null : JSON.stringify(state);
  return { status, headers: toHeaders(null, type), body };
}

/**
 * No credentials header: the proxy uses no cookies. Set one by one, because V8 takes a hundred times as long to spread
 * one object into another, and each look-up does this.
 */
function toHeaders(
  origin: string | null,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Origin',
  };
  if (origin !== null) {
    headers['Access-Control-Allow-Origin'] = origin;
    headers['Access-Control-Expose-Headers'] = 'Retry-After';
  }
  return Object.assign(headers, own);
}
