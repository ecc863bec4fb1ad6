/**
 * A postback of an order that the store does not have: a backup was restored, ninety days are over, the store is empty. What it
 * names is in the order, or with a person, before the service hears 2xx.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { minuteMs } from '../../../src/domain/spans.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import { createMemoryStore } from '../../../src/proxy/store/memory-store.js';
import { inProgress, orderPaid, outcomeOf } from '../../support/proxy/card-shop.js';
import { json, openKeptShop } from '../../support/proxy/shop.js';
import type { WireFields } from '../../support/proxy/shop.js';
import { resolveNow } from '../../support/proxy/kept-order.js';

/** A code was made, and the store has lost it. */
async function openLost(options: Partial<ProxyOptions> = {}) {
  const { upstream, clock, ...former } = openKeptShop();
  const { data } = await (await former.create()).json();
  const told: string[] = [];
  const shop = openKeptShop(
    {
      onPaid: ({ totalCents, duplicate }) =>
        void told.push(`paid ${totalCents}${duplicate ? ' twice' : ''}`),
      onMismatch: ({ field, totalCents }) => void told.push(`${field} not ${totalCents}`),
      onReturned: ({ status }) => void told.push(status),
      ...options,
    },
    { upstream, clock, store: createMemoryStore(clock.now), heard: former.heard },
  );
  /** The service tells of the invoice. */
  const report = async (body: object = { id: data.invoice_id }) =>
    (await shop.postback(body)).status;
  const wire: WireFields = upstream.of(data);
  return { shop, wire, told, report };
}

const kept = ({ shop }: Awaited<ReturnType<typeof openLost>>) => shop.store.read('order-1');

describe('a postback of an order that the store has lost', () => {
  it('is looked up: a payment that agrees with the price of the shop pays the order', async () => {
    const { shop, wire, told, report } = await openLost();
    wire.status = 'paid';
    assert.equal(await report(), 200);
    assert.equal(await outcomeOf(shop.create()), orderPaid);
    assert.equal(shop.upstream.creates(), 1);
    await shop.live(minuteMs);
    assert.deepEqual(told, ['paid 12345']);
  });

  it('by card, at the price of a card, also in a shop that takes no Pix', async () => {
    for (const pix of [11_000, null]) {
      const prices = { pix, credit_card: 12_345 };
      const { shop, wire, told, report } = await openLost({
        resolveOrder({ method, installment }) {
          const cents = prices[method];
          return cents === null ? null : { total_price_cents: cents * installment };
        },
      });
      Object.assign(wire, { status: 'paid', is_pix: false });
      assert.equal(await report(), 200);
      await shop.live(minuteMs);
      assert.deepEqual(told, ['paid 12345']);
    }
  });

  it('one that differs stands in its order: no code is offered beside it, and a person decides', async () => {
    const lost = await openLost();
    const { shop, wire, told, report } = lost;
    Object.assign(wire, { status: 'paid', total_cents: 9_900 });
    assert.equal(await report(), 200);
    assert.equal(await outcomeOf(shop.create()), inProgress);
    await shop.live(minuteMs);
    assert.deepEqual(told, ['total_cents not 12345']);
    assert.equal(await outcomeOf(shop.create()), inProgress);
    assert.equal(shop.upstream.creates(), 1);
    assert.equal(await resolveNow(shop, 'order-1', wire.invoice_id), true);
    assert.equal(await outcomeOf(shop.create()), orderPaid);
    await shop.live(minuteMs);
    assert.equal(told.length, 2);
  });

  it('one whose shop names no price any more goes to a person', async () => {
    for (const status of ['paid', 'closed'] as const) {
      const { shop, wire, told, report } = await openLost({ resolveOrder: () => ({ status }) });
      wire.status = 'paid';
      assert.equal(await report(), 200);
      await shop.live(minuteMs);
      assert.deepEqual(told, ['total_cents not 0']);
    }
  });

  it('what is open is kept and watched', async () => {
    const { shop, wire, told, report } = await openLost();
    assert.equal(await report(), 200);
    await shop.live(minuteMs);
    wire.status = 'paid';
    await shop.live(10 * minuteMs);
    assert.deepEqual(told, ['paid 12345']);
  });

  it('what went back is told', async () => {
    const { shop, wire, told, report } = await openLost();
    wire.status = 'refunded';
    assert.equal(await report(), 200);
    await shop.live(minuteMs);
    assert.deepEqual(told, ['refunded']);
  });

  it('has to be told again where it cannot be looked up or priced, and nothing is kept', async () => {
    for (const answer of [() => json({}, 500), () => json({}, 404)]) {
      const lost = await openLost();
      const { shop, wire, told, report } = lost;
      wire.status = 'paid';
      shop.upstream.behave = answer;
      assert.equal(await report(), 503);
      assert.equal(await kept(lost), null);
      shop.upstream.behave = () => undefined;
      assert.equal(await report(), 200);
      await shop.live(minuteMs);
      assert.deepEqual(told, ['paid 12345']);
    }
    let isDown = true;
    const lost = await openLost({
      onError: () => undefined,
      resolveOrder() {
        if (isDown) throw new Error('down');
        return { total_price_cents: 12_345 };
      },
    });
    assert.equal(await lost.report(), 503);
    isDown = false;
    assert.equal(await lost.report(), 200);
  });

  it('keeps nothing that is not of the order, or of an order that the shop does not know', async () => {
    const foreign = await openLost();
    Object.assign(foreign.wire, { status: 'paid', external_id: 'another' });
    const unknown = await openLost({ resolveOrder: () => null });
    unknown.wire.status = 'paid';
    for (const lost of [foreign, unknown]) {
      assert.equal(await lost.report(), 200);
      assert.equal(await kept(lost), null);
      const [entry] = lost.shop.logged('postback_unknown');
      assert.equal(entry?.invoiceId, lost.wire.invoice_id);
    }
    assert.equal(unknown.shop.upstream.lookUps(), 0);
    const nameless = await openLost();
    assert.equal(await nameless.report({ status: 'paid' }), 200);
    assert.equal(await kept(nameless), null);
  });
});

it('a mismatch that a postback names stands in an order that the store has: no code is offered beside it', async () => {
  const shop = openKeptShop();
  const { data } = await (await shop.create()).json();
  const other = { ...shop.upstream.of(data), invoice_id: `${data.invoice_id}2`, status: 'paid' };
  shop.upstream.invoices.set(other.invoice_id, { ...other, total_cents: 9_900 });
  assert.equal((await shop.postback({ id: other.invoice_id })).status, 200);
  await shop.live(10_000);
  shop.totalCents = 13_000;
  assert.equal(await outcomeOf(shop.create()), inProgress);
  assert.equal(shop.upstream.creates(), 1);
});
