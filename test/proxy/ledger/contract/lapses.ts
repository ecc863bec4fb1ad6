/** When a ledger takes a deadline for missed: not while the goods are still spoken for. And what is paid after that. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimedForMs, type AttemptProgress } from '../../../../src/proxy/ledger/ledger.js';
import { peekDeliveries, peekKinds, startMs, toCard, toInvoice, type WithBench } from './bench.js';

const none = { endToEndId: null };
const paidInvoice = toInvoice({ status: 'paid' });

export function describeLapses(withBench: WithBench): void {
  describe('a code whose deadline passed', () => {
    it('does not lapse while the order is paid by another one', () =>
      withBench(async ({ ledger, other }) => {
        await ledger.recordInvoice(toInvoice());
        await ledger.recordPaid(toInvoice({ invoiceId: 'card', method: 'credit_card' }), none);
        await other.recordExpired(toInvoice());
        assert.deepEqual(await peekKinds(ledger), ['paid']);
      }));

    const open: AttemptProgress[] = [
      { state: 'claimed' },
      { state: 'sent' },
      { state: 'unknown', candidate: null },
      { state: 'created', invoiceId: 'card' },
    ];
    for (const progress of open) {
      it(`does not lapse while a card of the order is ${progress.state}, but once it is not`, () =>
        withBench(async ({ ledger, other }) => {
          await ledger.recordInvoice(toInvoice());
          await ledger.claimAttempt(toCard());
          await ledger.advanceAttempt(toCard(), progress, 60_000);
          await other.recordExpired(toInvoice());
          assert.deepEqual(await ledger.claimEvents(['lapsed'], 10, 0), []);
          await ledger.advanceAttempt(toCard(), { state: 'refused' });
          await other.recordExpired(toInvoice());
          assert.equal((await ledger.claimEvents(['lapsed'], 10, 0)).length, 1);
        }));
    }

    it('is not reminded of any more when it lapsed', () =>
      withBench(async ({ ledger, other }) => {
        await ledger.recordInvoice(toInvoice());
        await other.recordExpired(toInvoice());
        assert.deepEqual(await peekKinds(ledger), ['lapsed']);
      }));

    it('lapses although somebody claimed a card and was never heard of again', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordInvoice(toInvoice());
        await ledger.claimAttempt(toCard());
        clock.nowMs += claimedForMs;
        await other.recordExpired(toInvoice());
        assert.equal((await ledger.claimEvents(['lapsed'], 10, 0)).length, 1);
      }));

    it('does not lapse while a newer code may be paid in time, nor is it marked so', () =>
      withBench(async ({ ledger, other, clock }) => {
        const newer = toInvoice({ invoiceId: 'invoice-2', deadlineMs: startMs + 60_000 });
        await ledger.recordInvoice(toInvoice({ deadlineMs: startMs }));
        await ledger.recordInvoice(newer);
        await ledger.recordInvoice(toInvoice({ invoiceId: 'card', method: 'credit_card' }));
        await ledger.recordInvoice(toInvoice({ externalId: 'order-2' }));
        clock.nowMs += 59_999;
        await other.recordExpired(toInvoice());
        assert.deepEqual(await ledger.claimEvents(['lapsed'], 10, 0), []);
        const due = await other.claimDueLookUps(10, 1);
        assert.ok(due.every(({ isExpired }) => !isExpired));
        clock.nowMs += 1;
        await other.recordExpired(toInvoice());
        await other.recordExpired(newer);
        assert.equal((await ledger.claimEvents(['lapsed'], 10, 0)).length, 2);
      }));

    it('does not lapse while a newer code has no deadline; an older one does not matter', () =>
      withBench(async ({ ledger, other }) => {
        const newer = toInvoice({ invoiceId: 'invoice-2', deadlineMs: startMs });
        await ledger.recordInvoice(toInvoice());
        await ledger.recordInvoice(newer);
        await other.recordExpired(newer);
        assert.equal((await ledger.claimEvents(['lapsed'], 10, 60_000)).length, 1);
        await ledger.recordInvoice(toInvoice({ invoiceId: 'invoice-3' }));
        await other.recordExpired(toInvoice());
        assert.deepEqual(await ledger.claimEvents(['lapsed'], 10, 0), []);
      }));

    it('that is paid is late if somebody was told that another code of the order lapsed', () =>
      withBench(async ({ ledger, other }) => {
        const deadlineMs = startMs - 1;
        const former = toInvoice({ deadlineMs });
        await ledger.recordInvoice(former);
        await ledger.recordInvoice(toInvoice({ invoiceId: 'invoice-2', deadlineMs }));
        await ledger.recordExpired(former);
        const [lapsed] = await other.claimEvents(['lapsed'], 10, 60_000);
        await other.endEvent(lapsed?.notice.deliveryId ?? '', 'delivered');
        await ledger.recordPaid(toInvoice({ invoiceId: 'invoice-2', status: 'paid' }), none);
        const [told] = await ledger.claimEvents(['paid'], 10, 0);
        assert.ok(told?.kind === 'paid' && told.notice.late);
      }));

    it('that is paid is late if somebody was told that it lapsed', () =>
      withBench(async ({ ledger, other }) => {
        await ledger.recordInvoice(toInvoice());
        await ledger.recordExpired(toInvoice());
        const [lapsed] = await other.claimEvents(['lapsed'], 10, 60_000);
        await ledger.recordPaid(paidInvoice, none);
        await other.endEvent(lapsed?.notice.deliveryId ?? '', { retryAtMs: startMs });
        const told = await peekDeliveries(ledger);
        assert.deepEqual(
          told.map(({ kind }) => kind),
          ['paid'],
          'a lapse is not told of after the payment',
        );
        assert.ok(told[0]?.kind === 'paid' && told[0].notice.late);
      }));
  });
}
