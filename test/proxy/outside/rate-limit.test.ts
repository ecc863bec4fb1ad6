/** The rate limit: who comes first, what always goes out, and when there is room again. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  Throttled,
  createRateLimit,
  createServiceCalls,
} from '../../../src/proxy/outside/service-calls.js';
import type { Priority } from '../../../src/proxy/outside/service-calls.js';
import { ServiceError } from '../../../src/service.js';
import type { CreationRequest, ServiceClient } from '../../../src/service.js';

/** What the calls need beside: no time goes on. */
const settings = {
  log: () => undefined,
  metrics: null,
  now: () => 0,
  startTimer: () => () => undefined,
  serviceUrl: 'https://service.example',
  allowSandbox: false,
};
const watch = { noteBegun: () => undefined, noteRefused: () => undefined };

/** A limit of 100 calls a minute, and what a test does with it. */
function openRateLimit(serviceCallsPerMinute = 100, processes = 1) {
  const clock = { nowMs: 1_000_000_000_000 };
  const now = () => clock.nowMs;
  const rateLimit = createRateLimit({ serviceCallsPerMinute, processes, now });
  return {
    clock,
    rateLimit,
    /** @returns how many of so many calls were let through */
    spend(priority: Priority, times = 1, mayUseReserve = false): number {
      let passed = 0;
      for (let i = 0; i < times; i++) {
        try {
          rateLimit.spend(priority, mayUseReserve);
          passed += 1;
        } catch (thrown) {
          assert.ok(thrown instanceof Throttled);
        }
      }
      return passed;
    },
    retryAfter(priority: Priority): number {
      try {
        rateLimit.spend(priority);
      } catch (thrown) {
        assert.ok(thrown instanceof Throttled);
        assert.equal(thrown.code, 'service_unavailable');
        return thrown.retryAfterSeconds ?? assert.fail('it says no time');
      }
      return assert.fail('it was let through');
    },
  };
}

describe('the rate limit', () => {
  it('lets payers go before the background, and counts all calls together', () => {
    assert.equal(openRateLimit().spend('payer', 200), 90);
    const { spend } = openRateLimit();
    assert.equal(spend('background', 200), 75);
    assert.equal(spend('payer', 200), 15);
    assert.equal(spend('background'), 0);
  });

  it('reserves a tenth for reconciliation, evenly over the minute', () => {
    const { clock, spend } = openRateLimit();
    let reserved = 0;
    for (let second = 0; second < 122; second++) {
      clock.nowMs += 1_000;
      spend('payer', 200);
      const now = spend('background', 200, true);
      assert.ok(now <= 1);
      reserved += now;
    }
    assert.ok(reserved >= 18 && reserved <= 20, `${reserved} calls in two minutes`);
  });

  it('reserves nothing beyond the limit, and never for the others', () => {
    for (const creations of [99, 100]) {
      const { rateLimit, spend } = openRateLimit();
      for (let i = 0; i < creations; i++) rateLimit.countCreation();
      assert.equal(spend('payer', 9) + spend('background', 9), 0);
      assert.equal(spend('background', 9, true), 100 - creations);
    }
    assert.equal(openRateLimit().spend('background', 200, true), 76);
  });

  it('reserves on when the clock was set back', () => {
    const { clock, spend } = openRateLimit();
    spend('background', 200, true);
    clock.nowMs -= 3_600_000;
    assert.equal(spend('background', 200, true), 76);
  });

  it('never throttles a creation, and counts it', () => {
    const { rateLimit, spend } = openRateLimit();
    for (let i = 0; i < 300; i++) rateLimit.countCreation();
    assert.equal(spend('payer') + spend('background'), 0);
  });

  it('lets one call a minute through where the limit is one', () => {
    for (const priority of ['payer', 'background'] as const) {
      assert.equal(openRateLimit(1).spend(priority, 3), 1, priority);
    }
  });

  it('never lets more than the limit through within any minute', () => {
    const { clock, spend } = openRateLimit();
    const passedAtMs: number[] = [];
    for (let step = 0; step < 2_000; step++) {
      clock.nowMs += 130;
      if (spend('payer') === 1) passedAtMs.push(clock.nowMs);
    }
    for (const [index, atMs] of passedAtMs.entries()) {
      const later = passedAtMs[index + 90];
      if (later !== undefined) assert.ok(later - atMs > 60_000);
    }
    assert.ok(passedAtMs.length > 300, 'it does not stop for ever either');
  });

  it('says when there is room again, and there is', () => {
    const { clock, spend, retryAfter } = openRateLimit();
    spend('background', 30);
    clock.nowMs += 20_000;
    spend('background', 45);
    const seconds = retryAfter('background');
    assert.equal(seconds, 41);
    clock.nowMs += seconds * 1_000 - 1;
    assert.equal(spend('background'), 0);
    clock.nowMs += 1;
    assert.equal(spend('background', 100), 30);
  });

  it('waits for nothing when the clock was set back', () => {
    const { clock, spend } = openRateLimit();
    spend('background', 75);
    clock.nowMs -= 3_600_000;
    assert.equal(spend('background', 100), 75);
  });

  it('Assumed: the service allows any number of calls', () => {
    const { spend } = openRateLimit(Infinity);
    assert.equal(spend('background', 5_000), 5_000);
  });

  it('is the part of one process', () => {
    assert.equal(openRateLimit(100, 4).spend('payer', 200), 23);
    assert.equal(openRateLimit(100, 1_000).spend('payer', 200), 1);
  });

  it('holds the background back for as long as the service asks, and no payer', async () => {
    const { clock, rateLimit, spend, retryAfter } = openRateLimit(Infinity);
    const refused = new ServiceError('rate_limited', { status: 429, retryAfterSeconds: 20 });
    const refuse = () => Promise.reject(refused);
    const service = createServiceCalls(
      { lookUpInvoice: refuse, createInvoice: refuse } as unknown as ServiceClient,
      rateLimit,
      settings,
      watch,
    );
    const request = { external_id: 'order-1' } as CreationRequest;
    const options = { idempotencyKey: 'key-1' };
    for (const call of [
      () => service.lookUpInvoice('invoice-1', {}, 'payer'),
      () => service.createInvoice(request, options),
    ]) {
      await assert.rejects(call(), refused);
      assert.equal(retryAfter('background'), 20);
      assert.deepEqual([spend('background', 1, true), spend('payer', 3)], [0, 3]);
      clock.nowMs += 20_000;
      assert.equal(spend('background', 3), 3);
    }
  });

  it('counts a creation that is sent twice, twice', async () => {
    const { rateLimit, spend } = openRateLimit(10);
    const sent: unknown[] = [];
    const service = createServiceCalls(
      { createInvoice: async (...args: unknown[]) => sent.push(args) } as unknown as ServiceClient,
      rateLimit,
      settings,
      watch,
    );
    const request = { external_id: 'order-1' } as CreationRequest;
    const options = { idempotencyKey: 'key-1' };
    for (let i = 0; i < 4; i++) await service.createInvoice(request, options);
    assert.deepEqual(sent[3], [request, options]);
    assert.equal(spend('payer', 10), 5);
  });
});
