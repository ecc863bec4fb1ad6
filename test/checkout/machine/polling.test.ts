/** When the next look-up comes, case by case; what it asks; and that nothing moves while one is in flight. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  planAfterAnswer,
  planAfterFailure,
  planAfterReturn,
  findAskedInvoice,
  goOnIfPaused,
  isPaused,
  pauseLookUps,
  toPauseMs,
  quickPace,
  startLookUp,
} from '../../../src/checkout/machine/tracked-invoice.js';
import type { Watch } from '../../../src/checkout/machine/state.js';
import { terms, watching } from './samples.js';

const intervalMs = terms.pollIntervalMs;

const at = (nowMs: number, random = 0.5) => ({ nowMs, random, terms });

/** Asks at the due time. */
const ask = (watch: Watch) => startLookUp(watch, watch.dueMs!);

/** Which invoice is asked for next: 0 is the newest. */
const indexOf = (watch: Watch) => watch.invoices.indexOf(findAskedInvoice(ask(watch).watch)!);

/** Asks, and is answered after so long. */
const answered = (watch: Watch, afterMs: number) =>
  planAfterAnswer(ask(watch).watch, at(watch.dueMs! + afterMs));

/** Asks, and fails at once. */
const failed = (watch: Watch, random = 0.5, retryAfterSeconds: number | null = null) =>
  planAfterFailure(ask(watch).watch, at(watch.dueMs!, random), retryAfterSeconds);

/** Milliseconds until each of the next look-ups. */
function pauses(watch: Watch, count: number, next: (watch: Watch) => Watch): number[] {
  let current = watch;
  return Array.from({ length: count }, () => {
    const fromMs = current.dueMs!;
    current = next(current);
    return current.dueMs! - fromMs;
  });
}

/** A proxy that answers at once has been found out. */
const scheduled = answered(watching(), 0);

/** The same, of two invoices. */
const scheduledTwo = { ...scheduled, invoices: watching(2).invoices };

describe('what is asked', () => {
  for (const [name, watch, waitSeconds, timeoutMs] of [
    ['at first: held', watching(), 25, 33_000],
    ['of a proxy that answers at once: plain', scheduled, 0, 8_000],
    ['after a failure: plain', failed(watching()), 0, 8_000],
    ['after a return: plain, and soon over', planAfterReturn(scheduled, 0), 0, 6_000],
    ['of a former invoice: plain', answered(watching(2), 25_000), 0, 8_000],
  ] as const) {
    it(name, () => {
      const { lookUp } = ask(watch);
      assert.deepEqual([lookUp.waitSeconds, lookUp.timeoutMs], [waitSeconds, timeoutMs]);
    });
  }

  it('of several invoices: the newest, and one of the former right behind it, in turn', () => {
    let watch = watching(3);
    const turns = Array.from({ length: 8 }, () => {
      const asked = indexOf(watch);
      watch = answered(watch, 0);
      return asked;
    });
    assert.deepEqual(turns, [0, 1, 0, 2, 0, 1, 0, 2]);
  });
});

describe('an answer', () => {
  for (const [afterMs, dueMs] of [
    [0, 8_000],
    [150, 8_000],
    [12_499, 16_499],
    [12_500, 12_500],
    [25_000, 25_000],
  ] as const) {
    it(`to a held look-up after ${afterMs} ms: the next at ${dueMs} ms`, () => {
      assert.equal(answered(watching(), afterMs).dueMs, dueMs);
    });
  }

  it('on the schedule: each interval for three minutes from its beginning, then two and a half', () => {
    for (const beganMs of [0, 1_000_000]) {
      const first = answered(watching(1, beganMs), 0);
      const found = pauses(first, 46, (watch) => answered(watch, 0));
      assert.deepEqual(found, [...Array<number>(43).fill(4_000), 10_000, 10_000, 10_000]);
    }
  });
});

describe('a failure', () => {
  for (const [random, delays] of [
    [0, [4_000, 8_000, 15_000, 15_000, 15_000]],
    [0.5, [6_000, 12_000, 22_500, 22_500, 22_500]],
    [1, [8_000, 16_000, 30_000, 30_000, 30_000]],
  ] as const) {
    it(`backs off with jitter to 30 s: random ${random}`, () => {
      const found = pauses(scheduled, 5, (watch) => failed(watch, random));
      assert.deepEqual(found, delays);
      assert.equal(toPauseMs(1, intervalMs, 1_000, null), 30_000);
    });
  }

  for (const [name, watch, seconds, dueMs] of [
    ['is a floor, not a time', watching(), 1, 8_000],
    ['counts where it is longer', watching(), 120, 120_000],
    ['counts after a return, too', planAfterReturn(scheduled, 0), 120, 120_000],
  ] as const) {
    it(`Retry-After ${name}`, () => assert.equal(failed(watch, 1, seconds).dueMs, dueMs));
  }

  it('is waited out for half of its span at least, also where that is less than a second', () => {
    assert.equal(toPauseMs(0, 1_500, 0, null), 750);
  });

  it('an answer ends it', () => {
    assert.equal(answered(failed(failed(scheduled)), 0).failures, 0);
  });

  it('of two held look-ups in a row: something between us cuts them, and the schedule holds', () => {
    const once = answered(failed(watching()), 0);
    const twice = failed(once);
    assert.deepEqual([once.pace.kind, twice.pace.kind], ['cut', 'scheduled']);
    assert.equal(answered(once, 25_000).pace.kind, 'held', 'one that is held is a fresh start');
    assert.equal(failed(failed(watching())).pace.kind, 'cut', 'a plain one says nothing of it');
    assert.equal(planAfterReturn(twice, 0).pace, quickPace, 'until the next return');
  });

  it('of the newest: a former invoice is asked for next', () => {
    const watch = failed(scheduledTwo);
    assert.deepEqual([indexOf(watch), watch.dueMs], [1, 14_000]);
    const back = answered(watch, 0);
    assert.deepEqual(
      [indexOf(back), back.failures],
      [0, 1],
      'its answer says nothing of the newest',
    );
  });

  it('of a former invoice: the newest keeps its time', () => {
    const next = failed(answered(scheduledTwo, 0), 0.5, 5);
    assert.deepEqual([indexOf(next), next.failures, next.dueMs], [0, 0, 13_000]);
  });
});

describe('a return and a pause', () => {
  it('1, 2, 4, 8 s, and then as before', () => {
    // The proxy may hold its answers by now: it is asked to, and goes back to the schedule if it does not.
    const found = pauses(planAfterReturn(scheduled, 100_000), 6, (watch) => answered(watch, 0));
    assert.deepEqual(found, [1_000, 2_000, 4_000, 8_000, 0, 4_000]);
  });

  it('a return begins anew whatever was', () => {
    const { pace, failures, turn, dueMs } = planAfterReturn(failed(failed(watching())), 5_000);
    assert.deepEqual([pace, failures, turn, dueMs], [quickPace, 0, 0, 5_000]);
  });

  it('what stood still at a former invoice’s turn goes on as after a failure of the newest', () => {
    const watch = goOnIfPaused(pauseLookUps(answered(scheduledTwo, 0)), at(0));
    assert.deepEqual([watch.failures, watch.dueMs], [1, 6_000]);
  });

  it('nothing is due while one is in flight or all is paused', () => {
    const [inFlight, paused] = [ask(scheduled).watch, pauseLookUps(scheduled)];
    assert.deepEqual([inFlight.dueMs, paused.dueMs], [null, null]);
    assert.deepEqual(
      [isPaused(inFlight), isPaused(paused), findAskedInvoice(paused)],
      [false, true, null],
    );
  });
});
