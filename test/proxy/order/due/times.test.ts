/** The table of times: when an open invoice, a named id and a paid one are looked up, and when an event is told again. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../../src/domain/spans.js';
import {
  mayBeginAnew,
  isOlderAnswer,
  isPastDeadline,
  isWarningDue,
  isLongUnresolved,
  isWatchedClosely,
  toRecheckMs,
  toFirstLookUpMs,
  toNextLookUpMs,
  toNextNamedMs,
  toNextPaidMs,
  toRetryMs,
} from '../../../../src/proxy/order/times.js';
import type { Failed } from '../../../../src/proxy/order/times.js';

const createdAtMs = 1_000_000_000_000;
const failed: Failed = { failed: 'no_answer', afterMs: 0 };
const notFound: Failed = { failed: 'not_found', afterMs: 0 };
const open = { createdAtMs, shownAtMs: null, deadlineMs: null };

/** Every time from the creation on, each look-up answered at once, as ages. */
function agesOf(invoice: Parameters<typeof toNextLookUpMs>[0], untilAgeMs: number): number[] {
  const ages: number[] = [];
  for (;;) {
    const nextMs = toNextLookUpMs(invoice, null, createdAtMs + (ages.at(-1) ?? 0));
    if (nextMs - createdAtMs > untilAgeMs) return ages;
    ages.push(nextMs - createdAtMs);
  }
}

const dense = [
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
];
const toDays = (...days: number[]) => days.map((day) => day * dayMs);
const week = [1, 2, 3, 4, 5, 6, 7];
const weekly = [14, 21, 28, 35, 42, 49, 56, 63, 70, 77, 84];

describe('the look-ups of an invoice that may be paid', () => {
  it('grow from fifteen seconds to a day, and are weekly after seven days: 29 in 90 days', () => {
    const ages = agesOf(open, 90 * dayMs);
    assert.deepEqual(ages, [...dense, ...toDays(...week, ...weekly)]);
    assert.equal(ages.length, 29);
  });

  it('are daily up to a deadline of 30 or 60 days, then after 5 s, an hour and a day, then weekly', () => {
    for (const [deadlineDays, count] of [
      [20 / 1_440, 32],
      [9, 34],
      [30, 52],
      [60, 78],
    ] as const) {
      const deadlineAgeMs = deadlineDays * dayMs;
      const ages = agesOf({ ...open, deadlineMs: createdAtMs + deadlineAgeMs }, 90 * dayMs);
      const daily = Array.from({ length: Math.floor(deadlineDays) }, (_, day) => day + 1);
      const after = [5_000, hourMs, dayMs].map((afterMs) => deadlineAgeMs + afterMs);
      const further = weekly.filter((day) => day > deadlineDays);
      const all = [...dense, ...toDays(...week, ...daily, ...further), ...after];
      assert.deepEqual(
        ages,
        [...new Set(all)].toSorted((a, b) => a - b),
      );
      assert.equal(ages.length, count);
    }
  });

  it('leave out what is over: after a night without the proxy there is one, not ten', () => {
    assert.equal(toNextLookUpMs(open, null, createdAtMs + 10 * hourMs), createdAtMs + 12 * hourMs);
    assert.equal(toNextLookUpMs(open, null, createdAtMs + 40 * dayMs), createdAtMs + 42 * dayMs);
  });

  it('are few while postbacks arrive, which tell sooner', () => {
    for (const [ageMs, nextAgeMs] of [
      [0, 2 * minuteMs],
      [2 * minuteMs, hourMs],
      [hourMs, dayMs],
    ] as const) {
      const nextMs = toNextLookUpMs(open, null, createdAtMs + ageMs, true);
      assert.equal(nextMs - createdAtMs, nextAgeMs);
    }
  });

  it('hold its order back from being forgotten only while they are daily at least, or hinted', () => {
    const cases: [invoice: Parameters<typeof isWatchedClosely>[0], ageDays: number, is: boolean][] =
      [
        [open, 6.9, true],
        [open, 7, false],
        [{ ...open, deadlineMs: createdAtMs + 30 * dayMs }, 29.9, true],
        [{ ...open, deadlineMs: createdAtMs + 30 * dayMs }, 30, false],
        [{ ...open, shownAtMs: createdAtMs + 9 * dayMs }, 15, true],
        [{ ...open, hintedAtMs: createdAtMs + 40 * dayMs }, 40.5, true],
      ];
    for (const [invoice, ageDays, expected] of cases) {
      assert.equal(isWatchedClosely(invoice, createdAtMs + ageDays * dayMs), expected);
    }
  });

  it('calls a deadline passed five seconds after it, and none that there is not', () => {
    const deadlineMs = createdAtMs + hourMs;
    assert.equal(isPastDeadline({ deadlineMs }, deadlineMs + 4_999), false);
    assert.equal(isPastDeadline({ deadlineMs }, deadlineMs + 5_000), true);
    assert.equal(isPastDeadline(open, createdAtMs + 99 * dayMs), false);
  });

  it('are tried again after a failure once a tenth of the age is over, a minute at least, the next age at most', () => {
    const tries: [ageMs: number, nextAgeMs: number][] = [
      [20_000, 30_000],
      [2 * minuteMs, 3 * minuteMs],
      [9.5 * minuteMs, 10 * minuteMs],
      [3 * hourMs, 3.3 * hourMs],
      [3 * hourMs + 1, 3.3 * hourMs + 1],
      [6 * dayMs, 6.6 * dayMs],
      [6.9 * dayMs, 7 * dayMs],
      [7 * dayMs, 7.7 * dayMs],
      [60 * dayMs, 63 * dayMs],
    ];
    for (const [ageMs, nextAgeMs] of tries) {
      const nextMs = toNextLookUpMs(open, failed, createdAtMs + ageMs);
      assert.equal(nextMs - createdAtMs, Math.round(nextAgeMs));
    }
  });

  it('never ask a service sooner than it wants', () => {
    const nowMs = createdAtMs + 20_000;
    assert.equal(toNextLookUpMs(open, { ...failed, afterMs: hourMs }, nowMs), nowMs + hourMs);
    const lateMs = createdAtMs + 7 * dayMs;
    const wanted = { ...failed, afterMs: 0.9 * dayMs };
    assert.equal(toNextLookUpMs(open, wanted, lateMs), lateMs + 0.9 * dayMs);
  });

  it('count from a deadline once it passed: soon, and not a tenth of ten days later', () => {
    const deadlineMs = createdAtMs + 10 * dayMs;
    const invoice = { ...open, deadlineMs };
    const toWaitMs = (nowMs: number) => toNextLookUpMs(invoice, failed, nowMs) - nowMs;
    assert.equal(toWaitMs(deadlineMs + 5_000), minuteMs);
    assert.equal(toWaitMs(deadlineMs + 2 * dayMs), 0.2 * dayMs);
  });

  it('of a service that fails for ever are fewer than three hundred in 90 days', () => {
    for (const deadlineMs of [null, createdAtMs + hourMs, createdAtMs + 20 * dayMs]) {
      let atMs = createdAtMs + 15_000;
      let tries = 0;
      for (; atMs < createdAtMs + 90 * dayMs; tries += 1) {
        atMs = toNextLookUpMs({ ...open, deadlineMs }, failed, atMs);
      }
      assert.ok(tries > 50 && tries < 300, `${tries} tries`);
    }
  });

  it('begin anew when the code is shown again', () => {
    const shownAtMs = createdAtMs + 9 * dayMs;
    const nextMs = toNextLookUpMs({ ...open, shownAtMs }, null, shownAtMs);
    assert.equal(nextMs, shownAtMs + 15_000);
  });

  it('come once more soon after a postback, and then a minute later', () => {
    const hintedAtMs = createdAtMs + 2 * hourMs;
    const hinted = { ...open, hintedAtMs };
    assert.equal(toNextLookUpMs(hinted, null, hintedAtMs + 1), hintedAtMs + 15_000);
    assert.equal(toNextLookUpMs(hinted, null, hintedAtMs + 15_000), hintedAtMs + 75_000);
    assert.equal(toNextLookUpMs(hinted, null, hintedAtMs + 75_000), createdAtMs + 3 * hourMs);
    assert.equal(toNextLookUpMs(hinted, failed, hintedAtMs + 1), hintedAtMs + 5_001);
  });

  it('calls a card unresolved after an hour, or after a day without an answer', () => {
    const cases: [ageMs: number, isAnswered: boolean, expected: boolean][] = [
      [hourMs - 1, true, false],
      [hourMs, true, true],
      [dayMs - 1, false, false],
      [dayMs, false, true],
    ];
    for (const [ageMs, isAnswered, expected] of cases) {
      assert.equal(isLongUnresolved(open, createdAtMs + ageMs, isAnswered), expected);
    }
  });
});

describe('a code that is shown again', () => {
  it('is young again after half an hour, counted from when it was last', () => {
    const cases: [shownAgeMs: number | null, ageMs: number, expected: boolean][] = [
      [null, 30 * minuteMs - 1, false],
      [null, 30 * minuteMs, true],
      [hourMs, 90 * minuteMs - 1, false],
      [hourMs, 90 * minuteMs, true],
    ];
    for (const [shownAgeMs, ageMs, expected] of cases) {
      const shownAtMs = shownAgeMs === null ? null : createdAtMs + shownAgeMs;
      assert.equal(mayBeginAnew({ createdAtMs, shownAtMs }, createdAtMs + ageMs), expected);
    }
  });

  it('is looked up first after fifteen seconds, as a new one is', () => {
    assert.equal(toFirstLookUpMs(createdAtMs), createdAtMs + 15_000);
  });
});

describe('an id that a postback named', () => {
  const namedAtMs = createdAtMs;
  const pauses = [5_000, 15_000, minuteMs, 5 * minuteMs, 30 * minuteMs, hourMs, hourMs, hourMs];

  it('that cannot be looked up is tried again, each time later, up to an hour; for seven days', () => {
    const nowMs = namedAtMs + dayMs;
    for (const found of [failed, 'busy', 'of_card'] as const) {
      assert.deepEqual(
        pauses.map((_, at) => toNextNamedMs({ tries: at + 1, namedAtMs }, found, nowMs)! - nowMs),
        pauses,
      );
      assert.equal(toNextNamedMs({ tries: 0, namedAtMs }, found, nowMs), nowMs + 5_000);
      const last = { tries: 99, namedAtMs };
      assert.notEqual(toNextNamedMs(last, found, namedAtMs + 7 * dayMs - 1), null);
      assert.equal(toNextNamedMs(last, found, namedAtMs + 7 * dayMs), null);
    }
  });

  it('is asked no sooner than the service, or the rate limit, wants', () => {
    for (const why of ['no_answer', 'throttled', 'not_found'] as const) {
      const found = { failed: why, afterMs: 40_000 };
      assert.equal(toNextNamedMs({ tries: 1, namedAtMs }, found, namedAtMs), namedAtMs + 40_000);
      assert.equal(toNextNamedMs({ tries: 3, namedAtMs }, found, namedAtMs), namedAtMs + minuteMs);
    }
  });

  it('is looked up twice while it is open, and six times while the service does not know it', () => {
    const cases = [
      ['open', 1, true],
      ['open', 2, false],
      [notFound, 5, true],
      [notFound, 6, false],
      ['recorded', 1, false],
      ['none', 1, false],
    ] as const;
    for (const [found, tries, expected] of cases) {
      const nextMs = toNextNamedMs({ tries, namedAtMs }, found, namedAtMs);
      assert.equal(nextMs !== null, expected, `${tries} of ${JSON.stringify(found)}`);
    }
  });
});

describe('a paid invoice', () => {
  const tried = { tries: 1, namedAtMs: createdAtMs };
  const days = (count: number) => createdAtMs + count * dayMs;

  it('is asked about after 1, 7, 30 and 80 days, whatever the answer', () => {
    for (const found of ['recorded', 'open', 'none', 'busy', notFound] as const) {
      const asked = [0, 1, 6.9, 7, 30, 79.9].map((age) =>
        toNextPaidMs(tried, found, days(age), true),
      );
      assert.deepEqual(asked, [1, 7, 7, 30, 80, 80].map(days));
      assert.equal(toNextPaidMs(tried, found, days(80), true), null);
    }
  });

  it('whose look-up failed is tried again soon, up to a week after the last age', () => {
    assert.equal(toNextPaidMs(tried, failed, days(1), true), days(1) + 5_000);
    const often = { ...tried, tries: 9 };
    assert.equal(toNextPaidMs(often, failed, days(7) - 1, true), days(7));
    assert.equal(toNextPaidMs(often, failed, days(87) - hourMs - 1, true), days(87) - 1);
    assert.equal(toNextPaidMs(often, failed, days(87) - hourMs, true), null);
  });

  it('that is not watched is asked about only when a postback names it, for a week if that fails', () => {
    assert.equal(toNextPaidMs(tried, 'recorded', days(0), false), null);
    assert.equal(toNextPaidMs(tried, failed, days(0), false), days(0) + 5_000);
    assert.equal(toNextPaidMs(tried, failed, days(7), false), null);
  });
});

describe('an event whose hook failed', () => {
  const queuedAtMs = createdAtMs;
  const outcomeAt = (tries: number, ageMs: number, part: number) => {
    return toRetryMs({ tries, queuedAtMs }, queuedAtMs + ageMs, part) - queuedAtMs - ageMs;
  };

  it('is told again after a part of a span that doubles, an hour at most and a second at least', () => {
    const spans = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600];
    spans.forEach((seconds, at) => {
      assert.equal(outcomeAt(at + 1, 0, 1), seconds * secondMs);
      assert.equal(outcomeAt(at + 1, 0, 0.5), seconds * 500);
      assert.equal(outcomeAt(at + 1, 0, 0), secondMs);
    });
  });

  it('is overdue when the day is over, after ten tries at least: told every six hours then', () => {
    assert.equal(outcomeAt(30, dayMs - minuteMs, 1), minuteMs);
    assert.equal(outcomeAt(10, dayMs, 1), 6 * hourMs);
    assert.equal(outcomeAt(90, 60 * dayMs, 0.5), 6 * hourMs);
    assert.equal(outcomeAt(9, dayMs, 1), 1_280 * secondMs);
  });

  it('is one that a person is warned of daily, until a warning came through', () => {
    const overdue = { tries: 10, queuedAtMs };
    assert.equal(isWarningDue({ ...overdue, tries: 9 }, queuedAtMs + dayMs), false);
    assert.equal(isWarningDue(overdue, queuedAtMs + dayMs - 1), false);
    assert.equal(isWarningDue(overdue, queuedAtMs + dayMs), true);
    const warned = { ...overdue, warnedAtMs: queuedAtMs + dayMs };
    assert.equal(isWarningDue(warned, queuedAtMs + dayMs + 23 * hourMs - 1), false);
    assert.equal(isWarningDue(warned, queuedAtMs + dayMs + 23 * hourMs), true);
    assert.equal(isWarningDue(warned, queuedAtMs + 2 * dayMs), true);
    assert.equal(isWarningDue({ ...warned, isWarningHeard: true }, queuedAtMs + 9 * dayMs), false);
  });
});

it('a word is older by its beginning, and within an hour by what both say of their change', () => {
  const known = { beganMs: 1_000, updatedAtMs: 500 };
  for (const [beganMs, updatedAtMs, expected] of [
    [999, 501, true],
    [1_000, 499, true],
    [1_000, 500, false],
    [1_000, null, false],
    [1_000 + hourMs, 499, false],
  ] as const) {
    assert.equal(isOlderAnswer({ beganMs, updatedAtMs }, known), expected);
  }
  assert.equal(
    isOlderAnswer({ beganMs: 1_000, updatedAtMs: 0 }, { ...known, updatedAtMs: null }),
    false,
  );
  assert.deepEqual(
    [1_000, 1_000 + hourMs].map((nowMs) => toRecheckMs(known, nowMs)),
    [15_000, hourMs / 2],
    'and it is looked up again soon',
  );
});
