/**
 * A clock that stands still until it is told to go on: monotonic time, and timers that run in order.
 * Knows nothing of what waits on it.
 */

/** Time in a test. */
export interface ManualClock {
  /** Monotonic milliseconds. */
  now(): number;
  /** When each timer is due that has neither run nor been cleared, monotonic milliseconds. */
  readonly dues: readonly number[];
  setTimer(run: () => void, delayMs: number): number;
  clearTimer(timer: unknown): void;
  /** Lets time pass, timer by timer; what each one started settles before the next one runs. */
  advance(ms: number): Promise<void>;
}

/** @param settle waits for what a timer has started */
export function createManualClock(settle: () => Promise<void>): ManualClock {
  const timers = new Map<number, { atMs: number; run: () => void }>();
  let nowMs = 10_000;
  let lastTimer = 0;

  return {
    now: () => nowMs,
    get dues() {
      return [...timers.values()].map(({ atMs }) => atMs);
    },
    setTimer(run, delayMs) {
      timers.set(++lastTimer, { atMs: nowMs + Math.max(0, delayMs), run });
      return lastTimer;
    },
    clearTimer(timer) {
      timers.delete(timer as number);
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settle();
      for (;;) {
        const [next] = [...timers].toSorted(([, one], [, other]) => one.atMs - other.atMs);
        if (!next || next[1].atMs > untilMs) break;
        const [timer, { atMs, run }] = next;
        timers.delete(timer);
        nowMs = Math.max(nowMs, atMs);
        run();
        await settle();
      }
      nowMs = untilMs;
      await settle();
    },
  };
}

/** Waits until promises that wait on nothing but each other are through. No time passes. */
export async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await Promise.resolve();
}
