/** What a ledger says of an order: invoices, sends, cards. */
import assert from 'node:assert/strict';
import { begin, peek, type OnStore } from './bench.js';
import { none, stages, startMs, toCard, toInvoice, toKnownPaid, toPaid } from './samples.js';
import { toPix, upTo } from './samples.js';

const { claimed, refused } = stages;

const nothing = {
  invoices: [],
  sentAtMs: [],
  cardSentAtMs: [],
  sentAs: [],
  named: [],
  cards: [],
  paid: null,
};
const first = { ...nothing, invoices: [toInvoice()] };

export function describeOrders(it: OnStore): void {
  it('that is unknown reads as an empty one', async ({ ledger }) => {
    assert.deepEqual(await ledger.find('order-1'), nothing);
  });

  it('has its invoices oldest first, as they were recorded', async ({ ledger, other }) => {
    const invoices = [
      toInvoice({ deadlineMs: startMs + 900_000 }),
      toInvoice({ invoiceId: 'another', totalCents: 2 ** 40 }),
      toInvoice({ invoiceId: 'a-card', method: 'credit_card', code: '', status: '😀' }),
    ];
    for (const invoice of invoices) await ledger.recordInvoice(invoice);
    assert.deepEqual(await other.find('order-1'), { ...nothing, invoices });
  });

  it('keeps an invoice as first recorded, whatever readers change', async ({ ledger }) => {
    await ledger.recordInvoice(toInvoice());
    await ledger.recordInvoice(toInvoice({ totalCents: 1, code: 'other', status: 'other' }));
    const { invoices, sentAtMs } = await ledger.find('order-1');
    assert.deepEqual(invoices, [toInvoice()]);
    invoices.length = 0;
    (sentAtMs as number[]).push(1);
    assert.deepEqual(await ledger.find('order-1'), first);
  });

  it('is told from its begin to what it waits for, without code, key and holder', async (bench) => {
    const { ledger, other, clock } = bench;
    assert.equal(await other.describeOrder('order-1'), null);
    const wait = async () => (await other.describeOrder('order-1'))?.waitsFor;
    const card = toCard({ key: 'canary-key', scope: 'canary-scope' });
    await ledger.claimAttempt(card);
    await ledger.recordSend('order-1', 'credit_card', clock.nowMs, 12_345);
    await ledger.advanceAttempt(card, { state: 'sent' }, 5_000);
    assert.match((await wait()) ?? '', /^the answer to a card/);
    await ledger.advanceAttempt(card, { state: 'unknown', candidate: null });
    assert.match((await wait()) ?? '', /^a person: the outcome of a card is unknown/);
    await ledger.releaseCard('order-1');
    await ledger.barKey('order-1', 'barred-key');
    const deadlineMs = clock.nowMs + 1_000;
    await ledger.recordInvoice(toInvoice({ deadlineMs }));
    assert.match((await wait()) ?? '', /^the payment of code código 1, until /);
    clock.nowMs += 2_000;
    await ledger.recordExpired(toInvoice({ deadlineMs }));
    assert.match((await wait()) ?? '', /^nothing: the deadline of code código 1 passed/);
    await ledger.recordPaid(toPaid(), { endToEndId: 'E1' });
    assert.match((await wait()) ?? '', /^your server: paid at .*; onOutcomeUnknown was not called/);
    await other.endEvent(`outcome_unknown~order-1~${card.holder}`, 'delivered');
    await other.endEvent('paid~order-1~invoice-1', 'given_up');
    assert.match((await wait()) ?? '', /^a person: paid at .*; onPaid failed for a day/);
    await ledger.recordReturned(toKnownPaid(), {
      status: 'refunded',
      isListed: true,
      endToEndId: null,
    });
    await ledger.claimNamed('order-1', 'named-1', 5_000);

    const told = (await other.describeOrder('order-1')) ?? assert.fail();
    const entries = told.entries.map(({ what, state, hook }) =>
      [what, state ?? hook].filter(Boolean).join(' '),
    );
    assert.equal(
      entries.join(', '),
      'attempt claimed, sent, attempt refused, attempt barred, invoice, event onOutcomeUnknown, event onPixWaiting, ' +
        'expired, paid, named, event onLapsed, event onPaid, event onReturned',
    );
    const text = JSON.stringify(told);
    for (const secret of [card.key, card.holder, card.scope, 'barred-key', '00020126BR']) {
      const deliveryId = `outcome_unknown~order-1~${card.holder}`;
      assert.ok(!text.replaceAll(deliveryId, '').includes(secret), secret);
    }
  });

  it('has its own invoice, though another order has its id too', async ({ ledger, clock }) => {
    const foreign = toInvoice({ externalId: 'order-2', totalCents: 1 });
    await ledger.recordInvoice(toInvoice());
    await ledger.recordInvoice(foreign);
    assert.equal(await ledger.recordPaid(toPaid(foreign), none), true);
    assert.equal((await ledger.find('order-1')).paid, null);
    assert.equal((await ledger.find('order-2')).paid?.totalCents, 1);
    clock.nowMs += 1;
    assert.equal(await ledger.recordPaid(toPaid(), none), true);
    const told = ['paid~order-2~invoice-1', 'paid~order-1~invoice-1'];
    assert.deepEqual(await peek(ledger, ['paid']), told);
  });

  it('keeps sends by method, the newest fifty of each', async ({ ledger, other }) => {
    for (const n of upTo(53)) await ledger.recordSend('order-1', 'pix', startMs + n, 100);
    await other.recordSend('order-1', 'credit_card', startMs + 1, 100);
    await ledger.recordSend('order-2', 'pix', startMs, 100);
    const { sentAtMs, cardSentAtMs, sentAs } = await ledger.find('order-1');
    const newest = upTo(50).map((n) => startMs + 3 + n);
    assert.deepEqual(sentAtMs, newest);
    assert.deepEqual(cardSentAtMs, [startMs + 1]);
    const methods = sentAs.map(({ method, totalCents }) => `${method} ${totalCents}`);
    assert.deepEqual(methods.toSorted(), ['credit_card 100', 'pix 100']);
  });

  it('has its card attempts oldest first, and none by Pix', async ({ ledger }) => {
    const [oldest, older] = [toCard({ key: 'card-3' }), toCard({ key: 'card-2' })];
    await ledger.claimAttempt(toPix());
    await begin(ledger, oldest, refused);
    await begin(ledger, older, refused);
    await ledger.claimAttempt(toCard());
    assert.deepEqual((await ledger.find('order-1')).cards, [
      { ...oldest, progress: refused },
      { ...older, progress: refused },
      { ...toCard(), progress: claimed },
    ]);
  });
}
