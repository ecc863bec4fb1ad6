/**
 * The calls of the invoice service: how many go out a minute, what a failed one means to a page and to the log, and which
 * answers count. Reads only kind, status and field name of an error, never its message.
 */

import { parseBrCode } from '../../domain/br-code.js';
import { ServiceError } from '../../service.js';
import type { ServiceClient, ServiceErrorKind } from '../../service.js';
import type { Log } from '../config/log.js';
import { errorNameOf } from '../config/log.js';
import { ProxyError, broken, unavailable } from '../runtime/proxy-error.js';
import type { LogEntry, LogEvent } from '../config/options.js';

/** `payer`: a payer pays, or comes back to see whether it worked. `background`: waiting pages and reconciliation. */
export type Priority = 'payer' | 'background';

/** The part of a minute's calls after which a look-up waits. */
const shares: Readonly<Record<Priority, number>> = { payer: 0.9, background: 0.75 };

/** The part that only reconciliation may use, one call at a time, evenly over the minute. */
const reservedShare = 0.1;

/** How long a call counts, seconds: one more than a minute, because calls are counted by the second. */
const countsForSeconds = 61;

/** A look-up that was not made, to spare the service. */
export class Throttled extends ProxyError {
  constructor(retryAfterSeconds: number) {
    super('service_unavailable', { retryAfterSeconds });
  }
}

/** The calls of one process. */
interface RateLimit {
  /** Counts a creation, each try by itself. It always goes out. */
  readonly countCreation: () => void;
  /**
   * Counts a look-up that goes out now.
   * @param mayUseReserve it is reconciliation's
   * @throws Throttled if calls of its priority have to wait
   */
  readonly spend: (priority: Priority, mayUseReserve?: boolean) => void;
}

/** Which call failed, and about what. */
interface Call {
  readonly operation: 'create' | 'look_up';
  readonly externalId?: string;
  readonly invoiceId?: string;
  /** The payer's data came from the browser, so that the payer can correct it. */
  readonly isPayerTyped?: boolean;
}

/** The service, as the proxy calls it. Each call rejects as the client's does. */
export interface ServiceCalls extends Pick<ServiceClient, 'createInvoice' | 'lookUpInvoice'> {
  /** Counts a look-up, before it goes out. See {@link RateLimit.spend}. */
  readonly spend: RateLimit['spend'];
  /** Maps the failure of a call, and logs it. */
  readonly toProxyError: (thrown: unknown, call: Call) => ProxyError;
}

/**
 * Makes the service's calls of one proxy. Payers at work go before the background, and a tenth of the calls is reserved for
 * reconciliation: busy pages must not keep the payment of a closed one from the merchant.
 *
 * @param log each failure is one entry; a refused access token is one entry until a call succeeds
 */
export function createServiceCalls(
  client: ServiceClient,
  { countCreation, spend }: RateLimit,
  log: Log,
): ServiceCalls {
  let isTokenRefused = false;
  return {
    async createInvoice(request, options) {
      countCreation();
      return noteSuccess(await client.createInvoice(request, options));
    },

    lookUpInvoice: async (id) => noteSuccess(await client.lookUpInvoice(id)),
    spend,

    toProxyError(thrown, call) {
      if (thrown instanceof ProxyError) return thrown;
      if (!(thrown instanceof ServiceError)) {
        const errorName = errorNameOf(thrown);
        log({ level: 'error', event: 'unexpected_error', ...subjectOf(call), errorName });
        return broken();
      }
      const isUnauthorized = thrown.kind === 'unauthorized';
      if (!isUnauthorized || !isTokenRefused) log(toEntry(thrown, call));
      isTokenRefused ||= isUnauthorized;
      return meaningOf(thrown, call);
    },
  };

  function noteSuccess<T>(answer: T): T {
    isTokenRefused = false;
    return answer;
  }
}

interface Second {
  readonly second: number;
  calls: number;
}

/**
 * @param callsPerMinute Infinity: any number
 * @param now wall clock, milliseconds since 1970
 */
export function createRateLimit(callsPerMinute: number, now: () => number): RateLimit {
  /** Oldest first. */
  let seconds: Second[] = [];
  const reserveEveryMs = (countsForSeconds * 1_000) / (callsPerMinute * reservedShare);
  let reserveUsedAtMs = -Infinity;

  return {
    countCreation: () => count(forgetOld()),

    spend(priority, mayUseReserve = false) {
      const current = forgetOld();
      const limit = callsPerMinute * shares[priority];
      if (countCalls() >= limit && !(mayUseReserve && useReserve())) {
        throw new Throttled(toWaitSeconds(limit, current));
      }
      count(current);
    },
  };

  /** @returns whether a reserved call may go out now; then it is used */
  function useReserve(): boolean {
    const nowMs = now();
    // A clock may be set back.
    const isDue = Math.abs(nowMs - reserveUsedAtMs) >= reserveEveryMs;
    if (!isDue || countCalls() >= callsPerMinute) return false;
    reserveUsedAtMs = nowMs;
    return true;
  }

  /** @returns the current second */
  function forgetOld(): number {
    const current = Math.floor(now() / 1_000);
    // A clock may be set back: calls ahead of it would count for ever.
    seconds = seconds.filter(
      ({ second }) => second <= current && second > current - countsForSeconds,
    );
    return current;
  }

  function count(current: number): void {
    if (callsPerMinute === Infinity) return;
    const last = seconds.at(-1);
    if (last?.second === current) last.calls += 1;
    else seconds.push({ second: current, calls: 1 });
  }

  function countCalls(): number {
    return seconds.reduce((total, { calls }) => total + calls, 0);
  }

  function toWaitSeconds(limit: number, current: number): number {
    let calls = countCalls();
    const blocking = seconds.find((each) => {
      calls -= each.calls;
      return calls < limit;
    });
    return (blocking?.second ?? current) + countsForSeconds - current;
  }
}

const events: Partial<Record<ServiceErrorKind, LogEvent>> = {
  unauthorized: 'service_unauthorized',
  refused_request: 'service_refused',
  invalid_answer: 'invalid_answer',
};

function meaningOf({ kind, status, retryAfterSeconds }: ServiceError, call: Call): ProxyError {
  if (kind === 'not_found' && call.operation === 'look_up') return new ProxyError('not_found');
  // Assumed: 400 and 422 mean that the request's data is not accepted, most likely the payer's (service spec does not
  // show its validation errors). Sending the same again cannot help; a payer can correct what was typed.
  if (call.isPayerTyped && (status === 400 || status === 422)) {
    return new ProxyError('invalid_request', { field: 'payer' });
  }
  return unavailable(retryAfterSeconds);
}

function toEntry(error: ServiceError, call: Call): LogEntry {
  const { kind, status, field } = error;
  return {
    level: kind === 'unauthorized' ? 'error' : 'warn',
    event: events[kind] ?? 'service_failed',
    ...subjectOf(call),
    kind,
    ...(status === undefined ? {} : { status }),
    ...(field === undefined ? {} : { field }),
  };
}

function subjectOf({ operation, externalId, invoiceId }: Call) {
  return {
    operation,
    ...(externalId === undefined ? {} : { externalId }),
    ...(invoiceId === undefined ? {} : { invoiceId }),
  };
}

/** The receiver's name in every code of the sandbox. */
const sandboxName = 'TESTE NAO PAGAR';

interface PayableInvoice {
  readonly invoice_id: string;
  readonly status: string;
  readonly qr_code_pix?: string;
}

/**
 * Invoices of the sandbox, where no money moves. The sandbox marks its answers with a header and its codes with a name;
 * either is enough, for a header may get lost.
 */
export interface Sandbox {
  /** Logs a new invoice of the sandbox. */
  noteCreated(invoiceId: string, code: string, isMarked: boolean): void;
  /** The answer to report: a payment at the sandbox stays `pending`. */
  withhold<T extends PayableInvoice>(data: T, isMarked: boolean): T;
}

/** @param isAllowed option `allowSandbox`: payments at the sandbox count */
export function createSandboxMark(isAllowed: boolean, log: Log): Sandbox {
  return {
    noteCreated(invoiceId, code, isMarked) {
      if (isAllowed || !(isMarked || isSandboxCode(code))) return;
      log({ level: 'warn', event: 'sandbox_invoice', invoiceId });
    },

    withhold(data, isMarked) {
      if (isAllowed || data.status !== 'paid') return data;
      if (!isMarked && !isSandboxCode(data.qr_code_pix)) return data;
      log({ level: 'warn', event: 'sandbox_payment_withheld', invoiceId: data.invoice_id });
      return { ...data, status: 'pending' };
    },
  };
}

function isSandboxCode(code: string | undefined): boolean {
  try {
    return parseBrCode(code).merchantName === sandboxName;
  } catch {
    return false;
  }
}
