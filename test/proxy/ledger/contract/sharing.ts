/** What a ledger holds to when many ask at once, through several handles: as processes do. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  claimedForMs,
  firstLookUpAfterMs,
  type Attempt,
  type Ledger,
} from '../../../../src/proxy/ledger/ledger.js';
import { LedgerError } from '../../../../src/proxy/ledger/ledger-error.js';
import { startMs, toCard, toInvoice, toPix, upTo, type Bench, type WithBench } from './bench.js';

const none = { endToEndId: null };

/** PostgreSQL's code of a statement that it took back because it ran too long. */
const statementTimeout = '57014';

export function describeSharing(withBench: WithBench): void {
  describe('many at once', () => {
    it('with one key: one is new', () =>
      withBench(async (bench) => {
        const claims = await atOnce(bench, 100, (ledger, n) =>
          ledger.claimAttempt(toCard({ holder: `holder-${n}` })),
        );
        assert.deepEqual(count(claims), { new: 1, known: 99 });
      }));

    it('with a key each, by card: one is new, and one only can send', () =>
      withBench(async (bench) => {
        const toOne = (n: number): Attempt => toCard({ key: `card-${n}`, holder: `holder-${n}` });
        const claims = await atOnce(bench, 100, (ledger, n) => ledger.claimAttempt(toOne(n)));
        assert.deepEqual(count(claims), { new: 1, busy: 99 });
        const sent = await atOnce(bench, 100, (ledger, n) =>
          ledger.advanceAttempt(toOne(n), { state: 'sent' }, 1_000),
        );
        assert.deepEqual(count(sent), { true: 1, false: 99 });
      }));

    it('at the moment a claim runs out: the card leaves once', () =>
      withBench(async (bench) => {
        const { ledger, other, clock } = bench;
        for (const n of upTo(10)) {
          const externalId = `order-${n}`;
          const first = toCard({ externalId, scope: externalId });
          const second = { ...first, holder: 'holder-2' };
          await ledger.claimAttempt(first);
          clock.nowMs += claimedForMs;
          const [isSent, claim] = await Promise.all([
            ledger.advanceAttempt(first, { state: 'sent' }, 1_000),
            other.claimAttempt(second),
          ]);
          assert.deepEqual([isSent, claim], [false, 'new']);
          assert.equal(await other.advanceAttempt(second, { state: 'sent' }, 1_000), true);
        }
      }));

    it('that record a code where there was none: one is recorded', () =>
      withBench(async (bench) => {
        const codes = await atOnce(bench, 40, (ledger, n) =>
          ledger.recordCode(toInvoice({ invoiceId: `invoice-${n}` }), 0),
        );
        const { invoices } = await bench.ledger.find('order-1');
        assert.equal(invoices.length, 1);
        for (const order of codes) assert.deepEqual(order.invoices, invoices);
      }));

    it('that find one invoice paid: one is first, and one delivery is queued', () =>
      withBench(async (bench) => {
        await bench.ledger.recordInvoice(toInvoice());
        const found = await atOnce(bench, 40, (ledger) =>
          ledger.recordPaid(toInvoice({ status: 'paid' }), none),
        );
        assert.deepEqual(count(found), { true: 1, false: 39 });
        assert.equal((await bench.ledger.claimEvents(['paid'], 10, 0)).length, 1);
      }));

    it('that find many invoices of an order paid: all but one are duplicates', () =>
      withBench(async (bench) => {
        await atOnce(bench, 20, (ledger, n) =>
          ledger.recordPaid(toInvoice({ invoiceId: `invoice-${n}`, status: 'paid' }), none),
        );
        const told = await bench.ledger.claimEvents(['paid'], 50, 0);
        const first = told.filter(({ kind, notice }) => kind === 'paid' && !notice.duplicate);
        assert.equal(told.length, 20);
        assert.equal(first.length, 1);
        const { paid } = await bench.other.find('order-1');
        assert.equal(
          (first[0]?.notice as { readonly invoiceId?: string } | undefined)?.invoiceId,
          paid?.invoiceId,
        );
      }));

    it('that sweep: no invoice is looked up twice, and none is left out', () =>
      withBench(async (bench) => {
        for (const n of upTo(60)) {
          await bench.ledger.recordInvoice(
            toInvoice({ externalId: `order-${n % 7}`, invoiceId: `invoice-${n}` }),
          );
        }
        bench.clock.nowMs += firstLookUpAfterMs;
        const claims = await atOnce(bench, 50, (ledger) => ledger.claimDueLookUps(3, 60_000));
        const ids = claims.flat().map(({ invoiceId }) => invoiceId);
        assert.equal(new Set(ids).size, ids.length);
        // Who comes while others hold rows may get none: the next round gets the rest.
        const rest = await bench.ledger.claimDueLookUps(100, 60_000);
        assert.equal(ids.length + rest.length, 60);
      }));

    it('that deliver: no delivery is tried twice, and none is left out', () =>
      withBench(async (bench) => {
        for (const n of upTo(40)) {
          await bench.ledger.recordMismatch(toInvoice({ externalId: `order-${n}` }), 'is_pix');
        }
        const claims = await atOnce(bench, 50, (ledger) =>
          ledger.claimEvents(['mismatch'], 3, 60_000),
        );
        const ids = claims.flat().map(({ notice }) => notice.deliveryId);
        assert.equal(new Set(ids).size, ids.length);
        const rest = await bench.ledger.claimEvents(['mismatch'], 100, 60_000);
        assert.equal(ids.length + rest.length, 40);
      }));

    it('that expire what was sent: each attempt becomes unknown once', () =>
      withBench(async (bench) => {
        const { ledger, clock } = bench;
        for (const n of upTo(8)) {
          const card = toCard({ externalId: `order-${n}`, scope: `scope-${n}` });
          await ledger.claimAttempt(card);
          await ledger.advanceAttempt(card, { state: 'sent' }, 1_000);
        }
        clock.nowMs += 1_000;
        const counts = await atOnce(bench, 10, (one) => one.expireSent());
        assert.equal(
          counts.reduce((sum, n) => sum + n, 0),
          8,
        );
        assert.equal((await ledger.claimEvents(['outcome_unknown'], 50, 0)).length, 8);
      }));

    it('that claim a pause: one gets it', () =>
      withBench(async (bench) => {
        const claims = await atOnce(bench, 40, (ledger) => ledger.passThrottle('sweep', 2_000));
        assert.deepEqual(count(claims), { true: 1, false: 39 });
      }));

    it('that do different things to one order: none is lost, and none waits for ever', () =>
      withBench(async (bench) => {
        const card = toCard();
        await bench.ledger.claimAttempt(card);
        await bench.ledger.advanceAttempt(card, { state: 'sent' }, 1);
        await bench.ledger.recordInvoice(toInvoice());
        bench.clock.nowMs += firstLookUpAfterMs;
        const paid = toInvoice({ status: 'paid' });
        await atOnce(bench, 60, async (ledger, n) => {
          const acts: (() => Promise<unknown>)[] = [
            () => ledger.recordSend('order-1', 'pix', startMs + n),
            () => ledger.recordInvoice(toInvoice({ invoiceId: `invoice-${n}` }), toPix()),
            () => ledger.claimDueLookUps(5, 10),
            () => ledger.claimEvents(['waiting', 'paid', 'lapsed'], 5, 10),
            () => ledger.recordExpired(toInvoice()),
            () => ledger.recordPaid(paid, none),
            () => ledger.expireSent(),
            () => ledger.hastenLookUp(toInvoice(), startMs),
            () => ledger.endEvent('waiting~order-1~invoice-1', 'delivered'),
            () => ledger.prune(),
          ];
          await acts[n % acts.length]?.();
        });
        const record = await bench.other.find('order-1');
        assert.equal(record.sentAtMs.length, 6);
        assert.equal(record.invoices.length, 6);
        assert.equal(record.paid?.invoiceId, 'invoice-1');
        assert.equal(record.cards[0]?.progress.state, 'unknown');
      }));
  });
}

/**
 * Half of them through each handle. A crowd on a busy machine may wait longer for one order's lock than a statement may
 * take: the database then took the statement back, and it is asked again.
 */
function atOnce<T>(
  { ledger, other }: Bench,
  times: number,
  act: (ledger: Ledger, n: number) => Promise<T>,
): Promise<T[]> {
  return Promise.all(
    upTo(times).map((n) => untilInTime(() => act(n % 2 === 0 ? ledger : other, n))),
  );
}

async function untilInTime<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (thrown) {
      if (!(thrown instanceof LedgerError) || thrown.code !== statementTimeout) throw thrown;
    }
  }
}

function count(values: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}
