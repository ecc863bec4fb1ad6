/** What a ledger holds to when many ask at once, through several handles: as processes do. */
import assert from 'node:assert/strict';
import {
  claimedForMs,
  firstLookUpAfterMs,
  type Ledger,
} from '../../../../src/proxy/ledger/ledger.js';
import { isBusy } from '../../../../src/proxy/store/ledger-error.js';
import { begin, claimIds, peek, peekOnly, type Bench, type OnStore } from './bench.js';
import { none, stages, startMs, toCard, toInvoice, toPaid, toPix, upTo } from './samples.js';

const { sent } = stages;

type Act<T = unknown> = (ledger: Ledger, n: number) => Promise<T>;

export function describeSharing(it: OnStore): void {
  it('with one key: one is new', async (bench) => {
    const claim: Act = (ledger, n) => ledger.claimAttempt(toCard({ holder: `holder-${n}` }));
    assert.deepEqual(await countAtOnce(bench, 100, claim), { new: 1, known: 99 });
  });

  it('with a key each, by card: one is new, and one only can send', async (bench) => {
    const toOne = (n: number) => toCard({ key: `card-${n}`, holder: `holder-${n}` });
    const claim: Act = (ledger, n) => ledger.claimAttempt(toOne(n));
    assert.deepEqual(await countAtOnce(bench, 100, claim), { new: 1, busy: 99 });
    const send: Act = (ledger, n) => ledger.advanceAttempt(toOne(n), sent, 1_000);
    assert.deepEqual(await countAtOnce(bench, 100, send), { true: 1, false: 99 });
  });

  it('that pass a throttle: one may', async (bench) => {
    const pass: Act = (ledger) => ledger.passThrottle('sweep', 2_000);
    assert.deepEqual(await countAtOnce(bench, 40, pass), { true: 1, false: 39 });
  });

  it('that book calls: no more are booked than there is room for', async (bench) => {
    const book: Act<{ calls: number }> = (ledger) => ledger.bookCalls(3, 50);
    const calls = (await atOnce(bench, 40, book)).map((booked) => booked.calls);
    assert.equal(
      calls.reduce((sum, one) => sum + one, 0),
      50,
    );
  });

  it('that sweep: no invoice is looked up twice, and none is left out', async (bench) => {
    for (const n of upTo(60)) {
      const [externalId, invoiceId] = [`order-${n % 7}`, `invoice-${n}`];
      await bench.ledger.recordInvoice(toInvoice({ externalId, invoiceId }));
    }
    bench.clock.nowMs += firstLookUpAfterMs;
    const claims = await atOnce(bench, 50, (ledger) => ledger.claimDueLookUps(3, 60_000));
    const ids = claims.flat().map(({ invoiceId }) => invoiceId);
    assert.equal(new Set(ids).size, ids.length);
    // Who comes while others hold rows may get none: the next round gets the rest.
    assert.equal(ids.length + (await claimIds(bench.ledger)).length, 60);
  });

  it('that deliver: no event is tried twice, and none is left out', async (bench) => {
    for (const n of upTo(40)) {
      await bench.ledger.recordMismatch(toInvoice({ externalId: `order-${n}` }), 'is_pix');
    }
    const claim: Act<readonly object[]> = (ledger) => ledger.claimEvents(['mismatch'], 3, 60_000);
    const told = (await atOnce(bench, 50, claim)).flat();
    assert.ok(told.every((event) => Reflect.get(event, 'tries') === 1));
    assert.equal(told.length + (await peek(bench.ledger, ['mismatch'])).length, 40);
  });

  it('at the moment a claim runs out: the card leaves once', async ({ ledger, other, clock }) => {
    for (const n of upTo(10)) {
      const externalId = `order-${n}`;
      const first = toCard({ externalId, scope: externalId });
      const second = { ...first, holder: 'holder-2' };
      await ledger.claimAttempt(first);
      clock.nowMs += claimedForMs;
      const [isSent, claim] = await Promise.all([
        ledger.advanceAttempt(first, sent, 1_000),
        other.claimAttempt(second),
      ]);
      assert.deepEqual([isSent, claim], [false, 'new']);
      assert.equal(await other.advanceAttempt(second, sent, 1_000), true);
    }
  });

  it('that find one invoice paid: one is first, and one event is queued', async (bench) => {
    await bench.ledger.recordInvoice(toInvoice());
    const find: Act = (ledger) => ledger.recordPaid(toPaid(), none);
    assert.deepEqual(await countAtOnce(bench, 40, find), { true: 1, false: 39 });
    await peekOnly(bench.ledger, 'paid');
  });

  it('that find many invoices of an order paid: all but one are duplicates', async (bench) => {
    await atOnce(bench, 20, (ledger, n) =>
      ledger.recordPaid(toPaid({ invoiceId: `invoice-${n}` }), none),
    );
    const told = await bench.ledger.claimEvents(['paid'], 50, 0);
    const first = told.flatMap(({ kind, notice }) =>
      kind === 'paid' && !notice.duplicate ? [notice.invoiceId] : [],
    );
    assert.equal(told.length, 20);
    assert.deepEqual(first, [(await bench.other.find('order-1')).paid?.invoiceId]);
  });

  it('that expire what was sent: each attempt becomes unknown once', async (bench) => {
    const { ledger, clock } = bench;
    for (const n of upTo(8)) {
      await begin(ledger, toCard({ externalId: `order-${n}`, scope: `scope-${n}` }), sent);
    }
    clock.nowMs += 60_000;
    const counts = await atOnce(bench, 10, (one) => one.expireSent());
    const sum = counts.reduce((total, n) => total + n, 0);
    assert.equal(sum, 8);
    assert.equal((await peek(ledger, ['outcome_unknown'])).length, 8);
  });

  it('that do different things to one order: none is lost, and none waits for ever', async (bench) => {
    await bench.ledger.claimAttempt(toCard());
    await bench.ledger.advanceAttempt(toCard(), sent, 1);
    await bench.ledger.recordInvoice(toInvoice());
    bench.clock.nowMs += firstLookUpAfterMs;
    const acts: Act[] = [
      (ledger, n) => ledger.recordSend('order-1', 'pix', startMs + n, 100),
      (ledger, n) => ledger.recordInvoice(toInvoice({ invoiceId: `invoice-${n}` }), toPix()),
      (ledger) => ledger.claimDueLookUps(5, 10),
      (ledger) => ledger.claimEvents(['waiting', 'paid', 'lapsed'], 5, 10),
      (ledger) => ledger.recordExpired(toInvoice()),
      (ledger) => ledger.recordPaid(toPaid(), none),
      (ledger) => ledger.expireSent(),
      (ledger) => ledger.hastenLookUp(toInvoice(), startMs),
      (ledger) => ledger.endEvent('waiting~order-1~invoice-1', 'delivered'),
      (ledger) => ledger.prune(),
    ];
    await atOnce(bench, 60, (ledger, n) => acts[n % acts.length]!(ledger, n));
    const record = await bench.other.find('order-1');
    assert.equal(record.sentAtMs.length, 6);
    assert.equal(record.invoices.length, 6);
    assert.equal(record.paid?.invoiceId, 'invoice-1');
    assert.equal(record.cards[0]?.progress.state, 'unknown');
  });
}

/**
 * Half of them through each handle. A crowd on a busy machine may wait longer for one order than a payer would: then
 * nothing happened, and it is asked again.
 */
function atOnce<T>({ ledger, other }: Bench, times: number, act: Act<T>): Promise<T[]> {
  return Promise.all(
    upTo(times).map((n) => untilInTime(() => act(n % 2 === 0 ? ledger : other, n))),
  );
}

async function untilInTime<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown;
    }
  }
}

async function countAtOnce(bench: Bench, times: number, act: Act): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const value of await atOnce(bench, times, act)) {
    counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  }
  return counts;
}
