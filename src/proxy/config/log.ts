/** Where this room's log entries go. Must never break a payment, whatever the merchant's own function does. */

import { LedgerError } from '../ledger/ledger-error.js';
import type { LogEntry, LogEvent } from './options.js';

/** Shortest time between two warnings of one event, milliseconds. */
const warnEveryMs = 60_000;

/** Writes one entry. Never throws. */
export type Log = (entry: LogEntry) => void;

/** @param write the merchant's function, if there is one; a throw of it is swallowed */
export function createLog(write: Log = writeLine): Log {
  return (entry) => {
    try {
      write(entry);
    } catch {
      // There is nowhere left to report to.
    }
  };
}

/** Logs each event once a minute at most: any client can cause these warnings, and none may fill the log. */
export function createWarnings(log: Log, now: () => number): Log {
  const warnedAtMs = new Map<LogEvent, number>();
  return (entry) => {
    // A wall clock may be set back.
    const sinceMs = Math.abs(now() - (warnedAtMs.get(entry.event) ?? -Infinity));
    if (sinceMs < warnEveryMs) return;
    warnedAtMs.set(entry.event, now());
    log(entry);
  };
}

/**
 * The name of whatever was thrown, if it looks like a class: a message may hold anything, and is never logged. With it the
 * driver's code of a ledger that failed, such as `LedgerError SQLITE_FULL`: a full disk is not a refused password.
 */
export function errorNameOf(thrown: unknown): string {
  if (thrown instanceof LedgerError) return [thrown.name, thrown.code].filter(Boolean).join(' ');
  const name = thrown instanceof Error ? thrown.name : '';
  return /^[A-Za-z]{1,40}$/.test(name) ? name : 'Error';
}

/** Whose fault an error is that no refusal was foreseen for: the store's, or this package's. */
export function faultOf(thrown: unknown): 'ledger_failed' | 'unexpected_error' {
  return thrown instanceof LedgerError ? 'ledger_failed' : 'unexpected_error';
}

function writeLine(entry: LogEntry): void {
  // oxlint-disable-next-line no-console -- stderr is where a server's operators look by default
  console.error(JSON.stringify(entry));
}
