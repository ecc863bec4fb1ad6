/** When an invoice is looked up although nobody asks: ages, deadlines, and what follows a failure. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOver, toNextLookUpMs, toNextTryMs } from '../../src/proxy/sweep-schedule.js';

const createdAtMs = 1_000_000_000_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const open = { createdAtMs, deadlineMs: null };

/** Every time from the creation on, each look-up answered at once, as ages. */
function agesOf(invoice: { createdAtMs: number; deadlineMs: number | null }): number[] {
  const ages: number[] = [];
  let atMs = toNextLookUpMs(invoice, createdAtMs);
  while (atMs !== null) {
    ages.push(atMs - createdAtMs);
    assert.ok(ages.length < 100);
    atMs = toNextLookUpMs(invoice, atMs);
  }
  return ages;
}

const regular = [
  15_000,
  30_000,
  minuteMs,
  2 * minuteMs,
  5 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
  ...[1, 2, 3, 4, 5, 6, 7].map((days) => days * dayMs),
];

describe('the schedule of look-ups that nobody asks for', () => {
  it('grows from fifteen seconds to a day, for seven days', () => {
    assert.deepEqual(agesOf(open), regular);
  });

  it('asks five seconds after a deadline too, also after seven days', () => {
    for (const deadlineAgeMs of [20 * minuteMs, 9 * dayMs]) {
      const ages = agesOf({ createdAtMs, deadlineMs: createdAtMs + deadlineAgeMs });
      const expected = [...regular, deadlineAgeMs + 5_000].toSorted((a, b) => a - b);
      assert.deepEqual(ages, expected);
    }
  });

  it('leaves out what is over: after a night without the proxy there is one look-up, not ten', () => {
    assert.equal(toNextLookUpMs(open, createdAtMs + 10 * hourMs), createdAtMs + 12 * hourMs);
    assert.equal(toNextLookUpMs(open, createdAtMs + 7 * dayMs), null);
  });

  it('calls a deadline passed five seconds after it, and none that there is not', () => {
    const deadlineMs = createdAtMs + hourMs;
    assert.equal(isOver({ createdAtMs, deadlineMs }, deadlineMs + 4_999), false);
    assert.equal(isOver({ createdAtMs, deadlineMs }, deadlineMs + 5_000), true);
    assert.equal(isOver(open, createdAtMs + 99 * dayMs), false);
  });

  it('tries a failed look-up again after a tenth of the age, a minute at least, the next age at most', () => {
    const tries: [ageMs: number, nextAgeMs: number][] = [
      [20_000, 30_000],
      [2 * minuteMs, 3 * minuteMs],
      [9.5 * minuteMs, 10 * minuteMs],
      [3 * hourMs, 3.3 * hourMs],
      [3 * hourMs + 1, 3.3 * hourMs + 1],
      [6 * dayMs, 6.6 * dayMs],
      [6.9 * dayMs, 7 * dayMs],
      [7 * dayMs, 7.7 * dayMs],
    ];
    for (const [ageMs, nextAgeMs] of tries) {
      const nextMs = toNextTryMs(open, createdAtMs + ageMs, 0);
      assert.equal(nextMs === null ? null : nextMs - createdAtMs, Math.round(nextAgeMs));
    }
  });

  it('never asks a service sooner than it wants', () => {
    const nowMs = createdAtMs + 20_000;
    assert.equal(toNextTryMs(open, nowMs, nowMs + hourMs), nowMs + hourMs);
    const lateMs = createdAtMs + 7 * dayMs;
    assert.equal(toNextTryMs(open, lateMs, lateMs + 0.9 * dayMs), lateMs + 0.9 * dayMs);
  });

  it('gives a service up that fails for ever', () => {
    let atMs: number | null = createdAtMs + 15_000;
    let tries = 0;
    while (atMs !== null) {
      tries += 1;
      assert.ok(tries < 200 && atMs - createdAtMs <= 8 * dayMs);
      atMs = toNextTryMs(open, atMs, 0);
    }
    assert.ok(tries > 50);
  });
});
