/** What a ledger does with deliveries, pauses and turns, and what it says of itself. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeliveryKind } from '../../../../src/proxy/ledger/outbox-events.js';
import { firstLookUpAfterMs } from '../../../../src/proxy/ledger/ledger.js';
import { allKinds, startMs, toCard, toInvoice, upTo, type WithBench } from './bench.js';

const none = { endToEndId: null };

export function describeDeliveries(withBench: WithBench): void {
  describe('a delivery', () => {
    it('is claimed by one for a time, counts its tries, and is due again if it is not ended', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordMismatch(toInvoice(), 'is_pix');
        clock.nowMs += 1_000;
        const [first] = await ledger.claimEvents(['mismatch'], 10, 5_000);
        assert.equal(first?.tries, 1);
        assert.equal(first?.queuedAtMs, startMs);
        clock.nowMs += 4_999;
        assert.deepEqual(await other.claimEvents(['mismatch'], 10, 5_000), []);
        clock.nowMs += 1;
        const [second] = await other.claimEvents(['mismatch'], 10, 5_000);
        assert.deepEqual(second, { ...first, tries: 2 });
      }));

    it('is claimed by kind, oldest first, as many as are asked for', () =>
      withBench(async ({ ledger, clock }) => {
        for (const n of upTo(3)) {
          clock.nowMs += 1;
          const invoice = toInvoice({ externalId: `order-${4 - n}` });
          await ledger.recordInvoice(invoice);
          await ledger.recordMismatch(invoice, 'is_pix');
        }
        const claim = async (...[kinds, most]: [typeof allKinds, number]) =>
          (await ledger.claimEvents(kinds, most, 60_000)).map(
            ({ kind, notice }) => `${kind} ${notice.externalId}`,
          );
        assert.deepEqual(await claim([], 10), []);
        assert.deepEqual(await claim(['paid'], 10), []);
        assert.deepEqual(await claim(['mismatch', 'paid'], 2), [
          'mismatch order-3',
          'mismatch order-2',
        ]);
        assert.deepEqual(await claim(allKinds, 10), [
          'waiting order-3',
          'waiting order-2',
          'waiting order-1',
          'mismatch order-1',
        ]);
      }));

    for (const outcome of ['delivered', 'given_up'] as const) {
      it(`that is ${outcome} is over`, () =>
        withBench(async ({ ledger, other, clock }) => {
          await ledger.recordMismatch(toInvoice(), 'is_pix');
          const [told] = await ledger.claimEvents(['mismatch'], 10, 5_000);
          const { deliveryId } = told?.notice ?? assert.fail();
          assert.equal((await ledger.readState()).undelivered, 1);
          await other.endEvent(deliveryId, outcome);
          assert.equal((await ledger.readState()).undelivered, 0);
          await ledger.endEvent(deliveryId, { retryAtMs: startMs });
          clock.nowMs += 60_000;
          assert.deepEqual(await ledger.claimEvents(['mismatch'], 10, 5_000), []);
          await ledger.recordMismatch(toInvoice(), 'is_pix');
          assert.deepEqual(await ledger.claimEvents(['mismatch'], 10, 5_000), []);
        }));
    }

    it('that failed is tried again at its time', () =>
      withBench(async ({ ledger, clock }) => {
        await ledger.recordMismatch(toInvoice(), 'is_pix');
        const [told] = await ledger.claimEvents(['mismatch'], 10, 5_000);
        await ledger.endEvent(told?.notice.deliveryId ?? '', { retryAtMs: startMs + 90_000 });
        clock.nowMs += 89_999;
        assert.deepEqual(await ledger.claimEvents(['mismatch'], 10, 5_000), []);
        clock.nowMs += 1;
        assert.equal((await ledger.claimEvents(['mismatch'], 10, 5_000))[0]?.tries, 2);
      }));

    it('that nobody knows cannot be ended', () =>
      withBench(async ({ ledger }) => {
        await ledger.endEvent('nobody knows', 'delivered');
        await ledger.endEvent('nobody knows', { retryAtMs: startMs });
        assert.deepEqual(await ledger.claimEvents(allKinds, 10, 0), []);
      }));
  });

  describe('a pause', () => {
    it('is claimed by one, until it is over', () =>
      withBench(async ({ ledger, other, clock }) => {
        assert.equal(await ledger.passThrottle('sweep', 2_000), true);
        assert.equal(await other.passThrottle('sweep', 2_000), false);
        assert.equal(await other.passThrottle('another', 2_000), true);
        clock.nowMs += 1_999;
        assert.equal(await other.passThrottle('sweep', 2_000), false);
        clock.nowMs += 1;
        assert.equal(await other.passThrottle('sweep', 2_000), true);
        assert.equal(await ledger.passThrottle('sweep', 2_000), false);
      }));

    it('does not last for ever after the clock was set back', () =>
      withBench(async ({ ledger, clock }) => {
        await ledger.passThrottle('sweep', 2_000);
        clock.nowMs -= 3_600_000;
        assert.equal(await ledger.passThrottle('sweep', 2_000), true);
      }));

    it('is not over because another machine is a little behind', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.passThrottle('sweep', 2_000);
        clock.nowMs -= 200;
        assert.equal(await other.passThrottle('sweep', 2_000), false);
      }));
  });

  describe('what a ledger says of itself', () => {
    it('is how late look-ups are, and what is undelivered and unknown', () =>
      withBench(async ({ ledger, other, clock }) => {
        const empty = { sweepLagMs: 0, undelivered: 0, unknownAttempts: 0 };
        assert.deepEqual(await ledger.readState(), empty);
        await ledger.recordInvoice(toInvoice({ method: 'credit_card' }));
        clock.nowMs += firstLookUpAfterMs;
        assert.equal((await ledger.readState()).sweepLagMs, 0);
        await ledger.recordInvoice(toInvoice({ invoiceId: 'invoice-2' }));
        clock.nowMs += 2_000;
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), { state: 'unknown', candidate: null });
        const state = { sweepLagMs: 2_000, undelivered: 2, unknownAttempts: 1 };
        assert.deepEqual(await other.readState(), state);
        await other.claimEvents(allKinds, 10, 60_000);
        await other.claimDueLookUps(10, 60_000);
        assert.deepEqual(await other.readState(), { ...state, sweepLagMs: 0 });
        await ledger.recordPaid(toInvoice({ invoiceId: 'invoice-2', status: 'paid' }), none);
        assert.deepEqual(await other.readState(), { ...state, sweepLagMs: 0 });
      }));

    it('counts as undelivered only the kinds that are asked for', () =>
      withBench(async ({ ledger }) => {
        await ledger.recordInvoice(toInvoice());
        await ledger.recordMismatch(toInvoice(), 'total_cents');
        await ledger.recordPaid(toInvoice({ externalId: 'order-2', status: 'paid' }), none);
        const counts: [kinds: DeliveryKind[], undelivered: number][] = [
          [[], 0],
          [['lapsed'], 0],
          [['paid'], 1],
          [['paid', 'mismatch'], 2],
          [['paid', 'waiting', 'mismatch'], 3],
        ];
        for (const [kinds, undelivered] of counts) {
          assert.equal((await ledger.readState(kinds)).undelivered, undelivered, kinds.join());
        }
      }));
  });
}
