/** Promises of an order that were broken once, each by what came long after or beside it. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { dayMs, hourMs, minuteMs } from '../../../src/domain/spans.js';
import { loadRenderer } from '../../../src/proxy/door/pay/qr-image.js';
import { loseCode } from '../../support/proxy/open-invoice.js';
import {
  card,
  dataOf,
  json,
  openKeptShop,
  refusalOf,
  settle,
  toWireInvoice,
} from '../../support/proxy/shop.js';
import type { Shop, ShopOptions } from '../../support/proxy/shop.js';
import { resolveNow } from '../../support/proxy/kept-order.js';
import { column } from '../../support/rows.js';

// A hook that reminds is called in real time, once the package that draws pictures is there.
await loadRenderer();

function open(options: ShopOptions = {}) {
  const shop = openKeptShop({ requireOrderToken: false, hears: ['onPaid'], ...options });
  const { skip, advance } = shop.clock;
  /** Time passes, and then what is due is done. */
  const pass = async (ms: number) => {
    skip(ms - 10_000);
    await advance(10_000);
  };
  const toldIds = (hook: 'onPaid' | 'onLapsed' | 'onPixWaiting' = 'onPaid') =>
    column(shop.heard[hook], 'invoiceId');
  return { shop, toldIds, ledger: shop.store, advance, skip, pass };
}

describe('nothing is sent for a key that has ended', () => {
  for (const [after, days] of [
    ['a day', 1.1],
    ['eight days', 8],
    ['eighty days', 80],
  ] as const) {
    it(`after ${after}`, async () => {
      const { shop, skip } = open();
      shop.upstream.behave = ({ method }) => (method === 'POST' ? json({}, 402) : undefined);
      const key = randomUUID();
      assert.equal(await refusalOf(shop.create({ key, body: card })), '402 payment_refused');
      const barred = randomUUID();
      assert.equal(await refusalOf(shop.ask(barred)), '404 not_found');
      skip(days * dayMs);
      shop.upstream.behave = () => undefined;
      for (const one of [key, barred]) {
        assert.match(
          await refusalOf(shop.create({ key: one, body: card })),
          /key_reused|payment_refused/,
        );
      }
      assert.equal(shop.upstream.creates(), 1);
    });
  }

  it('after more presses of Pix than attempts are kept', async () => {
    const { shop, skip } = open();
    const key = randomUUID();
    assert.equal(await refusalOf(shop.ask(key)), '404 not_found');
    for (let n = 0; n < 60; n += 1) {
      skip(5_000);
      await dataOf(shop.create({ key: randomUUID() }));
    }
    assert.equal(await refusalOf(shop.create({ key, body: card })), '422 key_reused');
    assert.equal(shop.upstream.creates(), 1);
  });
});

describe('an invoice that is paid with another total', () => {
  it('is handed out no more, by no key', async () => {
    const { shop } = await openMismatch();
    assert.equal(await refusalOf(shop.create()), '409 in_progress');
    assert.equal(await refusalOf(shop.create({ body: card })), '409 in_progress');
  });

  it('stays so when the service calls it pending again, until it is paid and agrees', async () => {
    const { shop, made, toldIds, advance, skip } = await openMismatch();
    const wire = shop.upstream.of(made);
    Object.assign(wire, { status: 'pending', total_cents: 12_345 });
    skip(2_000);
    await dataOf(shop.lookUp(made));
    assert.equal(await refusalOf(shop.create()), '409 in_progress');
    wire.status = 'paid';
    await advance(minuteMs);
    assert.deepEqual(toldIds(), [made.invoice_id]);
  });

  it('keeps the goods reserved, when the deadline of another code has passed', async () => {
    const { shop, toldIds, pass } = open({
      resolveOrder: () => ({ total_price_cents: 12_345, expires_in: 600 }),
      hears: ['onPaid', 'onLapsed'],
    });
    const made = await dataOf(shop.create());
    const other = await dataOf(shop.create({ body: { replaces: made.invoice_id } }));
    const wire = shop.upstream.of(made);
    Object.assign(wire, { status: 'paid', total_cents: 1 });
    await dataOf(shop.lookUp(made));
    for (let n = 0; n < 3; n += 1) await pass(10 * minuteMs);
    assert.deepEqual(toldIds('onLapsed'), []);
    await resolveNow(shop, 'order-1', null);
    for (let n = 0; n < 3; n += 1) await pass(hourMs);
    assert.deepEqual(toldIds('onLapsed'), [other.invoice_id]);
  });

  it('pays the order where a person accepts it', async () => {
    const { shop, made } = await openMismatch();
    assert.equal(await resolveNow(shop, 'order-1', made.invoice_id), true);
    assert.equal(await refusalOf(shop.create()), '409 order_paid');
  });

  it('is asked for a return once a person accepted it', async () => {
    const { shop, made, pass } = await openMismatch({ hears: ['onPaid', 'onReturned'] });
    await resolveNow(shop, 'order-1', made.invoice_id);
    Object.assign(shop.upstream.of(made), { status: 'refunded' });
    await pass(dayMs + minuteMs);
    assert.deepEqual(column(shop.heard.onReturned, 'status'), ['refunded']);
  });

  it('leaves the order to be paid anew where a person gives it up', async () => {
    const { shop, made } = await openMismatch();
    assert.equal(await resolveNow(shop, 'order-1', null), true);
    const other = await dataOf(shop.create());
    assert.notEqual(other.invoice_id, made.invoice_id);
  });
});

it('a postback long after that names the invoice of a lost answer is looked up, and told when paid', async () => {
  const { shop, skip } = open();
  const lost = await loseCode(shop);
  skip(8 * dayMs);
  lost.status = 'paid';
  assert.equal((await tell(shop, { id: lost.invoice_id })).status, 200);
  assert.equal(await refusalOf(shop.create()), '409 order_paid');
});

describe('a postback that was answered is looked up, however long the service is down then', () => {
  for (const days of [8, 40, 80]) {
    it(`of a code that is ${days} days old`, async () => {
      const { shop, toldIds, pass } = open();
      const { invoice_id: id } = await dataOf(shop.create());
      for (const at of [1, 2, 3, days - 6]) await pass(at * dayMs);
      shop.upstream.pay({ invoice_id: id });
      shop.upstream.behave = () => json({}, 503);
      assert.equal((await tell(shop, {})).status, 200);
      for (let n = 0; n < 10; n += 1) await pass(minuteMs);
      shop.upstream.behave = () => undefined;
      for (let n = 0; n < 5; n += 1) await pass(hourMs);
      assert.deepEqual(toldIds(), [id]);
    });
  }

  it('in the last hour in which its order is known', async () => {
    const { shop, toldIds, pass, skip } = open();
    const lost = await loseCode(shop);
    skip(90 * dayMs - hourMs);
    lost.status = 'paid';
    shop.upstream.behave = () => json({}, 503);
    assert.equal((await tell(shop, { id: lost.invoice_id })).status, 200);
    for (let n = 0; n < 5; n += 1) await pass(hourMs);
    shop.upstream.behave = () => undefined;
    await pass(2 * hourMs);
    assert.deepEqual(toldIds(), [lost.invoice_id]);
  });
});

describe('a reminder', () => {
  it('comes for a code that its page left before, and got by its key', async () => {
    const { shop, toldIds, advance } = open({ hears: ['onPaid', 'onPixWaiting'] });
    const page = new AbortController();
    const release = shop.upstream.hold('POST');
    const key = randomUUID();
    const left = shop.create({ key, signal: page.signal });
    await settle();
    page.abort();
    release();
    await left;
    await advance(minuteMs);
    assert.deepEqual(toldIds('onPixWaiting'), []);
    const { invoice_id: id } = await dataOf(shop.ask(key));
    await advance(minuteMs);
    assert.deepEqual(toldIds('onPixWaiting'), [id]);
  });

  for (const [what, fields] of [
    ['was paid with another total', { status: 'paid', total_cents: 1 }],
    ['was paid and given back', { status: 'refunded' }],
  ] as const) {
    it(`does not come for a code that ${what} meanwhile`, async () => {
      const hook = { isDown: true, reminded: 0 };
      const { shop, advance, pass } = open({
        onError: () => undefined,
        onPixWaiting() {
          if (hook.isDown) throw new Error('down');
          hook.reminded += 1;
        },
      });
      const made = await dataOf(shop.create());
      await advance(3_000);
      Object.assign(shop.upstream.of(made), fields);
      await dataOf(shop.lookUp(made));
      hook.isDown = false;
      await pass(hourMs);
      assert.equal(hook.reminded, 0);
    });
  }
});

it('an invoice id that the service gives two orders pays only the one that it is of', async () => {
  const { shop } = open();
  const first = await dataOf(shop.create({ externalId: 'order-1' }));
  shop.upstream.pay(first);
  assert.equal((await dataOf(shop.lookUp(first)))['status'], 'paid');
  assert.equal(await refusalOf(shop.create({ externalId: 'order-1' })), '409 order_paid');
  shop.upstream.behave = ({ body }) =>
    body ? json({ data: { ...toWireInvoice(body), invoice_id: first.invoice_id } }) : undefined;
  const second = await dataOf(shop.create({ externalId: 'order-2' }));
  assert.equal((await dataOf(shop.lookUp(second)))['status'], 'reference_mismatch');
});

it('a card that is refunded when it is first seen is told, and leaves the order to a person', async () => {
  const { shop, pass } = open({ hears: ['onPaid', 'onReturned'] });
  const made = await dataOf(shop.create({ body: card }));
  const wire = shop.upstream.of(made);
  Object.assign(wire, { status: 'refunded', is_pix: false });
  await dataOf(shop.lookUp(made));
  await pass(hourMs);
  assert.deepEqual(column(shop.heard.onReturned, 'status'), ['refunded']);
  assert.equal(await refusalOf(shop.create({ body: card })), '409 in_progress');
});

it('an order is forgotten though its events have no hook, ninety days after them', async () => {
  const { shop, ledger, pass } = await openMismatch();
  await resolveNow(shop, 'order-1', null);
  for (const days of [1, 1, 1, 1, 1, 1, 1, 1, 81.9]) await pass(days * dayMs);
  await pass(hourMs);
  assert.notEqual(await ledger.read('order-1'), null);
  for (let day = 0; day < 3; day += 1) {
    await pass(dayMs);
    await ledger.prune();
  }
  assert.equal(await ledger.read('order-1'), null);
});

/** An order whose code is paid with another total. */
async function openMismatch(options: ShopOptions = {}) {
  const bench = open(options);
  const { shop } = bench;
  const made = await dataOf(shop.create());
  const wire = shop.upstream.of(made);
  Object.assign(wire, { status: 'paid', total_cents: 1 });
  assert.equal((await dataOf(shop.lookUp(made)))['status'], 'amount_mismatch');
  return { ...bench, made };
}

/** The service tells, and is believed to be right only by a look-up. */
async function tell(shop: Shop, body: object): Promise<Response> {
  const answer = await shop.postback(body);
  await settle();
  return answer;
}
