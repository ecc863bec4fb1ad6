/**
 * Hours in a moment: a clock that jumps from one timer to the next once nothing is under way. Signatures are made on
 * other threads, so what they take is counted, not guessed.
 */

import type { StartTimer } from '../../../src/proxy.js';

/** Turns of the event loop without a signature under way, after which nothing is. */
const quietTurns = 8;

/** Time in a simulation. */
export type VirtualTime = ReturnType<typeof createVirtualTime>;

export function createVirtualTime() {
  const timers = new Map<number, Set<() => void>>();
  const signatures = countSignatures();
  let nowMs = Date.UTC(2026, 10, 21, 12);

  const startTimer: StartTimer = (run, delayMs) => {
    const atMs = nowMs + Math.max(0, Math.round(delayMs));
    // A function of its own: the same one may be given twice.
    const timer = () => run();
    const sameMoment = timers.get(atMs) ?? new Set();
    timers.set(atMs, sameMoment.add(timer));
    return () => void sameMoment.delete(timer);
  };

  return {
    now: () => nowMs,
    startTimer,
    sleep: (ms: number) => new Promise<void>((resolve) => void startTimer(resolve, ms)),

    /** Runs timers in order, those of one moment together, until what is waited for is there. */
    async runUntil(isOver: () => boolean): Promise<void> {
      await signatures.settle();
      while (!isOver()) {
        const atMs = Math.min(...timers.keys());
        if (atMs === Infinity) throw new Error('nothing will ever happen');
        nowMs = atMs;
        const due = timers.get(atMs) ?? [];
        // What one of them starts for this moment is another round of it.
        timers.delete(atMs);
        for (const run of due) run();
        await signatures.settle();
      }
    },

    /** Gives Web Crypto back. */
    restore: signatures.restore,
  };
}

function countSignatures() {
  const { subtle } = crypto;
  const names = ['sign', 'verify', 'digest', 'importKey', 'deriveKey'] as const;
  let inFlight = 0;
  for (const name of names) {
    const original = Reflect.get(subtle, name) as (...args: unknown[]) => Promise<unknown>;
    const counted = (...args: unknown[]) => {
      inFlight += 1;
      return original.apply(subtle, args).finally(() => (inFlight -= 1));
    };
    Object.defineProperty(subtle, name, { value: counted, configurable: true });
  }
  return {
    async settle() {
      for (let quiet = 0; quiet < quietTurns; quiet = inFlight === 0 ? quiet + 1 : 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    restore() {
      for (const name of names) Reflect.deleteProperty(subtle, name);
    },
  };
}
