/** What a ledger does with invoices: handed out, paid, lapsed, looked up although nobody asks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstLookUpAfterMs } from '../../../../src/proxy/orders/orders.js';
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
        await ledger.endDelivery(told?.notice.deliveryId ?? '', 'delivered');
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
        const [told, ...more] = await other.claimDeliveries(['paid'], 10, 1_000);
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
        await other.endDelivery(deliveryId, 'delivered');
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
        await ledger.recordLapsed(toInvoice());
        await ledger.recordPaid(paidInvoice, none);
        const [told, ...more] = await peekDeliveries(ledger);
        assert.deepEqual(more, []);
        assert.ok(told?.kind === 'paid' && !told.notice.late);
        assert.equal((await ledger.readState()).undelivered, 1);
      }));

    it('that is paid is late if somebody was told that it lapsed', () =>
      withBench(async ({ ledger, other }) => {
        await ledger.recordInvoice(toInvoice());
        await ledger.recordLapsed(toInvoice());
        const [lapsed] = await other.claimDeliveries(['lapsed'], 10, 60_000);
        await ledger.recordPaid(paidInvoice, none);
        await other.endDelivery(lapsed?.notice.deliveryId ?? '', { retryAtMs: startMs });
        const told = await peekDeliveries(ledger);
        assert.deepEqual(
          told.map(({ kind }) => kind),
          ['paid'],
          'a lapse is not told of after the payment',
        );
        assert.ok(told[0]?.kind === 'paid' && told[0].notice.late);
      }));

    it('that lapsed is told of once, and only while it is not paid', () =>
      withBench(async ({ ledger, other }) => {
        await ledger.recordLapsed(toInvoice());
        assert.deepEqual(await peekKinds(ledger), [], 'nobody was given it');
        await ledger.recordInvoice(toInvoice());
        await ledger.recordLapsed(toInvoice());
        await other.recordLapsed(toInvoice());
        const [lapsed, ...more] = await ledger.claimDeliveries(['lapsed'], 10, 0);
        assert.deepEqual(more, []);
        const { deliveryId, ...notice } = lapsed?.notice ?? assert.fail();
        assert.deepEqual(notice, withoutId(notices('invoice-1')));
        await ledger.endDelivery(deliveryId, 'delivered');
        await ledger.recordLapsed(toInvoice());
        const second = toInvoice({ invoiceId: 'invoice-2', status: 'paid' });
        await ledger.recordPaid(second, none);
        await ledger.recordLapsed(second);
        assert.deepEqual(await ledger.claimDeliveries(['lapsed'], 10, 0), []);
      }));

    it('that disagrees is reported once, with the field, in whatever order it was', () =>
      withBench(async ({ ledger }) => {
        await ledger.recordMismatch(toInvoice(), 'total_cents');
        await ledger.recordMismatch(toInvoice(), 'external_id');
        await ledger.recordMismatch(toInvoice({ externalId: 'order-2' }), 'is_pix');
        const told = await ledger.claimDeliveries(['mismatch'], 10, 0);
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

  describe('a look-up that nobody asks for', () => {
    it('is due some seconds after the creation, and claimed by one for a time', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordInvoice(toInvoice());
        clock.nowMs += firstLookUpAfterMs - 1;
        assert.deepEqual(await ledger.claimDueLookUps(10, 5_000), []);
        clock.nowMs += 1;
        const dueAtMs = clock.nowMs;
        const claimedUntilMs = dueAtMs + 5_000;
        const due = { ...toInvoice(), isLapsed: false, dueAtMs, claimedUntilMs };
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
        await ledger.recordLapsed(toInvoice());
        clock.nowMs += firstLookUpAfterMs;
        const [due] = await other.claimDueLookUps(10, 0);
        assert.equal(due?.isLapsed, true);
        await ledger.recordPaid(paidInvoice, none);
        await other.hastenLookUp(toInvoice(), clock.nowMs);
        assert.deepEqual(await other.claimDueLookUps(10, 0), []);
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
