/**
 * The one error this room answers with. Owns what a refusal holds; how it becomes a response is `http.ts`'s.
 *
 * Made fresh from codes and field names: never holds a value somebody sent, a `cause`, or a foreign message.
 */

import { errorCodes } from '../../contract/codes.js';
import type { ErrorCode } from '../../contract/codes.js';
import type { CreatedInvoice } from '../../contract/types.js';
import type { RememberedInvoice } from '../ledger/ledger.js';

/** What a refusal may say beside its code. */
export interface ProxyErrorDetails {
  /** Default: the code's first status. */
  readonly status?: number;
  /** Path of the field that is wrong, such as `payer.email`. */
  readonly field?: string;
  /** When another try makes sense, whole seconds. */
  readonly retryAfterSeconds?: number;
  /** With 405: the methods there are. */
  readonly allow?: string;
  /** With `order_paid`: the invoice that paid. */
  readonly data?: CreatedInvoice;
}

/** A request that is not served, with its code of the contract. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly field?: string;
  readonly retryAfterSeconds?: number;
  readonly allow?: string;
  readonly data?: CreatedInvoice;

  constructor(code: ErrorCode, details: ProxyErrorDetails = {}) {
    super(details.field === undefined ? code : `${code}: ${details.field}`);
    this.code = code;
    this.status = errorCodes[code].statuses[0] ?? 500;
    Object.assign(this, details);
  }
}

/** The order is paid already. The operations add what a page may know of the invoice that paid it. */
export class OrderPaid extends ProxyError {
  /** Null: the merchant's code says so, and no invoice of the order is known to be paid. */
  readonly paid: RememberedInvoice | null;

  constructor(paid: RememberedInvoice | null) {
    super('order_paid');
    this.paid = paid;
  }
}

/** How long a payer's page waits before it asks again, where nobody said so, seconds. */
const defaultRetryAfterSeconds = 5;

/** The service, or the merchant's own code, cannot be had now. */
export function unavailable(retryAfterSeconds = defaultRetryAfterSeconds): ProxyError {
  return new ProxyError('service_unavailable', { retryAfterSeconds });
}

/** How long a payer's page waits before it asks again for a payment under way, seconds. */
const inProgressSeconds = 1;

/** Another payment of the order is under way, and its outcome is waited for. */
export function inProgress(): ProxyError {
  return new ProxyError('in_progress', { retryAfterSeconds: inProgressSeconds });
}

/** A fault of the merchant's own code or ours: asking again at once cannot help, but the payer's page may try later. */
export function broken(): ProxyError {
  return new ProxyError('service_unavailable', { status: 500 });
}
