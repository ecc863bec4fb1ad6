/** Writes log entries. An error of the merchant's log function never breaks a payment. */

import { isNear, minuteMs, secondMs } from '../../domain/spans.js';
import { createRecentNames } from '../runtime/running.js';
import { LedgerError, isBusy } from '../store/order-store.js';
import type { Outage } from '../store/shop-store.js';
import { logHints } from './log-hints.js';
import { runSafely, type Sink } from './metrics.js';
import type { ErrorContext, LogEntry, ProxyOptions } from './options/options.js';

/** Shortest time between two warnings of the same event, milliseconds. */
const warningEveryMs = 60_000;

/** Writes one entry. Never throws. */
export type Log = (entry: LogEntry) => void;

/**
 * Creates the log.
 * @param write the merchant's function; its errors are ignored
 * @param metrics counts the entries by event
 */
export function createLog(write: Log = writeLine, metrics: Sink | null = null): Log {
  return (entry) => {
    metrics?.count('pix_log_entries_total', { event: entry.event });
    // A line begins with its level and event, and ends with the hint.
    const { level, event, hint = level === 'info' ? '' : logHints[event], ...details } = entry;
    void runSafely(() => write({ level, event, ...details, ...(hint && { hint }) }));
  };
}

/** Reports an error of the merchant's code. Never throws. */
export type ReportError = (error: unknown, context: ErrorContext) => void;

/**
 * Creates the reporter of errors.
 * @param tell the merchant's function; its errors are ignored
 */
export function createErrorReporter(tell: ProxyOptions['onError'] = writeError): ReportError {
  return (error, context) => void runSafely(() => tell(error, context));
}

/** Most subjects that are remembered. The oldest is forgotten first. */
const mostWarned = 1_000;

/**
 * Makes a log that writes each event at most once a minute: any client can cause these warnings, and must not be able to fill
 * the log.
 * @param toSubject entries with the same subject share a limit
 */
export function createWarnings(
  log: Log,
  now: () => number,
  toSubject: (entry: LogEntry) => string = ({ event }) => event,
): Log {
  const warned = createRecentNames(warningEveryMs, now, mostWarned);
  return (entry) => {
    const subject = toSubject(entry);
    if (warned.has(subject)) return;
    warned.note(subject);
    log(entry);
  };
}

/**
 * Makes the name of an error for the log: its class, and of a ledger's error the driver's code, as in `LedgerError
 * SQLITE_FULL`. Its message is never logged, because it may hold anything.
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
  // `proxy.ts` logs this once, as `ledger_of_other_shop`.
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
 * Logs an outage of the ledger in few entries: one when it begins, one a minute while it lasts, and one when it is over.
 * Otherwise all calls that wait for the ledger would fail together and fill the log.
 */
export function createLedgerLog(
  write: Log,
  now: () => number,
): { readonly log: Log; readonly outage: Outage } {
  // The operations that failed. A full disk can still be read, so only an operation that failed can show that the outage is
  // over.
  const failed = new Set<string>();
  let failedAtMs = -Infinity;
  let toldAtMs = -Infinity;

  const outage = {
    isOn: false,

    noteFailure(operation: string, thrown: unknown): void {
      // A busy ledger is not an outage.
      if (!(thrown instanceof LedgerError) || isBusy(thrown)) return;
      failed.add(operation);
      failedAtMs = now();
    },

    noteSuccess(operation: string): void {
      failed.delete(operation);
      if (failed.size > 0 || isNear(failedAtMs, quietMs, now())) return;
      outage.isOn = false;
      write({ level: 'info', event: 'ledger_recovered' });
    },
  };

  return {
    outage,

    /** Writes an entry, but `ledger_failed` only once a minute. The first one begins the outage. */
    log(entry: LogEntry): void {
      if (entry.event === 'ledger_failed') {
        failedAtMs = now();
        if (isNear(toldAtMs, outageEveryMs, now())) return;
        toldAtMs = now();
        outage.isOn = true;
      }
      write(entry);
    },
  };
}
