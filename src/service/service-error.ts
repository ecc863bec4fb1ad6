/**
 * The only error of the service client: what failed, and whether the request may have had an effect. Its message and
 * properties never contain the access token, a URL, a body or a `cause`, because errors end in logs.
 */

import type { Answer } from './send.js';

/**
 * `unsent`: the request provably never left this machine. `not_found`: 404 and 410. `refused_request`: another 4xx. `server`: a
 * 5xx. `redirect`: any 3xx, never followed. `timeout`: no whole answer came in time. `network`: the connection failed, and the
 * request may have arrived. `invalid_answer`: a 2xx whose body does not match the specification.
 */
export type ServiceErrorKind =
  | 'unsent'
  | 'unauthorized'
  | 'rate_limited'
  | 'refused_request'
  | 'not_found'
  | 'server'
  | 'redirect'
  | 'timeout'
  | 'network'
  | 'invalid_answer';

/** Details beside the kind. */
export interface ServiceErrorDetails {
  /** HTTP status of the answer. */
  readonly status?: number;
  /** How long the service asks us to wait, whole seconds, 1 to 120. */
  readonly retryAfterSeconds?: number;
  /** Path of the field that is missing or wrong. */
  readonly field?: string;
  /** Why a connection failed, as Node names it: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
  readonly code?: string;
}

/** Kinds that prove that the request had no effect. */
const withoutEffect: ReadonlySet<ServiceErrorKind> = new Set([
  'unsent',
  'unauthorized',
  'rate_limited',
  'refused_request',
  'not_found',
]);

// Assumed: a creation that is answered 4xx made and charged nothing, so 400, 401, 402, 404, 413, 425 and 429 (service spec shows
// 401 alone). Two prove nothing: a time-out at the service, and a conflict, perhaps with the same request sent before.
const doubtfulStatuses: ReadonlySet<number | undefined> = new Set([408, 409]);

/** A failed call of the invoice service. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ServiceErrorKind;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly field?: string;
  readonly code?: string;

  /** The answer is private and read by a method, because `inspect` may print getters. */
  readonly #answer: unknown;

  constructor(kind: ServiceErrorKind, details: ServiceErrorDetails = {}, answer?: unknown) {
    super(['Invoice service:', kind, details.status, details.field].filter(Boolean).join(' '));
    this.kind = kind;
    Object.assign(this, details);
    this.#answer = answer;
  }

  /**
   * The service's answer to a refused free `request`: the JSON as it came, unchecked; undefined if there was none or it
   * passed 16 KiB. To read why a refund was refused. May hold personal data and echo what was sent: pick the
   * fields you need, and never log it whole.
   */
  readAnswer(): unknown {
    return this.#answer;
  }

  /** False only if it is certain that the request had no effect. */
  get mayHaveHappened(): boolean {
    return !withoutEffect.has(this.kind) || doubtfulStatuses.has(this.status);
  }
}

// Classifies failures of the service: thrown errors, and answers without success.

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

/** Turns an error that `fetch` threw into a ServiceError. */
export function toNetworkError(thrown: unknown): ServiceError {
  const cause = readProperty(thrown, 'cause');
  // Node tries several addresses of one name and then reports all failures together.
  const attempts = readProperty(cause, 'errors');
  const failures: unknown[] = Array.isArray(attempts) && attempts.length > 0 ? attempts : [cause];
  const code = failures.map((failure) => readProperty(failure, 'code')).find(isErrorCode);
  const kind = failures.every(isUnsent) ? 'unsent' : 'network';
  return new ServiceError(kind, code === undefined ? {} : { code });
}

/** Turns an answer without success into a ServiceError, with the JSON of its body if it was read. */
export function toStatusError(
  { status, header }: Pick<Answer, 'status' | 'header'>,
  nowMs: number,
  answer?: unknown,
): ServiceError {
  const retryAfterSeconds = parseRetryAfter(header('retry-after'), nowMs);
  const details = { status, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
  return new ServiceError(toErrorKind(status), details, answer);
}

/** Reads Retry-After: seconds or an HTTP date (RFC 9110 section 10.2.3); `null` for anything else. */
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

function toErrorKind(status: number): ServiceErrorKind {
  if (status === 401 || status === 403) return 'unauthorized';
  // 410 means a 404 that lasts (RFC 9110 section 15.5.11).
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server';
  if (status >= 400) return 'refused_request';
  // Browser-like runtimes hide a redirect behind the status 0.
  return 'redirect';
}

/** Whether it is an error code of Node or of the system, and no other text. */
function isErrorCode(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(value);
}

/**
 * Whether the failure proves that nothing was sent. Unreachable hosts and networks are also reported for open connections, so
 * only the system call `connect` proves it.
 */
function isUnsent(failure: unknown): boolean {
  return (
    unsentCodes.has(readProperty(failure, 'code')) || readProperty(failure, 'syscall') === 'connect'
  );
}

function readProperty(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
