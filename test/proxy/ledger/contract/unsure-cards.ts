/** What a ledger does with unresolved charges: unknown ones and their candidates, open ones, and those a person releases. */
import assert from 'node:assert/strict';
import { firstLookUpAfterMs, type AttemptProgress } from '../../../../src/proxy/ledger/ledger.js';
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
  none,
  stages,
  startMs,
  toCard,
  toCharge,
  toInvoice,
  toIssued,
  toPaid,
  upTo,
} from './samples.js';

const { created, refused, sent, unknown } = stages;

const candidate = toIssued(toCharge());
const matched: AttemptProgress = { state: 'unknown', candidate };

export function describeUnsureCards(it: OnStore): void {
  it('of unknown outcome is told of once for each holder', async ({ ledger, other }) => {
    for (const holder of ['holder-1', 'holder-2']) {
      const card = toCard({ holder, key: holder });
      await begin(ledger, card, sent);
      await other.advanceAttempt({ ...card, holder: 'who found out' }, unknown);
      await other.releaseCard('order-1');
    }
    const told = ['outcome_unknown~order-1~holder-1', 'outcome_unknown~order-1~holder-2'];
    assert.deepEqual(await peek(ledger, ['outcome_unknown']), told);
  });

  it('names its candidate, which is looked up', async ({ ledger, other, clock }) => {
    await begin(ledger, toCard(), sent);
    clock.nowMs += 1_000;
    await other.advanceAttempt(toCard(), matched);
    const blank = { orderCode: '', code: '', status: 'pending', createdAtMs: clock.nowMs };
    assert.deepEqual((await ledger.find('order-1')).invoices, [{ ...candidate, ...blank }]);
    assert.equal((await peekOnly(ledger, 'outcome_unknown')).notice.invoiceId, 'invoice-1');
    clock.nowMs += firstLookUpAfterMs;
    assert.equal((await claimIds(other)).length, 1);
    await other.recordInvoice(toCharge({ code: '' }), toCard());
    const { cards, invoices } = await ledger.find('order-1');
    assert.deepEqual(cards[0]?.progress, created);
    assert.equal(invoices[0]?.orderCode, 'código 1');
    await other.recordPaid(toPaid(candidate), none);
    assert.equal((await ledger.find('order-1')).paid?.invoiceId, 'invoice-1');
  });

  it('whose candidate is paid is told of with the look-up’s order code', async ({ ledger }) => {
    await begin(ledger, toCard(), matched);
    await deliver(ledger);
    await ledger.recordPaid(toPaid(candidate), none);
    assert.equal((await peekOnly(ledger, 'paid')).notice.orderCode, 'código 1');
  });

  it('may have the order’s Pix code for candidate', async ({ ledger, other, clock }) => {
    await ledger.recordInvoice(toInvoice());
    await begin(ledger, toCard(), {
      state: 'unknown',
      candidate: { ...candidate, totalCents: 1 },
    });
    assert.equal(await other.releaseCard('order-1'), true);
    assert.deepEqual((await ledger.find('order-1')).invoices, [toInvoice()]);
    clock.nowMs += firstLookUpAfterMs;
    assert.equal((await claimIds(ledger)).length, 1);
  });

  it('may have the invoice of a former card for candidate', async ({ ledger, clock }) => {
    await charge(ledger);
    await ledger.advanceAttempt(toCard(), refused);
    clock.nowMs += 60_000;
    const second = toCard({ key: 'card-2' });
    await begin(ledger, second, { state: 'unknown', candidate: { ...candidate, totalCents: 1 } });
    clock.nowMs += firstLookUpAfterMs;
    const [due] = await ledger.claimDueLookUps(10, 60_000);
    assert.equal(due?.totalCents, 1);
    await ledger.advanceAttempt(second, refused);
    clock.nowMs += 60_000;
    assert.deepEqual(await claimIds(ledger), [], 'ended by the refusal');
  });

  it('that was released is open again by an answer that the person had not seen', async (bench) => {
    const { ledger, clock } = bench;
    await begin(ledger, toCard(), matched);
    await ledger.releaseCard('order-1');
    for (const invoiceId of ['invoice-1', 'invoice-2']) {
      const late: AttemptProgress = { state: 'unknown', candidate: { ...candidate, invoiceId } };
      const isOther = invoiceId === 'invoice-2';
      assert.equal(await ledger.advanceAttempt(toCard(), late), isOther);
    }
    assert.equal(await ledger.claimAttempt(toCard({ key: 'card-2' })), 'busy');
    clock.nowMs += firstLookUpAfterMs;
    assert.deepEqual(await claimIds(ledger), ['invoice-2']);
  });

  it('of unknown outcome may be released by a person', async ({ ledger, other, clock }) => {
    assert.equal(await ledger.releaseCard('order-1'), false);
    await ledger.claimAttempt(toCard());
    assert.equal(await ledger.releaseCard('order-1'), false);
    await ledger.advanceAttempt(toCard(), sent, 1_000);
    assert.equal(await ledger.releaseCard('order-1'), false);
    await ledger.advanceAttempt(toCard(), matched);
    assert.equal(await ledger.releaseCard('order-2'), false);
    assert.equal(await other.releaseCard('order-1'), true);
    assert.equal(await ledger.releaseCard('order-1'), false);
    assert.deepEqual(await ledger.findAttempts('card-1'), [{ ...toCard(), progress: refused }]);
    assert.equal(await ledger.claimAttempt(toCard({ key: 'card-2' })), 'new');
    assert.equal((await ledger.readState()).unknownAttempts, 0);
    assert.equal((await ledger.find('order-1')).invoices[0]?.isReleased, true);
    assert.deepEqual(await ledger.findSettled(startMs), ['invoice-1']);
    clock.nowMs += firstLookUpAfterMs;
    assert.deepEqual(await claimIds(ledger), []);
  });

  it('that is created is released too, unless it is paid', async ({ ledger, other }) => {
    for (const n of upTo(2)) {
      const card = toCard({ key: `card-${n}`, holder: `holder-${n}` });
      const invoice = toCharge({ invoiceId: `invoice-${n}` });
      await charge(ledger, card, invoice);
      if (n === 2) await ledger.recordPaid(toPaid(invoice), none);
      assert.equal(await other.releaseCard('order-1'), n === 1);
    }
    assert.deepEqual(await cardStates(ledger), ['refused', 'created']);
    const { invoices } = await ledger.find('order-1');
    const areReleased = invoices.map(({ isReleased }) => isReleased);
    assert.deepEqual(areReleased, [true, undefined]);
  });

  it('that was released may be paid after all', async ({ ledger, other }) => {
    const paid = toCharge({ status: 'paid' });
    await charge(ledger);
    await ledger.releaseCard('order-1');
    assert.equal(await other.recordPaid(paid, none), true);
    assert.deepEqual((await ledger.find('order-1')).paid, { ...paid, isPaid: true });
  });

  it('that stays open is told of once, with its invoice', async ({ ledger, other, clock }) => {
    await ledger.claimAttempt(toCard());
    clock.nowMs += 1;
    await ledger.recordInvoice(toCharge(), toCard());
    clock.nowMs += 3_600_000;
    await ledger.recordUnresolved(toInvoice({ invoiceId: 'another' }));
    await ledger.recordUnresolved(toInvoice({ externalId: 'order-2' }));
    assert.deepEqual(await peekKinds(ledger), []);
    await ledger.recordUnresolved(toCharge());
    await other.recordUnresolved(toCharge());
    assert.deepEqual((await peekOnly(other, 'outcome_unknown')).notice, {
      externalId: 'order-1',
      totalCents: 12_345,
      invoiceId: 'invoice-1',
      attemptedAt: new Date(startMs).toISOString(),
      deliveryId: 'outcome_unknown~order-1~holder-1',
    });
    assert.deepEqual(await cardStates(ledger), ['created']);
  });

  it('that is paid or refused is not told of as open', async ({ ledger }) => {
    const [paid, ended] = [toCharge(), toCharge({ externalId: 'order-2' })];
    const second = toCard({ externalId: 'order-2', scope: 'b' });
    await ledger.claimAttempt(toCard());
    await ledger.recordInvoice(paid, toCard());
    await ledger.recordPaid({ ...paid, status: 'paid' }, none);
    await charge(ledger, second, ended);
    await ledger.advanceAttempt(second, refused);
    for (const one of [paid, ended]) await ledger.recordUnresolved(one);
    assert.deepEqual(await peek(ledger, ['outcome_unknown']), []);
  });
}
