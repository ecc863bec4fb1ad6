/** One reference that a shop uses for two debts, as a monthly fee under one id: never paid for a total that was not. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { dayMs } from '../../../src/domain/spans.js';
import type { OrderQuestion, ProxyOptions } from '../../../src/proxy.js';
import { orderPaid, outcomeOf } from '../../support/proxy/card-shop.js';
import { card, dataOf, openKeptShop } from '../../support/proxy/shop.js';

const closed = '409 order_closed';

/** An order that is paid, and of which the shop was told. */
async function openTold(options: Partial<ProxyOptions> = {}, body: object = {}) {
  const errors: string[] = [];
  const shop = openKeptShop({
    paymentPage: { name: 'Padaria da Ana' },
    backgroundJobs: false,
    onPaid: () => undefined,
    onError: (error, { hook, externalId }) =>
      void errors.push(`${hook} ${externalId} ${(error as Error).message}`),
    ...options,
  });
  const made = await dataOf(shop.create({ body: { ...body } }));
  await shop.seePaid(made);
  await shop.live(60_000);
  const link = async () => {
    const headers = { 'order-token': await shop.signOrder('order-1') };
    return outcomeOf(shop.request('/order', { headers }));
  };
  const reused = () => shop.logged('reference_reused');
  return { shop, errors, link, reused, pay: () => outcomeOf(shop.create()) };
}

describe('an order that was told as paid, and costs something else a day later', () => {
  it('is closed, by each way of asking, and its shop is told why', async () => {
    const { shop, errors, link, reused, pay } = await openTold();
    await shop.clock.advance(2 * dayMs);
    shop.totalCents = 8_000;
    assert.equal(await pay(), closed);
    const entry = { level: 'error', event: 'reference_reused', externalId: 'order-1' };
    assert.deepEqual(reused(), [{ ...entry, got: '8000', expected: '12345' }]);
    assert.equal(errors.length, 1);
    assert.match(errors[0]!, /^resolveOrder order-1 .*12345.*8000/);
    const key = randomUUID();
    assert.equal(await outcomeOf(shop.create({ key, body: card })), closed);
    assert.equal(
      await outcomeOf(shop.ask(key)),
      closed,
      'also when the page asks again by its key',
    );
    assert.equal(await link(), closed);
    const created = shop.proxy.createInvoice({ externalId: 'order-1', method: 'pix' });
    await assert.rejects(created, { name: 'ProxyError', code: 'order_closed' });
    assert.equal(reused().length, 1, 'once a minute');
    assert.equal(shop.upstream.creates(), 1);
  });

  it('is paid for the total that was paid, and within a day', async () => {
    const { shop, pay, link, reused } = await openTold();
    await shop.clock.advance(2 * dayMs);
    assert.deepEqual([await pay(), await link()], [orderPaid, orderPaid]);
    const young = await openTold();
    young.shop.totalCents = 8_000;
    assert.equal(await young.pay(), orderPaid);
    assert.deepEqual([...reused(), ...young.reused()], []);
  });

  it('is paid where the shop was not told, fails, or says so itself', async () => {
    const untold = await openTold({
      onPaid() {
        throw new Error('down');
      },
    });
    await untold.shop.clock.advance(2 * dayMs);
    untold.shop.totalCents = 8_000;
    assert.equal(await untold.pay(), orderPaid);
    const answers: (() => { status: 'paid' })[] = [
      () => ({ status: 'paid' }),
      () => {
        throw new Error('down');
      },
    ];
    for (const answer of answers) {
      let isOver = false;
      const resolveOrder = () => (isOver ? answer() : { total_price_cents: 12_345 });
      const { shop, pay } = await openTold({ resolveOrder });
      await shop.clock.advance(2 * dayMs);
      isOver = true;
      assert.equal(await pay(), orderPaid);
    }
  });

  it('is asked for the price of what paid it: another method, or instalments, cost otherwise', async () => {
    const prices = ({ method, installment }: OrderQuestion) => ({
      total_price_cents: method === 'pix' ? 11_000 : 12_000 + installment,
    });
    const bodies = [{}, { ...card, card: { ...card.card, installment: 3 } }];
    for (const body of bodies) {
      const { shop, pay } = await openTold({ resolveOrder: prices }, body);
      await shop.clock.advance(2 * dayMs);
      assert.equal(await pay(), orderPaid);
      assert.equal(await outcomeOf(shop.create({ body: card })), orderPaid);
    }
  });
});
