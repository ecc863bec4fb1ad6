/**
 * The one error of the service client: what went wrong, and whether the request may have had an effect all the same.
 *
 * Made fresh from an allow-list. Its message and properties never hold the access token, a URL, a body or a `cause`: any
 * of them may be secret, and errors end in logs. What the service said stands behind a method, which nothing that prints calls.
 */

/**
 * `unsent`: provably never left this machine. `not_found`: 404 and 410. `refused_request`: another 4xx. `redirect`: any 3xx,
 * never followed.
 * `network`: the connection failed, nobody knows when. `invalid_answer`: a success that is not of the specification.
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

/** What is known beside the kind. */
export interface ServiceErrorDetails {
  /** HTTP status of the answer. */
  readonly status?: number;
  /** How long the service asks us to wait, whole seconds, 1 to 120. */
  readonly retryAfterSeconds?: number;
  /** Path of the field that is missing or wrong. */
  readonly field?: string;
}

/** What a refusal proves: the service took note of the request and did not do it. */
const withoutEffect: ReadonlySet<ServiceErrorKind> = new Set([
  'unsent',
  'unauthorized',
  'rate_limited',
  'refused_request',
  'not_found',
]);

/** Refusals that prove nothing: a request that timed out at the service, and one that met its own former self. */
const doubtfulStatuses: ReadonlySet<number | undefined> = new Set([408, 409]);

/** A failed call of the invoice service. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ServiceErrorKind;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly field?: string;

  /** Private, and told by a method: `inspect` prints getters too, if it is asked to. */
  readonly #answer: unknown;

  constructor(kind: ServiceErrorKind, details: ServiceErrorDetails = {}, answer?: unknown) {
    super(['Invoice service:', kind, details.status, details.field].filter(Boolean).join(' '));
    this.kind = kind;
    Object.assign(this, details);
    this.#answer = answer;
  }

  /**
   * What the service said beside its refusal of a free `request`: the JSON as it came, unchecked; undefined if there was
   * none or it passed 16 KiB. To read why a refund was refused. May hold personal data and echo what was sent: pick the
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
