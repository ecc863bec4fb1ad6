/**
 * The calls of the invoice service: what a failed one means to a page and to the log, and which answers count. Reads only kind, status and field name of an error, never its message.
 */

import { parseBrCode } from '../../domain/br-code.js';
import { ServiceError } from '../../service.js';
import type { ServiceClient, ServiceErrorKind } from '../../service.js';
import type { Log } from '../config/log.js';
import { logError } from '../config/log.js';
import { ProxyError, broken, unavailable } from '../runtime/proxy-error.js';
import type { LogEntry, LogEvent } from '../config/options.js';
import { untimed } from '../runtime/running.js';
import type { RateLimit } from './rate-limit.js';

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
  /** Counts a look-up, before it goes out. */
  readonly spend: RateLimit['spend'];
  /** Maps the failure of a call, and logs it. */
  readonly toProxyError: (thrown: unknown, call: Call) => ProxyError;
}

/**
 * Makes the service's calls of one proxy.
 *
 * @param host of the service, as the log names it
 * @param log each failure is one entry; a refused access token is one entry until a call succeeds
 */
export function createServiceCalls(
  client: ServiceClient,
  { countCreation, spend }: RateLimit,
  log: Log,
  host: string,
  time = untimed,
): ServiceCalls {
  let isTokenRefused = false;
  return {
    async createInvoice(request, options) {
      countCreation();
      return call('create', () => client.createInvoice(request, options));
    },

    lookUpInvoice: (id, options) => call('look_up', () => client.lookUpInvoice(id, options)),
    spend,

    toProxyError(thrown, call) {
      if (thrown instanceof ProxyError) return thrown;
      if (!(thrown instanceof ServiceError)) {
        logError(log, thrown, { event: 'unexpected_error', ...subjectOf(call) });
        return broken();
      }
      const isUnauthorized = thrown.kind === 'unauthorized';
      if (!isUnauthorized || !isTokenRefused) log(toEntry(thrown, call, host));
      isTokenRefused ||= isUnauthorized;
      return meaningOf(thrown, call);
    },
  };

  async function call<T>(operation: Call['operation'], send: () => Promise<T>): Promise<T> {
    const answer = await time('pix_service_call_seconds', { operation }, send, kindOf);
    isTokenRefused = false;
    return answer;
  }
}

function kindOf(thrown: unknown): ServiceErrorKind {
  return thrown instanceof ServiceError ? thrown.kind : 'unsent';
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

function toEntry(error: ServiceError, call: Call, host: string): LogEntry {
  const { kind, status, field, code } = error;
  return {
    level: kind === 'unauthorized' ? 'error' : 'warn',
    event: events[kind] ?? 'service_failed',
    ...subjectOf(call),
    kind,
    host,
    ...(code === undefined ? {} : { code }),
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
      const { invoice_id: invoiceId } = data;
      log({ level: 'warn', event: 'sandbox_payment_withheld', invoiceId });
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
