/** Whether this proxy can take payments, which is whether its store writes. */

import { withTimeout } from '../runtime/running.js';
import { LedgerError } from '../store/ledger-error.js';
import type { OrderStore } from '../store/order-store.js';
import { logError } from '../set-up/log.js';
import type { Settings } from '../set-up/options/read-options.js';
import { isWithin } from '../../domain/spans.js';

/** How long a result is reused, milliseconds. */
const reusedForMs = 1_000;

/** Longest the store may take, milliseconds. */
const longestMs = 2_000;

/** @returns whether the store could write, a moment ago at most */
export type IsReady = () => Promise<boolean>;

export function createReadiness(
  store: Pick<OrderStore, 'passThrottle'>,
  { now, startTimer, log, randomUuid }: Pick<Settings, 'now' | 'startTimer' | 'log' | 'randomUuid'>,
): IsReady {
  // Each process has its own row: one that hangs must not block the others.
  let name: string | null = null;
  let answer: Promise<boolean> | null = null;
  let answeredAtMs: number | null = null;

  return function isReady() {
    const isUsable = answeredAtMs === null || isWithin(answeredAtMs, reusedForMs, now());
    if (!answer || !isUsable) {
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
      // The cheapest write of a store. Reading proves less: a full disk, or a file that was replaced, still reads.
      const ask = async () => store.passThrottle(own, 0);
      await withTimeout(startTimer, longestMs, ask, () => new LedgerError('late'));
      return true;
    } catch (thrown) {
      logError(log, thrown);
      return false;
    }
  }
}
