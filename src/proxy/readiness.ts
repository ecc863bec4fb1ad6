/**
 * Whether this proxy can take payments: its ledger answers. Owns how often that is asked; knows no request.
 */

import { inTime } from './in-time.js';
import { LedgerError } from './orders/ledger-error.js';
import type { Ledger } from './orders/orders.js';
import { errorNameOf, faultOf } from './log.js';
import type { Settings } from './options.js';

/** How long an answer is given again, milliseconds. */
const reusedForMs = 1_000;

/** Longest the ledger may take, milliseconds. */
const longestMs = 2_000;

/** @returns whether the ledger answered, a moment ago at most */
export type IsReady = () => Promise<boolean>;

/** Makes the check of one proxy. */
export function createReadiness(
  ledger: Pick<Ledger, 'findAttempts'>,
  { now, startTimer, log }: Pick<Settings, 'now' | 'startTimer' | 'log'>,
): IsReady {
  let answer: Promise<boolean> | null = null;
  let answeredAtMs: number | null = null;
  // A ledger that is down is asked once a second, and is in the log once.
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
    try {
      // Nobody has this key: the cheapest thing a ledger can be asked.
      const ask = async () => ledger.findAttempts('ready');
      await inTime(startTimer, longestMs, ask, () => new LedgerError('late'));
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
