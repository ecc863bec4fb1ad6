/** Whether this proxy can take payments, which is whether its ledger writes. */

import { withTimeout } from '../runtime/work.js';
import { LedgerError } from '../store/ledger-error.js';
import type { OrderStore } from '../store/order-store.js';
import { errorNameOf, faultOf } from '../config/log.js';
import type { Settings } from '../config/read-options.js';

/** How long a result is reused, milliseconds. */
const reusedForMs = 1_000;

/** Longest the ledger may take, milliseconds. */
const longestMs = 2_000;

/** @returns whether the ledger could write, a moment ago at most */
export type IsReady = () => Promise<boolean>;

export function createReadiness(
  ledger: Pick<OrderStore, 'passThrottle'>,
  { now, startTimer, log, randomUuid }: Pick<Settings, 'now' | 'startTimer' | 'log' | 'randomUuid'>,
): IsReady {
  // Each process has its own row: one that hangs must not block the others.
  let name: string | null = null;
  let answer: Promise<boolean> | null = null;
  let answeredAtMs: number | null = null;
  // A ledger that is down is logged once.
  let isDown = false;

  return function isReady() {
    const ageMs = answeredAtMs === null ? 0 : now() - answeredAtMs;
    if (!answer || ageMs < 0 || ageMs >= reusedForMs) {
      answeredAtMs = null;
      answer = check().finally(() => {
        answeredAtMs = now();
      });
    }
    return answer;
  };

  async function check(): Promise<boolean> {
    name ??= `ready ${randomUuid()}`;
    const own = name;
    try {
      // The cheapest write of a ledger. Reading proves less: a full disk, or a file that was replaced, still reads.
      const ask = async () => ledger.passThrottle(own, 0);
      await withTimeout(startTimer, longestMs, ask, () => new LedgerError('late'));
      isDown = false;
      return true;
    } catch (thrown) {
      const event = faultOf(thrown);
      if (!isDown) log({ level: 'error', event, errorName: errorNameOf(thrown) });
      isDown = true;
      return false;
    }
  }
}
