/**
 * Repeats writes that must not be lost until the store takes them or the process ends; the caller waits only for a while.
 * Without this, a store that is away for two seconds would leave cards with known answers for a person to find out.
 */

import { secondMs } from '../../domain/spans.js';
import { startPause, withTimeout, type StartTimer } from '../runtime/running.js';

/** How long a request waits, milliseconds. After that its page gets `outcome_unknown`. */
export const recordingMs = 15 * secondMs;

/** The first pause and the longest one, milliseconds. Pauses double. */
const pauses = { firstMs: 100, longestMs: 30 * secondMs };

export type Persistent = ReturnType<typeof createPersistentWrites>;

/** Creates `persist`, and `close`, which ends the pauses between its tries. */
export function createPersistentWrites(startTimer: StartTimer) {
  const running = new Set<Promise<unknown>>();
  const wakes = new Set<() => void>();
  let isClosed = false;

  return {
    /**
     * Tries a write at once, and again after each failure, also when the caller no longer waits.
     * @throws the last failure, once the caller's time (`recordingMs`) is up or the proxy has closed
     */
    persist<T>(this: void, write: () => Promise<T>): Promise<T> {
      let failure: unknown;
      const done = writeUntilStored(write, (thrown) => (failure = thrown));
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

    /** Lets each write try once more, and resolves when all have ended. */
    async close(): Promise<void> {
      isClosed = true;
      for (const wake of wakes) wake();
      await Promise.all(running);
    },
  };

  /** Repeats a write until the store takes it, with growing pauses. Once the proxy closes, it tries once more at most. */
  async function writeUntilStored<T>(
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
      if (!isClosed) await pauseUntilWoken(pauseMs);
    }
  }

  /** Pauses between two tries, or until the proxy closes. */
  async function pauseUntilWoken(forMs: number): Promise<void> {
    const { over, end } = startPause(startTimer, forMs);
    wakes.add(end);
    await over;
    wakes.delete(end);
  }
}
