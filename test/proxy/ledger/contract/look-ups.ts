/** What a ledger does with look-ups that nobody asks for: who makes them, and when. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstLookUpAfterMs } from '../../../../src/proxy/ledger/ledger.js';
import { startMs, toInvoice, type WithBench } from './bench.js';

const none = { endToEndId: null };
const paidInvoice = toInvoice({ status: 'paid' });

export function describeLookUps(withBench: WithBench): void {
  describe('a look-up that nobody asks for', () => {
    it('is due some seconds after the creation, and claimed by one for a time', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordInvoice(toInvoice());
        clock.nowMs += firstLookUpAfterMs - 1;
        assert.deepEqual(await ledger.claimDueLookUps(10, 5_000), []);
        clock.nowMs += 1;
        const dueAtMs = clock.nowMs;
        const claimedUntilMs = dueAtMs + 5_000;
        const due = { ...toInvoice(), isExpired: false, dueAtMs, claimedUntilMs };
        assert.deepEqual(await ledger.claimDueLookUps(10, 5_000), [due]);
        assert.deepEqual(await other.claimDueLookUps(10, 5_000), []);
        clock.nowMs += 5_000;
        assert.deepEqual(await other.claimDueLookUps(10, 5_000), [
          { ...due, dueAtMs: clock.nowMs, claimedUntilMs: clock.nowMs + 5_000 },
        ]);
      }));

    it('is made for those first that wait longest, as many as are asked for', () =>
      withBench(async ({ ledger, clock }) => {
        for (const [n, waitMs] of [3_000, 1_000, 2_000].entries()) {
          const invoice = toInvoice({ invoiceId: `invoice-${n}` });
          await ledger.recordInvoice(invoice);
          await ledger.hastenLookUp(invoice, startMs + waitMs);
        }
        clock.nowMs += 10_000;
        const claim = async (most: number) =>
          (await ledger.claimDueLookUps(most, 60_000)).map(({ invoiceId }) => invoiceId);
        assert.deepEqual(await claim(2), ['invoice-1', 'invoice-2']);
        assert.deepEqual(await claim(2), ['invoice-0']);
        assert.deepEqual(await claim(2), []);
      }));

    it('is due when whoever claimed it says so, or never again', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordInvoice(toInvoice());
        clock.nowMs += firstLookUpAfterMs;
        const [first] = await ledger.claimDueLookUps(10, 60_000);
        await ledger.scheduleLookUp(first ?? assert.fail(), clock.nowMs + 100_000);
        clock.nowMs += 99_999;
        assert.deepEqual(await other.claimDueLookUps(10, 1), []);
        clock.nowMs += 1;
        const [second] = await other.claimDueLookUps(10, 60_000);
        assert.equal(second?.dueAtMs, clock.nowMs);
        assert.equal(second?.claimedUntilMs, clock.nowMs + 60_000);
        await other.scheduleLookUp(second ?? assert.fail(), null);
        clock.nowMs += 1_000_000;
        assert.deepEqual(await ledger.claimDueLookUps(10, 1), []);
        const unheardOf = { ...second, invoiceId: 'nobody knows' };
        await ledger.scheduleLookUp(unheardOf, clock.nowMs);
        assert.deepEqual(await ledger.claimDueLookUps(10, 1), []);
      }));

    it('is hastened, never put off', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordInvoice(toInvoice());
        await other.hastenLookUp(toInvoice(), startMs + 100_000);
        await other.hastenLookUp(toInvoice({ invoiceId: 'nobody knows' }), startMs);
        await other.hastenLookUp(toInvoice(), startMs + 4_000);
        clock.nowMs += 3_999;
        assert.deepEqual(await ledger.claimDueLookUps(10, 1), []);
        clock.nowMs += 1;
        const [due] = await ledger.claimDueLookUps(10, 1);
        await ledger.scheduleLookUp(due ?? assert.fail(), null);
        await other.hastenLookUp(toInvoice(), clock.nowMs);
        assert.equal((await ledger.claimDueLookUps(10, 1)).length, 1, 'even one that was over');
      }));

    it('that was hastened while it was claimed is due when it was hastened to', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordInvoice(toInvoice());
        clock.nowMs += firstLookUpAfterMs;
        const [due] = await ledger.claimDueLookUps(10, 60_000);
        await other.hastenLookUp(toInvoice(), clock.nowMs + 5_000);
        await ledger.scheduleLookUp(due ?? assert.fail(), clock.nowMs + 3_600_000);
        clock.nowMs += 5_000;
        assert.equal((await ledger.claimDueLookUps(10, 1)).length, 1);
      }));

    it('is no longer for whoever claimed it and was too slow to schedule', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordInvoice(toInvoice());
        clock.nowMs += firstLookUpAfterMs;
        const [slow] = await ledger.claimDueLookUps(10, 5_000);
        clock.nowMs += 5_000;
        assert.equal((await other.claimDueLookUps(10, 5_000)).length, 1);
        await ledger.scheduleLookUp(slow ?? assert.fail(), null);
        clock.nowMs += 5_000;
        assert.equal((await other.claimDueLookUps(10, 5_000)).length, 1);
      }));

    it('knows that the deadline passed, and is over with the payment', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordInvoice(toInvoice());
        await ledger.recordExpired(toInvoice());
        clock.nowMs += firstLookUpAfterMs;
        const [due] = await other.claimDueLookUps(10, 0);
        assert.equal(due?.isExpired, true);
        await ledger.recordPaid(paidInvoice, none);
        await other.hastenLookUp(toInvoice(), clock.nowMs);
        assert.deepEqual(await other.claimDueLookUps(10, 0), []);
      }));
  });
}
