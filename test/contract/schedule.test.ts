/** When an unpaid invoice is looked at again. */

import assert from 'node:assert/strict';
import { describe } from 'vitest';
import fc from 'fast-check';
import {
  defaultPollIntervalMs,
  minPollIntervalMs,
  nextLookUpDelayMs,
} from '../../src/contract/schedule.js';
import { holds, maps } from '../support/tables.js';

describe('the schedule of look-ups', () => {
  const delayMs = (elapsedMs: number, baseMs?: number) => nextLookUpDelayMs(elapsedMs, baseMs);
  maps(delayMs, [
    [0, 4_000, 8_000],
    [3_000, 4_000, 5_000],
    [7_999, 4_000, 1],
    [8_000, 4_000, 4_000],
    [179_999, 4_000, 4_000],
    [180_000, 4_000, 10_000],
    [10_000_000, 4_000, 10_000],
    [0, 250, 500],
    [180_000, 250, 625],
    // A clock that was set back.
    [-5_000, 4_000, 8_000],
    [8_000, undefined, defaultPollIntervalMs],
  ]);

  const base = fc.integer({ min: minPollIntervalMs, max: 60_000 });
  const elapsed = fc.nat(10_000_000);
  const title = 'always waits, and never longer than two and a half intervals';
  holds(title, 1_000, elapsed, base, (elapsedMs, baseMs) => {
    const delayMs = nextLookUpDelayMs(elapsedMs, baseMs);
    assert.ok(delayMs > 0 && delayMs <= baseMs * 2.5);
  });

  holds('asks ever more slowly, once the first look-up is due', 100, base, (baseMs) => {
    let elapsedMs = 0;
    let formerMs = 0;
    for (let lookUp = 0; lookUp < 100; lookUp++) {
      const delayMs = nextLookUpDelayMs(elapsedMs, baseMs);
      if (lookUp === 0) assert.equal(delayMs, baseMs * 2);
      if (lookUp > 1) assert.ok(delayMs >= formerMs);
      elapsedMs += delayMs;
      formerMs = delayMs;
    }
  });
});
