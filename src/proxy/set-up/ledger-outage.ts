/**
 * A ledger that fails, in the log: one line when it begins, one a minute while it lasts, and one when it is over. All that waits
 * for a ledger fails together, and would fill the log.
 */

import { isNear, minuteMs, secondMs } from '../../domain/spans.js';
import { withEach } from '../store/each-operation.js';
import { LedgerError, isBusy } from '../store/order-store.js';
import type { Log } from './log.js';
import type { LogEntry } from './options/options.js';

/** Shortest time between two lines of a failure, milliseconds. */
const everyMs = minuteMs;

/** How long nothing may have failed when it is called over, milliseconds. */
const quietMs = 5 * secondMs;

/** What the log hears of a ledger. */
export type LedgerOutage = ReturnType<typeof createLedgerOutage>;

/** @param write writes an entry */
export function createLedgerOutage(write: Log, now: () => number) {
  // A disk that is full can still be read: only what failed can say that it is over.
  const failed = new Set<string>();
  let isDown = false;
  let failedAtMs = -Infinity;
  let toldAtMs = -Infinity;

  return {
    /** Writes an entry, unless another one has said the same lately. */
    log(this: void, entry: LogEntry): void {
      if (entry.event === 'ledger_failed') {
        failedAtMs = now();
        if (isNear(toldAtMs, everyMs, now())) return;
        toldAtMs = now();
        isDown = true;
      }
      write(entry);
    },

    /** Notes how each operation of the ledger ends. */
    watch: <T extends object>(store: T): T => withEach(store, note),
  };

  async function note<T>(operation: string, run: () => Promise<T>): Promise<T> {
    try {
      const answer = await run();
      if (isDown) pass(operation);
      return answer;
    } catch (thrown) {
      // One that is busy is well.
      const isFailure = thrown instanceof LedgerError && !isBusy(thrown);
      if (isFailure) failed.add(operation);
      if (isFailure) failedAtMs = now();
      throw thrown;
    }
  }

  function pass(operation: string): void {
    failed.delete(operation);
    if (failed.size > 0 || isNear(failedAtMs, quietMs, now())) return;
    isDown = false;
    write({ level: 'info', event: 'ledger_recovered' });
  }
}
