/** When the next look-up comes, case by case; what it asks; and that nothing moves while one is in flight. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  afterAnswer,
  afterFailure,
  afterReturn,
  pausePolling,
  startLookUp,
  startPolling,
} from '../../../src/checkout/machine/polling.js';
import type { Polling } from '../../../src/checkout/machine/polling.js';

const intervalMs = 4_000;
const jitter = (random: number, retryAfterSeconds: number | null = null) => ({
  random,
  retryAfterSeconds,
});

/** Asks at the due time. */
function ask(polling: Polling, invoices = 1): Polling {
  return startLookUp(polling, polling.dueMs!, invoices).polling;
}

/** Asks, and is answered after so long. */
function answered(polling: Polling, afterMs: number, invoices = 1): Polling {
  return afterAnswer(ask(polling, invoices), polling.dueMs! + afterMs, invoices, intervalMs);
}

/** Asks, and fails at once. */
function failed(polling: Polling, random = 0.5, retryAfterSeconds: number | null = null): Polling {
  const atMs = polling.dueMs!;
  return afterFailure(ask(polling), atMs, 1, intervalMs, jitter(random, retryAfterSeconds));
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
    let polling = scheduled;
    const at = Array.from({ length: 50 }, () => {
      const dueMs = polling.dueMs!;
      polling = answered(polling, 0);
      return dueMs;
    });
    assert.deepEqual(at.slice(0, 3), [8_000, 12_000, 16_000]);
    assert.deepEqual(at.slice(42, 47), [176_000, 180_000, 190_000, 200_000, 210_000]);
  });

  it('an interval that is too small is none', () => {
    const polling = afterAnswer(ask(scheduled), 8_000, 1, 0);
    assert.equal(polling.dueMs, 8_250);
  });

  it('nobody asked for changes nothing', () => {
    assert.equal(afterAnswer(scheduled, 1_000, 1, intervalMs), scheduled);
  });

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

describe('a failure', () => {
  for (const [random, delays] of [
    [0, [250, 250, 250, 250, 250]],
    [0.5, [2_000, 4_000, 8_000, 15_000, 15_000]],
    [1, [4_000, 8_000, 16_000, 30_000, 30_000]],
  ] as const) {
    it(`backs off with full jitter to 30 s: random ${random}`, () => {
      let polling = scheduled;
      const found = delays.map(() => {
        const fromMs = polling.dueMs!;
        polling = failed(polling, random);
        return polling.dueMs! - fromMs;
      });
      assert.deepEqual(found, delays);
    });
  }

  it('a thousand of them are still 30 s apart', () => {
    let polling = scheduled;
    for (let count = 0; count < 1_000; count += 1) polling = failed(polling, 1);
    const fromMs = polling.dueMs!;
    assert.equal(failed(polling, 1).dueMs! - fromMs, 30_000);
  });

  it('Retry-After is a floor, not a time: the longer one counts', () => {
    assert.equal(failed(startPolling(0), 1, 1).dueMs, 4_000);
    assert.equal(failed(startPolling(0), 1, 120).dueMs, 120_000);
    assert.equal(failed(afterReturn(scheduled, 0), 1, 120).dueMs, 120_000);
  });

  it('an answer ends it', () => {
    const polling = answered(failed(failed(scheduled)), 0);
    assert.equal(polling.failures, 0);
  });

  it('of two held look-ups in a row: something between us cuts them, and the schedule holds', () => {
    const once = answered(failed(startPolling(0)), 0);
    assert.equal(once.pace, 'cut');
    const twice = failed(once);
    assert.equal(twice.pace, 'scheduled');
    assert.equal(afterReturn(twice, 0).pace, 0, 'until the next return');
  });

  it('of the newest: a former invoice is asked for next', () => {
    const polling = afterFailure(ask(scheduled, 2), 8_000, 2, intervalMs, jitter(0.5));
    assert.deepEqual([polling.turn, polling.dueMs], [1, 10_000]);
    const back = answered(polling, 0, 2);
    assert.deepEqual(
      [back.turn % 2, back.failures],
      [0, 1],
      'its answer says nothing of the newest',
    );
  });

  it('of a former invoice: the newest keeps its time', () => {
    const former = answered(scheduled, 0, 2);
    const next = afterFailure(ask(former, 2), 8_000, 2, intervalMs, jitter(0.5, 5));
    assert.deepEqual([next.turn % 2, next.failures, next.dueMs], [0, 0, 13_000]);
  });
});

describe('a return and a pause', () => {
  it('0, 1, 2, 4, 8 s, and then as before', () => {
    let polling = afterReturn(scheduled, 100_000);
    const at = Array.from({ length: 7 }, () => {
      const dueMs = polling.dueMs!;
      polling = answered(polling, 0);
      return dueMs - 100_000;
    });
    // The proxy may hold its answers by now: it is asked to, and goes back to the schedule if it does not.
    assert.deepEqual(at, [0, 1_000, 3_000, 7_000, 15_000, 15_000, 19_000]);
  });

  it('a return begins anew whatever was', () => {
    const polling = afterReturn(failed(failed(failed(startPolling(0)))), 5_000);
    const { pace, failures, turn } = polling;
    assert.deepEqual([pace, failures, turn], [0, 0, 0]);
    assert.equal(polling.dueMs, 5_000);
  });

  it('nothing is due while one is in flight or all is paused', () => {
    assert.equal(ask(scheduled).dueMs, null);
    assert.equal(pausePolling(scheduled).dueMs, null);
  });

  it('a pause in a pause is the same', () => {
    const paused = pausePolling(scheduled);
    assert.equal(pausePolling(paused), paused);
  });
});
