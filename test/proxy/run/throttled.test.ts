/** The rate limit in a shop: what is throttled, for whom, and what costs no call. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { hold } from '../../support/proxy/open-invoice.js';
import { dataOf, openShop, refusalOf, toSink } from '../../support/proxy/shop.js';
import type { Shop, ShopOptions, Ticket } from '../../support/proxy/shop.js';
import { column } from '../../support/rows.js';

/** A shop with open invoices of so many orders, a minute ago. */
async function openBusyShop(
  serviceCallsPerMinute: number,
  orders: number,
  options: ShopOptions = {},
) {
  const shop = openShop({ serviceCallsPerMinute, ...options });
  const tickets: Ticket[] = [];
  for (let i = 0; i < orders; i++) {
    tickets.push(await dataOf(shop.create({ externalId: `order-${i}` })));
  }
  await shop.clock.advance(62_000);
  return { shop, tickets };
}

async function lookUpAll(shop: Shop, tickets: readonly Ticket[]): Promise<Response[]> {
  const answers: Response[] = [];
  for (const ticket of tickets) answers.push(await shop.lookUp(ticket));
  return answers;
}

describe('a service that allows few calls', () => {
  it('is asked so often and no more, and the payer is told when to come again', async () => {
    const { shop, tickets } = await openBusyShop(10, 12);
    const answers = await lookUpAll(shop, tickets);
    assert.equal(shop.upstream.lookUps(), 9);
    assert.equal(answers.filter(({ status }) => status === 200).length, 9);
    const [refused] = answers.slice(9);
    assert.equal(refused?.headers.get('retry-after'), '61');
    assert.equal(await refusalOf(refused ?? assert.fail()), '503 service_unavailable');

    await shop.clock.advance(61_000);
    assert.equal((await lookUpAll(shop, tickets.slice(9))).at(-1)?.status, 200);
  });

  it('still makes every code, and looks up what must not be paid twice before it does', async () => {
    const { shop, tickets } = await openBusyShop(10, 12);
    await lookUpAll(shop, tickets.slice(0, 8));
    await shop.clock.advance(2_000);
    const [ticket] = tickets;
    const answer = await shop.create({
      externalId: 'order-0',
      body: { replaces: ticket?.invoice_id },
    });
    assert.equal(answer.status, 200);
    assert.equal(shop.upstream.lookUps(), 9);
    for (let i = 0; i < 20; i++) {
      assert.equal((await shop.create({ externalId: `new-${i}` })).status, 200);
    }
  });

  it('charges nothing for an answer that is shared', async () => {
    const { shop, tickets } = await openBusyShop(10, 1);
    const [ticket] = tickets;
    assert.ok(ticket);
    for (let i = 0; i < 30; i++) assert.equal((await shop.lookUp(ticket)).status, 200);
    assert.equal(shop.upstream.lookUps(), 1);
  });

  it('serves payers who come back while waiting pages are throttled', async () => {
    const { shop, tickets } = await openBusyShop(20, 19);
    await lookUpAll(shop, tickets.slice(0, 14));
    const [ticket] = tickets.slice(14);
    assert.ok(ticket);
    // The first look-up is a payer's, and takes the last call that pages may have.
    const held = await hold(shop, ticket);
    await shop.clock.advance(24_000);
    assert.equal(shop.upstream.lookUps(), 15, 'the page that waits is throttled');
    assert.equal((await lookUpAll(shop, tickets.slice(15, 18))).at(-1)?.status, 200);
    await shop.clock.advance(1_000);
    assert.equal((await held.response).status, 200);
  });

  it('reconciles when there is room, and counts what is throttled', async () => {
    let throttled = 0;
    const { shop, tickets } = await openBusyShop(60, 20, {
      hears: ['onPaid'],
      metrics: toSink({
        count: (_name, labels) => void (throttled += labels?.['answer'] === 'throttled' ? 1 : 0),
      }),
    });
    for (const invoice of shop.upstream.invoices.values()) invoice.status = 'paid';
    await shop.clock.advance(10 * 60_000);
    assert.equal(new Set(column(shop.heard.onPaid, 'invoiceId')).size, tickets.length);
    assert.ok(throttled > 0);
  });

  it('finds the payments of closed pages in minutes, however many pages wait', async () => {
    const { shop, tickets } = await openBusyShop(60, 50, { hears: ['onPaid'] });
    const follow = async (ticket: Ticket): Promise<void> => {
      const response = await shop.lookUp(ticket, '?wait=25');
      await response.text();
      const waitMs = 1_000 * Number(response.headers.get('retry-after') ?? 0);
      if (waitMs > 0) await new Promise<void>((go) => void shop.clock.startTimer(go, waitMs));
      return follow(ticket);
    };
    const closed = tickets.slice(40).map(({ invoice_id: id }) => id);
    for (const ticket of tickets.slice(0, 40)) void follow(ticket);
    for (const id of closed) shop.upstream.invoices.get(id)!.status = 'paid';
    // All were looked up a moment before they were paid, and each again when its turn comes.
    await shop.clock.advance(6 * 60_000);
    assert.deepEqual(column(shop.heard.onPaid, 'invoiceId').toSorted(), closed.toSorted());
  });
});
