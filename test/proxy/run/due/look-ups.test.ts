/** What follows from a look-up without a page that waits: a card that does not end needs a person, a deadline is passed once it is known. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { hourMs, minuteMs } from '../../../../src/domain/spans.js';
import { card, dataOf, json, openKeptShop } from '../../../support/proxy/shop.js';
import type { Shop, ShopOptions, WireFields } from '../../../support/proxy/shop.js';
import { columns } from '../../../support/rows.js';
import { resolveNow } from '../../../support/proxy/kept-order.js';

/** An order whose page was closed, and of which invoices its merchant hears. */
async function openOrder(body: object, options: ShopOptions = {}) {
  const hears = ['onOutcomeUnknown', 'onLapsed', 'onPaid', 'onMismatch'] as const;
  const shop = openKeptShop({ backgroundJobs: false, hears, ...options });
  const { invoice_id: id } = await dataOf(shop.create({ body: { ...body } }));
  const wire = shop.upstream.of({ invoice_id: id });
  const told = (hook: (typeof hears)[number] = 'onOutcomeUnknown') =>
    shop.heard[hook].map(({ invoiceId }) => invoiceId);
  return { shop, id, wire, told };
}

const unresolvedOf = ({ logged }: Shop) => logged('outcome_unknown');

describe('a card that does not end', () => {
  const answers: Record<string, (wire: WireFields, shop: Shop) => unknown> = {
    'that it is open': () => undefined,
    'of another order': (wire) => (wire['external_id'] = 'order-2'),
    'that it knows none': (_, { upstream }) => (upstream.behave = () => json({}, 404)),
  };
  for (const [name, answer] of Object.entries(answers)) {
    it(`is told of after an hour in which the service speaks ${name}, once`, async () => {
      const { shop, id, wire, told } = await openOrder(card);
      answer(wire, shop);
      await shop.live(hourMs - 5_000);
      assert.deepEqual([told(), unresolvedOf(shop)], [[], []]);
      await shop.live(5_000);
      assert.deepEqual(told(), [id]);
      const about = { externalId: 'order-1', invoiceId: id };
      const entry = { level: 'error', event: 'outcome_unknown', operation: 'sweep' };
      assert.deepEqual(unresolvedOf(shop), [{ ...entry, ...about }]);
      await shop.live(3 * hourMs);
      assert.deepEqual(told(), [id]);
      assert.equal(unresolvedOf(shop).length, 2, 'a reminder');
    });
  }

  it('is told of after a day in which the service does not answer', async () => {
    const { shop, id, told } = await openOrder(card);
    shop.upstream.behave = () => json({}, 503);
    await shop.live(23 * hourMs);
    assert.deepEqual(told(), []);
    await shop.live(3 * hourMs);
    assert.deepEqual(told(), [id]);
  });

  for (const status of ['paid', 'refused']) {
    it(`is no case for a person where the service says ${status}`, async () => {
      const { shop, wire, told } = await openOrder(card);
      wire.status = status;
      await shop.live(2 * hourMs);
      assert.deepEqual([told(), unresolvedOf(shop)], [[], []]);
    });
  }

  it('is no Pix code: that may be paid at any time', async () => {
    const { shop, told } = await openOrder({});
    await shop.live(2 * hourMs);
    assert.deepEqual([told(), unresolvedOf(shop)], [[], []]);
  });
});

describe('a card that a person released by mistake', () => {
  const dayMs = 24 * hourMs;

  async function openReleased() {
    const order = await openOrder(card);
    assert.equal(await resolveNow(order.shop, 'order-1', null), true);
    return { ...order, paid: () => columns(order.shop.heard.onPaid, 'invoiceId', 'duplicate') };
  }

  it('is told as the payment when it is paid, weeks later, and no postback came', async () => {
    const { shop, id, wire, paid, told } = await openReleased();
    await shop.live(30 * dayMs);
    wire.status = 'paid';
    await shop.live(8 * dayMs);
    assert.deepEqual(paid(), [[id, false]]);
    assert.deepEqual([told(), unresolvedOf(shop)], [[], []], 'no person is asked again');
  });

  it('is told as a duplicate where another one paid, and a postback makes it due at once', async () => {
    const { shop, id, wire, paid } = await openReleased();
    const { invoice_id: other } = await dataOf(shop.create());
    shop.upstream.pay({ invoice_id: other });
    await shop.live(2 * dayMs);
    wire.status = 'paid';
    await shop.postback({ id });
    await shop.live(minuteMs);
    assert.deepEqual(paid(), [
      [other, false],
      [id, true],
    ]);
  });

  it('is looked up no more once the service calls it refused', async () => {
    const { shop, id, wire } = await openReleased();
    wire.status = 'refused';
    await shop.live(hourMs);
    const kept = await shop.kept();
    assert.equal(kept.invoices.find(({ invoiceId }) => invoiceId === id)?.lookUpAtMs, null);
  });

  it('is a person’s case again where it is paid of another total', async () => {
    const { shop, id, wire, told } = await openOrder(card);
    await resolveNow(shop, 'order-1', null);
    Object.assign(wire, { status: 'paid', total_cents: 1 });
    await shop.live(hourMs);
    assert.deepEqual(told('onMismatch'), [id]);
    assert.equal((await shop.create()).status, 409);
  });
});

for (const [name, expiresIn, days] of [
  ['within its deadline of sixty days', 60 * 86_400, 50],
  ['after its deadline', 600, 60],
  ['without a deadline', undefined, 80],
] as const) {
  it(`a code whose page was closed is found paid ${name}, ${days} days later, and no postback came`, async () => {
    const deadline = expiresIn ? { expires_in: expiresIn } : {};
    const resolveOrder = () => ({ total_price_cents: 12_345, ...deadline });
    const { shop, id, told } = await openOrder({}, { resolveOrder });
    await shop.live(days * 24 * hourMs);
    shop.upstream.pay({ invoice_id: id });
    await shop.live(8 * 24 * hourMs);
    assert.deepEqual(told('onPaid'), [id]);
  });
}

describe('a code that the service calls over', () => {
  for (const status of ['expired', 'CANCELED']) {
    it(`(${status}) is offered no more, and found paid all the same`, async () => {
      const { shop, id, wire, told } = await openOrder({});
      wire.status = status;
      await shop.live(minuteMs);
      const { invoice_id: other } = await dataOf(shop.create());
      assert.notEqual(other, id);
      assert.equal((await dataOf(shop.create()))['invoice_id'], other, 'one new code');
      wire.status = 'paid';
      await shop.live(20 * 24 * hourMs);
      assert.deepEqual(told('onPaid'), [id]);
    });
  }

  it('is no card: that is not charged then, and looked up no more', async () => {
    const { shop, id, wire } = await openOrder(card);
    wire.status = 'expired';
    await shop.live(minuteMs);
    const { invoices } = await shop.kept();
    assert.equal(invoices.find(({ invoiceId }) => invoiceId === id)?.lookUpAtMs, null);
  });
});

describe('a deadline', () => {
  const expiring = { resolveOrder: () => ({ total_price_cents: 12_345, expires_in: 600 }) };

  it('is not told to have passed while the service does not answer', async () => {
    const { shop, id, told } = await openOrder({}, expiring);
    shop.upstream.behave = () => json({}, 503);
    await shop.live(20 * minuteMs);
    assert.deepEqual(told('onLapsed'), []);
    shop.upstream.behave = () => undefined;
    await shop.live(2 * minuteMs);
    assert.deepEqual(told('onLapsed'), [id]);
  });

  it('is told to have passed where the service knows no such invoice, and not of another one', async () => {
    const unknown = await openOrder({}, expiring);
    unknown.shop.upstream.behave = () => json({}, 404);
    await unknown.shop.live(11 * minuteMs);
    assert.deepEqual(unknown.told('onLapsed'), [unknown.id]);
    const foreign = await openOrder({}, expiring);
    foreign.wire['external_id'] = 'order-2';
    await foreign.shop.live(11 * minuteMs);
    assert.deepEqual(foreign.told('onLapsed'), []);
  });
});
