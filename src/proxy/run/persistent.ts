/**
 * Writes what must not be lost, again and again until the store takes it or the process ends; the caller waits only for a
 * while. Else a store that is away for two seconds would leave cards with known answers to a person.
 */

import { secondMs } from '../../domain/spans.js';
import { startPause, withTimeout } from '../runtime/running.js';
import type { StartTimer } from '../runtime/running.js';

/** How long a request waits for it, milliseconds. Then a page hears that its outcome is unknown. */
export const recordingMs = 15 * secondMs;

/** The first pause, which doubles up to the longest, milliseconds. */
const pauses = { firstMs: 100, longestMs: 30 * secondMs };

/** What goes on until it is done. */
export type Persistent = ReturnType<typeof createPersistent>;

export function createPersistent(startTimer: StartTimer) {
  const running = new Set<Promise<unknown>>();
  const wakes = new Set<() => void>();
  let isClosed = false;

  return {
    /**
     * Tries at once, and again after each failure.
     * @throws the last failure, once the time of a request is over, or the proxy closed
     */
    persist<T>(this: void, write: () => Promise<T>): Promise<T> {
      let failure: unknown;
      const done = tryOn(write, (thrown) => (failure = thrown));
      const end = () => void running.delete(over);
      const over: Promise<void> = done.then(end, end);
      running.add(over);
      return withTimeout(
        startTimer,
        recordingMs,
        () => done,
        () => failure as Error,
      );
    },

    /** Lets each try once more, and resolves when they have ended. */
    async close(): Promise<void> {
      isClosed = true;
      for (const wake of wakes) wake();
      await Promise.all(running);
    },
  };

  async function tryOn<T>(
    write: () => Promise<T>,
    onFailure: (thrown: unknown) => void,
  ): Promise<T> {
    for (let pauseMs = pauses.firstMs; ; pauseMs = Math.min(2 * pauseMs, pauses.longestMs)) {
      const isLast = isClosed;
      try {
        return await write();
      } catch (thrown) {
        onFailure(thrown);
        if (isLast) throw thrown;
      }
      if (!isClosed) await pause(pauseMs);
    }
  }

  async function pause(forMs: number): Promise<void> {
    const { over, end } = startPause(startTimer, forMs);
    wakes.add(end);
    await over;
    wakes.delete(end);
  }
}
