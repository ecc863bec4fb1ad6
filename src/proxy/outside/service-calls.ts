/**
 * Calls the invoice service, and turns failures into page errors and log entries. Only the kind, status and field name of an
 * error are read, never its message.
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
import { ProxyError, toBrokenError, toUnavailableError } from '../set-up/proxy-error.js';
import type { LogEntry, LogEvent, ProxyOptions } from '../set-up/options/options.js';
import { startPause } from '../runtime/running.js';
import type { Settings } from '../set-up/options/read-options.js';

/** The call that failed, for the log. */
interface Call {
  readonly operation: 'create' | 'look_up';
  readonly externalId?: string;
  readonly invoiceId?: string;
  /** Whether the payer typed the data in the browser, and so can correct it. */
  readonly isPayerTyped?: boolean;
}

/**
 * How long a payer's call waits altogether when the service allows no more calls, milliseconds. Background calls leave it
 * room.
 */
const patienceMs = 3 * secondMs;

/** Learns how fast the service may be called. */
export interface CallWatch {
  /** Called when a payer's call is made. */
  readonly noteBegun: () => void;
  /** Called when the service refused a call. `afterMs`: how soon it allows the next one. */
  readonly noteRefused: (call: { readonly beganAtMs: number; readonly afterMs: number }) => void;
}

/** The service's calls of one proxy. They reject as the client does. */
export type ServiceCalls = ReturnType<typeof createServiceCalls>;

/** Where the service is, and whether it may be the sandbox. */
type Place = Pick<ProxyOptions, 'serviceUrl' | 'allowSandbox'>;

/** The request to the service, for the log. */
type RequestLine = Required<Pick<LogEntry, 'method' | 'path'>>;

/**
 * Makes the service's calls of one proxy. Each failure is logged; a refused access token is logged once until a call succeeds.
 */
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
    /** Sends the request once. */
    createInvoice,

    /**
     * Sends a Pix creation, and repeats it after "too many requests" while its page waits. Repeating is safe, because no payer
     * can pay an invoice that was not created.
     */
    createCode: (
      request: CreationRequest,
      options: SendingOptions,
      isAwaited: () => boolean,
    ): ReturnType<ServiceClient['createInvoice']> =>
      patiently(() => createInvoice(request, options), isAwaited),

    /**
     * Waits a second before a card is sent while background look-ups use up what the service allows. A card is sent only once,
     * so it cannot wait for a second try.
     */
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
      return priority === 'payer' ? patiently(lookUp, mayLookUpAgain) : lookUp();
    },

    /** Counts a look-up before it is made. */
    spend: spendLookUp,

    /** Turns a call's failure into the page's error, and logs it. */
    toProxyError(thrown: unknown, call: Call): ProxyError {
      if (thrown instanceof ProxyError) return thrown;
      if (!(thrown instanceof ServiceError)) {
        logError(log, thrown, { event: 'unexpected_error', ...toLogSubject(call) });
        return toBrokenError();
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

  function spendLookUp(priority: Priority, mayUseReserve?: boolean): void {
    spend(priority, mayUseReserve);
    if (priority === 'payer') watch.noteBegun();
  }

  /** Counts a payer's repeated look-up. @returns false if the rate limit has no room for it */
  function mayLookUpAgain(): boolean {
    try {
      spendLookUp('payer');
      return true;
    } catch {
      return false;
    }
  }

  /** @throws the refusal, if the time is up, the service wants a longer pause, or `mayRepeat` answers false */
  async function patiently<T>(send: () => Promise<T>, mayRepeat: () => boolean): Promise<T> {
    for (let leftMs = patienceMs; ;) {
      try {
        return await send();
      } catch (thrown) {
        const isTooMany = thrown instanceof ServiceError && thrown.kind === 'rate_limited';
        const waitMs = isTooMany ? (thrown.retryAfterSeconds ?? 1) * secondMs : Infinity;
        leftMs -= waitMs;
        if (leftMs < 0) throw thrown;
        await startPause(startTimer, waitMs).over;
        if (!mayRepeat()) throw thrown;
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
        // The page repeats its creation after that time, and needs room for it.
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

  /** A 404 means a wrong path or an unknown invoice, never a firewall. */
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
  // Assumed: 400 and 422 mean that the request's data is not accepted, most likely the payer's (service spec does not show its
  // validation errors). Sending the same again cannot help; a payer can correct what was typed.
  if (call.isPayerTyped && (status === 400 || status === 422)) {
    return new ProxyError('invalid_request', { field: 'payer' });
  }
  return toUnavailableError(retryAfterSeconds);
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

/** The receiver in every code of the sandbox (`sandbox/br-code-writer.ts`). */
const sandboxName = 'TESTE NAO PAGAR';

/**
 * Recognises invoices of the sandbox, where no money moves. The sandbox marks its answers with a header and its codes with a
 * name. Either is enough, because a header may get lost.
 */
export type Sandbox = ReturnType<typeof createSandboxMark>;

/** @param isAllowed the option `allowSandbox`: payments at the sandbox count */
export function createSandboxMark(isAllowed: boolean, log: Log) {
  return {
    /** Logs a new invoice of the sandbox. */
    noteCreated(invoiceId: string, code: string, isMarked: boolean): void {
      if (isAllowed || !(isMarked || isSandboxCode(code))) return;
      log({ level: 'warn', event: 'sandbox_invoice', invoiceId });
    },

    /** Keeps a payment at the sandbox `pending`. */
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

// Rate limit
//
// Limits the calls that this process makes in a minute to its part of `serviceCallsPerMinute`. Payers go before background
// work. A tenth of the calls is reserved for reconciliation, so that busy pages do not hide the payment of a closed one from
// the merchant. Calls are counted by the second.

/** `payer`: a payer pays, or comes back to see whether it worked. `background`: waiting pages and reconciliation. */
export type Priority = 'payer' | 'background';

/** The part of a minute's calls after which a look-up has to wait. */
const shares: Readonly<Record<Priority, number>> = { payer: 0.9, background: 0.75 };

/** The part that only reconciliation may use, one call at a time, evenly over the minute. */
const reservedShare = 0.1;

/** With this many background calls in a second, payers may find no room. */
const busyFrom = 5;

/** How long a call counts, seconds: one more than a minute, because calls are counted by whole seconds. */
const countsForSeconds = 61;

/** Longest pause that the service may ask for, milliseconds. */
const longestPauseMs = 2 * minuteMs;

/** A look-up that the rate limit stopped. */
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
  /** When the newest background calls were made. */
  let backgroundAtMs: readonly number[] = [];

  return {
    /** Whether the background has made many calls within the last second. */
    isBackgroundBusy: (): boolean =>
      backgroundAtMs.length === busyFrom && isWithin(backgroundAtMs[0]!, secondMs, now()),

    /** Counts each try of a creation. Creations always go out. */
    countCreation: () => void count(Infinity),

    /**
     * Counts a look-up that is made now.
     * @param mayUseReserve whether it is for reconciliation
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

    /** Stops background look-ups, because the service asked for a pause. Look-ups of payers still go out. */
    pause(this: void, forMs: number): void {
      pausedUntilMs = now() + Math.min(forMs, longestPauseMs);
    },
  };

  /** Takes a reserved call. @returns whether one was free */
  function useReserve(): boolean {
    if (isNear(reserveUsedAtMs, reserveEveryMs, now()) || count(perMinute) > 0) return false;
    reserveUsedAtMs = now();
    return true;
  }

  /**
   * Counts one call if fewer than `upTo` are counted.
   * @returns 0 if it was counted; otherwise how long until there may be room, milliseconds
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
