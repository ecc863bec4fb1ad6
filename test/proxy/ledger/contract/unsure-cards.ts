/** What a ledger does with cards nobody is sure of: unknown ones and their candidates, open ones, and those a person releases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstLookUpAfterMs, type AttemptProgress } from '../../../../src/proxy/ledger/ledger.js';
import {
  peekDeliveries,
  startMs,
  toCard,
  toInvoice,
  toIssued,
  upTo,
  type WithBench,
} from './bench.js';

const sent: AttemptProgress = { state: 'sent' };
const unknown: AttemptProgress = { state: 'unknown', candidate: null };
const created: AttemptProgress = { state: 'created', invoiceId: 'invoice-1' };
const refused: AttemptProgress = { state: 'refused' };
const none = { endToEndId: null };

export function describeUnsureCards(withBench: WithBench): void {
  describe('a card', () => {
    it('of unknown outcome is told of for each holder, by the key it is known by', () =>
      withBench(async ({ ledger, other }) => {
        for (const holder of ['holder-1', 'holder-2']) {
          const card = toCard({ holder, scope: holder });
          await ledger.claimAttempt(card);
          await ledger.advanceAttempt(card, sent, 1_000);
          await other.advanceAttempt({ ...card, holder: 'who found out' }, unknown);
          await other.releaseCard('order-1');
        }
        const told = await ledger.claimEvents(['outcome_unknown'], 10, 1);
        assert.deepEqual(
          told.map(({ notice }) => notice.deliveryId),
          ['outcome_unknown~order-1~holder-1', 'outcome_unknown~order-1~holder-2'],
        );
      }));

    it('has its candidate among the order’s invoices, to be looked up, and names it', () =>
      withBench(async ({ ledger, other, clock }) => {
        const candidate = toIssued(toInvoice({ method: 'credit_card' }));
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), sent, 60_000);
        clock.nowMs += 1_000;
        await other.advanceAttempt(toCard(), { state: 'unknown', candidate });
        const blank = { orderCode: '', code: '', status: 'pending' };
        const invoice = { ...candidate, ...blank, createdAtMs: clock.nowMs };
        assert.deepEqual((await ledger.find('order-1')).invoices, [invoice]);
        const told = await peekDeliveries(ledger);
        assert.deepEqual(
          told.map(({ kind }) => kind),
          ['outcome_unknown'],
        );
        assert.ok(told[0]?.kind === 'outcome_unknown');
        assert.equal(told[0].notice.invoiceId, 'invoice-1');
        clock.nowMs += firstLookUpAfterMs;
        assert.equal((await other.claimDueLookUps(10, 60_000)).length, 1);
        await other.recordInvoice({ ...toInvoice(), ...candidate, code: '' }, toCard());
        const { cards, invoices } = await ledger.find('order-1');
        assert.deepEqual(cards[0]?.progress, created);
        assert.equal(invoices[0]?.orderCode, 'código 1');
        await other.recordPaid({ ...toInvoice(), ...candidate, status: 'paid' }, none);
        assert.equal((await ledger.find('order-1')).paid?.invoiceId, 'invoice-1');
      }));

    it('whose candidate is paid is told of with the look-up’s order code', () =>
      withBench(async ({ ledger }) => {
        const candidate = toIssued(toInvoice({ method: 'credit_card' }));
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), { state: 'unknown', candidate });
        await ledger.recordPaid({ ...toInvoice(), ...candidate, status: 'paid' }, none);
        const [told] = await ledger.claimEvents(['paid'], 10, 0);
        assert.ok(told?.kind === 'paid');
        assert.equal(told.notice.orderCode, 'código 1');
      }));

    it('may have a Pix code of the order for candidate, which stays what it is', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.recordInvoice(toInvoice());
        const candidate = toIssued(toInvoice({ method: 'credit_card', totalCents: 1 }));
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), { state: 'unknown', candidate });
        assert.equal(await other.releaseCard('order-1'), true);
        assert.deepEqual((await ledger.find('order-1')).invoices, [toInvoice()]);
        clock.nowMs += firstLookUpAfterMs;
        assert.equal((await ledger.claimDueLookUps(10, 60_000)).length, 1);
      }));

    it('may have an invoice of a former card for candidate, which is open again', () =>
      withBench(async ({ ledger, clock }) => {
        await ledger.claimAttempt(toCard());
        await ledger.recordInvoice(toInvoice({ method: 'credit_card' }), toCard());
        await ledger.advanceAttempt(toCard(), refused);
        clock.nowMs += 60_000;
        const candidate = toIssued(toInvoice({ method: 'credit_card', totalCents: 1 }));
        const second = toCard({ key: 'card-2' });
        await ledger.claimAttempt(second);
        await ledger.advanceAttempt(second, { state: 'unknown', candidate });
        clock.nowMs += firstLookUpAfterMs;
        const [due] = await ledger.claimDueLookUps(10, 60_000);
        assert.equal(due?.totalCents, 1);
        await ledger.advanceAttempt(second, refused);
        clock.nowMs += 60_000;
        assert.deepEqual(await ledger.claimDueLookUps(10, 60_000), [], 'ended by the refusal');
      }));

    it('that ended does not open a candidate again that a late word names', () =>
      withBench(async ({ ledger, clock }) => {
        const [first, second] = ['invoice-1', 'invoice-2'].map((invoiceId) =>
          toIssued(toInvoice({ invoiceId, method: 'credit_card' })),
        );
        assert.ok(first && second);
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), { state: 'unknown', candidate: first });
        await ledger.releaseCard('order-1');
        for (const candidate of [first, second]) {
          const late: AttemptProgress = { state: 'unknown', candidate };
          assert.equal(await ledger.advanceAttempt(toCard(), late), false);
        }
        clock.nowMs += firstLookUpAfterMs;
        const due = await ledger.claimDueLookUps(10, 60_000);
        assert.deepEqual(
          due.map(({ invoiceId }) => invoiceId),
          ['invoice-2'],
        );
      }));

    it('of unknown outcome is released by a person, and the order is free', () =>
      withBench(async ({ ledger, other, clock }) => {
        assert.equal(await ledger.releaseCard('order-1'), false);
        await ledger.claimAttempt(toCard());
        assert.equal(await ledger.releaseCard('order-1'), false);
        await ledger.advanceAttempt(toCard(), sent, 1_000);
        assert.equal(await ledger.releaseCard('order-1'), false);
        const candidate = toIssued(toInvoice({ method: 'credit_card' }));
        await ledger.advanceAttempt(toCard(), { state: 'unknown', candidate });
        assert.equal(await ledger.releaseCard('order-2'), false);
        assert.equal(await other.releaseCard('order-1'), true);
        assert.equal(await ledger.releaseCard('order-1'), false);
        assert.deepEqual(await ledger.findAttempts('card-1'), [{ ...toCard(), progress: refused }]);
        assert.equal(await ledger.claimAttempt(toCard({ key: 'card-2' })), 'new');
        assert.equal((await ledger.readState()).unknownAttempts, 0);
        const [invoice] = (await ledger.find('order-1')).invoices;
        assert.equal(invoice?.isReleased, true);
        assert.deepEqual(await ledger.findSettled(startMs), ['invoice-1']);
        clock.nowMs += firstLookUpAfterMs;
        assert.deepEqual(await ledger.claimDueLookUps(10, 1), []);
      }));

    it('that is created is released by a person too, unless it is paid', () =>
      withBench(async ({ ledger, other }) => {
        for (const n of upTo(2)) {
          const card = toCard({ key: `card-${n}`, holder: `holder-${n}` });
          const invoice = toInvoice({ invoiceId: `invoice-${n}`, method: 'credit_card' });
          await ledger.claimAttempt(card);
          await ledger.recordInvoice(invoice, card);
          if (n === 2) await ledger.recordPaid({ ...invoice, status: 'paid' }, none);
          assert.equal(await other.releaseCard('order-1'), n === 1);
        }
        const { cards, invoices } = await ledger.find('order-1');
        assert.deepEqual(
          cards.map(({ progress }) => progress.state),
          ['refused', 'created'],
        );
        assert.deepEqual(
          invoices.map(({ isReleased }) => isReleased),
          [true, undefined],
        );
      }));

    it('that a person released is paid after all: nobody says any more that it was not charged', () =>
      withBench(async ({ ledger, other }) => {
        const invoice = toInvoice({ method: 'credit_card' });
        await ledger.claimAttempt(toCard());
        await ledger.recordInvoice(invoice, toCard());
        await ledger.releaseCard('order-1');
        assert.equal(await other.recordPaid({ ...invoice, status: 'paid' }, none), true);
        assert.deepEqual((await ledger.find('order-1')).paid, { ...invoice, status: 'paid' });
      }));

    it('that is created and stays open is told of once, with its invoice', () =>
      withBench(async ({ ledger, other, clock }) => {
        const invoice = toInvoice({ method: 'credit_card' });
        await ledger.claimAttempt(toCard());
        clock.nowMs += 1;
        await ledger.recordInvoice(invoice, toCard());
        clock.nowMs += 3_600_000;
        await ledger.recordUnresolved(toInvoice({ invoiceId: 'another' }));
        await ledger.recordUnresolved(toInvoice({ externalId: 'order-2' }));
        assert.deepEqual(await peekDeliveries(ledger), []);
        await ledger.recordUnresolved(invoice);
        await other.recordUnresolved(invoice);
        const [told, ...more] = await other.claimEvents(['outcome_unknown'], 10, 0);
        assert.deepEqual(more, []);
        assert.deepEqual(told?.notice, {
          externalId: 'order-1',
          totalCents: 12_345,
          invoiceId: 'invoice-1',
          attemptedAt: new Date(startMs).toISOString(),
          deliveryId: 'outcome_unknown~order-1~holder-1',
        });
        assert.equal((await ledger.findAttempts('card-1'))[0]?.progress.state, 'created');
      }));

    it('that is paid or refused is not told of as open', () =>
      withBench(async ({ ledger }) => {
        const invoice = toInvoice({ method: 'credit_card' });
        const other = { ...invoice, externalId: 'order-2' };
        await ledger.claimAttempt(toCard());
        await ledger.recordInvoice(invoice, toCard());
        await ledger.recordPaid({ ...invoice, status: 'paid' }, none);
        const second = toCard({ externalId: 'order-2', scope: 'b' });
        await ledger.claimAttempt(second);
        await ledger.recordInvoice(other, second);
        await ledger.advanceAttempt(second, refused);
        for (const one of [invoice, other]) await ledger.recordUnresolved(one);
        assert.deepEqual(await ledger.claimEvents(['outcome_unknown'], 10, 0), []);
      }));
  });
}
