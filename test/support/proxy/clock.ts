/** Time for tests of the proxy: their clock, and how they wait for what needs none of it. */

import assert from 'node:assert/strict';
import { createClock } from '../clock.js';

export type { TestClock } from '../clock.js';

/** Stands at noon of the day of the samples. */
export const createTestClock = () => createClock(settle, Date.UTC(2026, 10, 21, 12));

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
export async function turnsUntil(isTrue: () => boolean): Promise<void> {
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
