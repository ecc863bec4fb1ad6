/** The closed list of error codes that a proxy may answer with, and what each means for HTTP and for a retry. */

/** Whether sending the same request again later can help. It cannot for a card whose outcome is unknown. */
const retryable = {
  invalid_request: false,
  unknown_order: false,
  order_paid: false,
  order_closed: false,
  order_failed: false,
  amount_mismatch: false,
  unauthorized: false,
  not_found: false,
  in_progress: true,
  key_reused: false,
  too_many_requests: true,
  payment_refused: false,
  outcome_unknown: false,
  service_unavailable: true,
};

/** Every `code` a problem document of this contract may carry. */
export type ErrorCode = keyof typeof retryable;

/** The meaning of a code, for a proxy that writes it. A browser need not load this. */
interface ErrorMeaning {
  /** The HTTP statuses that the code may come with. Our proxy uses the first unless another one is more exact. */
  readonly statuses: readonly number[];
  /** Title of the problem document (RFC 9457 section 3.1.4): short, English, the same for each occurrence. */
  readonly title: string;
  /**
   * Whether this answer to a card's creation is final: nothing is ever charged with its key. After any other answer the page
   * asks for the attempt by its key, until `not_found` bars that key.
   */
  readonly binds?: true;
}

/**
 * No code has the status 408, because browsers send a request again after it, and a payment must not be sent twice. 403 is a
 * page that may not call, or may not send a card's number; 405 and 415 are a wrong method and content type; 413 is a body
 * over the limit.
 */
export const errorCodes: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  invalid_request: { statuses: [400, 403, 405, 413, 415], title: 'The request is not valid' },
  unknown_order: { statuses: [404], title: 'This order is not known' },
  order_paid: { statuses: [409], title: 'This order is paid already', binds: true },
  order_closed: { statuses: [409], title: 'This order can no longer be paid' },
  // The shop's code returned no valid order, and will not return one next time. If it throws or hangs, the code is
  // `service_unavailable`.
  order_failed: { statuses: [500], title: 'The shop has a fault in this order' },
  amount_mismatch: { statuses: [409], title: 'The total differs from what the page showed' },
  unauthorized: { statuses: [401], title: 'A valid order or look-up token is needed' },
  not_found: { statuses: [404], title: 'Nothing is known under this name' },
  in_progress: { statuses: [409], title: 'Another payment of this order is in progress' },
  key_reused: { statuses: [422], title: 'This idempotency key belongs to another request' },
  too_many_requests: { statuses: [429], title: 'Too many requests' },
  payment_refused: { statuses: [402], title: 'The payment was refused', binds: true },
  outcome_unknown: { statuses: [502, 504], title: 'The outcome of the payment is not known yet' },
  service_unavailable: {
    statuses: [503, 500, 502, 504],
    title: 'The payment service cannot be reached',
  },
};

/** Whether an untrusted value is one of our codes. Only own properties count, so `"constructor"` is none. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(retryable, value);
}

/** Whether sending the same request again, later, can help. */
export function isRetryable(code: ErrorCode): boolean {
  return retryable[code];
}
