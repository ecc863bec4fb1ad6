/**
 * The calls of the invoice service: what a failed one means to a page and to the log, and which answers count. Reads only kind, status and field name of an error, never its message.
 */

import { parseBrCode } from '../../domain/br-code.js';
import { secondMs, isAhead, isNear, isWithin, minuteMs } from '../../domain/spans.js';
import { ServiceError } from '../../service.js';
import { invoicesPath } from '../../service/secure-url.js';
import type {
  CreationRequest,
  SendingOptions,
  ServiceClient,
  ServiceErrorKind,
  WireInvoice,
} from '../../service.js';
import type { Log } from '../set-up/log.js';
import { logError } from '../set-up/log.js';
import { ProxyError, broken, unavailable } from '../set-up/proxy-error.js';
import type { LogEntry, LogEvent, ProxyOptions } from '../set-up/options/options.js';
import { startPause } from '../runtime/running.js';
import type { Settings } from '../set-up/options/read-options.js';

/** Which call failed, and about what. */
interface Call {
  readonly operation: 'create' | 'look_up';
  readonly externalId?: string;
  readonly invoiceId?: string;
  /** The payer's data came from the browser, so that the payer can correct it. */
  readonly isPayerTyped?: boolean;
}

/** How long a payer's call waits in all, milliseconds, where the service allows no more now: what runs by itself leaves it room. */
const patienceMs = 3 * secondMs;

/** What learns how fast the service may be called. */
export interface CallWatch {
  /** A call for a payer goes out. */
  readonly noteBegun: () => void;
  /** A call that began then was refused: so soon the service wants to be asked again, milliseconds. */
  readonly noteRefused: (call: { readonly beganAtMs: number; readonly afterMs: number }) => void;
}

/** The service, as the proxy calls it. Each call rejects as the client's does. */
export type ServiceCalls = ReturnType<typeof createServiceCalls>;

/** Where the service is, as the log names it, and whether it may be the sandbox. */
type Place = Pick<ProxyOptions, 'serviceUrl' | 'allowSandbox'>;

/** What was asked of the service, as the log names it. */
type RequestLine = Required<Pick<LogEntry, 'method' | 'path'>>;

/** Makes the service's calls of one proxy. Each failure is one entry of the log; a refused access token is one until a call succeeds. */
export function createServiceCalls(
  client: ServiceClient,
  { countCreation, spend, pause, isBackgroundBusy }: RateLimit,
  settings: Pick<Settings, 'log' | 'metrics' | 'now' | 'startTimer'> & Place,
  watch: CallWatch,
) {
  const { log, metrics, now, startTimer } = settings;
  let isTokenRefused = false;
  const asked = new WeakMap<ServiceError, RequestLine>();
  return {
    /** Sends once. */
    createInvoice,

    /** Sends again what was refused because of too many calls, while its page waits: no one pays an invoice that was not made. */
    createCode: (
      request: CreationRequest,
      options: SendingOptions,
      isAwaited: () => boolean,
    ): ReturnType<ServiceClient['createInvoice']> =>
      patiently(() => createInvoice(request, options), isAwaited),

    /** A card is sent once: where look-ups by themselves use up what the service allows, they make way first. */
    async makeWay(): Promise<void> {
      if (!isBackgroundBusy()) return;
      pause(secondMs);
      await startPause(startTimer, secondMs).over;
    },

    lookUpInvoice(
      id: string,
      options: Parameters<ServiceClient['lookUpInvoice']>[1],
      priority: Priority,
    ): ReturnType<ServiceClient['lookUpInvoice']> {
      const lookUp = () => call('look_up', () => client.lookUpInvoice(id, options), id);
      return priority === 'payer' ? patiently(lookUp) : lookUp();
    },

    /** Counts a look-up, before it goes out. */
    spend(this: void, priority: Priority, mayUseReserve?: boolean): void {
      spend(priority, mayUseReserve);
      if (priority === 'payer') watch.noteBegun();
    },

    /** Maps the failure of a call, and logs it. */
    toProxyError(thrown: unknown, call: Call): ProxyError {
      if (thrown instanceof ProxyError) return thrown;
      if (!(thrown instanceof ServiceError)) {
        logError(log, thrown, { event: 'unexpected_error', ...toLogSubject(call) });
        return broken();
      }
      const isUnauthorized = thrown.kind === 'unauthorized';
      if (!isUnauthorized || !isTokenRefused) {
        log({
          ...toLogEntry(thrown, call, settings),
          ...asked.get(thrown),
          ...toHint(thrown, call),
        });
      }
      isTokenRefused ||= isUnauthorized;
      return toPageError(thrown, call);
    },
  };

  async function createInvoice(
    ...[request, options]: Parameters<ServiceClient['createInvoice']>
  ): ReturnType<ServiceClient['createInvoice']> {
    countCreation();
    watch.noteBegun();
    return call('create', () => client.createInvoice(request, options));
  }

  /** @throws the refusal, where its time is over or the service wants to be left alone for longer */
  async function patiently<T>(send: () => Promise<T>, isAwaited = () => true): Promise<T> {
    for (let leftMs = patienceMs; ;) {
      try {
        return await send();
      } catch (thrown) {
        const isTooMany = thrown instanceof ServiceError && thrown.kind === 'rate_limited';
        const waitMs = isTooMany ? (thrown.retryAfterSeconds ?? 1) * secondMs : Infinity;
        leftMs -= waitMs;
        if (leftMs < 0) throw thrown;
        await startPause(startTimer, waitMs).over;
        if (!isAwaited()) throw thrown;
      }
    }
  }

  async function call<T>(
    operation: Call['operation'],
    send: () => Promise<T>,
    id?: string,
  ): Promise<T> {
    const startedAtMs = now();
    let outcome: ServiceErrorKind | 'ok' = 'unsent';
    try {
      const answer = await send();
      outcome = 'ok';
      isTokenRefused = false;
      return answer;
    } catch (thrown) {
      if (thrown instanceof ServiceError) {
        outcome = thrown.kind;
        asked.set(thrown, toRequestLine(settings, id));
        const { kind, retryAfterSeconds = 1 } = thrown;
        const afterMs = retryAfterSeconds * secondMs;
        // A page tries its creation again after that time: there has to be room.
        if (kind === 'rate_limited') pause(afterMs);
        if (kind === 'rate_limited') watch.noteRefused({ beganAtMs: startedAtMs, afterMs });
      }
      throw thrown;
    } finally {
      // A wall clock may be set back.
      const seconds = Math.max(0, now() - startedAtMs) / 1_000;
      metrics?.observe('pix_service_call_seconds', seconds, { operation, outcome });
    }
  }

  /** A 404 has one of two causes, and neither is a firewall. */
  function toHint({ kind }: ServiceError, { operation }: Call): Pick<LogEntry, 'hint'> {
    if (kind !== 'not_found') return {};
    if (operation === 'create') return { hint: hints.noPath };
    return { hint: settings.allowSandbox === true ? hints.restarted : hints.noInvoice };
  }
}

const hints = {
  noPath: 'The service has no such path: is serviceUrl its base address?',
  noInvoice:
    'The service does not know this invoice: is serviceUrl the one, and accessToken the account, that made it?',
  restarted:
    'A sandbox that was restarted has forgotten its invoices: pay a new order, or begin with a new ledger',
};

function toRequestLine({ serviceUrl }: Place, id?: string): RequestLine {
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

function toPageError({ kind, status, retryAfterSeconds }: ServiceError, call: Call): ProxyError {
  if (kind === 'not_found' && call.operation === 'look_up') return new ProxyError('not_found');
  // Assumed: 400 and 422 mean that the request's data is not accepted, most likely the payer's (service spec does not
  // show its validation errors). Sending the same again cannot help; a payer can correct what was typed.
  if (call.isPayerTyped && (status === 400 || status === 422)) {
    return new ProxyError('invalid_request', { field: 'payer' });
  }
  return unavailable(retryAfterSeconds);
}

function toLogEntry(error: ServiceError, call: Call, { serviceUrl }: Place): LogEntry {
  const { kind, status, field, code } = error;
  return {
    level: kind === 'unauthorized' ? 'error' : 'warn',
    event: events[kind] ?? 'service_failed',
    ...toLogSubject(call),
    kind,
    host: new URL(serviceUrl).host,
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
    ...(field === undefined ? {} : { field }),
  };
}

function toLogSubject({ operation, externalId, invoiceId }: Call) {
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

// How many calls of the service this process makes a minute, and who comes first: its part of `serviceCallsPerMinute`. Payers at
// work go before the background, and a tenth of the calls is reserved for reconciliation: busy pages must not keep the payment of a
// closed one from the merchant. Calls are counted by the second.

/** `payer`: a payer pays, or comes back to see whether it worked. `background`: waiting pages and reconciliation. */
export type Priority = 'payer' | 'background';

/** The part of a minute's calls after which a look-up waits. */
const shares: Readonly<Record<Priority, number>> = { payer: 0.9, background: 0.75 };

/** The part that only reconciliation may use, one call at a time, evenly over the minute. */
const reservedShare = 0.1;

/** From so many calls of the background in a second on, payers may find no room. */
const busyFrom = 5;

/** How long a call counts, seconds: one more than a minute, because of whole seconds. */
const countsForSeconds = 61;

/** Longest that the service may ask to be left alone, milliseconds. */
const longestPauseMs = 2 * minuteMs;

/** A look-up that was not made, to spare the service. */
export class Throttled extends ProxyError {
  constructor(waitMs: number) {
    super('service_unavailable', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / secondMs)) });
  }
}

export type RateLimit = ReturnType<typeof createRateLimit>;

export function createRateLimit({
  serviceCallsPerMinute,
  processes,
  now,
}: Pick<Settings, 'serviceCallsPerMinute' | 'processes' | 'now'>) {
  const perMinute = Math.max(1, Math.floor(serviceCallsPerMinute / processes));
  const reserveEveryMs = Math.ceil((countsForSeconds * secondMs) / (perMinute * reservedShare));
  /** Oldest first. */
  let counted: readonly { readonly second: number; readonly calls: number }[] = [];
  let reserveUsedAtMs = -Infinity;
  let pausedUntilMs = -Infinity;
  /** When the newest calls of the background went out. */
  let backgroundAtMs: readonly number[] = [];

  return {
    /** Whether the background has called often within the last second. */
    isBackgroundBusy: (): boolean =>
      backgroundAtMs.length === busyFrom && isWithin(backgroundAtMs[0]!, secondMs, now()),

    /** Counts a creation, each try by itself. It always goes out. */
    countCreation: () => void count(Infinity),

    /**
     * Counts a look-up that goes out now.
     * @param mayUseReserve it is reconciliation's
     * @throws Throttled if calls of its priority have to wait
     */
    spend(this: void, priority: Priority, mayUseReserve = false): void {
      if (priority === 'background' && isAhead(pausedUntilMs, longestPauseMs, now())) {
        throw new Throttled(pausedUntilMs - now());
      }
      const waitMs = count(perMinute * shares[priority]);
      if (waitMs > 0 && !(mayUseReserve && useReserve())) throw new Throttled(waitMs);
      if (priority === 'background') backgroundAtMs = [...backgroundAtMs, now()].slice(-busyFrom);
    },

    /** The service asked for no look-ups for so long, milliseconds. Those of payers at work go out all the same. */
    pause(this: void, forMs: number): void {
      pausedUntilMs = now() + Math.min(forMs, longestPauseMs);
    },
  };

  /** @returns whether a reserved call may go out now; then it is used */
  function useReserve(): boolean {
    if (isNear(reserveUsedAtMs, reserveEveryMs, now()) || count(perMinute) > 0) return false;
    reserveUsedAtMs = now();
    return true;
  }

  /**
   * Counts one call, if fewer than `upTo` are counted.
   * @returns in how many milliseconds there may be room for it; 0: it is counted
   */
  function count(upTo: number): number {
    if (perMinute === Infinity) return 0;
    const second = Math.floor(now() / secondMs);
    counted = counted.filter((each) => isNear(each.second, countsForSeconds, second));
    let total = counted.reduce((sum, { calls }) => sum + calls, 0);
    if (total < upTo) {
      const others = counted.filter((each) => each.second !== second);
      const calls = 1 + (counted.find((each) => each.second === second)?.calls ?? 0);
      counted = [...others, { second, calls }].toSorted((a, b) => a.second - b.second);
      return 0;
    }
    const blocking = counted.find(({ calls }) => (total -= calls) < upTo);
    return ((blocking?.second ?? second) + countsForSeconds) * secondMs - now();
  }
}
