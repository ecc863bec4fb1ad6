/** What follows from a look-up without a page that waits: a card that does not end needs a person, a deadline is passed once it is known. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { hourMs, minuteMs } from '../../../../src/domain/spans.js';
import type { ProxyOptions } from '../../../../src/proxy.js';
import { card, dataOf, json, openKeptShop } from '../../support/shop.js';
import type { Shop, WireFields } from '../../support/shop.js';
import { resolveNow } from '../../support/kept-order.js';

/** An order whose page was closed, and what its merchant hears of it. */
async function openOrder(body: object, options: Partial<ProxyOptions> = {}) {
  const told: (string | undefined)[] = [];
  const lapsed: string[] = [];
  const shop = openKeptShop({
    backgroundJobs: false,
    onOutcomeUnknown: ({ invoiceId }) => void told.push(invoiceId),
    onLapsed: ({ invoiceId }) => void lapsed.push(invoiceId),
    ...options,
  });
  const { invoice_id: id } = await dataOf(shop.create({ body: { ...body } }));
  const wire = shop.upstream.of({ invoice_id: id });
  return { shop, id, wire, told, lapsed };
}

const unresolvedOf = ({ log }: Shop) => log.filter(({ event }) => event === 'outcome_unknown');

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
      assert.deepEqual([told, unresolvedOf(shop)], [[], []]);
      await shop.live(5_000);
      assert.deepEqual(told, [id]);
      const about = { externalId: 'order-1', invoiceId: id };
      const entry = { level: 'error', event: 'outcome_unknown', operation: 'sweep' };
      assert.deepEqual(unresolvedOf(shop), [{ ...entry, ...about }]);
      await shop.live(3 * hourMs);
      assert.deepEqual(told, [id]);
      assert.equal(unresolvedOf(shop).length, 2, 'a reminder');
    });
  }

  it('is told of after a day in which the service does not answer', async () => {
    const { shop, id, told } = await openOrder(card);
    shop.upstream.behave = () => json({}, 503);
    await shop.live(23 * hourMs);
    assert.deepEqual(told, []);
    await shop.live(3 * hourMs);
    assert.deepEqual(told, [id]);
  });

  for (const status of ['paid', 'refused']) {
    it(`is no case for a person where the service says ${status}`, async () => {
      const { shop, wire, told } = await openOrder(card);
      wire.status = status;
      await shop.live(2 * hourMs);
      assert.deepEqual([told, unresolvedOf(shop)], [[], []]);
    });
  }

  it('is no Pix code: that may be paid at any time', async () => {
    const { shop, told } = await openOrder({});
    await shop.live(2 * hourMs);
    assert.deepEqual([told, unresolvedOf(shop)], [[], []]);
  });
});

describe('a card that a person released by mistake', () => {
  const dayMs = 24 * hourMs;

  async function openReleased() {
    const paid: [invoiceId: string, duplicate: boolean][] = [];
    const order = await openOrder(card, {
      onPaid: ({ invoiceId, duplicate }) => void paid.push([invoiceId, duplicate]),
    });
    assert.equal(await resolveNow(order.shop, 'order-1', null), true);
    return { ...order, paid };
  }

  it('is told as the payment when it is paid, weeks later, and no postback came', async () => {
    const { shop, id, wire, paid, told } = await openReleased();
    await shop.live(30 * dayMs);
    wire.status = 'paid';
    await shop.live(8 * dayMs);
    assert.deepEqual(paid, [[id, false]]);
    assert.deepEqual([told, unresolvedOf(shop)], [[], []], 'no person is asked again');
  });

  it('is told as a duplicate where another one paid, and a postback makes it due at once', async () => {
    const { shop, id, wire, paid } = await openReleased();
    const { invoice_id: other } = await dataOf(shop.create());
    shop.upstream.pay({ invoice_id: other });
    await shop.live(2 * dayMs);
    wire.status = 'paid';
    await shop.postback({ id });
    await shop.live(minuteMs);
    assert.deepEqual(paid, [
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
    const mismatched: string[] = [];
    const { shop, id, wire } = await openOrder(card, {
      onMismatch: ({ invoiceId }) => void mismatched.push(invoiceId),
    });
    await resolveNow(shop, 'order-1', null);
    Object.assign(wire, { status: 'paid', total_cents: 1 });
    await shop.live(hourMs);
    assert.deepEqual(mismatched, [id]);
    assert.equal((await shop.create()).status, 409);
  });
});

for (const [name, expiresIn, days] of [
  ['within its deadline of sixty days', 60 * 86_400, 50],
  ['after its deadline', 600, 60],
  ['without a deadline', undefined, 80],
] as const) {
  it(`a code whose page was closed is found paid ${name}, ${days} days later, and no postback came`, async () => {
    const paid: string[] = [];
    const { shop, id } = await openOrder(
      {},
      {
        resolveOrder: () => ({
          total_price_cents: 12_345,
          ...(expiresIn && { expires_in: expiresIn }),
        }),
        onPaid: ({ invoiceId }) => void paid.push(invoiceId),
      },
    );
    await shop.live(days * 24 * hourMs);
    shop.upstream.pay({ invoice_id: id });
    await shop.live(8 * 24 * hourMs);
    assert.deepEqual(paid, [id]);
  });
}

describe('a code that the service calls over', () => {
  for (const status of ['expired', 'CANCELED']) {
    it(`(${status}) is offered no more, and found paid all the same`, async () => {
      const paid: string[] = [];
      const { shop, id, wire } = await openOrder(
        {},
        { onPaid: ({ invoiceId }) => void paid.push(invoiceId) },
      );
      wire.status = status;
      await shop.live(minuteMs);
      const { invoice_id: other } = await dataOf(shop.create());
      assert.notEqual(other, id);
      assert.equal((await dataOf(shop.create()))['invoice_id'], other, 'one new code');
      wire.status = 'paid';
      await shop.live(20 * 24 * hourMs);
      assert.deepEqual(paid, [id]);
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
    const { shop, id, lapsed } = await openOrder({}, expiring);
    shop.upstream.behave = () => json({}, 503);
    await shop.live(20 * minuteMs);
    assert.deepEqual(lapsed, []);
    shop.upstream.behave = () => undefined;
    await shop.live(2 * minuteMs);
    assert.deepEqual(lapsed, [id]);
  });

  it('is told to have passed where the service knows no such invoice, and not of another one', async () => {
    const unknown = await openOrder({}, expiring);
    unknown.shop.upstream.behave = () => json({}, 404);
    await unknown.shop.live(11 * minuteMs);
    assert.deepEqual(unknown.lapsed, [unknown.id]);
    const foreign = await openOrder({}, expiring);
    foreign.wire['external_id'] = 'order-2';
    await foreign.shop.live(11 * minuteMs);
    assert.deepEqual(foreign.lapsed, []);
  });
});
