/**
 * Paid is never taken back, by no process: one looked the payment up, and another one is asked when the service has changed
 * its word, forgets the invoice or is down, or the merchant's code no longer sells the order.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { ProxyOptions } from '../../../src/proxy.js';
import { minuteMs } from '../../../src/domain/spans.js';
import { createBrokenStore } from '../../support/proxy/broken-store.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';
import {
  card,
  assertPaidBy,
  createWorld,
  dataOf,
  json,
  openKeptShop,
} from '../../support/proxy/shop.js';
import type { Shop, ShopOptions, Ticket, Upstream, WireFields } from '../../support/proxy/shop.js';
import { column } from '../../support/rows.js';

/** Two processes, and an invoice that the first one found paid. */
async function openPaid(
  options: Partial<ProxyOptions> = {},
  body: Record<string, unknown> = {},
  world = createWorld(),
) {
  const first = openKeptShop({}, world);
  const second = openKeptShop(options, first);
  const { upstream, clock } = first;
  const made = await dataOf(first.create({ body }));
  const invoice = upstream.of(made);
  await first.seePaid(made);
  await clock.advance(5_000);
  return { first, second, upstream, made, invoice, clock };
}

const changes: Record<string, (invoice: WireFields, upstream: Upstream) => unknown> = {
  'says pending': (invoice) => (invoice.status = 'pending'),
  'says refunded': (invoice) => (invoice.status = 'refunded'),
  'says canceled': (invoice) => (invoice.status = 'canceled'),
  'says an unknown word': (invoice) => (invoice.status = 'mystery'),
  'says pending of another total': (invoice) =>
    Object.assign(invoice, { status: 'pending', total_cents: 1 }),
  'says paid of another total': (invoice) => (invoice.total_cents = 1),
  'names another order': (invoice) => (invoice['external_id'] = 'order-2'),
  'has forgotten it': ({ invoice_id }, { invoices }) => invoices.delete(invoice_id),
  'is down': (_, upstream) => (upstream.behave = () => json({}, 503)),
};

describe('A paid invoice, asked of another process', () => {
  for (const [name, change] of Object.entries(changes)) {
    for (const [method, body] of Object.entries({ pix: {}, credit_card: card })) {
      it(`is paid though the service ${name} (${method}), also once that one has said so`, async () => {
        for (const hasSaid of [false, true]) {
          const { second, upstream, made, invoice } = await openPaid({}, body);
          if (hasSaid) await assertPaidBy(second.create(), made);
          change(invoice, upstream);
          const shown = await dataOf(second.lookUp(made));
          const { status, total_cents, external_id, is_pix } = shown;
          const created = { total_cents: 12_345, external_id: 'order-1', is_pix: method === 'pix' };
          assert.deepEqual(
            { status, total_cents, external_id, is_pix },
            { status: 'paid', ...created },
          );
          assert.equal((await dataOf(second.lookUp(made, '?wait=25')))['status'], 'paid');
        }
      });
    }
  }

  it('is paid though the ledger fails once that one has said so', async () => {
    const broken = createBrokenStore();
    const { second, made, invoice } = await openPaid({}, {}, broken.world);
    await assertPaidBy(second.create(), made);
    invoice.status = 'pending';
    broken.break('change', 'down');
    assert.equal((await dataOf(second.lookUp(made)))['status'], 'paid');
  });

  it('is looked up all the same once that one has said so: the service knows more of it', async () => {
    const { second, made, invoice } = await openPaid();
    invoice['updated_at'] = '2026-11-25T10:00:00Z';
    await assertPaidBy(second.create(), made);
    assert.equal((await dataOf(second.lookUp(made)))['updated_at'], '2026-11-25T10:00:00Z');
  });

  it('makes no other code of its order paid that was paid with another total', async () => {
    const first = openKeptShop();
    const former = await dataOf(first.create());
    const paid = await dataOf(first.create({ body: { replaces: former.invoice_id } }));
    await first.seePaid(paid);
    Object.assign(first.upstream.of(former), { status: 'paid', total_cents: 1 });
    const second = openKeptShop({}, first);
    assert.equal((await dataOf(second.lookUp(former)))['status'], 'amount_mismatch');
  });
});

const answers: Record<string, ProxyOptions['resolveOrder']> = {
  closed: () => ({ status: 'closed' }),
  'not known': () => null,
  'sold for another price': () => ({ total_price_cents: 1 }),
  'not to be had, because its database is down': () => Promise.reject(new Error('down')),
};
for (const [name, resolveOrder] of Object.entries(answers)) {
  it(`A paid order, asked of another process is paid though the shop says it is ${name}`, async () => {
    const paymentPage = { name: 'Loja' };
    const { second, made } = await openPaid({ resolveOrder, paymentPage, onError: () => {} });
    const body = { expected_total_cents: 12_345 };
    await assertPaidBy(second.create({ body }), made);
    await assertPaidBy(second.create({ body: { ...body, ...card } }), made);
    const headers = { authorization: `Bearer ${await second.signOrder('order-1')}` };
    await assertPaidBy(second.request('/order', { headers }), made);
  });
}

/** The service calls it paid, then pending, and the store works again. */
async function openTold(tell: (shop: Shop, made: Ticket) => Promise<void>) {
  const broken = createBrokenStore();
  const shop = openKeptShop({ hears: ['onPaid'], backgroundJobs: false }, broken.world);
  const made = await dataOf(shop.create());
  const invoice = shop.upstream.of(made);
  await shop.clock.advance(2_000);
  invoice.status = 'paid';
  shop.upstream.behave = () => broken.break('change', 'down');
  await tell(shop, made);
  shop.upstream.behave = () => undefined;
  broken.mend();
  invoice.status = 'pending';
  await shop.clock.advance(2_000);
  return { shop, made, invoice };
}

const ways: Readonly<Record<string, (shop: Shop, made: Ticket) => Promise<void>>> = {
  'by its look-up': async (shop, made) => {
    assert.equal((await dataOf(shop.lookUp(made)))['status'], 'paid');
  },
  'as it asked for a code of another price': async (shop, made) => {
    shop.totalCents = 20_000;
    await assertPaidBy(shop.create(), made);
  },
};
for (const [name, tell] of Object.entries(ways)) {
  it(`A page that was told of its payment while the store failed goes on being told so, and its order hears of it all the same: ${name}`, async () => {
    const { shop, made, invoice } = await openTold(tell);
    assert.equal((await dataOf(shop.lookUp(made)))['status'], 'paid');
    invoice.status = 'paid';
    await shop.live(120_000);
    assert.deepEqual(column(shop.heard.onPaid, 'invoiceId'), [made.invoice_id]);
  });
}

/**
 * A database that failed over may have lost the last commits. What a process remembers answers its pages, and decides nothing of
 * money: the payment is recorded again by whatever looks it up.
 */
async function openLost() {
  const options: ShopOptions = { backgroundJobs: false, hears: ['onPaid'] };
  const [shop, made] = await openInvoice(options, openKeptShop);
  const before = (await shop.store.read('order-1')) ?? assert.fail();
  await shop.seePaid(made);
  await shop.proxy.runDue();
  assert.deepEqual(column(shop.heard.onPaid, 'invoiceId'), [made.invoice_id]);
  await shop.store.change('order-1', () => [before, undefined]);
  assert.equal((await shop.kept()).paidId, null);
  await shop.clock.advance(5_000);
  return { shop, made };
}

const lostWays: Readonly<Record<string, (shop: Shop, made: Ticket) => Promise<unknown>>> = {
  'when its look-up falls due': (shop) => shop.live(minuteMs),
  'when a postback comes': (shop) => shop.postback({}).then(() => shop.live(1_000)),
  'when a card is to leave': (shop, made) => assertPaidBy(shop.create({ body: card }), made),
  'when a code of another price is wanted': (shop, made) => {
    shop.totalCents = 1;
    return assertPaidBy(shop.create(), made);
  },
};
for (const [name, way] of Object.entries(lostWays)) {
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
