/** Pauses in this process: when each name was claimed last. Synchronous. */

/** The pauses of all names. */
interface ThrottleMemory {
  /** See `Ledger.claimPause`. */
  claim(name: string, pauseMs: number): boolean;
  forgetOlderThan(ageMs: number): void;
}

/**
 * Makes an empty memory.
 * @param now wall clock, milliseconds since 1970
 */
export function createThrottleMemory(now: () => number): ThrottleMemory {
  const claimedAtMs = new Map<string, number>();

  return {
    claim(name, pauseMs) {
      // A clock that was set back must not make a pause last: one from far ahead is none.
      if (Math.abs(now() - (claimedAtMs.get(name) ?? -Infinity)) < pauseMs) return false;
      claimedAtMs.set(name, now());
      return true;
    },

    forgetOlderThan(ageMs) {
      for (const [name, atMs] of claimedAtMs) {
        if (now() - atMs >= ageMs) claimedAtMs.delete(name);
      }
    },
  };
}
