/** Tracks running work, so that closing can wait for it. */

export interface InFlight {
  readonly isClosing: () => boolean;
  /** Returns the promise it was given. Work that begins while it is closing is waited for too. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  /** Sets `isClosing`. Resolves when all work has ended, failed or not. */
  readonly close: () => Promise<void>;
}

export function createInFlight(): InFlight {
  const running = new Set<Promise<unknown>>();
  let isClosing = false;

  return {
    isClosing: () => isClosing,

    track(work) {
      running.add(work);
      const end = () => void running.delete(work);
      work.then(end, end);
      return work;
    },

    async close() {
      isClosing = true;
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
