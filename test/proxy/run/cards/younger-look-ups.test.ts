/**
 * What permits a charge, another code or the loss of an order is a look-up that began after the request for it came: an
 * answer from before, shared or still on its way, does not know what was paid meanwhile.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { ProxyOptions } from '../../../../src/proxy.js';
import {
  openCardShop,
  openKeptCardShop,
  orderPaid,
  outcomeOf,
  unavailable,
} from '../../../support/proxy/card-shop.js';
import type { CardShop } from '../../../support/proxy/card-shop.js';
import {
  card,
  createGate,
  createWorld,
  dataOf,
  json,
  openKeptShop,
  settle,
  turnsUntil,
} from '../../../support/proxy/shop.js';
import type { Ticket } from '../../../support/proxy/shop.js';
import { resolveNow } from '../../../support/proxy/kept-order.js';

/** An order with a code that was looked up just now, and paid since. */
async function openPaid(options?: Partial<ProxyOptions>): Promise<[CardShop, Ticket]> {
  const shop = openCardShop(options);
  const pix = await dataOf(shop.create());
  assert.equal((await dataOf(shop.lookUp(pix)))['status'], 'pending');
  await shop.control(`/invoices/${pix.invoice_id}/settle`);
  return [shop, pix];
}

/** A look-up whose answer was made now, and comes later. Others pass it. */
async function holdLookUp(shop: CardShop, pix: Ticket, released: Promise<unknown>) {
  let asked = 0;
  shop.network = async (request) => {
    if (request.method !== 'GET') return undefined;
    asked += 1;
    if (asked > 1) return undefined;
    const answer = await shop.sandbox.fetch(request);
    await released;
    return answer;
  };
  const response = shop.lookUp(pix);
  await turnsUntil(() => asked === 1);
  await settle();
  return { response };
}

/** What would make a second payment of the order possible. */
const wishes: Record<string, (shop: CardShop, pix: Ticket) => Promise<Response>> = {
  'a card': (shop) => shop.pay(),
  'a code for another price': (shop) => {
    shop.totalCents += 100;
    return shop.create();
  },
  'another code in place of it': (shop, { invoice_id }) =>
    shop.create({ body: { replaces: invoice_id } }),
};

describe('What permits another payment', () => {
  for (const [wish, ask] of Object.entries(wishes)) {
    it(`is no answer that was shared from before: ${wish}`, async () => {
      const [shop, pix] = await openPaid();
      assert.equal(await outcomeOf(ask(shop, pix)), orderPaid);
      assert.equal(shop.upstream.creates(), 1);
    });

    it(`is no answer to a look-up from before that is still on its way: ${wish}`, async () => {
      const shop = openCardShop();
      const pix = await dataOf(shop.create());
      const gate = createGate();
      const shown = await holdLookUp(shop, pix, gate.opened);
      await shop.control(`/invoices/${pix.invoice_id}/settle`);
      const outcome = outcomeOf(ask(shop, pix));
      await settle();
      gate.release();
      await dataOf(shown.response);
      assert.equal(await outcome, orderPaid);
      assert.equal(shop.upstream.creates(), 1);
    });
  }

  it('is younger on a code after its deadline, too', async () => {
    const resolveOrder = () => ({ total_price_cents: 12_345, expires_in: 60 });
    const shop = openCardShop({ resolveOrder });
    const pix = await dataOf(shop.create());
    await shop.clock.advance(60_000);
    await dataOf(shop.lookUp(pix));
    await shop.control(`/invoices/${pix.invoice_id}/settle`);
    assert.equal(await outcomeOf(shop.create()), orderPaid);
  });

  it('is the same for many who ask at once: they share one look-up that is younger than all of them', async () => {
    const shop = openCardShop();
    const pix = await dataOf(shop.create());
    await dataOf(shop.lookUp(pix));
    let lookUps = 0;
    shop.network = ({ method }) => void (lookUps += method === 'GET' ? 1 : 0);
    shop.totalCents += 100;
    const answers = Array.from({ length: 20 }, () => shop.create().then(dataOf));
    const codes = new Set((await Promise.all(answers)).map(({ invoice_id: id }) => id));
    assert.equal(codes.size, 1);
    assert.ok(lookUps < 20, `${lookUps} look-ups`);
  });
});

it('A look-up that could not tell permits nothing: a card that was refused meanwhile is looked up again, and is paid', async () => {
  const world = createWorld();
  const shop = openKeptShop({}, world);
  const other = openKeptShop({}, world);
  const made = await dataOf(shop.create({ body: card }));
  const invoice = shop.upstream.of(made);
  invoice.status = 'refused';
  // Two cards of an order part by three seconds.
  await shop.clock.advance(4_000);
  let asked = 0;
  shop.upstream.behave = async ({ method }) => {
    if (method !== 'GET') return undefined;
    asked += 1;
    if (asked > 1) return undefined;
    // Another process hears that it is refused, before the service changes its mind.
    await other.lookUp(made);
    invoice.status = 'paid';
    return json({}, 503);
  };
  // A failure is shared for a second.
  assert.equal(await outcomeOf(shop.create({ body: card })), unavailable);
  await shop.clock.advance(2_000);
  assert.equal(await outcomeOf(shop.create({ body: card })), orderPaid);
  assert.equal(shop.upstream.creates(), 1);
});

it('What a person says of a card is compared with an answer from afterwards', async () => {
  const shop = openKeptCardShop();
  const made = await dataOf(shop.pay({ token: 'tok_pending' }));
  assert.equal((await dataOf(shop.lookUp(made)))['status'], 'pending');
  await shop.control(`/invoices/${made.invoice_id}/settle`);
  const isSettled = await resolveNow(shop, 'order-1', null);
  assert.equal(isSettled, false);
  assert.equal(await outcomeOf(shop.pay()), orderPaid);
});

it('The end of a deadline is no answer from before it: a payment in time is told as one', async () => {
  const told: string[] = [];
  const shop = openCardShop({
    resolveOrder: () => ({ total_price_cents: 12_345, expires_in: 60 }),
    onLapsed: () => told.push('lapsed'),
    onPaid: ({ late }) => told.push(late ? 'late' : 'paid'),
    backgroundJobs: false,
  });
  const pix = await dataOf(shop.create());
  await shop.clock.advance(50_000);
  const gate = createGate();
  const shown = await holdLookUp(shop, pix, gate.opened);
  await shop.control(`/invoices/${pix.invoice_id}/settle`);
  await shop.clock.advance(16_000);
  const run = shop.proxy.runDue();
  await settle();
  gate.release();
  await Promise.all([shown.response, run]);
  await shop.proxy.runDue();
  assert.deepEqual(told, ['paid']);
});
