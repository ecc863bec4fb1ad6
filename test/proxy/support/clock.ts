/** Time for tests: a clock with timers that only they move, and how they wait for what needs none of it. */

import assert from 'node:assert/strict';
import type { StartTimer } from '../../../src/proxy/runtime/running.js';

/** A clock that only tests move, with the timers that hang on it. */
export type TestClock = ReturnType<typeof createTestClock>;

export function createTestClock() {
  let nowMs = Date.UTC(2026, 10, 21, 12);
  const timers = new Set<{ run: () => void; atMs: number }>();
  const startTimer: StartTimer = (run, delayMs) => {
    const timer = { run, atMs: nowMs + delayMs };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  return {
    now: () => nowMs,
    /** Timers that are set. */
    pending: () => timers.size,
    startTimer,
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

/** Lets everything happen that needs no time of the test's clock. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (computing > 0) turn = 0;
  }
}

/** Signatures under way: they are made on threads, and on a busy machine a test's clock would overtake them. */
let computing = 0;

type Compute = (this: unknown, ...args: unknown[]) => Promise<unknown>;
const subtle = Object.getPrototypeOf(crypto.subtle) as Record<string, Compute>;
for (const name of ['importKey', 'generateKey', 'deriveKey', 'sign', 'verify', 'digest']) {
  const compute = subtle[name]!;
  subtle[name] = async function (...args) {
    computing += 1;
    try {
      return await compute.apply(this, args);
    } finally {
      computing -= 1;
    }
  };
}

/** Waits for a condition that needs no time of the test's clock, but may need turns of the event loop. */
export async function until(isTrue: () => boolean): Promise<void> {
  const giveUpAtMs = performance.now() + 60_000;
  while (!isTrue()) {
    if (performance.now() > giveUpAtMs) assert.fail('what the test waits for never came');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets a request wait until it is released. */
export function createGate() {
  let release = () => {};
  const opened = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
  return { opened, release };
}
