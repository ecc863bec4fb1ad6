/** What a ledger does with invoices: handed out, handed out again, paid, disagreeing. */
import assert from 'node:assert/strict';
import { firstLookUpAfterMs } from '../../../../src/proxy/ledger/ledger.js';
import {
  begin,
  cardStates,
  charge,
  claimIds,
  deliver,
  peek,
  peekKinds,
  peekOnly,
  type OnStore,
} from './bench.js';
import {
  allKinds,
  none,
  stages,
  startMs,
  toCard,
  toCharge,
  toInvoice,
  toKnownPaid,
  toPaid,
  toPix,
  upTo,
} from './samples.js';

const { created, refused } = stages;

/** What each notice of an invoice says, but for its `deliveryId`. */
const told = {
  externalId: 'order-1',
  invoiceId: 'invoice-1',
  orderCode: 'código 1',
  totalCents: 12_345,
  method: 'pix',
};

export function describeInvoices(it: OnStore): void {
  it('that is handed out is told of, and creates its attempt', async ({ ledger, other }) => {
    await ledger.claimAttempt(toPix());
    await ledger.recordInvoice(toInvoice({ deadlineMs: startMs + 900_000 }), toPix());
    assert.deepEqual((await other.findAttempts('key-1'))[0]?.progress, created);
    const { notice, queuedAtMs } = await peekOnly(other, 'waiting');
    const { deliveryId, ...facts } = notice;
    assert.match(deliveryId, /order-1.*invoice-1/);
    const expiresAt = new Date(startMs + 900_000).toISOString();
    assert.deepEqual(facts, { ...told, code: '00020126BR', expiresAt });
    assert.equal(queuedAtMs, startMs);
  });

  it('says no deadline where it has none, and by card no code', async ({ ledger }) => {
    await ledger.recordInvoice(toInvoice());
    await ledger.recordInvoice(toCharge({ invoiceId: 'card' }));
    assert.ok(!('expiresAt' in (await peekOnly(ledger, 'waiting')).notice));
  });

  it('that is recorded twice is told of once', async ({ ledger }) => {
    await ledger.recordInvoice(toInvoice());
    await deliver(ledger);
    await ledger.recordInvoice(toInvoice());
    assert.deepEqual(await peekKinds(ledger), []);
  });

  it('takes its attempt forward only', async ({ ledger }) => {
    await begin(ledger, toCard(), refused);
    await ledger.recordInvoice(toCharge(), toCard());
    assert.deepEqual(await cardStates(ledger), ['refused']);
    assert.equal((await ledger.find('order-1')).invoices.length, 1);
  });

  it('whose id is used again is the new attempt’s', async ({ ledger, other, clock }) => {
    const former = toCharge({ orderCode: 'former' });
    await charge(ledger, toCard(), former);
    await ledger.advanceAttempt(toCard(), refused);
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
    await ledger.recordPaid(toPaid(next), none);
    await other.recordInvoice(former, second);
    assert.deepEqual((await ledger.find('order-1')).paid, toKnownPaid(next));
    assert.deepEqual(await claimIds(ledger), []);
  });

  it('that is opened again is not looked up later for it', async ({ ledger, clock }) => {
    await ledger.recordInvoice(toCharge());
    await ledger.hastenLookUp(toCharge(), startMs + 1_000);
    await charge(ledger);
    clock.nowMs += 1_000;
    assert.equal((await claimIds(ledger)).length, 1);
  });

  it('is paid once, for good, and told of once', async ({ ledger, other, clock }) => {
    await ledger.recordInvoice(toInvoice());
    const payment = { endToEndId: 'E00038166201907261559y6j6' };
    const found = toPaid({ code: 'of a look-up' });
    assert.equal(await ledger.recordPaid(found, payment), true);
    assert.equal(await other.recordPaid(found, none), false);
    await ledger.recordInvoice(toInvoice());
    const { invoices, paid } = await other.find('order-1');
    assert.deepEqual(paid, toKnownPaid());
    assert.deepEqual(invoices, [toKnownPaid()]);
    const { deliveryId, ...facts } = (await peekOnly(other, 'paid')).notice;
    assert.match(deliveryId, /order-1.*invoice-1/);
    assert.deepEqual(facts, { ...told, ...payment, late: false, duplicate: false });
    await other.endEvent(deliveryId, 'delivered');
    clock.nowMs += 3_600_000;
    assert.equal(await other.recordPaid(found, payment), false);
    assert.deepEqual(await peekKinds(ledger), []);
  });

  it('that was never recorded is paid all the same', async ({ ledger }) => {
    assert.equal(await ledger.recordPaid(toPaid(), none), true);
    assert.deepEqual((await ledger.find('order-1')).paid, toKnownPaid());
    assert.ok(!('endToEndId' in (await peekOnly(ledger, 'paid')).notice));
  });

  it('is paid with the total and method of the look-up', async ({ ledger, other }) => {
    await ledger.recordInvoice(toInvoice({ totalCents: 100, lookUpId: 'kept' }));
    const found = toPaid({ totalCents: 250, method: 'credit_card' });
    await other.recordPaid(found, none);
    const { notice } = await peekOnly(ledger, 'paid');
    assert.deepEqual([notice.totalCents, notice.method], [250, 'credit_card']);
    assert.deepEqual((await ledger.find('order-1')).paid, {
      ...found,
      isPaid: true,
      lookUpId: 'kept',
    });
  });

  it('that is paid second is a duplicate', async ({ ledger, other }) => {
    await ledger.recordPaid(toPaid(), none);
    assert.equal(await other.recordPaid(toPaid({ invoiceId: 'invoice-2' }), none), true);
    assert.equal((await ledger.find('order-1')).paid?.invoiceId, 'invoice-1');
    const toNotice = (invoiceId: string, duplicate: boolean) => {
      const deliveryId = `paid~order-1~${invoiceId}`;
      return { ...told, invoiceId, deliveryId, late: false, duplicate };
    };
    const notices = (await ledger.claimEvents(allKinds, 10, 0)).map(({ notice }) => notice);
    assert.deepEqual(notices, [toNotice('invoice-1', false), toNotice('invoice-2', true)]);
  });

  it('that is paid takes back waiting and lapsed events', async ({ ledger }) => {
    await ledger.recordInvoice(toInvoice());
    await ledger.recordExpired(toInvoice());
    await ledger.recordPaid(toPaid(), none);
    assert.equal((await peekOnly(ledger, 'paid')).notice.late, false);
    assert.equal((await ledger.readState()).undelivered, 1);
  });

  it('that is paid takes back events of its order’s other codes', async ({ ledger, other }) => {
    const second = toInvoice({ invoiceId: 'invoice-2' });
    const elsewhere = toInvoice({ externalId: 'order-2' });
    for (const one of [toInvoice(), second, elsewhere]) await ledger.recordInvoice(one);
    const [failed] = await ledger.claimEvents(['waiting'], 1, 0);
    await ledger.endEvent(failed?.notice.deliveryId ?? '', { retryAtMs: startMs });
    await other.recordPaid(toPaid(second), none);
    const left = ['waiting~order-2~invoice-1', 'paid~order-1~invoice-2'];
    assert.deepEqual(await peek(ledger, allKinds), left);
    await deliver(ledger, ['waiting']);
    assert.equal((await peekOnly(ledger, 'paid')).notice.late, false, 'no lapse was told of');
  });

  it('that is returned is told of once for each status, and stays paid', async (bench) => {
    const { ledger, other } = bench;
    const paid = toKnownPaid();
    await ledger.recordPaid(toPaid(), none);
    const found = { status: 'contested', isListed: true, endToEndId: 'E1' };
    const told = [ledger, other, ledger, other].map((one) => one.recordReturned(paid, found));
    assert.deepEqual((await Promise.all(told)).filter(Boolean).length, 1);
    assert.equal(
      await other.recordReturned(paid, { status: 'refunded', isListed: true, endToEndId: null }),
      true,
    );
    const { externalId, invoiceId, orderCode, totalCents, method } = paid;
    const way = { isPaidAgain: false, duplicate: false };
    const subject = { externalId, invoiceId, orderCode, totalCents, method, ...way };
    const deliveryId = (status: string) => `returned~order-1~invoice-1~${status}`;
    assert.deepEqual(
      (await other.claimEvents(['returned'], 9, 0)).map(({ notice }) => notice),
      [
        { ...subject, ...found, deliveryId: deliveryId('contested') },
        { ...subject, status: 'refunded', isListed: true, deliveryId: deliveryId('refunded~2') },
      ],
    );
    assert.deepEqual((await other.find('order-1')).paid, paid);
  });

  it('that lapsed is told of once, and only while it is not paid', async ({ ledger, other }) => {
    await ledger.recordExpired(toInvoice());
    assert.deepEqual(await peekKinds(ledger), [], 'it was never handed out');
    await ledger.recordInvoice(toInvoice());
    await ledger.recordExpired(toInvoice());
    await other.recordExpired(toInvoice());
    const { deliveryId, ...facts } = (await peekOnly(ledger, 'lapsed')).notice;
    assert.deepEqual(facts, told);
    await ledger.endEvent(deliveryId, 'delivered');
    await ledger.recordExpired(toInvoice());
    const second = toPaid({ invoiceId: 'invoice-2' });
    await ledger.recordPaid(second, none);
    await ledger.recordExpired(second);
    assert.deepEqual(await peek(ledger, ['lapsed']), []);
  });

  it('that disagrees is reported once, with the field', async ({ ledger }) => {
    await ledger.recordMismatch(toInvoice(), 'total_cents');
    await ledger.recordMismatch(toInvoice(), 'external_id');
    await ledger.recordMismatch(toInvoice({ externalId: 'order-2' }), 'is_pix');
    const toNotice = (externalId: string, field: string) => {
      const deliveryId = `mismatch~${externalId}~invoice-1`;
      return { externalId, invoiceId: 'invoice-1', totalCents: 12_345, field, deliveryId };
    };
    const notices = (await ledger.claimEvents(['mismatch'], 10, 0)).map(({ notice }) => notice);
    const expected = [toNotice('order-1', 'total_cents'), toNotice('order-2', 'is_pix')];
    assert.deepEqual(notices, expected);
    const { invoices, paid } = await ledger.find('order-1');
    assert.deepEqual([invoices, paid], [[], null]);
  });

  it('that is settled is news to every process', async ({ ledger, other, clock }) => {
    for (const n of upTo(3)) {
      clock.nowMs = startMs + n;
      await ledger.recordPaid(toInvoice({ invoiceId: `invoice-${n}` }), none);
    }
    assert.deepEqual(await other.findSettled(startMs + 2), ['invoice-2', 'invoice-3']);
    assert.deepEqual(await other.findSettled(startMs + 4), []);
  });

  it('that was refused and is paid after all is news again', async ({ ledger, other, clock }) => {
    await charge(ledger);
    await ledger.advanceAttempt(toCard(), refused);
    clock.nowMs += 60_000;
    assert.equal(await ledger.recordPaid(toPaid(toCharge()), none), true);
    assert.deepEqual(await other.findSettled(clock.nowMs), ['invoice-1']);
  });
}
