/**
 * Calls the invoice service, and turns failures into page errors and log entries. Of an error it reads kind, status, code and
 * field name, never the message. Two limits stand below: the merchant's calls a minute, and the pace that is learned.
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
import { logError, type Log } from '../set-up/log.js';
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
 * How long a payer's call waits altogether when the service allows no more calls, milliseconds. Meanwhile background look-ups
 * pause.
 */
const patienceMs = 3 * secondMs;

/** The service's calls of one proxy. They reject as the client does. */
export type ServiceCalls = ReturnType<typeof createServiceCalls>;

/** Where the service is, and whether it may be the sandbox. */
type Place = Pick<ProxyOptions, 'serviceUrl' | 'allowSandbox'>;

/** The request to the service, for the log. */
type RequestLine = Required<Pick<LogEntry, 'method' | 'path'>>;

/**
 * Creates the service's calls of one proxy. Each failure is logged; a refused access token is logged only once until a call
 * succeeds.
 */
export function createServiceCalls(
  client: ServiceClient,
  { countCreation, spend, pause, isBackgroundBusy }: RateLimit,
  settings: Pick<Settings, 'log' | 'metrics' | 'now' | 'startTimer'> & Place,
  pace: Pick<Pace, 'noteBegun' | 'noteRefused'>,
) {
  const { log, metrics, now, startTimer } = settings;
  let isTokenRefused = false;
  const asked = new WeakMap<ServiceError, RequestLine>();
  return {
    /** Sends the request once. */
    createInvoice,

    /**
     * Sends a Pix creation, and repeats it after "too many requests" while its page waits. Repeating is safe, because no
     * payer can pay an invoice that was not created.
     */
    createCode: (
      request: CreationRequest,
      options: SendingOptions,
      isAwaited: () => boolean,
    ): ReturnType<ServiceClient['createInvoice']> =>
      sendPatiently(() => createInvoice(request, options), isAwaited),

    /**
     * Waits a second before a card is sent if background look-ups use up the calls that the service allows. A card that the
     * service refuses for too many calls is not sent again.
     */
    async makeWay(): Promise<void> {
      if (!isBackgroundBusy()) return;
      pause(secondMs);
      await startPause(startTimer, secondMs).over;
    },

    /** Looks an invoice up. A payer's look-up is repeated for a few seconds while the service refuses calls. */
    lookUpInvoice(
      id: string,
      options: Parameters<ServiceClient['lookUpInvoice']>[1],
      priority: Priority,
    ): ReturnType<ServiceClient['lookUpInvoice']> {
      const lookUp = () => makeCall('look_up', () => client.lookUpInvoice(id, options), id);
      return priority === 'payer' ? sendPatiently(lookUp, mayLookUpAgain) : lookUp();
    },

    /** Counts a look-up before it is made. @throws Throttled if the rate limit has no call left */
    spend: spendLookUp,

    /** Turns a call's failure into the error that the page gets, and logs it. */
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

  /** Sends a creation once. It counts in the rate limit and in the pace. */
  async function createInvoice(
    ...[request, options]: Parameters<ServiceClient['createInvoice']>
  ): ReturnType<ServiceClient['createInvoice']> {
    countCreation();
    pace.noteBegun();
    return makeCall('create', () => client.createInvoice(request, options));
  }

  /** Counts a look-up. A payer's also counts in the pace, so that background look-ups leave it room. */
  function spendLookUp(priority: Priority, mayUseReserve?: boolean): void {
    spend(priority, mayUseReserve);
    if (priority === 'payer') pace.noteBegun();
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

  /**
   * Sends, and repeats while the service refuses calls.
   * @throws the refusal, if the time is up, the service wants a longer pause, or `mayRepeat` answers false
   */
  async function sendPatiently<T>(send: () => Promise<T>, mayRepeat: () => boolean): Promise<T> {
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

  /** Makes a call, and measures it. If the service refuses it for too many calls, background look-ups pause. */
  async function makeCall<T>(
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
        // The page repeats its creation after that pause, and needs a free call then.
        if (kind === 'rate_limited') pause(afterMs);
        if (kind === 'rate_limited') pace.noteRefused({ beganAtMs: startedAtMs, afterMs });
      }
      throw thrown;
    } finally {
      // A wall clock may be set back, so the duration may be negative.
      const seconds = Math.max(0, now() - startedAtMs) / 1_000;
      metrics?.observe('pix_service_call_seconds', seconds, { operation, outcome });
    }
  }

  /** Finds the hint of a 404, which comes from a wrong path or an unknown invoice, and never from a firewall. */
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

/** The receiver's name in every code of the sandbox (`sandbox/br-code-writer.ts`). */
const sandboxName = 'TESTE NAO PAGAR';

/**
 * Recognises invoices of the sandbox, where no money moves. The sandbox marks its answers with a header and its codes with a
 * receiver's name. Either mark is enough, because a header may get lost.
 */
export type Sandbox = ReturnType<typeof createSandboxMark>;

/**
 * Creates the recogniser of sandbox invoices.
 * @param isAllowed the option `allowSandbox`: payments at the sandbox count
 */
export function createSandboxMark(isAllowed: boolean, log: Log) {
  return {
    /** Logs a new invoice of the sandbox, unless the sandbox is allowed. */
    noteCreated(invoiceId: string, code: string, isMarked: boolean): void {
      if (isAllowed || !(isMarked || isSandboxCode(code))) return;
      log({ level: 'warn', event: 'sandbox_invoice', invoiceId });
    },

    /** Keeps a payment at the sandbox `pending`, unless the sandbox is allowed. */
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
// work. A tenth of the calls is reserved for reconciliation, so that payments of closed pages are found even while many pages
// are open. Calls are counted by the second.

/** `payer`: a payer pays, or comes back to see whether it worked. `background`: waiting pages and reconciliation. */
export type Priority = 'payer' | 'background';

/** The part of a minute's calls above which a look-up of this priority has to wait. */
const shares: Readonly<Record<Priority, number>> = { payer: 0.9, background: 0.75 };

/** The part that only reconciliation may use, one call at a time, spread evenly over the minute. */
const reservedShare = 0.1;

/** With this many background calls in a second, payers may find no room. */
const busyFrom = 5;

/** How long a call counts, seconds: a second more than a minute, because calls are counted by whole seconds. */
const countsForSeconds = 61;

/** Longest pause that the service may ask for, milliseconds. */
const longestPauseMs = 2 * minuteMs;

/** The error of a look-up that the rate limit stopped. */
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
    /** Whether background work has made many calls within the last second. */
    isBackgroundBusy: (): boolean =>
      backgroundAtMs.length === busyFrom && isWithin(backgroundAtMs[0]!, secondMs, now()),

    /** Counts each try of a creation. Creations are never held back. */
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

    /** Stops background look-ups for this time, because the service asked for a pause. Payers' look-ups go on. */
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

// The pace of background look-ups
//
// Limits how many look-ups this process begins for closed pages, besides the rate limit. The pace begins low, grows while
// there is more to do and the service answers in time, and halves when the service is in trouble. After that it grows fast to
// just below the pace of the last trouble, and slowly from there.

/** The first and the lowest pace, calls a second. */
const firstPerSecond = 5;
const leastPerSecond = 0.5;

/**
 * What each answer in time adds: a tenth of the pace in a second, but near the pace of the last trouble a hundredth in two
 * seconds.
 */
const growth = { fast: 0.1, slow: 0.005 };

/** Between these parts of the pace at the last trouble, the pace grows slowly. */
const nearTrouble = { from: 0.85, to: 1.15 };

/** How long a trouble is remembered, milliseconds. */
const troubleCountsForMs = 10 * minuteMs;

/** How many calls may always begin together. Payers' own calls need room in the same second. */
const smallBatch = 4;

/** The part of the pace that payers' calls may use. */
const payersPart = 0.75;

/** How many calls may always be in flight. */
const alwaysInFlight = 4;

/** An answer that takes longer is not in time, milliseconds. */
const inTimeMs = 2_000;

/** The pace as a plain value. */
export interface Rate {
  readonly perSecond: number;
  /** How many calls were made that the pace has not worked off yet. */
  readonly level: number;
  readonly atMs: number;
  /** The pace at the last trouble, and its time. */
  readonly trouble: { readonly perSecond: number; readonly atMs: number };
  /** Until when the service asked for a pause. */
  readonly pausedUntilMs: number;
}

/** The end of a call. */
export interface EndedCall {
  readonly beganAtMs: number;
  /** Null if the service answered; otherwise how soon it allows the next call, milliseconds. */
  readonly afterMs: number | null;
}

export const firstRate: Rate = {
  perSecond: firstPerSecond,
  level: 0,
  atMs: -Infinity,
  trouble: { perSecond: Infinity, atMs: -Infinity },
  pausedUntilMs: -Infinity,
};

/** Counts how many calls may begin now: none during a pause that the service asked for. */
export function countRoom(rate: Rate, nowMs: number): number {
  return isPaused(rate, nowMs) ? 0 : Math.floor(toBatchSize(rate) - drain(rate, nowMs).level);
}

/**
 * How long until one call may begin, if no other begins before, milliseconds. Infinity while a trouble is remembered, because
 * no caller waits that long.
 */
export function toRoomMs(rate: Rate, nowMs: number): number {
  const now = drain(rate, nowMs);
  if (isTroubled(now)) return Infinity;
  return Math.max(0, Math.ceil(((now.level + 1 - toBatchSize(now)) / now.perSecond) * secondMs));
}

/** Counts one more call that begins now. */
export function countBegunCall(rate: Rate, nowMs: number): Rate {
  const { level, ...others } = drain(rate, nowMs);
  return { ...others, level: level + 1 };
}

/**
 * Counts a payer's call, but only while a trouble is remembered, and only up to `payersPart`: background look-ups keep the
 * rest of the pace.
 */
function countPayerCall(rate: Rate, nowMs: number): Rate {
  const now = drain(rate, nowMs);
  const isCounted = isTroubled(now) && now.level < toBatchSize(now) * payersPart;
  return isCounted ? { ...now, level: now.level + 1 } : now;
}

/**
 * Applies the end of a call: an answer in time raises the pace, a failure halves it and may begin a pause. A failure of a
 * call that began before the last trouble does not halve it again.
 */
export function applyEndedCall(rate: Rate, { beganAtMs, afterMs }: EndedCall, nowMs: number): Rate {
  const now = drain(rate, nowMs);
  if (afterMs === null) return isNear(beganAtMs, inTimeMs, nowMs) ? grow(now) : now;
  const longMs = Math.min(afterMs, longestPauseMs);
  const pausedUntilMs = Math.max(nowMs + longMs, isPaused(now, nowMs) ? now.pausedUntilMs : 0);
  if (isTroubled(now) && beganAtMs <= now.trouble.atMs) return { ...now, pausedUntilMs };
  const perSecond = Math.max(leastPerSecond, now.perSecond / 2);
  // A service mostly counts by the second, so the rest of this second is left to payers.
  const level = Math.max(now.level, toBatchSize({ ...now, perSecond }));
  const trouble = { perSecond: now.perSecond, atMs: nowMs };
  return { ...now, perSecond, level, trouble, pausedUntilMs };
}

/** Raises the pace, unless less than half of it is used: then nothing shows that the service allows more. */
function grow(rate: Rate): Rate {
  if (rate.level < toBatchSize(rate) / 2) return rate;
  const part = rate.perSecond / rate.trouble.perSecond;
  const isSlow = isTroubled(rate) && part >= nearTrouble.from && part <= nearTrouble.to;
  return { ...rate, perSecond: rate.perSecond + (isSlow ? growth.slow : growth.fast) };
}

/** Brings the rate to a later moment. A clock that was set back counts as if it had gone on as far. */
function drain(rate: Rate, nowMs: number): Rate {
  const seconds = Math.abs(nowMs - rate.atMs) / secondMs;
  return { ...rate, level: Math.max(0, rate.level - seconds * rate.perSecond), atMs: nowMs };
}

function toBatchSize({ perSecond }: Rate): number {
  return Math.max(smallBatch, perSecond);
}

function isTroubled({ trouble, atMs }: Rate): boolean {
  return isNear(trouble.atMs, troubleCountsForMs, atMs);
}

function isPaused({ pausedUntilMs }: Rate, nowMs: number): boolean {
  return isAhead(pausedUntilMs, longestPauseMs, nowMs);
}

export type Pace = ReturnType<typeof createPace>;

/** Creates the pace of this process, which callers ask for room and tell how calls ended. */
export function createPace(now: () => number) {
  let rate = firstRate;
  let tenthAtMs = -Infinity;

  return {
    /** How many calls may begin with this many in flight. */
    room(this: void, inFlight: number): number {
      // A slow service gets at most half a second's calls at the same time.
      const most = Math.max(alwaysInFlight, Math.ceil(rate.perSecond / 2)) - inFlight;
      return Math.min(most, countRoom(rate, now()) - inFlight);
    },
    /** Room for work behind all other work: a tenth of the calls, one at a time. The caller has to use it, or it is lost. */
    tenth(this: void, inFlight: number): number {
      const isEarly = isNear(tenthAtMs, (10 * secondMs) / rate.perSecond, now());
      if (inFlight > 0 || isEarly || isPaused(rate, now())) return 0;
      tenthAtMs = now();
      return 1;
    },
    /** See {@link toRoomMs}. */
    roomInMs: () => toRoomMs(rate, now()),
    /** Counts a call for a payer. */
    noteBegun(this: void): void {
      rate = countPayerCall(rate, now());
    },
    /** Records that the service refused a call, for a payer or in the background. */
    noteRefused(this: void, ended: EndedCall): void {
      rate = applyEndedCall(rate, ended, now());
    },
    /** Records a call for due work that has ended. */
    note(ended: EndedCall): void {
      rate = applyEndedCall(countBegunCall(rate, now()), ended, now());
    },
  };
}
