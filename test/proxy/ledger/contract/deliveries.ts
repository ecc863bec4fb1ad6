/** What a ledger does with events and throttles, and what it says of itself. */
import assert from 'node:assert/strict';
import type { DeliveryKind } from '../../../../src/proxy/order/outbox-events.js';
import { firstLookUpAfterMs } from '../../../../src/proxy/ledger/ledger.js';
import { begin, type OnStore } from './bench.js';
import {
  allKinds,
  none,
  stages,
  startMs,
  toCard,
  toCharge,
  toInvoice,
  toPaid,
  upTo,
} from './samples.js';

const { unknown } = stages;

export function describeEvents(it: OnStore): void {
  it('is claimed for a time, and counts its tries', async ({ ledger, other, clock }) => {
    await ledger.recordMismatch(toInvoice(), 'is_pix');
    clock.nowMs += 1_000;
    const [first] = await ledger.claimEvents(['mismatch'], 10, 5_000);
    assert.deepEqual([first?.tries, first?.queuedAtMs], [1, startMs]);
    clock.nowMs += 4_999;
    assert.deepEqual(await other.claimEvents(['mismatch'], 10, 5_000), []);
    clock.nowMs += 1;
    assert.deepEqual(await other.claimEvents(['mismatch'], 10, 5_000), [{ ...first, tries: 2 }]);
  });

  it('is claimed by kind, oldest first, as many as are asked for', async ({ ledger, clock }) => {
    for (const n of upTo(3)) {
      clock.nowMs += 1;
      const invoice = toInvoice({ externalId: `order-${4 - n}` });
      await ledger.recordInvoice(invoice);
      await ledger.recordMismatch(invoice, 'is_pix');
    }
    const claims: [kinds: readonly DeliveryKind[], most: number, told: string[]][] = [
      [[], 10, []],
      [['paid'], 10, []],
      [['mismatch', 'paid'], 2, ['mismatch order-3', 'mismatch order-2']],
      [allKinds, 10, ['waiting order-3', 'waiting order-2', 'waiting order-1', 'mismatch order-1']],
    ];
    for (const [kinds, most, told] of claims) {
      const events = await ledger.claimEvents(kinds, most, 60_000);
      const names = events.map(({ kind, notice }) => `${kind} ${notice.externalId}`);
      assert.deepEqual(names, told);
    }
  });

  for (const outcome of ['delivered', 'given_up'] as const) {
    it(`that is ${outcome} is over`, async ({ ledger, other, clock }) => {
      await ledger.recordMismatch(toInvoice(), 'is_pix');
      const [told] = await ledger.claimEvents(['mismatch'], 10, 5_000);
      const { deliveryId } = told?.notice ?? assert.fail();
      assert.equal((await ledger.readState()).undelivered, 1);
      await other.endEvent(deliveryId, outcome);
      assert.equal((await ledger.readState()).undelivered, 0);
      await ledger.endEvent(deliveryId, { retryAtMs: startMs });
      await ledger.endEvent(deliveryId, 'given_up');
      assert.equal((await ledger.readState()).deadEvents, outcome === 'given_up' ? 1 : 0);
      clock.nowMs += 60_000;
      assert.deepEqual(await ledger.claimEvents(['mismatch'], 10, 5_000), []);
      await ledger.recordMismatch(toInvoice(), 'is_pix');
      assert.deepEqual(await ledger.claimEvents(['mismatch'], 10, 5_000), []);
    });
  }

  it('that failed is tried again; an unknown one cannot end', async ({ ledger, clock }) => {
    for (const outcome of ['delivered', { retryAtMs: startMs }] as const) {
      await ledger.endEvent('unheard of', outcome);
      assert.deepEqual(await ledger.claimEvents(allKinds, 10, 0), []);
    }
    await ledger.recordMismatch(toInvoice(), 'is_pix');
    const [told] = await ledger.claimEvents(['mismatch'], 10, 5_000);
    await ledger.endEvent(told?.notice.deliveryId ?? '', { retryAtMs: startMs + 90_000 });
    clock.nowMs += 89_999;
    assert.deepEqual(await ledger.claimEvents(['mismatch'], 10, 5_000), []);
    clock.nowMs += 1;
    assert.equal((await ledger.claimEvents(['mismatch'], 10, 5_000))[0]?.tries, 2);
  });
}

export function describeThrottles(it: OnStore): void {
  it('is passed by one, until its pause is over', async ({ ledger, other, clock }) => {
    const passes: [waitMs: number, handle: typeof ledger, name: string, mayPass: boolean][] = [
      [0, ledger, 'sweep', true],
      [0, other, 'sweep', false],
      [0, other, 'another', true],
      [1_999, other, 'sweep', false],
      [1, other, 'sweep', true],
      [0, ledger, 'sweep', false],
    ];
    for (const [waitMs, handle, name, mayPass] of passes) {
      clock.nowMs += waitMs;
      assert.equal(await handle.passThrottle(name, 2_000), mayPass);
    }
  });

  it('does not wait for ever where the clock was set back', async ({ ledger, other, clock }) => {
    await ledger.passThrottle('sweep', 2_000);
    clock.nowMs -= 200;
    assert.equal(await other.passThrottle('sweep', 2_000), false);
    clock.nowMs -= 3_600_000;
    assert.equal(await ledger.passThrottle('sweep', 2_000), true);
  });
}

/** A merchant's clock may count in fractions, and so may what is divided by a limit. */
export function describeFractions(it: OnStore): void {
  it('are as good as whole milliseconds', async ({ ledger, clock }) => {
    clock.nowMs += 0.4;
    const invoice = toInvoice({ createdAtMs: clock.nowMs, deadlineMs: clock.nowMs + 0.5 });
    await ledger.recordInvoice(invoice);
    await ledger.recordSend('order-1', 'pix', clock.nowMs, 100);
    await ledger.hastenLookUp(invoice, clock.nowMs + 0.3);
    assert.equal(await ledger.passThrottle('sweep', 10_166.7), true);
    await begin(ledger, toCard({ externalId: 'order-2' }), { state: 'sent' });
    await ledger.findSettled(clock.nowMs);
    clock.nowMs += 10_000.1;
    assert.equal(await ledger.passThrottle('sweep', 10_166.7), false);
    const [due] = await ledger.claimDueLookUps(1, 60_000.9);
    await ledger.scheduleLookUp(due ?? assert.fail('its look-up is due'), clock.nowMs + 0.3);
    const [told] = await ledger.claimEvents(['waiting'], 1, 0.5);
    const { deliveryId } = told?.notice ?? assert.fail('its event is due');
    await ledger.endEvent(deliveryId, { retryAtMs: clock.nowMs + 0.7 });
    assert.ok((await ledger.bookCalls(1, 2.5)).calls > 0);
    await ledger.prune();
    clock.nowMs += 1_000;
    assert.equal((await ledger.claimDueLookUps(1, 1)).length, 1);
    assert.equal((await ledger.claimEvents(['waiting'], 1, 1)).length, 1);
    assert.equal(await ledger.passThrottle('sweep', 10_166.7), true);
  });
}

export function describeCalls(it: OnStore): void {
  it('are booked while there is room, by whichever process', async ({ ledger, other, clock }) => {
    clock.nowMs = 1_000_000_000_250;
    assert.deepEqual(await ledger.bookCalls(5, 7.5), { calls: 5, waitMs: 0 });
    clock.nowMs += 1_000;
    const full = { calls: 3, waitMs: 61_750 };
    assert.deepEqual(await other.bookCalls(5, 7.5), full);
    assert.deepEqual(await ledger.bookCalls(1, 7.5), { ...full, calls: 0 });
    assert.deepEqual(await ledger.bookCalls(1, 9), { calls: 1, waitMs: 61_750 });
    // A creation goes out in any case, and counts.
    assert.equal((await other.bookCalls(1, Infinity)).calls, 1);
    clock.nowMs += 61_749;
    assert.equal((await other.bookCalls(1, 9)).calls, 0);
    clock.nowMs += 1;
    assert.deepEqual(await other.bookCalls(9, 9), { calls: 4, waitMs: 1_000 });
  });

  it('count for a clock that is a little behind, and not once it was set back', async (bench) => {
    const { ledger, other, clock } = bench;
    await ledger.bookCalls(5, 5);
    clock.nowMs -= 5_000;
    assert.equal((await other.bookCalls(1, 5)).calls, 0);
    clock.nowMs -= 3_600_000;
    assert.equal((await other.bookCalls(9, 5)).calls, 5);
  });
}

export function describeState(it: OnStore): void {
  it('is its lag, and what is undelivered and unknown', async ({ ledger, other, clock }) => {
    const nothing = { oldestEventAtMs: null, deadEvents: 0, nextDueAtMs: null };
    const empty = { sweepLagMs: 0, undelivered: 0, unknownAttempts: 0, ...nothing };
    assert.deepEqual(await ledger.readState(), empty);
    await ledger.recordInvoice(toCharge());
    clock.nowMs += firstLookUpAfterMs;
    assert.equal((await ledger.readState()).sweepLagMs, 0);
    await ledger.recordInvoice(toInvoice({ invoiceId: 'invoice-2' }));
    clock.nowMs += 2_000;
    await begin(ledger, toCard({ externalId: 'order-2' }), unknown);
    const oldest = { oldestEventAtMs: startMs + firstLookUpAfterMs, deadEvents: 0 };
    const state = { sweepLagMs: 2_000, undelivered: 2, unknownAttempts: 1, ...oldest };
    const nextDueAtMs = clock.nowMs - 2_000;
    assert.deepEqual(await other.readState(), { ...state, nextDueAtMs });
    await other.claimEvents(allKinds, 10, 60_000);
    await other.claimDueLookUps(10, 60_000);
    const claimed = { ...state, sweepLagMs: 0, nextDueAtMs: startMs + 2 * firstLookUpAfterMs };
    assert.deepEqual(await other.readState(), claimed);
    await ledger.recordPaid(toPaid({ invoiceId: 'invoice-2' }), none);
    const paid = { ...claimed, oldestEventAtMs: clock.nowMs, nextDueAtMs: clock.nowMs };
    assert.deepEqual(await other.readState(), paid);
  });

  it('names the events that were given up, for a day', async ({ ledger, other, clock }) => {
    await ledger.recordMismatch(toInvoice(), 'is_pix');
    await ledger.recordMismatch(toInvoice({ externalId: 'order-2' }), 'is_pix');
    const [first, second] = await ledger.claimEvents(['mismatch'], 2, 0);
    await ledger.endEvent(first!.notice.deliveryId, 'given_up');
    await ledger.endEvent(second!.notice.deliveryId, 'delivered');
    clock.nowMs += 24 * 3_600_000 - 1;
    assert.equal((await other.readState()).deadEvents, 1);
    clock.nowMs += 1;
    assert.equal((await other.readState()).deadEvents, 0);
  });

  it('is when something falls due next', async ({ ledger, other, clock }) => {
    const next = async (kinds?: DeliveryKind[]) => {
      const { nextDueAtMs } = await other.readState(kinds);
      return nextDueAtMs === null ? null : nextDueAtMs - startMs;
    };
    await begin(ledger, toCard(), stages.sent);
    assert.equal(await next(), 60_000, 'the end of a sent attempt');
    await ledger.recordInvoice(toInvoice({ externalId: 'order-2' }));
    assert.equal(await next(), 0, 'the event of a code');
    assert.equal(await next([]), firstLookUpAfterMs, 'the look-up of an invoice');
    const [event] = await ledger.claimEvents(['waiting'], 1, 1_000);
    assert.equal(await next(['waiting']), 1_000, 'the end of a claim');
    const retryAtMs = clock.nowMs + 2_000;
    await ledger.endEvent(event!.notice.deliveryId, { retryAtMs });
    assert.equal(await next(['waiting', 'paid']), 2_000, 'another try');
    await ledger.endEvent(event!.notice.deliveryId, 'given_up');
    assert.equal(await next(), firstLookUpAfterMs);
    clock.nowMs += firstLookUpAfterMs;
    const [due] = await ledger.claimDueLookUps(1, 30_000);
    assert.equal(await next(), firstLookUpAfterMs + 30_000);
    await ledger.scheduleLookUp(due!, null);
    assert.equal(await next(), 60_000);
    clock.nowMs = startMs + 60_000;
    await ledger.expireSent();
    assert.equal(await next(['waiting']), null, 'nothing that has a hook');
  });

  it('counts as undelivered only the kinds that are asked for', async ({ ledger }) => {
    await ledger.recordInvoice(toInvoice());
    await ledger.recordMismatch(toInvoice(), 'total_cents');
    await ledger.recordPaid(toPaid({ externalId: 'order-2' }), none);
    const counts: [kinds: DeliveryKind[], undelivered: number][] = [
      [[], 0],
      [['lapsed'], 0],
      [['paid'], 1],
      [['paid', 'mismatch'], 2],
      [['paid', 'waiting', 'mismatch'], 3],
    ];
    for (const [kinds, undelivered] of counts) {
      assert.equal((await ledger.readState(kinds)).undelivered, undelivered, kinds.join());
    }
  });
}
