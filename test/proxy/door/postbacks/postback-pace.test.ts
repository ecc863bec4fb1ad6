/** How many look-ups postbacks cost, and what becomes of them in trouble. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { minuteMs } from '../../../../src/domain/spans.js';
import { LedgerError } from '../../../../src/proxy/store/order-store.js';
import type { OrderStore } from '../../../../src/proxy/store/order-store.js';
import { openInvoice } from '../../../support/proxy/open-invoice.js';
import { closeOnly, json, openKeptShop, settle, turnsUntil } from '../../../support/proxy/shop.js';

/** An open invoice of a shop whose store can be broken, and how many of the store's changes wrote something. */
async function openKept() {
  let writes = 0;
  let isDown = false;
  const counted: OrderStore['change'] = (externalId, step, terms) => {
    if (isDown) return Promise.reject(new LedgerError('57P01'));
    const counting: typeof step = (order, nowMs) => {
      const changed = step(order, nowMs);
      if (changed[0] !== order) writes += 1;
      return changed;
    };
    return change(externalId, counting, terms);
  };
  const [shop, made, invoice] = await openInvoice({}, openKeptShop);
  const { change } = shop.store;
  Object.assign(shop.store, { change: counted });
  return {
    shop,
    made,
    invoice,
    clock: shop.clock,
    writes: () => writes,
    fail: (down: boolean) => void (isDown = down),
    tell: async (body?: object) => (await shop.postback(body)).status,
    isPaid: async () => (await shop.kept()).paid !== null,
    dueAtMs: async () => (await shop.kept()).invoices[0]?.lookUpAtMs ?? null,
  };
}

describe('many postbacks of one order', () => {
  it('cost a look-up in two seconds, and hardly a write: a thousand at once cost two', async () => {
    const { shop, clock, tell, writes } = await openKept();
    const before = writes();
    for (let i = 0; i < 1_000; i++) assert.equal(await tell(), 200);
    await shop.clock.advance(0);
    assert.equal(shop.upstream.lookUps(), 1);
    assert.ok(writes() - before <= 4, `${writes() - before} writes`);
    await clock.advance(1_000);
    assert.equal(shop.upstream.lookUps(), 1);
    await clock.advance(2_000);
    assert.equal(shop.upstream.lookUps(), 2);
  });

  it('drop none: the third within two seconds says paid, and is durable when it is answered', async () => {
    for (const isNamed of [false, true]) {
      const { shop, made, invoice, clock, tell, dueAtMs, isPaid } = await openKept();
      const body = isNamed ? { id: made.invoice_id } : undefined;
      await tell(body);
      await shop.clock.advance(0);
      await tell(body);
      invoice.status = 'paid';
      assert.equal(await tell(body), 200);
      assert.ok(((await dueAtMs()) ?? Infinity) <= clock.now() + 2_000);
      await clock.advance(3_000);
      assert.equal(await isPaid(), true);
    }
  });

  it('never ask twice at once, however slow the service is', async () => {
    const { shop, clock, tell } = await openKept();
    shop.upstream.behave = () => new Promise(() => {});
    for (let i = 0; i < 5; i++) {
      await tell();
      await clock.advance(1_000);
    }
    assert.equal(shop.upstream.lookUps(), 1);
  });

  it('share the two seconds over several processes', async () => {
    const { shop, clock } = await openKept();
    const askedAtMs: number[] = [];
    shop.upstream.behave = () => void askedAtMs.push(clock.now());
    const shops = [shop, ...[1, 2, 3].map(() => openKeptShop({}, shop))];
    // Before anybody else asks.
    const startedAtMs = clock.now();
    for (let i = 0; i < 50; i++) for (const each of shops) await each.postback();
    await settle();
    assert.equal(askedAtMs.length, 1);
    await clock.advance(14_000);
    // One asks again for all that came after the first look-up.
    const times = askedAtMs.map((atMs) => Math.floor((atMs - startedAtMs) / 1_000));
    assert.deepEqual(times, [0, 2]);
    for (const { proxy } of shops) await proxy.close();
  });
});

describe('trouble behind a postback', () => {
  it('is told to the service, which comes again: it is answered 503 while the store is down', async () => {
    const { shop, invoice, clock, fail, tell, isPaid } = await openKept();
    await clock.advance(8 * minuteMs);
    fail(true);
    invoice.status = 'paid';
    assert.equal(await tell(), 503);
    const [entry] = shop.log.filter(({ operation }) => operation === 'postback');
    const about = { operation: 'postback', externalId: 'order-1', errorName: 'LedgerError 57P01' };
    assert.deepEqual(entry, { level: 'error', event: 'ledger_failed', ...about });
    fail(false);
    assert.equal(await tell(), 200);
    await shop.clock.advance(0);
    assert.equal(await isPaid(), true);
  });

  it('in the service has the invoice looked up again, soon', async () => {
    const { shop, invoice, clock, tell, isPaid } = await openKept();
    await clock.advance(8 * minuteMs);
    shop.upstream.behave = () => json({}, 500);
    await tell();
    await settle();
    shop.upstream.behave = () => undefined;
    invoice.status = 'paid';
    await clock.advance(6_000);
    assert.equal(await isPaid(), true);
  });
});

describe('a proxy that is being closed', () => {
  it('finishes the look-up of a postback, and leaves the next one to others', async () => {
    const { shop, clock, tell, dueAtMs } = await openKept();
    const release = shop.upstream.hold('GET');
    await tell();
    await turnsUntil(() => shop.upstream.lookUps() === 1);
    await tell();
    await closeOnly(shop, release);
    assert.equal(clock.dues().length, 0);
    assert.ok(((await dueAtMs()) ?? Infinity) <= clock.now() + 2_000);
  });

  it('takes postbacks still, and leaves them to others', async () => {
    const { shop, clock, tell, dueAtMs } = await openKept();
    await shop.proxy.close();
    assert.equal(await tell(), 200);
    await settle();
    assert.equal(shop.upstream.lookUps(), 0);
    assert.equal(await dueAtMs(), clock.now());
  });
});
