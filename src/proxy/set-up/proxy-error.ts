/**
 * The errors that the proxy answers with. They hold codes and field names, no `cause` and no message of another error. Of a
 * request they repeat only the total that a page showed (`amount_mismatch`) and, for the log, a page's origin.
 */

import type * as z from 'zod/mini';
import { errorCodes, type ErrorCode } from '../../contract/codes.js';
import type { CreatedInvoice } from '../../contract/types.js';
import { createWarnings, logError, type Log } from './log.js';
import { logHints } from './log-hints.js';
import type { LogEntry } from './options/options.js';
import type { OrderTokenFault } from './options/public-url.js';
import { LedgerError, isBusy } from '../store/order-store.js';
import type { MadeInvoice } from '../order/order.js';

interface ProxyErrorDetails {
  /** Default: the code's first status. */
  readonly status?: number;
  /** Path of the field that is wrong, such as `payer.email`. */
  readonly field?: string;
  /** When to try again, whole seconds. */
  readonly retryAfterSeconds?: number;
  /** With 405: the methods that are allowed. */
  readonly allow?: string;
  /** With `order_paid`: the invoice that paid. */
  readonly data?: CreatedInvoice;
}

/** An error with a code of the contract. */
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

/** The order is already paid. The operation adds the fields of the paid invoice that the page may see. */
export class OrderPaid extends ProxyError {
  /** Null if only the merchant's code says that the order is paid. */
  readonly paid: MadeInvoice | null;

  constructor(paid: MadeInvoice | null) {
    super('order_paid');
    this.paid = paid;
  }
}

/** When a payer's page asks again if the service named no time, seconds. */
const defaultRetryAfterSeconds = 5;

/**
 * Makes the error for a service, or a function of the merchant's, that is not available now.
 * @param hook the merchant's function that failed
 */
export function toUnavailableError(
  retryAfterSeconds = defaultRetryAfterSeconds,
  hook?: string,
): ProxyError {
  return new ProxyError('service_unavailable', { retryAfterSeconds, ...(hook && { field: hook }) });
}

/** Returns null if the service does not know the invoice, which then cannot be paid. @throws every other error */
export function nullIfNotFound(thrown: unknown): null {
  if (thrown instanceof ProxyError && thrown.code === 'not_found') return null;
  throw thrown;
}

/** Makes the error for a request that meets another payment. @param retryAfterSeconds when the payer's page asks again */
export function toInProgressError(retryAfterSeconds = 1): ProxyError {
  return new ProxyError('in_progress', { retryAfterSeconds });
}

/**
 * The page has left, and nothing was sent for it. The error concerns this request alone, so other requests for the same order
 * must not get it.
 */
export class PageLeft extends ProxyError {
  constructor() {
    super('in_progress', { retryAfterSeconds: 1 });
  }
}

/** An error of our own code. A retry at once does not help, but a later one may. */
export function toBrokenError(): ProxyError {
  return new ProxyError('service_unavailable', { status: 500 });
}

/** Makes the path of the first wrong field. It has an unknown key, which may be any text, only if that looks like a name. */
export function toFieldPath({ issues: [issue] }: z.core.$ZodError): string {
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const names = unknown.filter((key) => /^[A-Za-z_]{1,40}$/.test(key));
  return [...(issue?.path ?? []), ...names].join('.');
}

/** Errors that a wrong set-up may cause. `field` becomes the `detail` of the problem. */
const setupFaults = {
  origin_refused: { code: 'invalid_request', status: 403, field: 'allowedOrigins' },
  body_already_read: {
    code: 'invalid_request',
    // With status 400 the page would ask its payer to correct something.
    status: 415,
    field: 'bodyUsed',
  },
  raw_card_refused: { code: 'invalid_request', status: 403, field: 'rawCard' },
  path_outside_public_url: { code: 'not_found', status: 404, field: 'publicUrl' },
  header_missing: { code: 'invalid_request', status: 400, field: 'Idempotency-Key' },
  reference_refused: { code: 'invalid_request', status: 400, field: 'external_id' },
  order_token_refused: { code: 'unauthorized', status: 401, field: undefined },
  address_limited: { code: 'too_many_requests', status: 429, field: undefined },
  lookup_token_refused: { code: 'unauthorized', status: 401, field: undefined },
} as const;

export type SetupDetails = Pick<LogEntry, 'got' | 'expected' | 'reason' | 'hint'>;

/** A request that fails because of the merchant's set-up, which no payer can correct. */
export class SetupError extends ProxyError {
  readonly entry: LogEntry;

  constructor(
    event: keyof typeof setupFaults,
    details: SetupDetails = {},
    more: Pick<ProxyErrorDetails, 'field' | 'retryAfterSeconds'> = {},
  ) {
    const { code, status, field } = setupFaults[event];
    super(code, { status, ...(field !== undefined && { field }), ...more });
    this.entry = { level: 'warn', event, ...details };
  }
}

/** What to do about a refused order token, by the reason. */
const tokenHints: Readonly<Record<OrderTokenFault, string>> = {
  missing: 'Let your server sign an order token with each page (signOrder), and set order-token',
  unreadable: 'Set order-token to what signOrder gave, whole: it begins with v1.',
  expired: 'Sign anew with each page: a token ends after 24 hours, or after expiresInSeconds',
  other_order: 'Sign for the order that the page shows: external-id and externalId are the same',
  other_secret_or_address:
    'Sign with the secrets and the publicUrl of the proxy, letter by letter; both are part of the key',
};

/** Makes the error for a refused order token. @param reason `missing` is told to the page as well */
export function toOrderTokenError(reason: OrderTokenFault): SetupError {
  const details = { reason, hint: tokenHints[reason] };
  if (reason !== 'missing') return new SetupError('order_token_refused', details);
  const more = { got: 'none', expected: 'order_token' };
  return new SetupError(
    'order_token_refused',
    { ...details, ...more },
    { field: 'order_token is missing' },
  );
}

/**
 * Makes the error for a refused look-up token. @param token an empty one means that a gateway dropped it, because the element
 * always sends one
 */
export function toLookUpTokenError(token: string): SetupError {
  const stripped = { got: 'none', expected: 'Lookup-Token', hint: logHints.header_missing };
  return new SetupError('lookup_token_refused', token === '' ? stripped : {});
}

/** Turns any thrown value into a `ProxyError`. Logs it if it is none (but not a busy store), or if it is a `SetupError`. */
export type ToProxyError = (thrown: unknown) => ProxyError;

export function createToProxyError(log: Log, now: () => number): ToProxyError {
  const warn = createWarnings(log, now);
  return function toProxyError(thrown) {
    if (thrown instanceof SetupError) warn(thrown.entry);
    if (thrown instanceof ProxyError) return thrown;
    if (isBusy(thrown)) return toInProgressError();
    logError(log, thrown);
    return thrown instanceof LedgerError ? toUnavailableError() : toBrokenError();
  };
}
