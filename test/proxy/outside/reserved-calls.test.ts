/** The reserved tenth of the calls, for every limit that a merchant may set, in a real database. */

import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openStore } from '../../../src/proxy/store/open-store.js';
import { Throttled, createRateLimit } from '../../../src/proxy/outside/rate-limit.js';
import type { RateLimit } from '../../../src/proxy/outside/rate-limit.js';
import { createTestClock } from '../support/shop.js';
import { createSqliteStore } from '../support/stores.js';

/** The bounds of `serviceCallsPerMinute`, those of the documents, and such that a minute cannot be divided by. */
const limits = [1, 7, 60, 100, 601, 5_999, 1_000_000];

const store = createSqliteStore();

describe(`the reserved calls of processes`, () => {
  beforeAll(() => store.open());
  afterAll(() => store.close());

  for (const serviceCallsPerMinute of limits) {
    it(`go out beside full pages, where ${serviceCallsPerMinute} a minute may`, async () => {
      const { now, startTimer, advance } = createTestClock();
      const ledger = await openStore({ url: await store.createUrl(), now });
      const failed: string[] = [];
      const log = ({ event }: { event: string }) => void failed.push(event);
      const settings = { serviceCallsPerMinute, now, startTimer, log };
      const limit = createRateLimit({ settings, store: ledger });
      try {
        await ledger.bookCalls(Math.floor(0.9 * serviceCallsPerMinute), Infinity);
        assert.deepEqual([await spend(limit), await spend(limit)], [true, false]);
        // As far apart as a tenth of a minute's calls are.
        await advance(Math.ceil(610_000 / serviceCallsPerMinute) + 1_000);
        assert.equal(await spend(limit), true);
        assert.deepEqual(failed, []);
      } finally {
        await ledger.close();
      }
    });
  }
});

/** @returns whether a look-up of reconciliation's went out */
async function spend(limit: RateLimit): Promise<boolean> {
  try {
    for (;;) {
      const wait = limit.spend('background', true);
      if (!wait) return true;
      await wait;
    }
  } catch (thrown) {
    if (thrown instanceof Throttled) return false;
    throw thrown;
  }
}
