/** The system's clock and timers, which may be put forward: what is due by then runs at once. Knows nothing of what runs. */

import type { StartTimer } from '../../../src/proxy/runtime/running.js';

/** A clock that goes by itself, and jumps when it is told to. */
export interface JumpingClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly startTimer: StartTimer;
  readonly putForward: (byMs: number) => void;
}

interface Timer {
  readonly run: () => void;
  readonly atMs: number;
  handle: NodeJS.Timeout;
}

export function createJumpingClock(): JumpingClock {
  const timers = new Set<Timer>();
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;

  return {
    now,
    startTimer(run, delayMs) {
      const timer: Timer = {
        run,
        atMs: now() + delayMs,
        handle: setTimeout(() => fire(timer), delayMs),
      };
      timers.add(timer);
      return () => {
        clearTimeout(timer.handle);
        timers.delete(timer);
      };
    },
    putForward(byMs) {
      aheadMs += byMs;
      for (const timer of timers) {
        clearTimeout(timer.handle);
        timer.handle = setTimeout(() => fire(timer), Math.max(0, timer.atMs - now()));
      }
    },
  };

  function fire(timer: Timer): void {
    if (timers.delete(timer)) timer.run();
  }
}
