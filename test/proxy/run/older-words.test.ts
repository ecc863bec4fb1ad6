/** An older answer of the service undoes no newer one: it is looked up again before anything is told. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { hourMs, minuteMs } from '../../../src/domain/spans.js';
import {
  createGate,
  createWorld,
  dataOf,
  json,
  openKeptShop,
  settle,
  turnsUntil,
} from '../../support/proxy/shop.js';
import type { WireFields } from '../../support/proxy/shop.js';

const at = (minute: number) => `2026-11-21T10:${String(minute).padStart(2, '0')}:00.000000-03:00`;

/** An order with a code, and what its shop hears. */
async function openOrder() {
  const told: string[] = [];
  const world = createWorld();
  const hooks = {
    onPaid: ({ returned }: { returned?: true }) =>
      void told.push(returned ? 'paid, returned' : 'paid'),
    onReturned: ({ status, isPaidAgain }: { status: string; isPaidAgain: boolean }) =>
      void told.push(isPaidAgain ? 'paid again' : status),
  };
  const shop = openKeptShop({ backgroundJobs: false, ...hooks }, world);
  const other = openKeptShop({ backgroundJobs: false, ...hooks }, world);
  const made = await dataOf(shop.create());
  const wire = shop.upstream.of(made);
  const report = async (by = shop) =>
    assert.equal((await by.postback({ id: made.invoice_id })).status, 200);
  return { shop, other, made, wire, told, report };
}

type Opened = Awaited<ReturnType<typeof openOrder>>;

async function pay({ shop, made }: Opened) {
  await shop.seePaid(made);
  await shop.live(2 * minuteMs);
}

/** A look-up that begins now, and is answered later with what is so now. */
async function holdLookUp({ shop, wire }: Opened, begin: () => Promise<unknown>) {
  const { opened, release } = createGate();
  const { behave } = shop.upstream;
  const old: WireFields = { ...wire };
  let isHeld = false;
  shop.upstream.behave = async ({ method }) => {
    if (method !== 'GET' || isHeld) return undefined;
    isHeld = true;
    await opened;
    return json({ data: old });
  };
  const ended = begin();
  await turnsUntil(() => isHeld);
  await shop.clock.advance(5_000);
  return async () => {
    release();
    await ended;
    shop.upstream.behave = behave;
    await settle();
  };
}

describe('an answer that was asked for before a newer one', () => {
  it('does not make paid again what was refunded', async () => {
    const opened = await openOrder();
    const { shop, other, wire, told, report } = opened;
    await pay(opened);
    const answerOld = await holdLookUp(opened, () => report());
    Object.assign(wire, { status: 'refunded', updated_at: at(10) });
    await report(other);
    await answerOld();
    await shop.live(10 * minuteMs);
    assert.deepEqual(told, ['paid', 'refunded']);
  });

  it('pays the order, and leaves what was told of its return', async () => {
    const opened = await openOrder();
    const { shop, other, wire, made, told, report } = opened;
    wire.status = 'paid';
    const answerOld = await holdLookUp(opened, () => shop.lookUp(made));
    wire.status = 'refunded';
    await report(other);
    await answerOld();
    await shop.live(10 * minuteMs);
    assert.deepEqual(told, ['refunded', 'paid, returned']);
    const { paid } = await shop.kept();
    assert.equal(paid?.word, 'refunded');
  });
});

describe('an answer of a replica that lags', () => {
  it('is looked up again, and not told', async () => {
    const opened = await openOrder();
    const { shop, wire, told, report } = opened;
    await pay(opened);
    Object.assign(wire, { status: 'refunded', updated_at: at(10) });
    await report();
    await shop.live(minuteMs);
    const asked = shop.upstream.lookUps();
    Object.assign(wire, { status: 'paid', updated_at: at(0) });
    await report();
    Object.assign(wire, { status: 'refunded', updated_at: at(10) });
    await shop.live(10 * minuteMs);
    assert.deepEqual(told, ['paid', 'refunded']);
    assert.ok(shop.upstream.lookUps() >= asked + 2, 'looked up again');
  });

  it('is believed where its time is newer, at once', async () => {
    const opened = await openOrder();
    const { shop, wire, told, report } = opened;
    await pay(opened);
    for (const [status, minute] of [
      ['contested', 10],
      ['paid', 20],
    ] as const) {
      Object.assign(wire, { status, updated_at: at(minute) });
      await report();
      await shop.live(minuteMs);
    }
    assert.deepEqual(told, ['paid', 'contested', 'paid again']);
  });

  it('is believed within two hours where the service goes on saying so', async () => {
    const opened = await openOrder();
    const { shop, wire, told, report } = opened;
    await pay(opened);
    Object.assign(wire, { status: 'contested', updated_at: at(10) });
    await report();
    await shop.live(minuteMs);
    Object.assign(wire, { status: 'paid', updated_at: at(0) });
    const asked = shop.upstream.lookUps();
    await report();
    await shop.live(30 * minuteMs);
    assert.deepEqual(told, ['paid', 'contested']);
    await shop.live(2 * hourMs);
    assert.deepEqual(told, ['paid', 'contested', 'paid again']);
    assert.ok(shop.upstream.lookUps() - asked < 20);
  });
});
