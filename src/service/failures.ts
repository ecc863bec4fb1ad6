/** Classifies failures of the service: thrown errors, and answers without success. */

import type { Answer } from './send.js';
import { ServiceError } from './service-error.js';
import type { ServiceErrorKind } from './service-error.js';

/** Bounds of a wait that the service may ask for, seconds. */
const retryAfterBounds = { min: 1, max: 120 };

/**
 * Codes by which Node reports that no connection was made: no address, refused, connect time-out, certificate refused.
 * Other runtimes report less, and then nothing is proven.
 */
const unsentCodes: ReadonlySet<unknown> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Turns what `fetch` threw into our error. */
export function toNetworkError(thrown: unknown): ServiceError {
  const cause = property(thrown, 'cause');
  // Node tries several addresses of one name and then reports all failures together.
  const attempts = property(cause, 'errors');
  const failures: unknown[] = Array.isArray(attempts) && attempts.length > 0 ? attempts : [cause];
  const code = failures.map((failure) => property(failure, 'code')).find(isCode);
  const kind = failures.every(wasNeverSent) ? 'unsent' : 'network';
  return new ServiceError(kind, code === undefined ? {} : { code });
}

/** Turns an answer without success into our error, with the JSON of its body if it was read. */
export function toStatusError(
  { status, header }: Pick<Answer, 'status' | 'header'>,
  nowMs: number,
  answer?: unknown,
): ServiceError {
  const retryAfterSeconds = parseRetryAfter(header('retry-after'), nowMs);
  const details = { status, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
  return new ServiceError(kindOf(status), details, answer);
}

/** RFC 9110 section 10.2.3: seconds or an HTTP date. `null` for anything else. */
function parseRetryAfter(header: string | null, nowMs: number): number | null {
  const seconds = toSeconds(header ?? '', nowMs);
  if (Number.isNaN(seconds)) return null;
  return Math.min(Math.max(seconds, retryAfterBounds.min), retryAfterBounds.max);
}

function toSeconds(header: string, nowMs: number): number {
  if (/^\d+$/.test(header)) return Number(header);
  // `Date.parse` takes almost any text for a date, even "-3"; every HTTP date has a time of day.
  if (!/\d\d:\d\d:\d\d/.test(header)) return Number.NaN;
  return Math.ceil((Date.parse(header) - nowMs) / 1_000);
}

function kindOf(status: number): ServiceErrorKind {
  if (status === 401 || status === 403) return 'unauthorized';
  // 410 is a lasting 404 (RFC 9110 section 15.5.11).
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server';
  if (status >= 400) return 'refused_request';
  // Browser-like runtimes hide a redirect behind the status 0.
  return 'redirect';
}

/** A name of Node's or of the system's, and no text of another's. */
function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(value);
}

/** Unreachable hosts and networks are reported for open connections too, so only `connect` proves it. */
function wasNeverSent(failure: unknown): boolean {
  return unsentCodes.has(property(failure, 'code')) || property(failure, 'syscall') === 'connect';
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
