/** Gives what others do a time limit: the merchant's own code, the ledger. Knows nothing of what it is. */

import type { StartTimer } from '../config/options.js';

const nothing = () => undefined;

/**
 * @param longestMs milliseconds; what comes later is not waited for
 * @param toLate what is thrown then; default: a DOMException `TimeoutError`
 * @throws that, and whatever the code throws
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
