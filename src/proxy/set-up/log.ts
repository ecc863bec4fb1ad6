/** Writes log entries. An error of the merchant's log function never breaks a payment. */

import { isNear, minuteMs, secondMs } from '../../domain/spans.js';
import { createRecent } from '../runtime/running.js';
import { LedgerError, isBusy } from '../store/order-store.js';
import type { StoreCall } from '../store/shop-store.js';
import { logHints } from './log-hints.js';
import { runSafely } from './metrics.js';
import type { Sink } from './metrics.js';
import type { ErrorContext, LogEntry, ProxyOptions } from './options/options.js';

/** Shortest time between two warnings of the same event, milliseconds. */
const warningEveryMs = 60_000;

/** Writes one entry. Never throws. */
export type Log = (entry: LogEntry) => void;

/**
 * @param write the merchant's function; its errors are swallowed
 * @param metrics counts the entries by event
 */
export function createLog(write: Log = writeLine, metrics: Sink | null = null): Log {
  return (entry) => {
    metrics?.count('pix_log_entries_total', { event: entry.event });
    // A line begins with its level and its event, and ends with what to do.
    const { level, event, hint = level === 'info' ? '' : logHints[event], ...details } = entry;
    void runSafely(() => write({ level, event, ...details, ...(hint && { hint }) }));
  };
}

/** Reports an error of the merchant's code. Never throws. */
export type ReportError = (error: unknown, context: ErrorContext) => void;

/** @param tell the merchant's function; its errors are swallowed */
export function createErrorReporter(tell: ProxyOptions['onError'] = writeError): ReportError {
  return (error, context) => void runSafely(() => tell(error, context));
}

/** Most subjects that are remembered. The oldest is forgotten first. */
const mostWarned = 1_000;

/**
 * Logs each event at most once a minute, because any client can cause these warnings, and must not fill the log.
 * @param toSubject an entry is limited together with others of the same subject
 */
export function createWarnings(
  log: Log,
  now: () => number,
  toSubject: (entry: LogEntry) => string = ({ event }) => event,
): Log {
  const warnedAtMs = createRecent<number>(
    (atMs) => isNear(atMs, warningEveryMs, now()),
    mostWarned,
  );
  return (entry) => {
    const subject = toSubject(entry);
    if (warnedAtMs.get(subject) !== undefined) return;
    warnedAtMs.set(subject, now());
    log(entry);
  };
}

/**
 * The class name of an error. Its message is never logged, because it may hold anything. A ledger's error also shows the
 * driver's code, such as `LedgerError SQLITE_FULL`.
 */
export function toErrorName(thrown: unknown): string {
  if (thrown instanceof LedgerError) return [thrown.name, thrown.code].filter(Boolean).join(' ');
  const name = thrown instanceof Error ? thrown.name : '';
  return /^[A-Za-z]{1,40}$/.test(name) ? name : 'Error';
}

/**
 * Logs an error that was thrown, by its name.
 * @param about more fields. The default event is `ledger_failed` for a ledger's error, else `unexpected_error`
 */
export function logError(log: Log, thrown: unknown, about: Partial<LogEntry> = {}): void {
  const isOfLedger = thrown instanceof LedgerError;
  // The proxy logs this once, when it finds out.
  if (isOfLedger && thrown.code === 'OTHER_SHOP') return;
  const event = isOfLedger ? 'ledger_failed' : 'unexpected_error';
  log({ level: 'error', event, ...about, errorName: toErrorName(thrown) });
}

/** Writes one line with the message, and the places in the merchant's own files. */
function writeError(error: unknown, { hook, externalId }: ErrorContext): void {
  const { message = String(error), stack = '' } = error instanceof Error ? error : {};
  const frames = stack
    .split('\n')
    .filter((line) => /^\s+at (?!.*(?:node:|node_modules))/.test(line));
  const places = frames.map((line) => line.trim()).join(' ');
  // oxlint-disable-next-line no-console -- as for writeLine
  console.error(`${hook} failed for ${externalId}: ${toErrorName(error)}: ${message} ${places}`);
}

function writeLine(entry: LogEntry): void {
  // oxlint-disable-next-line no-console -- stderr is where a server's operators look by default
  console.error(JSON.stringify(entry));
}

/** Shortest time between two `ledger_failed` entries, milliseconds. */
const outageEveryMs = minuteMs;

/** How long after the last failure an outage counts as over, milliseconds. */
const quietMs = 5 * secondMs;

/**
 * Logs an outage of the ledger in few entries: one when it begins, one a minute while it lasts, and one when it is over. All
 * calls that wait for a ledger fail together, and would fill the log.
 */
export function createLedgerLog(write: Log, metrics: Sink | null, now: () => number) {
  // A full disk can still be read, so only the operation that failed can show that the outage is over.
  const failed = new Set<string>();
  let isDown = false;
  let failedAtMs = -Infinity;
  let toldAtMs = -Infinity;

  return {
    /** Writes an entry, but `ledger_failed` only once a minute. */
    log(this: void, entry: LogEntry): void {
      if (entry.event === 'ledger_failed') {
        failedAtMs = now();
        if (isNear(toldAtMs, outageEveryMs, now())) return;
        toldAtMs = now();
        isDown = true;
      }
      write(entry);
    },

    noteLedgerCall(this: void, { operation, tookMs, thrown }: StoreCall): void {
      const outcome = thrown === null ? 'ok' : 'failed';
      metrics?.observe('pix_ledger_seconds', tookMs / 1_000, { operation, outcome });
      if (thrown === null && isDown) noteSuccess(operation);
      // A busy ledger is not an outage.
      if (thrown instanceof LedgerError && !isBusy(thrown)) {
        failed.add(operation);
        failedAtMs = now();
      }
    },
  };

  function noteSuccess(operation: string): void {
    failed.delete(operation);
    if (failed.size > 0 || isNear(failedAtMs, quietMs, now())) return;
    isDown = false;
    write({ level: 'info', event: 'ledger_recovered' });
  }
}
