/** A time limit for code of others: the merchant's, the ledger's. */

import type { StartTimer } from '../config/options.js';

const nothing = () => undefined;

/**
 * @param longestMs milliseconds; a later result is dropped
 * @param toLate makes the error of a late result; default: a DOMException `TimeoutError`
 * @throws that error, and what the code throws
 */
export async function withTimeout<T>(
  startTimer: StartTimer,
  longestMs: number,
  ask: () => Promise<T>,
  toLate: () => Error = toTimeoutError,
): Promise<T> {
  let stopTimer: () => void = nothing;
  const late = new Promise<never>((_resolve, reject) => {
    stopTimer = startTimer(() => reject(toLate()), longestMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    stopTimer();
  }
}

function toTimeoutError(): Error {
  return new DOMException("The merchant's code is late", 'TimeoutError');
}
