/**
 * The one error of the service client: what went wrong, and whether the request may have had an effect. Its message and
 * properties never hold the access token, a URL, a body or a `cause`, because errors end in logs.
 */

/**
 * `unsent`: provably never left this machine. `not_found`: 404 and 410. `refused_request`: another 4xx. `redirect`: any 3xx,
 * never followed.
 * `network`: the connection failed, and it is unknown when. `invalid_answer`: a success that is not of the specification.
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

  /** Private, and read by a method: `inspect` may print getters. */
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

  /** False only where it is certain that the request had no effect. */
  get mayHaveHappened(): boolean {
    return !withoutEffect.has(this.kind) || doubtfulStatuses.has(this.status);
  }
}
