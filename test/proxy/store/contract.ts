/** What every store does, whatever keeps it: the sentences of the interface `OrderStore`, one by one. */

import assert from 'node:assert/strict';
import { describe } from 'vitest';
import fc from 'fast-check';
import { dayMs, minuteMs } from '../../../src/domain/spans.js';
import { toEntries, toForgetAtMs } from '../../../src/proxy/order/due.js';
import type { Entry, EntryKind } from '../../../src/proxy/order/due.js';
import { createEmptyOrder } from '../../../src/proxy/order/order.js';
import type { Order } from '../../../src/proxy/order/order.js';
import { forgetOrder } from '../../../src/proxy/store/order-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { onStore } from './bench.js';
import type { Bench, OnStore, WithBench } from './bench.js';
import {
  addInvoice,
  anOrder,
  startMs,
  toAttempt,
  toEvent,
  toInvoice,
  toOrder,
  upTo,
} from './samples.js';
import { column } from '../../support/rows.js';
import { forAnyAsync } from '../../support/tables.js';

const allKinds: readonly EntryKind[] = ['sent', 'unknown', 'look_up', 'settled', 'named'];

/** Tests one kind of store. */
export function describeStore(name: string, withBench: WithBench): void {
  const it = onStore(withBench);
  describe(name, () => {
    describe('a change', () => describeChanges(it));
    describe('an entry', () => describeEntries(it));
    describe('a throttle', () => describeThrottles(it));
    describe('what one process makes for all', () => describeSharing(it));
    describe('in time', () => describePruning(it));
  });
}

function describeChanges(it: OnStore): void {
  it('begins with an empty order, and reads as it was written', async ({ store, other, clock }) => {
    assert.equal(await store.read('order-1'), null);
    clock.nowMs += 5;
    const seen: unknown[] = [];
    const answer = await store.change('order-1', (order, nowMs) => {
      seen.push([order, nowMs]);
      return [toOrder('order-1', 2), 'answer'];
    });
    assert.deepEqual(seen, [[createEmptyOrder('order-1'), startMs + 5]]);
    assert.equal(answer, 'answer');
    assert.deepEqual(await other.read('order-1'), toOrder('order-1', 2));
    assert.equal(await other.read('order-2'), null);
  });

  it('that gives the same object back writes nothing', async ({ store, other }) => {
    assert.equal(await store.change('order-1', (order) => [order, 1]), 1);
    assert.equal(await other.read('order-1'), null);
    await store.change('order-1', () => [toOrder('order-1', 1), null]);
    assert.equal(await store.change('order-1', (order) => [order, 2]), 2);
    assert.deepEqual(await other.read('order-1'), toOrder('order-1', 1));
  });

  it('that gives nothing back deletes the order with its entries', async ({ store, other }) => {
    assert.equal(await store.change('order-1', () => [null, 'none']), 'none');
    await store.change('order-1', () => [toOrder('order-1', 2), null]);
    await store.change('order-2', addInvoice(1));
    assert.equal(await other.change('order-1', () => [null, 'gone']), 'gone');
    assert.equal(await store.read('order-1'), null);
    assert.equal((await search(store, allKinds)).length, 1);
    assert.equal(await store.change('order-1', addInvoice(1)), 1);
  });

  it('whose step fails is none', async ({ store, other }) => {
    const failing = store.change('order-1', () => {
      throw new Error('step');
    });
    await assert.rejects(failing, { message: 'step' });
    assert.equal(await other.read('order-1'), null);
    assert.equal(await store.change('order-1', addInvoice(1)), 1);
  });

  for (const isRelaxed of [false, true]) {
    it(`is one of many at once, and none is lost: ${isRelaxed ? 'relaxed' : 'durable'}`, async (bench) => {
      const answers = await atOnce(bench, 100, (store, n) =>
        store.change(`order-${n % 2}`, addInvoice(n), { isRelaxed }),
      );
      const expected = upTo(50).flatMap((n) => [n, n]);
      assert.deepEqual(
        answers.toSorted((a, b) => a - b),
        expected,
      );
      for (const id of ['order-0', 'order-1']) {
        assert.equal((await bench.other.read(id))?.invoices.length, 50);
      }
      assert.equal((await search(bench.other, ['look_up'])).length, 100);
    });
  }

  it('of which one wins: the others see what it wrote', async (bench) => {
    const claims = await atOnce(bench, 60, (store, n) =>
      store.change('order-1', (order) => {
        if (order.attempts.length > 0) return [order, 'busy'];
        return [{ ...order, attempts: [toAttempt({ key: `key-${n}` })] }, 'claimed'];
      }),
    );
    assert.equal(claims.filter((claim) => claim === 'claimed').length, 1);
    assert.equal((await bench.store.read('order-1'))?.attempts.length, 1);
  });

  it('keeps text of any characters, but for those that no database takes', async ({ store }) => {
    const text = 'é😀\u2028"\\u0000 \\';
    const write = (status: string) =>
      store.change('order-1', (order) => [{ ...order, invoices: [toInvoice({ status })] }, null]);
    await write(text);
    assert.equal((await store.read('order-1'))?.invoices[0]?.status, text);
    await write(`${text}\0\uD800`);
    assert.equal((await store.read('order-1'))?.invoices[0]?.status.slice(0, text.length), text);
  });
}

function describeEntries(it: OnStore): void {
  it('stands for each that an order has, after each of its changes', async ({ store, other }) => {
    await forAnyAsync(40, fc.array(anOrder('order-1'), { maxLength: 4 }), async (orders) => {
      for (const next of orders) {
        await store.change('order-1', () => [next, null]);
        assert.deepEqual(await search(other, allKinds), toLines([next]));
      }
    });
  });

  it('is found by its kind and its time', async ({ store }) => {
    for (const order of [toOrder('order-1', 3), toOrder('order-2', 2)]) {
      await store.change(order.externalId, () => [order, null]);
    }
    const find = async (terms: Partial<Parameters<OrderStore['search']>[0]>) =>
      (await store.search({ kinds: ['look_up'], most: 10, ...terms })).map(({ id }) => id);
    const all = ['order-1-1', 'order-2-1', 'order-1-2', 'order-2-2', 'order-1-3'];
    assert.deepEqual(await find({}), all);
    assert.deepEqual(await find({ untilMs: startMs + 1 }), all.slice(0, 2));
    assert.deepEqual(await find({ untilMs: startMs + 1.9 }), all.slice(0, 2));
    assert.deepEqual(await find({ fromMs: startMs + 1.1 }), all.slice(2));
    assert.deepEqual(await find({ most: 3 }), all.slice(0, 3));
    assert.deepEqual(await find({ kinds: ['settled'] }), []);
    assert.deepEqual(await find({ kinds: [] }), []);
  });

  it('belongs to its order, whatever others call theirs', async ({ store }) => {
    for (const externalId of ['order-1', 'order-2']) {
      await store.change(externalId, addInvoice(1, { lookUpAtMs: startMs }));
    }
    await store.change('order-1', (order) => [{ ...order, invoices: [] }, null]);
    const [left, ...more] = await store.search({ kinds: ['look_up'], most: 10 });
    assert.deepEqual([left?.externalId, more], ['order-2', []]);
  });

  it('comes by its time, and of one time by its rank', async ({ store }) => {
    const events = ([10, 0, 5, 0] as const).map((dueMs, n) => toEvent(n, startMs + dueMs));
    await store.change('order-1', (order) => [{ ...order, events }, null]);
    await store.change('order-2', () => [toOrder('order-2', 2), null]);
    const ids = async (kinds: readonly EntryKind[]) =>
      (await store.search({ kinds, untilMs: startMs + 5, most: 10 })).map(({ id }) => id);
    assert.deepEqual(await ids(['event paid']), ['event-1', 'event-3', 'event-2']);
    const both = [await ids(['event paid', 'look_up']), await ids(['look_up', 'event paid'])];
    const expected = ['event-1', 'event-3', 'event-2', 'order-2-1', 'order-2-2'];
    assert.deepEqual(both, [expected, expected]);
    const [first, ...more] = await store.search({ kinds: allKinds, untilMs: startMs + 5, most: 1 });
    assert.deepEqual([first?.id, more], ['order-2-1', []]);
    const latest = { untilMs: startMs + 5, most: 2, isLatestFirst: true } as const;
    const last = await store.search({ kinds: ['event paid'], ...latest });
    assert.deepEqual(column(last, 'id'), ['event-2', 'event-3']);
  });

  it('is counted as it is found', async ({ store }) => {
    await store.change('order-1', () => [toOrder('order-1', 3), null]);
    await store.change('order-2', () => [toOrder('order-2', 2), null]);
    const count = async (terms: Partial<Parameters<OrderStore['count']>[0]>) =>
      store.count({ kinds: ['look_up'], most: 10, ...terms });
    assert.deepEqual(await count({}), { count: 5, rank: (startMs + 1) * 1_000 });
    assert.deepEqual(await count({ fromMs: startMs + 3 }), {
      count: 1,
      rank: (startMs + 3) * 1_000,
    });
    assert.deepEqual(await count({ untilMs: startMs + 1 }), {
      count: 2,
      rank: (startMs + 1) * 1_000,
    });
    assert.equal((await count({ kinds: ['look_up', 'settled'], most: 4 })).count, 4);
    assert.equal((await count({ untilRank: (startMs + 1) * 1_000 })).count, 2);
    assert.equal((await count({ untilRank: (startMs + 1) * 1_000 - 1 })).count, 0);
    assert.deepEqual(await count({ kinds: ['settled'] }), { count: 0, rank: null });
    assert.deepEqual(await count({ kinds: [] }), { count: 0, rank: null });
  });

  it('may be of a time that is no whole number', async ({ store }) => {
    await store.change('order-1', addInvoice(1, { lookUpAtMs: startMs + 0.5 }));
    const due = { kinds: ['look_up'], most: 1 } as const;
    assert.equal((await store.search({ ...due, untilMs: startMs })).length, 0);
    assert.equal((await store.search({ ...due, untilMs: startMs + 1 })).length, 1);
  });
}

function describeThrottles(it: OnStore): void {
  it('is passed once in its time, by whichever process', async ({ store, other, clock }) => {
    assert.equal(await store.passThrottle('prune', 1_000), true);
    assert.equal(await other.passThrottle('prune', 1_000), false);
    assert.equal(await other.passThrottle('prune 2', 1_000), true);
    clock.nowMs += 999;
    assert.equal(await other.passThrottle('prune', 1_000), false);
    clock.nowMs += 1;
    assert.equal(await other.passThrottle('prune', 1_000), true);
    assert.equal(await store.passThrottle('prune', 1_000), false);
  });

  it('of which many ask at once lets one pass', async (bench) => {
    const passed = await atOnce(bench, 40, (store) => store.passThrottle('prune', 1_000));
    assert.equal(passed.filter(Boolean).length, 1);
  });

  it('that was passed far ahead, by a clock that was set back, is none', async (bench) => {
    const { store, clock } = bench;
    assert.equal(await store.passThrottle('prune', 1_000), true);
    clock.nowMs -= 999;
    assert.equal(await store.passThrottle('prune', 1_000), false);
    clock.nowMs -= 1;
    assert.equal(await store.passThrottle('prune', 1_000), true);
  });
}

function describeSharing(it: OnStore): void {
  it('is told to each, and made anew when it is older', async ({ store, other, clock }) => {
    let made = 0;
    const make = async () => ({ made: (made += 1), of: null });
    assert.deepEqual(await store.share('numbers', 1_000, make), { made: 1, of: null });
    assert.deepEqual(await other.share('numbers 2', 1_000, make), { made: 2, of: null });
    clock.nowMs += 999;
    assert.deepEqual(await other.share('numbers', 1_000, make), { made: 1, of: null });
    clock.nowMs += 1;
    assert.deepEqual(await other.share('numbers', 1_000, make), { made: 3, of: null });
  });

  it('that fails is made by the next one who asks', async ({ store, other, clock }) => {
    const fail = () => Promise.reject(new Error('make'));
    await assert.rejects(store.share('numbers', 1_000, fail), { message: 'make' });
    assert.equal(await other.share('numbers', 1_000, async () => 1), 1);
    clock.nowMs += 1_000;
    await assert.rejects(store.share('numbers', 1_000, fail), { message: 'make' });
    clock.nowMs += 1_000;
    assert.equal(await other.share('numbers', 1_000, async () => 2), 2);
  });
}

function describePruning(it: OnStore): void {
  it('an order whose time is over is forgotten, with its entries', async (bench) => {
    const { store, other, clock } = bench;
    const order = toOrder('order-1', 3);
    await store.change('order-1', () => [order, null]);
    const endsAtMs = toForgetAtMs(order) ?? assert.fail();
    clock.nowMs = endsAtMs;
    await other.prune();
    assert.deepEqual(await store.read('order-1'), order);
    clock.nowMs += dayMs;
    await other.prune();
    assert.deepEqual(await store.read('order-1'), order);
    clock.nowMs += dayMs;
    await Promise.all([store.prune(), other.prune()]);
    assert.equal(await store.read('order-1'), null);
    assert.deepEqual(await search(store, allKinds), []);
    // As if it had never been.
    assert.equal(await other.change('order-1', addInvoice(1)), 1);
    assert.equal((await search(store, allKinds)).length, 1);
  });

  it('an order that a person has to settle is not', async ({ store, clock }) => {
    const attempts = [toAttempt({ progress: { state: 'sent' } })];
    const order = toOrder('order-1', 1, { attempts });
    await store.change('order-1', () => [order, null]);
    clock.nowMs += 4_000 * dayMs;
    await prunedFor(store, clock);
    assert.deepEqual(await store.read('order-1'), order);
  });

  it('an order is not by a clock that is far ahead for a while', async ({ store, clock }) => {
    const order = toOrder('order-1', 1);
    await store.change('order-1', () => [order, null]);
    await prunedFor(store, clock);
    const rightMs = clock.nowMs;
    for (const aheadMs of [100 * dayMs, 100 * dayMs + minuteMs]) {
      clock.nowMs = rightMs + aheadMs;
      await store.prune();
    }
    clock.nowMs = rightMs;
    await prunedFor(store, clock);
    assert.deepEqual(await store.read('order-1'), order);
  });

  it('an order is forgotten sooner because a person asks, once no page uses it', async (bench) => {
    const { store, other, clock } = bench;
    const forget = () => forgetOrder(other, 'order-1');
    assert.deepEqual(await forget(), { forgotten: false, reason: 'unknown_order' });
    await store.change('order-1', (order) => [{ ...order, aliveAtMs: clock.nowMs }, null]);
    assert.deepEqual(await forget(), { forgotten: false, reason: 'in_use' });
    clock.nowMs += 8 * dayMs;
    assert.deepEqual(await forget(), { forgotten: true });
    assert.equal(await store.read('order-1'), null);
  });

  it('many are forgotten, and those that are used meanwhile are not', async (bench) => {
    const { store, other, clock } = bench;
    const orders = upTo(450).map((n) => toOrder(`order-${n}`, 1));
    for (const order of orders) {
      await store.change(order.externalId, () => [order, null], { isRelaxed: true });
    }
    clock.nowMs = (toForgetAtMs(orders[0] as Order) ?? assert.fail()) + 1;
    await store.prune();
    clock.nowMs += dayMs;
    const used = upTo(20).map((n) => other.change(`order-${n * 20}`, addInvoice(0)));
    await Promise.all([store.prune(), ...used]);
    await store.prune();
    for (const n of upTo(450)) {
      const order = await other.read(`order-${n}`);
      assert.equal(order?.aliveAtMs ?? null, n % 20 === 0 && n <= 400 ? clock.nowMs : null, `${n}`);
    }
  });

  it('throttles of yesterday are forgotten, and none of today', async ({ store, clock }) => {
    await store.passThrottle('prune', 1_000);
    await store.prune();
    assert.equal(await store.passThrottle('prune', 1_000), false);
    clock.nowMs += 2 * dayMs + 1;
    await store.prune();
    clock.nowMs -= 2 * dayMs + 1;
    assert.equal(await store.passThrottle('prune', 1_000), true);
  });
}

/** Pruned for two days. */
async function prunedFor(store: OrderStore, clock: Bench['clock']): Promise<void> {
  for (let day = 0; day < 2; day += 1) {
    await store.prune();
    clock.nowMs += dayMs;
  }
  await store.prune();
}

/** The entries of these kinds as lines, in no order of a store's own. */
async function search(store: OrderStore, kinds: readonly EntryKind[]): Promise<string[]> {
  return toSortedLines(await store.search({ kinds: [...kinds, 'named_paid'], most: 10_000 }));
}

function toLines(orders: readonly Order[]): string[] {
  return toSortedLines(orders.flatMap((order) => toEntries(order)));
}

function toSortedLines(entries: readonly Entry[]): string[] {
  return entries.map(({ kind, id, atMs, rank }) => `${kind} ${id} ${atMs} ${rank}`).toSorted();
}

/** Half of them through each handle. */
function atOnce<T>(
  { store, other }: Bench,
  times: number,
  act: (store: OrderStore, n: number) => Promise<T>,
): Promise<T[]> {
  return Promise.all(upTo(times).map((n) => act(n % 2 === 0 ? store : other, n)));
}
