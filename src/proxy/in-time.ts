/** Gives the merchant's own code a time limit. Knows nothing of what it is asked. */

import type { StartTimer } from './types.js';

const nothing = () => undefined;

/**
 * @param longestMs milliseconds; what comes later is not waited for
 * @throws DOMException `TimeoutError` then, and whatever the code throws
 */
export async function inTime<T>(
  startTimer: StartTimer,
  longestMs: number,
  ask: () => Promise<T>,
): Promise<T> {
  let stopTimer: () => void = nothing;
  const late = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new DOMException("The merchant's code is late", 'TimeoutError'));
    stopTimer = startTimer(fail, longestMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    stopTimer();
  }
}
