/** When the next look-up comes, case by case; what it asks; and that nothing moves while one is in flight. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  afterAnswer,
  afterFailure,
  afterReturn,
  pausePolling,
  pauseMs,
  startLookUp,
  startPolling,
} from '../../../src/checkout/machine/polling.js';
import type { Polling } from '../../../src/checkout/machine/polling.js';

const intervalMs = 4_000;

/** Asks at the due time. */
const ask = (polling: Polling, invoices = 1) =>
  startLookUp(polling, polling.dueMs!, invoices).polling;

/** Asks, and is answered after so long. */
const answered = (polling: Polling, afterMs: number, invoices = 1) =>
  afterAnswer(ask(polling, invoices), polling.dueMs! + afterMs, invoices, intervalMs);

/** Asks, and fails at once. */
const failed = (
  polling: Polling,
  random = 0.5,
  retryAfterSeconds: number | null = null,
  invoices = 1,
) =>
  afterFailure(ask(polling, invoices), polling.dueMs!, invoices, intervalMs, {
    random,
    retryAfterSeconds,
  });

/** Milliseconds until each of the next look-ups. */
function pauses(polling: Polling, count: number, next: (polling: Polling) => Polling): number[] {
  let current = polling;
  return Array.from({ length: count }, () => {
    const fromMs = current.dueMs!;
    current = next(current);
    return current.dueMs! - fromMs;
  });
}

/** A proxy that answers at once has been found out. */
const scheduled = answered(startPolling(0), 0);

describe('what is asked', () => {
  for (const [name, polling, waitSeconds, timeoutMs] of [
    ['at first: held', startPolling(0), 25, 33_000],
    ['of a proxy that answers at once: plain', scheduled, 0, 8_000],
    ['after a failure: plain', failed(startPolling(0)), 0, 8_000],
    ['after a return: plain, and soon over', afterReturn(scheduled, 0), 0, 6_000],
    ['of a former invoice: plain', answered(startPolling(0), 25_000, 2), 0, 8_000],
  ] as const) {
    it(name, () => {
      const { lookUp } = ask(polling, 2);
      assert.deepEqual([lookUp?.waitSeconds, lookUp?.timeoutMs], [waitSeconds, timeoutMs]);
    });
  }

  it('of several invoices: the newest, and one of the former right behind it, in turn', () => {
    let polling = startPolling(0);
    const turns = Array.from({ length: 8 }, () => {
      const asked = ask(polling, 3).lookUp?.index;
      polling = answered(polling, 0, 3);
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
      assert.equal(answered(startPolling(0), afterMs).dueMs, dueMs);
    });
  }

  it('on the schedule: each interval for three minutes, then two and a half', () => {
    const found = pauses(scheduled, 46, (polling) => answered(polling, 0));
    assert.deepEqual(found, [...Array<number>(43).fill(4_000), 10_000, 10_000, 10_000]);
  });

  it('an interval that is too small is none', () => {
    assert.equal(afterAnswer(ask(scheduled), 8_000, 1, 0).dueMs, 8_250);
  });

  it('that was not asked for changes nothing', () => {
    assert.equal(afterAnswer(scheduled, 1_000, 1, intervalMs), scheduled);
  });
});

describe('a failure', () => {
  for (const [random, delays] of [
    [0, [250, 250, 250, 250, 250]],
    [0.5, [2_000, 4_000, 8_000, 15_000, 15_000]],
    [1, [4_000, 8_000, 16_000, 30_000, 30_000]],
  ] as const) {
    it(`backs off with full jitter to 30 s: random ${random}`, () => {
      const found = pauses(scheduled, 5, (polling) => failed(polling, random));
      assert.deepEqual(found, delays);
      assert.equal(pauseMs(1, intervalMs, 1_000, null), 30_000);
    });
  }

  for (const [name, polling, seconds, dueMs] of [
    ['is a floor, not a time', startPolling(0), 1, 4_000],
    ['counts where it is longer', startPolling(0), 120, 120_000],
    ['counts after a return, too', afterReturn(scheduled, 0), 120, 120_000],
  ] as const) {
    it(`Retry-After ${name}`, () => assert.equal(failed(polling, 1, seconds).dueMs, dueMs));
  }

  it('an answer ends it', () => {
    assert.equal(answered(failed(failed(scheduled)), 0).failures, 0);
  });

  it('of two held look-ups in a row: something between us cuts them, and the schedule holds', () => {
    const once = answered(failed(startPolling(0)), 0);
    const twice = failed(once);
    assert.deepEqual([once.pace, twice.pace], ['cut', 'scheduled']);
    assert.equal(answered(once, 25_000).pace, 'held', 'one that is held is a fresh start');
    assert.equal(failed(failed(startPolling(0))).pace, 'cut', 'a plain one says nothing of it');
    assert.equal(afterReturn(twice, 0).pace, 0, 'until the next return');
  });

  it('of the newest: a former invoice is asked for next', () => {
    const polling = failed(scheduled, 0.5, null, 2);
    assert.deepEqual([ask(polling, 2).lookUp?.index, polling.dueMs], [1, 10_000]);
    const back = answered(polling, 0, 2);
    const index = ask(back, 2).lookUp?.index;
    assert.deepEqual([index, back.failures], [0, 1], 'its answer says nothing of the newest');
  });

  it('of a former invoice: the newest keeps its time', () => {
    const next = failed(answered(scheduled, 0, 2), 0.5, 5, 2);
    assert.deepEqual([ask(next, 2).lookUp?.index, next.failures, next.dueMs], [0, 0, 13_000]);
  });
});

describe('a return and a pause', () => {
  it('1, 2, 4, 8 s, and then as before', () => {
    // The proxy may hold its answers by now: it is asked to, and goes back to the schedule if it does not.
    const found = pauses(afterReturn(scheduled, 100_000), 6, (polling) => answered(polling, 0));
    assert.deepEqual(found, [1_000, 2_000, 4_000, 8_000, 0, 4_000]);
  });

  it('a return begins anew whatever was', () => {
    const { pace, failures, turn, dueMs } = afterReturn(failed(failed(startPolling(0))), 5_000);
    assert.deepEqual([pace, failures, turn, dueMs], [0, 0, 0, 5_000]);
  });

  it('nothing is due while one is in flight or all is paused, and a pause in a pause is the same', () => {
    const paused = pausePolling(scheduled);
    assert.deepEqual([ask(scheduled).dueMs, paused.dueMs], [null, null]);
    assert.equal(pausePolling(paused), paused);
  });
});
