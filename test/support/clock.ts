/** Time in a test, for browsers and Node: it stands still until it is told to go on. Knows nothing of what waits on it. */

/** A clock that only tests move, with the timers that hang on it. */
export type TestClock = ReturnType<typeof createClock>;

/**
 * @param settle waits for what a timer has started
 * @param startMs what it shows first
 */
export function createClock(settle: () => Promise<void>, startMs = 10_000) {
  const timers = new Set<{ run: () => void; atMs: number }>();
  let nowMs = startMs;
  return {
    now: () => nowMs,
    /** When each timer is due that has neither run nor been stopped. */
    dues: () => [...timers].map(({ atMs }) => atMs),
    /** @returns what stops it */
    startTimer(run: () => void, delayMs: number): () => void {
      const timer = { run, atMs: nowMs + delayMs };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    /** Time passes before any timer is heard of, as for a process that stood still. */
    skip: (ms: number) => void (nowMs += ms),
    /** Timers do not go by it. */
    setBack(ms: number): void {
      nowMs -= ms;
      for (const timer of timers) timer.atMs -= ms;
    },
    /** Lets what began by itself come to its end, and moves the clock, running what falls due, in order. */
    async advance(ms: number): Promise<void> {
      await settle();
      const endMs = nowMs + ms;
      for (;;) {
        const next = [...timers].toSorted((a, b) => a.atMs - b.atMs)[0];
        if (!next || next.atMs > endMs) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.run();
        await settle();
      }
      nowMs = endMs;
      await settle();
    },
  };
}

/** Waits until promises that wait on nothing but each other are through. No time passes. */
export async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await Promise.resolve();
}
