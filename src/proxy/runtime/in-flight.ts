/** Counts what has been begun, so that closing can wait until it has ended. Knows nothing of what it is. */

/** Work of one part of the proxy. */
export interface InFlight {
  readonly isClosing: () => boolean;
  /** Gives back the promise it was given. What is begun while it is closing is waited for too. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  /** Nothing new should begin. Resolves when all that has begun has ended, however it ended. */
  readonly close: () => Promise<void>;
}

/** Makes an empty count. */
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
