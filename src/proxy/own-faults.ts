/** What a caller is told when something other than the service failed: our record of orders, the set-up, or we ourselves. */

import { createWarnings, errorNameOf, faultOf } from './log.js';
import type { Log } from './log.js';
import { LedgerError } from './orders/ledger-error.js';
import { Refusal, broken, unavailable } from './refusal.js';
import { SetupRefusal } from './setup-faults.js';

/** Makes a refusal of whatever was thrown, and logs what no part has logged yet. */
export type ToRefusal = (thrown: unknown) => Refusal;

/** Makes the one exit for errors of one proxy. */
export function createOwnFaults(log: Log, now: () => number): ToRefusal {
  const warn = createWarnings(log, now);
  return function toRefusal(thrown) {
    if (thrown instanceof SetupRefusal) {
      warn({ level: 'warn', event: thrown.event, hint: thrown.hint });
    }
    if (thrown instanceof Refusal) return thrown;
    log({ level: 'error', event: faultOf(thrown), errorName: errorNameOf(thrown) });
    return thrown instanceof LedgerError ? unavailable() : broken();
  };
}
