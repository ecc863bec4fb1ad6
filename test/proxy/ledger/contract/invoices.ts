/** What a ledger does with invoices: handed out, handed out again, paid, disagreeing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstLookUpAfterMs } from '../../../../src/proxy/ledger/ledger.js';
import {
  peekDeliveries,
  peekKinds,
  startMs,
  toCard,
  toInvoice,
  toPix,
  upTo,
  type WithBench,
} from './bench.js';

const none = { endToEndId: null };
const paidInvoice = toInvoice({ status: 'paid' });

export function describeInvoices(withBench: WithBench): void {
  describe('an invoice', () => {
    it('that is handed out is told of, and what it answers is created with it', () =>
      withBench(async ({ ledger, other }) => {
        await ledger.claimAttempt(toPix());
        await ledger.recordInvoice(toInvoice({ deadlineMs: startMs + 900_000 }), toPix());
        const [attempt] = await other.findAttempts('key-1');
        assert.deepEqual(attempt?.progress, { state: 'created', invoiceId: 'invoice-1' });
        const [told, ...more] = await peekDeliveries(other);
        assert.deepEqual(more, []);
        const { deliveryId, ...notice } = told?.notice ?? assert.fail();
        assert.match(deliveryId, /order-1.*invoice-1/);
        assert.deepEqual(notice, {
          externalId: 'order-1',
          invoiceId: 'invoice-1',
          orderCode: 'código 1',
          totalCents: 12_345,
          method: 'pix',
          code: '00020126BR',
          expiresAt: new Date(startMs + 900_000).toISOString(),
        });
        assert.equal(told?.queuedAtMs, startMs);
      }));

    it('without a deadline says none, and one by card is no code to wait for', () =>
      withBench(async ({ ledger }) => {
        await ledger.recordInvoice(toInvoice());
        await ledger.recordInvoice(toInvoice({ invoiceId: 'card', method: 'credit_card' }));
        const [told, ...more] = await peekDeliveries(ledger);
        assert.deepEqual(more, []);
        assert.ok(told && !('expiresAt' in told.notice));
      }));

    it('that is recorded twice is told of once', () =>
      withBench(async ({ ledger }) => {
        await ledger.recordInvoice(toInvoice());
        const [told] = await peekDeliveries(ledger);
        await ledger.endEvent(told?.notice.deliveryId ?? '', 'delivered');
        await ledger.recordInvoice(toInvoice());
        assert.deepEqual(await peekKinds(ledger), []);
      }));

    it('takes its attempt forward only', () =>
      withBench(async ({ ledger }) => {
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), { state: 'refused' });
        await ledger.recordInvoice(toInvoice({ method: 'credit_card' }), toCard());
        const { cards, invoices } = await ledger.find('order-1');
        assert.equal(cards[0]?.progress.state, 'refused');
        assert.equal(invoices.length, 1);
      }));

    it('whose id the service uses again is the new attempt’s, whatever it was, and is looked up again', () =>
      withBench(async ({ ledger, other, clock }) => {
        const former = toInvoice({ method: 'credit_card', orderCode: 'former' });
        await ledger.claimAttempt(toCard());
        await ledger.recordInvoice(former, toCard());
        await ledger.advanceAttempt(toCard(), { state: 'refused' });
        clock.nowMs += 60_000;
        const next = { ...former, totalCents: 99, orderCode: 'next', createdAtMs: clock.nowMs };
        const second = toCard({ key: 'card-2', holder: 'holder-2' });
        await ledger.claimAttempt(second);
        await other.recordInvoice(next);
        assert.deepEqual((await ledger.find('order-1')).invoices, [former], 'not without attempt');
        await other.recordInvoice(next, second);
        assert.deepEqual((await ledger.find('order-1')).invoices, [next]);
        clock.nowMs += firstLookUpAfterMs;
        const [due] = await ledger.claimDueLookUps(10, 1_000);
        assert.equal(due?.totalCents, 99);
        await ledger.recordPaid({ ...next, status: 'paid' }, none);
        await other.recordInvoice(former, second);
        assert.deepEqual((await ledger.find('order-1')).paid, { ...next, status: 'paid' });
        assert.deepEqual(await ledger.claimDueLookUps(10, 1_000), []);
      }));

    it('that is opened again is not looked up later for it', () =>
      withBench(async ({ ledger, clock }) => {
        const invoice = toInvoice({ method: 'credit_card' });
        await ledger.recordInvoice(invoice);
        await ledger.hastenLookUp(invoice, startMs + 1_000);
        await ledger.claimAttempt(toCard());
        await ledger.recordInvoice(invoice, toCard());
        clock.nowMs += 1_000;
        assert.equal((await ledger.claimDueLookUps(10, 1_000)).length, 1);
      }));

    it('is paid once, for good, and the merchant hears of it once', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordInvoice(toInvoice());
        const payment = { endToEndId: 'E00038166201907261559y6j6' };
        const found = { ...paidInvoice, code: 'of a look-up', totalCents: 12_345 };
        assert.equal(await ledger.recordPaid(found, payment), true);
        assert.equal(await other.recordPaid(found, none), false);
        await ledger.recordInvoice(toInvoice());
        const { invoices, paid } = await other.find('order-1');
        assert.deepEqual(paid, paidInvoice);
        assert.deepEqual(invoices, [paidInvoice]);
        const [told, ...more] = await other.claimEvents(['paid'], 10, 1_000);
        assert.deepEqual(more, []);
        const { deliveryId, ...notice } = told?.notice ?? assert.fail();
        assert.match(deliveryId, /order-1.*invoice-1/);
        assert.deepEqual(notice, {
          externalId: 'order-1',
          invoiceId: 'invoice-1',
          orderCode: 'código 1',
          totalCents: 12_345,
          method: 'pix',
          endToEndId: 'E00038166201907261559y6j6',
          late: false,
          duplicate: false,
        });
        await other.endEvent(deliveryId, 'delivered');
        clock.nowMs += 3_600_000;
        assert.equal(await other.recordPaid(found, payment), false);
        assert.deepEqual(await peekKinds(ledger), []);
      }));

    it('that nobody recorded is paid all the same', () =>
      withBench(async ({ ledger }) => {
        assert.equal(await ledger.recordPaid(paidInvoice, none), true);
        assert.deepEqual((await ledger.find('order-1')).paid, paidInvoice);
        const [told, ...more] = await peekDeliveries(ledger);
        assert.ok(told?.kind === 'paid' && !('endToEndId' in told.notice));
        assert.deepEqual(more, []);
      }));

    it('is paid with the total and method that the look-up agreed with', () =>
      withBench(async ({ ledger, other }) => {
        await ledger.recordInvoice(toInvoice({ totalCents: 100, lookUpId: 'kept' }));
        const found = toInvoice({ totalCents: 250, method: 'credit_card', status: 'paid' });
        await other.recordPaid(found, none);
        const [told] = await peekDeliveries(ledger);
        assert.ok(told?.kind === 'paid');
        assert.equal(told.notice.totalCents, 250);
        assert.equal(told.notice.method, 'credit_card');
        assert.deepEqual((await ledger.find('order-1')).paid, { ...found, lookUpId: 'kept' });
      }));

    it('that is paid second is a duplicate, and the first one stays what paid', () =>
      withBench(async ({ ledger, other }) => {
        const second = toInvoice({ invoiceId: 'invoice-2', status: 'paid' });
        await ledger.recordPaid(paidInvoice, none);
        assert.equal(await other.recordPaid(second, none), true);
        assert.equal((await ledger.find('order-1')).paid?.invoiceId, 'invoice-1');
        assert.deepEqual(
          (await peekDeliveries(ledger)).map(({ notice }) => notice),
          [
            { ...notices('invoice-1'), late: false, duplicate: false },
            { ...notices('invoice-2'), late: false, duplicate: true },
          ],
        );
      }));

    it('that is paid takes back what nobody was told: waiting and lapsed', () =>
      withBench(async ({ ledger }) => {
        await ledger.recordInvoice(toInvoice());
        await ledger.recordExpired(toInvoice());
        await ledger.recordPaid(paidInvoice, none);
        const [told, ...more] = await peekDeliveries(ledger);
        assert.deepEqual(more, []);
        assert.ok(told?.kind === 'paid' && !told.notice.late);
        assert.equal((await ledger.readState()).undelivered, 1);
      }));

    it('that is paid takes back what nobody was told of its order’s other codes', () =>
      withBench(async ({ ledger, other }) => {
        const second = toInvoice({ invoiceId: 'invoice-2' });
        const elsewhere = toInvoice({ externalId: 'order-2' });
        for (const one of [toInvoice(), second, elsewhere]) await ledger.recordInvoice(one);
        const [failed] = await ledger.claimEvents(['waiting'], 1, 0);
        await ledger.endEvent(failed?.notice.deliveryId ?? '', { retryAtMs: startMs });
        await other.recordPaid({ ...second, status: 'paid' }, none);
        const told = await peekDeliveries(ledger);
        assert.deepEqual(
          told.map(({ kind, notice }) => `${kind} ${notice.externalId}`),
          ['waiting order-2', 'paid order-1'],
        );
        assert.ok(told[1]?.kind === 'paid' && !told[1].notice.late, 'no lapse was told of');
      }));

    it('that lapsed is told of once, and only while it is not paid', () =>
      withBench(async ({ ledger, other }) => {
        await ledger.recordExpired(toInvoice());
        assert.deepEqual(await peekKinds(ledger), [], 'nobody was given it');
        await ledger.recordInvoice(toInvoice());
        await ledger.recordExpired(toInvoice());
        await other.recordExpired(toInvoice());
        const [lapsed, ...more] = await ledger.claimEvents(['lapsed'], 10, 0);
        assert.deepEqual(more, []);
        const { deliveryId, ...notice } = lapsed?.notice ?? assert.fail();
        assert.deepEqual(notice, withoutId(notices('invoice-1')));
        await ledger.endEvent(deliveryId, 'delivered');
        await ledger.recordExpired(toInvoice());
        const second = toInvoice({ invoiceId: 'invoice-2', status: 'paid' });
        await ledger.recordPaid(second, none);
        await ledger.recordExpired(second);
        assert.deepEqual(await ledger.claimEvents(['lapsed'], 10, 0), []);
      }));

    it('that disagrees is reported once, with the field, in whatever order it was', () =>
      withBench(async ({ ledger }) => {
        await ledger.recordMismatch(toInvoice(), 'total_cents');
        await ledger.recordMismatch(toInvoice(), 'external_id');
        await ledger.recordMismatch(toInvoice({ externalId: 'order-2' }), 'is_pix');
        const told = await ledger.claimEvents(['mismatch'], 10, 0);
        const ids = told.map(({ notice }) => notice.deliveryId);
        assert.equal(new Set(ids).size, 2);
        const invoiceId = 'invoice-1';
        assert.deepEqual(
          told.map(({ notice }) => withoutId(notice)),
          [
            { externalId: 'order-1', invoiceId, totalCents: 12_345, field: 'total_cents' },
            { externalId: 'order-2', invoiceId, totalCents: 12_345, field: 'is_pix' },
          ],
        );
        assert.deepEqual(await ledger.find('order-1'), {
          invoices: [],
          sentAtMs: [],
          cardSentAtMs: [],
          cards: [],
          paid: null,
        });
      }));

    it('that is settled is news to every process, since when it asks', () =>
      withBench(async ({ ledger, other, clock }) => {
        for (const n of upTo(3)) {
          clock.nowMs = startMs + n;
          await ledger.recordPaid(toInvoice({ invoiceId: `invoice-${n}` }), none);
        }
        assert.deepEqual(await other.findSettled(startMs + 2), ['invoice-2', 'invoice-3']);
        assert.deepEqual(await other.findSettled(startMs + 4), []);
      }));

    it('that was refused and is paid after all is news again', () =>
      withBench(async ({ ledger, other, clock }) => {
        const invoice = toInvoice({ method: 'credit_card' });
        await ledger.claimAttempt(toCard());
        await ledger.recordInvoice(invoice, toCard());
        await ledger.advanceAttempt(toCard(), { state: 'refused' });
        clock.nowMs += 60_000;
        assert.equal(await ledger.recordPaid({ ...invoice, status: 'paid' }, none), true);
        assert.deepEqual(await other.findSettled(clock.nowMs), ['invoice-1']);
      }));
  });
}

function notices(invoiceId: string) {
  return {
    externalId: 'order-1',
    invoiceId,
    orderCode: 'código 1',
    totalCents: 12_345,
    method: 'pix',
    deliveryId: `paid~order-1~${invoiceId}`,
  };
}

function withoutId<T extends { readonly deliveryId: string }>(notice: T): Omit<T, 'deliveryId'> {
  const { deliveryId: _, ...rest } = notice;
  return rest;
}
