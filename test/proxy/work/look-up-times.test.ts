/** When an open invoice is looked up: ages, deadlines, postbacks, and what follows a failure. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  isPastDeadline,
  isUnresolved,
  toNextLookUpMs,
  toNextTryMs,
} from '../../../src/proxy/work/look-up-times.js';

const createdAtMs = 1_000_000_000_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const open = { createdAtMs, shownAtMs: null, deadlineMs: null };

/** Every time from the creation on, each look-up answered at once, as ages. */
function agesOf(invoice: Parameters<typeof toNextLookUpMs>[0]): number[] {
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

describe('the times of look-ups', () => {
  it('grows from fifteen seconds to a day, for seven days', () => {
    assert.deepEqual(agesOf(open), regular);
  });

  it('asks five seconds, an hour and a day after a deadline too, also after seven days', () => {
    for (const deadlineAgeMs of [20 * minuteMs, 9 * dayMs]) {
      const ages = agesOf({ ...open, deadlineMs: createdAtMs + deadlineAgeMs });
      const after = [5_000, hourMs, dayMs].map((afterMs) => deadlineAgeMs + afterMs);
      assert.deepEqual(
        ages,
        [...regular, ...after].toSorted((a, b) => a - b),
      );
    }
  });

  it('leaves out what is over: after a night without the proxy there is one look-up, not ten', () => {
    assert.equal(toNextLookUpMs(open, createdAtMs + 10 * hourMs), createdAtMs + 12 * hourMs);
    assert.equal(toNextLookUpMs(open, createdAtMs + 7 * dayMs), null);
  });

  it('calls a deadline passed five seconds after it, and none that there is not', () => {
    const deadlineMs = createdAtMs + hourMs;
    assert.equal(isPastDeadline({ deadlineMs }, deadlineMs + 4_999), false);
    assert.equal(isPastDeadline({ deadlineMs }, deadlineMs + 5_000), true);
    assert.equal(isPastDeadline(open, createdAtMs + 99 * dayMs), false);
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

  it('counts from a deadline once it passed: soon, and not a tenth of ten days later', () => {
    const deadlineMs = createdAtMs + 10 * dayMs;
    const invoice = { ...open, deadlineMs };
    const toWaitMs = (nowMs: number) => (toNextTryMs(invoice, nowMs, 0) ?? Infinity) - nowMs;
    assert.equal(toWaitMs(deadlineMs + 5_000), minuteMs);
    assert.equal(toWaitMs(deadlineMs + 2 * dayMs), 0.2 * dayMs);
    assert.notEqual(toNextTryMs(invoice, deadlineMs + 26 * dayMs, 0), null);
    assert.equal(toNextTryMs(invoice, deadlineMs + 28 * dayMs, 0), null);
  });

  it('tries again though the proxy was off for nine days', () => {
    const nowMs = createdAtMs + 9 * dayMs;
    assert.equal(toNextTryMs(open, nowMs, 0), nowMs + 0.9 * dayMs);
  });

  it('gives a service up after a month that fails for ever', () => {
    for (const deadlineMs of [null, createdAtMs + hourMs, createdAtMs + 20 * dayMs]) {
      const sinceMs = deadlineMs ?? createdAtMs;
      let atMs: number | null = createdAtMs + 15_000;
      let lastMs = atMs;
      let tries = 0;
      while (atMs !== null) {
        tries += 1;
        lastMs = atMs;
        atMs = toNextTryMs({ ...open, deadlineMs }, atMs, 0);
      }
      assert.ok(tries > 50 && tries < 300, `${tries} tries`);
      assert.ok(lastMs - sinceMs > 27 * dayMs && lastMs - sinceMs <= 30 * dayMs);
    }
  });

  it('begins anew when the code is shown again', () => {
    const shownAtMs = createdAtMs + 9 * dayMs;
    const nextMs = toNextLookUpMs({ ...open, shownAtMs }, shownAtMs);
    assert.equal(nextMs, shownAtMs + 15_000);
  });

  it('asks once more soon after a postback, and then a minute later', () => {
    const hintedAtMs = createdAtMs + 2 * hourMs;
    const hinted = { ...open, hintedAtMs };
    assert.equal(toNextLookUpMs(hinted, hintedAtMs + 1), hintedAtMs + 15_000);
    assert.equal(toNextLookUpMs(hinted, hintedAtMs + 15_000), hintedAtMs + 75_000);
    assert.equal(toNextLookUpMs(hinted, hintedAtMs + 75_000), createdAtMs + 3 * hourMs);
    assert.equal(toNextTryMs(hinted, hintedAtMs + 1, 0), hintedAtMs + 5_001);
  });

  it('calls a card unresolved after an hour, or after a day without an answer', () => {
    const cases: [ageMs: number, isAnswered: boolean, expected: boolean][] = [
      [hourMs - 1, true, false],
      [hourMs, true, true],
      [dayMs - 1, false, false],
      [dayMs, false, true],
    ];
    for (const [ageMs, isAnswered, expected] of cases) {
      assert.equal(isUnresolved(open, createdAtMs + ageMs, isAnswered), expected);
    }
  });
});
