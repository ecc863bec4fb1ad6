/**
 * The calls of the invoice service: what a failed one means to a page and to the log, and which answers count. Reads only kind, status and field name of an error, never its message.
 */

import { parseBrCode } from '../../domain/br-code.js';
import { secondMs } from '../../domain/spans.js';
import { ServiceError } from '../../service.js';
import { invoicesPath } from '../../service/secure-url.js';
import type { ServiceClient, ServiceErrorKind, WireInvoice } from '../../service.js';
import type { Log } from '../set-up/log.js';
import { logError } from '../set-up/log.js';
import { ProxyError, broken, unavailable } from '../set-up/proxy-error.js';
import type { LogEntry, LogEvent, ProxyOptions } from '../set-up/options/options.js';
import { untimed } from '../set-up/measured.js';
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
export type ServiceCalls = ReturnType<typeof createServiceCalls>;

/** Where the service is, as the log names it, and whether it may be the sandbox. */
type Place = Pick<ProxyOptions, 'serviceUrl' | 'allowSandbox'>;

/** What was asked of the service, as the log names it. */
type Asked = Required<Pick<LogEntry, 'method' | 'path'>>;

/**
 * Makes the service's calls of one proxy.
 *
 * @param log each failure is one entry; a refused access token is one entry until a call succeeds
 */
export function createServiceCalls(
  client: ServiceClient,
  { countCreation, spend, pause }: RateLimit,
  log: Log,
  place: Place,
  time = untimed,
) {
  let isTokenRefused = false;
  const asked = new WeakMap<ServiceError, Asked>();
  return {
    async createInvoice(...[request, options]: Parameters<ServiceClient['createInvoice']>) {
      countCreation();
      return call('create', () => client.createInvoice(request, options));
    },

    lookUpInvoice: (...[id, options]: Parameters<ServiceClient['lookUpInvoice']>) =>
      call('look_up', () => client.lookUpInvoice(id, options), id),
    /** Counts a look-up, before it goes out. */
    spend,

    /** Maps the failure of a call, and logs it. */
    toProxyError(thrown: unknown, call: Call): ProxyError {
      if (thrown instanceof ProxyError) return thrown;
      if (!(thrown instanceof ServiceError)) {
        logError(log, thrown, { event: 'unexpected_error', ...subjectOf(call) });
        return broken();
      }
      const isUnauthorized = thrown.kind === 'unauthorized';
      if (!isUnauthorized || !isTokenRefused) {
        log({ ...toEntry(thrown, call, place), ...asked.get(thrown), ...toHint(thrown, call) });
      }
      isTokenRefused ||= isUnauthorized;
      return meaningOf(thrown, call);
    },
  };

  async function call<T>(
    operation: Call['operation'],
    send: () => Promise<T>,
    id?: string,
  ): Promise<T> {
    try {
      const answer = await time('pix_service_call_seconds', { operation }, send, (thrown) =>
        thrown instanceof ServiceError ? thrown.kind : 'unsent',
      );
      isTokenRefused = false;
      return answer;
    } catch (thrown) {
      if (thrown instanceof ServiceError) {
        asked.set(thrown, toAsked(place, id));
        const { kind, retryAfterSeconds = 1 } = thrown;
        // A page tries its creation again after that time: there has to be room.
        if (kind === 'rate_limited') pause(retryAfterSeconds * secondMs);
      }
      throw thrown;
    }
  }

  /** A 404 has one of two causes, and neither is a firewall. */
  function toHint({ kind }: ServiceError, { operation }: Call): Pick<LogEntry, 'hint'> {
    if (kind !== 'not_found') return {};
    if (operation === 'create') return { hint: hints.noPath };
    return { hint: place.allowSandbox === true ? hints.restarted : hints.noInvoice };
  }
}

const hints = {
  noPath: 'The service has no such path: is serviceUrl its base address?',
  noInvoice:
    'The service does not know this invoice: is serviceUrl the one, and accessToken the account, that made it?',
  restarted:
    'A sandbox that was restarted has forgotten its invoices: pay a new order, or begin with a new ledger',
};

function toAsked({ serviceUrl }: Place, id?: string): Asked {
  const { pathname: path } = new URL(serviceUrl);
  const base = path.replace(/\/+$/, '');
  return id === undefined
    ? { method: 'POST', path: `${base}${invoicesPath}` }
    : { method: 'GET', path: `${base}${invoicesPath}/${id}` };
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

function toEntry(error: ServiceError, call: Call, { serviceUrl }: Place): LogEntry {
  const { kind, status, field, code } = error;
  return {
    level: kind === 'unauthorized' ? 'error' : 'warn',
    event: events[kind] ?? 'service_failed',
    ...subjectOf(call),
    kind,
    host: new URL(serviceUrl).host,
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

/**
 * Invoices of the sandbox, where no money moves. The sandbox marks its answers with a header and its codes with a name;
 * either is enough, for a header may get lost.
 */
export type Sandbox = ReturnType<typeof createSandboxMark>;

/** @param isAllowed option `allowSandbox`: payments at the sandbox count */
export function createSandboxMark(isAllowed: boolean, log: Log) {
  return {
    /** Logs a new invoice of the sandbox. */
    noteCreated(invoiceId: string, code: string, isMarked: boolean): void {
      if (isAllowed || !(isMarked || isSandboxCode(code))) return;
      log({ level: 'warn', event: 'sandbox_invoice', invoiceId });
    },

    /** The answer to report: a payment at the sandbox stays `pending`. */
    withhold<T extends Pick<WireInvoice, 'invoice_id' | 'status' | 'qr_code_pix'>>(
      this: void,
      data: T,
      isMarked: boolean,
    ): T {
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
