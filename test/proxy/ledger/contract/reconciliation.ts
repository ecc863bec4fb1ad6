/** What a ledger does for reconciliation: which process looks what up, and when a deadline counts as missed. */
import assert from 'node:assert/strict';
import {
  claimedForMs,
  firstLookUpAfterMs,
  maxNamedPerOrder,
  type Ledger,
} from '../../../../src/proxy/ledger/ledger.js';
import { begin, claimIds, peek, peekOnly, type OnStore } from './bench.js';
import { none, stages, startMs, toCard, toInvoice, toPaid, upTo } from './samples.js';

const { claimed, created, refused, sent, unknown } = stages;

const one = ['invoice-1'];
const lapsed = ['lapsed~order-1~invoice-1'];

export function describeLookUps(it: OnStore): void {
  it('is due soon after a creation, and claimed for a time', async ({ ledger, other, clock }) => {
    await ledger.recordInvoice(toInvoice());
    clock.nowMs += firstLookUpAfterMs - 1;
    assert.deepEqual(await claimIds(ledger), []);
    clock.nowMs += 1;
    const toDue = (dueAtMs: number) => {
      const claimed = { isExpired: false, shownAtMs: null, claimedUntilMs: dueAtMs + 5_000 };
      return { ...toInvoice(), ...claimed, dueAtMs };
    };
    assert.deepEqual(await ledger.claimDueLookUps(10, 5_000), [toDue(clock.nowMs)]);
    assert.deepEqual(await claimIds(other), []);
    clock.nowMs += 5_000;
    assert.deepEqual(await other.claimDueLookUps(10, 5_000), [toDue(clock.nowMs)]);
  });

  it('is made for those first that wait longest', async ({ ledger, clock }) => {
    for (const [n, waitMs] of [3_000, 1_000, 2_000].entries()) {
      const invoice = toInvoice({ invoiceId: `invoice-${n}` });
      await ledger.recordInvoice(invoice);
      await ledger.hastenLookUp(invoice, startMs + waitMs);
    }
    clock.nowMs += 10_000;
    for (const ids of [['invoice-1', 'invoice-2'], ['invoice-0'], []]) {
      assert.deepEqual(await claimIds(ledger, 60_000, 2), ids);
    }
  });

  it('is due again when its claimer says so, or never', async ({ ledger, other, clock }) => {
    await ledger.recordInvoice(toInvoice());
    clock.nowMs += firstLookUpAfterMs;
    const [first] = await ledger.claimDueLookUps(10, 60_000);
    await ledger.scheduleLookUp(first ?? assert.fail(), clock.nowMs + 100_000);
    clock.nowMs += 99_999;
    assert.deepEqual(await claimIds(other), []);
    clock.nowMs += 1;
    const [second = assert.fail()] = await other.claimDueLookUps(10, 60_000);
    assert.equal(second.dueAtMs, clock.nowMs);
    assert.equal(second.claimedUntilMs, clock.nowMs + 60_000);
    await other.scheduleLookUp(second, null);
    clock.nowMs += 1_000_000;
    assert.deepEqual(await claimIds(ledger), []);
    await ledger.scheduleLookUp({ ...second, invoiceId: 'unheard of' }, clock.nowMs);
    assert.deepEqual(await claimIds(ledger), []);
  });

  it('is hastened, never put off', async ({ ledger, other, clock }) => {
    await ledger.recordInvoice(toInvoice());
    await other.hastenLookUp(toInvoice(), startMs + 100_000);
    await other.hastenLookUp(toInvoice({ invoiceId: 'unheard of' }), startMs);
    await other.hastenLookUp(toInvoice(), startMs + 4_000);
    clock.nowMs += 3_999;
    assert.deepEqual(await claimIds(ledger), []);
    clock.nowMs += 1;
    const [due] = await ledger.claimDueLookUps(10, 1);
    await ledger.scheduleLookUp(due ?? assert.fail(), null);
    await other.hastenLookUp(toInvoice(), clock.nowMs);
    assert.deepEqual(await claimIds(ledger), one, 'even one that was over');
  });

  it('that was hastened while claimed is due as hastened', async ({ ledger, other, clock }) => {
    await ledger.recordInvoice(toInvoice());
    clock.nowMs += firstLookUpAfterMs;
    const [due] = await ledger.claimDueLookUps(10, 60_000);
    await other.hastenLookUp(toInvoice(), clock.nowMs + 5_000);
    await ledger.scheduleLookUp(due ?? assert.fail(), clock.nowMs + 3_600_000);
    clock.nowMs += 5_000;
    assert.deepEqual(await claimIds(ledger), one);
  });

  it('is not scheduled by a claimer who was too slow', async ({ ledger, other, clock }) => {
    await ledger.recordInvoice(toInvoice());
    clock.nowMs += firstLookUpAfterMs;
    const [slow] = await ledger.claimDueLookUps(10, 5_000);
    clock.nowMs += 5_000;
    assert.deepEqual(await claimIds(other, 5_000), one);
    await ledger.scheduleLookUp(slow ?? assert.fail(), null);
    clock.nowMs += 5_000;
    assert.deepEqual(await claimIds(other), one);
  });

  it('knows the deadline passed, and ends with the payment', async ({ ledger, other, clock }) => {
    await ledger.recordInvoice(toInvoice());
    await ledger.recordExpired(toInvoice());
    clock.nowMs += firstLookUpAfterMs;
    const [due] = await other.claimDueLookUps(10, 0);
    assert.equal(due?.isExpired, true);
    await ledger.recordPaid(toPaid(), none);
    await other.hastenLookUp(toInvoice(), clock.nowMs);
    assert.deepEqual(await claimIds(other), []);
  });
}

export function describeLapses(it: OnStore): void {
  it('lapses and ends reminders, unless its order is paid', async ({ ledger, other }) => {
    const elsewhere = toInvoice({ externalId: 'order-2' });
    for (const one of [toInvoice(), elsewhere]) await ledger.recordInvoice(one);
    await ledger.recordPaid(toPaid({ invoiceId: 'card', method: 'credit_card' }), none);
    for (const one of [toInvoice(), elsewhere]) await other.recordExpired(one);
    assert.deepEqual(await peek(ledger, ['waiting', 'lapsed']), ['lapsed~order-2~invoice-1']);
  });

  for (const progress of [claimed, sent, unknown, { ...created, invoiceId: 'card' }]) {
    it(`lapses, but not beside a card: ${progress.state}`, async ({ ledger, other }) => {
      await ledger.recordInvoice(toInvoice());
      await begin(ledger, toCard(), progress);
      await other.recordExpired(toInvoice());
      assert.deepEqual(await peek(ledger, ['lapsed']), []);
      await ledger.advanceAttempt(toCard(), refused);
      await other.recordExpired(toInvoice());
      assert.deepEqual(await peek(ledger, ['lapsed']), lapsed);
    });
  }

  it('lapses although a claimed card never came back', async ({ ledger, other, clock }) => {
    await ledger.recordInvoice(toInvoice());
    await ledger.claimAttempt(toCard());
    clock.nowMs += claimedForMs;
    await other.recordExpired(toInvoice());
    assert.deepEqual(await peek(ledger, ['lapsed']), lapsed);
  });

  it('does not lapse while a newer code may be paid', async ({ ledger, other, clock }) => {
    const newer = toInvoice({ invoiceId: 'invoice-2', deadlineMs: startMs + 60_000 });
    await ledger.recordInvoice(toInvoice({ deadlineMs: startMs }));
    await ledger.recordInvoice(newer);
    await ledger.recordInvoice(toInvoice({ invoiceId: 'card', method: 'credit_card' }));
    await ledger.recordInvoice(toInvoice({ externalId: 'order-2' }));
    clock.nowMs += 59_999;
    await other.recordExpired(toInvoice());
    assert.deepEqual(await peek(ledger, ['lapsed']), []);
    const due = await other.claimDueLookUps(10, 1);
    assert.ok(due.every(({ isExpired }) => !isExpired));
    clock.nowMs += 1;
    await other.recordExpired(toInvoice());
    await other.recordExpired(newer);
    assert.equal((await peek(ledger, ['lapsed'])).length, 2);
  });

  it('waits for newer codes without a deadline, not for older', async ({ ledger, other }) => {
    const newer = toInvoice({ invoiceId: 'invoice-2', deadlineMs: startMs });
    await ledger.recordInvoice(toInvoice());
    await ledger.recordInvoice(newer);
    await other.recordExpired(newer);
    assert.equal((await ledger.claimEvents(['lapsed'], 10, 60_000)).length, 1);
    await ledger.recordInvoice(toInvoice({ invoiceId: 'invoice-3' }));
    await other.recordExpired(toInvoice());
    assert.deepEqual(await peek(ledger, ['lapsed']), []);
  });

  for (const [paidId, isDelivered] of [
    ['invoice-1', false],
    ['invoice-2', true],
  ] as const) {
    it(`of an order that lapsed is late: ${paidId}`, async ({ ledger, other }) => {
      const deadlineMs = startMs - 1;
      const former = toInvoice({ deadlineMs });
      await ledger.recordInvoice(former);
      await ledger.recordInvoice(toInvoice({ invoiceId: 'invoice-2', deadlineMs }));
      await ledger.recordExpired(former);
      const [told] = await other.claimEvents(['lapsed'], 10, 60_000);
      const { deliveryId } = told?.notice ?? assert.fail();
      if (isDelivered) await other.endEvent(deliveryId, 'delivered');
      await ledger.recordPaid(toPaid({ invoiceId: paidId }), none);
      if (!isDelivered) await other.endEvent(deliveryId, { retryAtMs: startMs });
      assert.equal((await peekOnly(ledger, 'paid')).notice.late, true);
    });
  }
}

const firstNamed = { externalId: 'order-1', lookUpId: 'named-1', tries: 0, namedAtMs: startMs };

/** Those that are due, claimed for so long. */
async function claimNamedIds(ledger: Ledger, forMs = 1_000, most = 100): Promise<string[]> {
  return (await ledger.claimDueNamed(most, forMs, false)).map(({ lookUpId }) => lookUpId);
}

export function describeNamedIds(it: OnStore): void {
  it('is claimed by its namer, and due to one of all afterwards', async (bench) => {
    const { ledger, other, clock } = bench;
    const named = await ledger.claimNamed('order-1', 'named-1', 5_000);
    assert.deepEqual(named, { ...firstNamed, claimedUntilMs: startMs + 5_000 });
    assert.deepEqual((await other.find('order-1')).named, ['named-1']);
    clock.nowMs += 4_999;
    assert.deepEqual(await claimNamedIds(other), []);
    clock.nowMs += 1;
    const [due] = await other.claimDueNamed(10, 60_000, false);
    assert.deepEqual(due, { ...firstNamed, claimedUntilMs: clock.nowMs + 60_000 });
    assert.deepEqual(await claimNamedIds(ledger), []);
    assert.equal((await ledger.readState()).nextDueAtMs, clock.nowMs + 60_000);
  });

  it('is due again when its claimer says so, or forgotten', async ({ ledger, other, clock }) => {
    const named = (await ledger.claimNamed('order-1', 'named-1', 5_000)) ?? assert.fail();
    await other.scheduleNamed({ ...named, tries: 3 }, startMs + 100_000);
    clock.nowMs += 99_999;
    assert.deepEqual(await claimNamedIds(ledger), []);
    clock.nowMs += 1;
    const [due = assert.fail()] = await ledger.claimDueNamed(10, 60_000, false);
    assert.equal(due.tries, 3);
    await ledger.scheduleNamed(due, null);
    assert.deepEqual((await other.find('order-1')).named, []);
    clock.nowMs += 1_000_000;
    assert.deepEqual(await claimNamedIds(ledger), []);
  });

  it('begins anew where it is named again, whatever its claimer says', async (bench) => {
    const { ledger, other, clock } = bench;
    const slow = (await ledger.claimNamed('order-1', 'named-1', 5_000)) ?? assert.fail();
    await ledger.scheduleNamed({ ...slow, tries: 5 }, startMs + 9_000);
    clock.nowMs += 10;
    const again = await other.claimNamed('order-1', 'named-1', 5_000);
    assert.deepEqual(again, {
      ...firstNamed,
      namedAtMs: startMs + 10,
      claimedUntilMs: startMs + 5_010,
    });
    await ledger.scheduleNamed(slow, null);
    assert.deepEqual((await other.find('order-1')).named, ['named-1']);
  });

  it('is a paid invoice, claimed apart, where its payment says so', async (bench) => {
    const { ledger, other, clock } = bench;
    await ledger.recordPaid(toPaid(), { endToEndId: null, askAgainAfterMs: 5_000 });
    await ledger.recordPaid(toPaid({ externalId: 'order-2' }), none);
    assert.equal((await other.readState()).nextDueAtMs, startMs);
    for (const kind of ['paid', 'waiting'])
      await other.endEvent(`${kind}~order-1~invoice-1`, 'delivered');
    await other.endEvent('paid~order-2~invoice-1', 'delivered');
    assert.equal((await other.readState()).nextDueAtMs, startMs + 5_000);
    clock.nowMs += 5_000;
    assert.deepEqual(await claimNamedIds(other), []);
    clock.nowMs += 7;
    assert.equal((await other.readState()).sweepLagMs, 0, 'it may wait');
    clock.nowMs -= 7;
    const [due, ...more] = await other.claimDueNamed(10, 1_000, true);
    assert.deepEqual(due, {
      externalId: 'order-1',
      lookUpId: 'look-up-1',
      tries: 0,
      namedAtMs: startMs,
      claimedUntilMs: clock.nowMs + 1_000,
    });
    assert.deepEqual(more, []);
    assert.deepEqual(await ledger.claimDueNamed(10, 1_000, true), []);
  });

  it('is one of twenty of its order, and makes room once it was looked up', async (bench) => {
    const { ledger, other, clock } = bench;
    for (const n of upTo(maxNamedPerOrder)) await ledger.claimNamed('order-1', `named-${n}`, 5_000);
    assert.equal(await other.claimNamed('order-1', 'one-more', 5_000), null);
    assert.ok(await other.claimNamed('order-1', 'named-1', 5_000), 'one that waits already');
    assert.ok(await other.claimNamed('order-2', 'one-more', 5_000), 'one of another order');
    clock.nowMs += 5_000;
    const due = await ledger.claimDueNamed(2, 5_000, false);
    for (const one of due) await ledger.scheduleNamed({ ...one, tries: 1 }, clock.nowMs + 1);
    assert.ok(await other.claimNamed('order-1', 'one-more', 5_000));
    const { named } = await ledger.find('order-1');
    assert.equal(named.length, maxNamedPerOrder);
    assert.ok(named.includes('one-more'));
  });

  it('is claimed by one of many', async ({ ledger, other, clock }) => {
    for (const n of upTo(10)) await ledger.claimNamed('order-1', `named-${n}`, 0);
    clock.nowMs += 1;
    const claimed = await Promise.all(
      upTo(8).map((n) => claimNamedIds(n % 2 ? ledger : other, 1_000)),
    );
    assert.equal(claimed.flat().length, 10);
    assert.equal(new Set(claimed.flat()).size, 10);
  });
}
