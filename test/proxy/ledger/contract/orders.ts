/** What a ledger says of an order: invoices, sends, cards. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RememberedInvoice } from '../../../../src/proxy/ledger/ledger.js';
import { peekKinds, startMs, toCard, toInvoice, toPix, upTo, type WithBench } from './bench.js';

const nothing = { invoices: [], sentAtMs: [], cardSentAtMs: [], cards: [], paid: null };

export function describeOrders(withBench: WithBench): void {
  describe('an order', () => {
    it('that is unknown reads as an empty one', () =>
      withBench(async ({ ledger }) => {
        assert.deepEqual(await ledger.find('order-1'), nothing);
      }));

    it('has its invoices oldest first, as they were recorded', () =>
      withBench(async ({ ledger, other }) => {
        const invoices = [
          toInvoice({ deadlineMs: startMs + 900_000 }),
          toInvoice({ invoiceId: 'another', totalCents: 2 ** 40 }),
          toInvoice({ invoiceId: 'a-card', method: 'credit_card', code: '', status: '😀' }),
        ];
        for (const invoice of invoices) await ledger.recordInvoice(invoice);
        assert.deepEqual(await other.find('order-1'), { ...nothing, invoices });
      }));

    it('keeps an invoice as it was first recorded', () =>
      withBench(async ({ ledger }) => {
        await ledger.recordInvoice(toInvoice());
        await ledger.recordInvoice(toInvoice({ totalCents: 1, code: 'other', status: 'other' }));
        assert.deepEqual(await ledger.find('order-1'), { ...nothing, invoices: [toInvoice()] });
      }));

    it('has a new code only if no other invoice was recorded meanwhile', () =>
      withBench(async ({ ledger, other }) => {
        const second = toInvoice({ invoiceId: 'invoice-2' });
        const first = { ...nothing, invoices: [toInvoice()] };
        assert.deepEqual(await ledger.recordCode(toInvoice(), 0), first);
        assert.deepEqual(await other.recordCode(second, 0), first);
        assert.deepEqual(await ledger.find('order-1'), first);
        assert.deepEqual(await peekKinds(ledger), ['waiting'], 'of the first one');
        const both = { ...nothing, invoices: [toInvoice(), second] };
        assert.deepEqual(await other.recordCode(second, 1), both);
        assert.deepEqual(await ledger.find('order-1'), both);
        const ofAnother = toInvoice({ externalId: 'order-2' });
        assert.deepEqual((await other.recordCode(ofAnother, 0)).invoices, [ofAnother]);
      }));

    it('has its own invoice, though a wrong answer names it for another order too', () =>
      withBench(async ({ ledger, clock }) => {
        const foreign = toInvoice({ externalId: 'order-2', totalCents: 1 });
        await ledger.recordInvoice(toInvoice());
        await ledger.recordInvoice(foreign);
        assert.equal(await ledger.recordPaid({ ...foreign, status: 'paid' }, none), true);
        assert.equal((await ledger.find('order-1')).paid, null);
        assert.equal((await ledger.find('order-2')).paid?.totalCents, 1);
        clock.nowMs += 1;
        assert.equal(await ledger.recordPaid({ ...toInvoice(), status: 'paid' }, none), true);
        const paid = await ledger.claimEvents(['paid'], 10, 1_000);
        assert.deepEqual(
          paid.map(({ notice }) => notice.externalId),
          ['order-2', 'order-1'],
        );
      }));

    it('keeps sends by method, the newest fifty of each', () =>
      withBench(async ({ ledger, other }) => {
        for (const n of upTo(53)) await ledger.recordSend('order-1', 'pix', startMs + n);
        await other.recordSend('order-1', 'credit_card', startMs + 1);
        await ledger.recordSend('order-2', 'pix', startMs);
        const { sentAtMs, cardSentAtMs } = await ledger.find('order-1');
        assert.deepEqual(
          sentAtMs,
          upTo(50).map((n) => startMs + 3 + n),
        );
        assert.deepEqual(cardSentAtMs, [startMs + 1]);
      }));

    it('has its card attempts oldest first, and none by Pix', () =>
      withBench(async ({ ledger }) => {
        await ledger.claimAttempt(toPix());
        for (const key of ['card-3', 'card-2']) {
          await ledger.claimAttempt(toCard({ key }));
          await ledger.advanceAttempt(toCard({ key }), { state: 'refused' });
        }
        await ledger.claimAttempt(toCard());
        const { cards } = await ledger.find('order-1');
        assert.deepEqual(cards, [
          { ...toCard({ key: 'card-3' }), progress: { state: 'refused' } },
          { ...toCard({ key: 'card-2' }), progress: { state: 'refused' } },
          { ...toCard(), progress: { state: 'claimed' } },
        ]);
      }));

    it('cannot be changed from outside', () =>
      withBench(async ({ ledger }) => {
        await ledger.recordInvoice(toInvoice());
        const { invoices, sentAtMs } = await ledger.find('order-1');
        (invoices as RememberedInvoice[]).length = 0;
        (sentAtMs as number[]).push(1);
        assert.deepEqual(await ledger.find('order-1'), { ...nothing, invoices: [toInvoice()] });
      }));
  });
}

const none = { endToEndId: null };
