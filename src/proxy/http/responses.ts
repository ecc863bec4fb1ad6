/**
 * The edge to HTTP: who may call, how a body is read, and the one place where an answer or a refusal becomes an answer.
 *
 * Knows no order and no invoice. No header or body of a request is ever repeated in an answer, but for an allowed origin.
 */

import { errorCodes } from '../../contract/codes.js';
import type { Problem } from '../../contract/types.js';
import { BodyError, readText } from '../../service/read-text.js';
import type { PlainResponse, RequestHead } from './request.js';
import { ProxyError } from '../runtime/proxy-error.js';
import { SetupRefusal } from '../runtime/setup-errors.js';

/** Largest request body, bytes. */
const maxBodyBytes = 16 * 1024;

/** How long a browser may remember a preflight answer, seconds: Chromium's own maximum. */
const preflightAgeSeconds = 7_200;

/**
 * Lets pages of the allowed origins in, and requests without an origin (same-origin GET, servers). An origin proves
 * nothing about who calls, tokens do; it keeps other sites' pages from using their visitors' browsers.
 *
 * @returns the origin to answer to; null: there was none
 * @throws ProxyError 403
 */
export function admitOrigin(request: RequestHead, allowed: ReadonlySet<string>): string | null {
  const origin = request.headers.get('origin');
  if (origin !== null && allowed.has(origin)) return origin;
  // Browsers leave Origin out of some cross-site requests, but not Sec-Fetch-Site.
  const isCrossSite = request.headers.get('sec-fetch-site') === 'cross-site';
  if (origin !== null || isCrossSite) throw new SetupRefusal('origin_refused');
  return null;
}

/**
 * Reads a JSON body, counting bytes while they come: an announced length proves nothing.
 * @throws ProxyError 415, 413 or 400
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw new ProxyError('invalid_request', { status: 415 });
  }
  if (request.bodyUsed) throw new SetupRefusal('body_already_read');
  try {
    return JSON.parse(await readText(request.body?.getReader(), maxBodyBytes));
  } catch (thrown) {
    const isTooLarge = thrown instanceof BodyError && thrown.problem === 'too_large';
    if (isTooLarge) throw new ProxyError('invalid_request', { status: 413 });
    // Not UTF-8, not JSON, or a client that disconnected.
    throw new ProxyError('invalid_request', { field: 'body' });
  }
}

/** Bodies of answers, by their data: what a shared look-up found is written once, however many ask. */
const bodies = new WeakMap<object, string>();

/** An answer of the contract. @param data is never changed afterwards */
export function toAnswer(data: object, origin: string | null): PlainResponse {
  const headers = toHeaders(origin, { 'Content-Type': 'application/json' });
  let body = bodies.get(data);
  if (body === undefined) {
    // The service's own message is free text for nobody: ours is empty.
    body = JSON.stringify({ data, message: '' });
    bodies.set(data, body);
  }
  return { status: 200, headers, body };
}

/** A refusal as problem details (RFC 9457). `detail` is the name of a field or an option, never a value. */
export function toProblem(refusal: ProxyError, origin: string | null): PlainResponse {
  const { code, status, field, retryAfterSeconds, allow, data } = refusal;
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

/** The answer to a preflight. @param methods what the route has, as in `GET, POST` */
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

/** An answer to the service or to whoever runs this server: no page reads it, and it tells nothing of the inside. */
export function toServerAnswer(status: number, state: object | null): PlainResponse {
  const type = state === null ? {} : { 'Content-Type': 'application/json' };
  const body = state === null ? null : JSON.stringify(state);
  return { status, headers: toHeaders(null, type), body };
}

/**
 * No credentials header: nothing here is known by a cookie. Set one by one: V8 takes a hundred times as long to spread
 * one object into another, and this is done for each look-up.
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
