/** The budget of calls: who comes first, what is never refused, and when there is room again. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  Throttled,
  countCreations,
  createRateLimit,
} from '../../../src/proxy/status/rate-limit.js';
import type { Purpose } from '../../../src/proxy/status/rate-limit.js';
import type { CreationRequest, ServiceClient } from '../../../src/service.js';

/** A budget of 100 calls a minute, and what a test does with it. */
function openBudget(callsPerMinute = 100) {
  const clock = { nowMs: 1_000_000_000_000 };
  const rateLimit = createRateLimit(callsPerMinute, () => clock.nowMs);
  return {
    clock,
    rateLimit,
    /** @returns how many of so many calls were let through */
    spend(purpose: Purpose, times = 1): number {
      let passed = 0;
      for (let i = 0; i < times; i++) {
        try {
          rateLimit.spend(purpose);
          passed += 1;
        } catch (thrown) {
          assert.ok(thrown instanceof Throttled);
        }
      }
      return passed;
    },
    retryAfter(purpose: Purpose): number {
      try {
        rateLimit.spend(purpose);
      } catch (thrown) {
        assert.ok(thrown instanceof Throttled);
        assert.equal(thrown.code, 'service_unavailable');
        return thrown.retryAfterSeconds ?? assert.fail('it says no time');
      }
      return assert.fail('it was let through');
    },
  };
}

describe('the rateLimit of calls', () => {
  it('lets look-ups have a share of the minute, the smaller the less somebody waits for them', () => {
    assert.equal(openBudget().spend('payment', 200), 100);
    assert.equal(openBudget().spend('return', 200), 90);
    assert.equal(openBudget().spend('poll', 200), 75);
    assert.equal(openBudget().spend('sweep', 200), 50);
  });

  it('counts all calls together', () => {
    const { spend } = openBudget();
    assert.equal(spend('sweep', 60), 50);
    assert.equal(spend('poll', 60), 25);
    assert.equal(spend('return', 60), 15);
    assert.equal(spend('poll'), 0);
  });

  it('never refuses a creation, and counts it', () => {
    const { spend } = openBudget();
    assert.equal(spend('create', 300), 300);
    for (const purpose of ['payment', 'return', 'poll', 'sweep'] as const)
      assert.equal(spend(purpose), 0);
  });

  it('keeps a twentieth for the sweep however many pages wait, but not from payers who come back', () => {
    const { spend } = openBudget();
    assert.equal(spend('poll', 75), 75);
    assert.equal(spend('sweep', 10), 5);
    assert.equal(spend('return', 20), 10);
    assert.equal(spend('sweep'), 0);
  });

  it('lets one call a minute through where the rateLimit is one', () => {
    for (const purpose of ['payment', 'return', 'poll', 'sweep'] as const) {
      assert.equal(openBudget(1).spend(purpose, 3), 1, purpose);
    }
  });

  it('never lets more than the rateLimit through within any minute', () => {
    const { clock, spend } = openBudget();
    const passedAtMs: number[] = [];
    for (let step = 0; step < 2_000; step++) {
      clock.nowMs += 130;
      if (spend('return') === 1) passedAtMs.push(clock.nowMs);
    }
    for (const [index, atMs] of passedAtMs.entries()) {
      const later = passedAtMs[index + 90];
      if (later !== undefined) assert.ok(later - atMs > 60_000);
    }
    assert.ok(passedAtMs.length > 300, 'it does not stop for ever either');
  });

  it('says when there is room again, and there is', () => {
    const { clock, spend, retryAfter } = openBudget();
    spend('poll', 30);
    clock.nowMs += 20_000;
    spend('poll', 45);
    const seconds = retryAfter('poll');
    assert.equal(seconds, 41);
    clock.nowMs += seconds * 1_000 - 1;
    assert.equal(spend('poll'), 0);
    clock.nowMs += 1;
    assert.equal(spend('poll', 100), 30);
  });

  it('waits for nothing when the clock was set back', () => {
    const { clock, spend } = openBudget();
    spend('poll', 75);
    clock.nowMs -= 3_600_000;
    assert.equal(spend('poll', 100), 75);
  });

  it('Assumed: the service allows any number of calls', () => {
    const { spend } = openBudget(Infinity);
    assert.equal(spend('sweep', 5_000), 5_000);
  });

  it('counts a creation that is sent twice, twice', async () => {
    const { rateLimit, spend } = openBudget(10);
    const sent: unknown[] = [];
    const service = countCreations(
      { createInvoice: async (...args: unknown[]) => sent.push(args) } as unknown as ServiceClient,
      rateLimit,
    );
    const request = { external_id: 'order-1' } as CreationRequest;
    const options = { idempotencyKey: 'key-1' };
    for (let i = 0; i < 4; i++) await service.createInvoice(request, options);
    assert.deepEqual(sent[3], [request, options]);
    assert.equal(spend('poll', 10), 4);
  });
});
