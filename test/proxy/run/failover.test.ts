/**
 * A database that failed over may have lost the last commits. What a process remembers answers its pages, and decides nothing of
 * money: the payment is recorded again by whatever looks it up.
 */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import { minuteMs } from '../../../src/domain/spans.js';
import { card, assertPaidBy, dataOf, openKeptShop } from '../support/shop.js';
import type { Shop, ShopOptions, Ticket } from '../support/shop.js';
import { openInvoice } from '../support/open-invoice.js';
import { column } from '../../world/rows.js';

/** A payment that this process recorded and told, and that the database lost. */
async function openLost() {
  const options: ShopOptions = { backgroundJobs: false, hears: ['onPaid'] };
  const [shop, made] = await openInvoice(options, openKeptShop);
  const before = (await shop.store.read('order-1')) ?? assert.fail();
  shop.upstream.pay(made);
  assert.equal((await dataOf(shop.lookUp(made)))['status'], 'paid');
  await shop.proxy.runDue();
  assert.deepEqual(column(shop.heard.onPaid, 'invoiceId'), [made.invoice_id]);
  await shop.store.change('order-1', () => [before, undefined]);
  assert.equal((await shop.kept()).paidId, null);
  await shop.clock.advance(5_000);
  return { shop, made };
}

const ways: Readonly<Record<string, (shop: Shop, made: Ticket) => Promise<unknown>>> = {
  'when its look-up falls due': (shop) => shop.live(minuteMs),
  'when a postback comes': (shop) => shop.postback({}).then(() => shop.live(1_000)),
  'when a card is to leave': (shop, made) => assertPaidBy(shop.create({ body: card }), made),
  'when a code of another price is wanted': (shop, made) => {
    shop.totalCents = 1;
    return assertPaidBy(shop.create(), made);
  },
};
for (const [name, way] of Object.entries(ways)) {
  it(`a payment that a failover lost is recorded again and told: ${name}`, async () => {
    const { shop, made } = await openLost();
    assert.equal((await dataOf(shop.lookUp(made)))['status'], 'paid', 'its page');
    await way(shop, made);
    assert.equal((await shop.kept()).paidId, made.invoice_id);
    await shop.live(minuteMs);
    const twice = [made.invoice_id, made.invoice_id];
    assert.deepEqual(column(shop.heard.onPaid, 'invoiceId'), twice);
    assert.equal(shop.upstream.creates(), 1);
  });
}
