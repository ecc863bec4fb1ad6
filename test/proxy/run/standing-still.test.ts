/**
 * A process that stands still, or waits for a ledger that is slow to answer, comes back to a world in which others took its
 * work over. Then nothing of it may leave any more.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { isLeaving, withNews } from '../../support/order-news.js';
import { networkError } from '../../support/proxy/card-shop.js';
import {
  card,
  createGate,
  createWorld,
  dataOf,
  openKeptShop,
  openShop,
  refusalOf,
  settle,
  turnsUntil,
} from '../../support/proxy/shop.js';

type Slow = (stand: (ms: number) => Promise<void>) => Parameters<typeof withNews>[1];

/** A shop whose ledger may be slowed down; `stand` lets time pass in the middle of a step. */
function openSlowShop(slow: Slow) {
  const world = createWorld();
  const { advance: stand, skip } = world.clock;
  const shop = {
    /** What happens while the merchant's code is asked. */
    priced: async (): Promise<unknown> => undefined,
    ...openShop(
      {
        ledger: withNews(world.store, slow(stand)),
        async resolveOrder() {
          await shop.priced();
          return { total_price_cents: 12_345 };
        },
      },
      world,
    ),
    stand,
    skip: async (ms: number) => skip(ms),
  };
  return shop;
}

test('a card does not leave when the ledger took longer to say so than a call may take', async () => {
  const shop = openSlowShop((stand) => ({
    after: async (news) => void (isLeaving(news) && (await stand(10_001))),
  }));
  assert.equal(await refusalOf(await shop.create({ body: card })), '503 service_unavailable');
  assert.equal(shop.upstream.creates(), 0);
  // Nothing is left of it: the order can be paid.
  assert.deepEqual((await shop.kept()).cards, []);
});

for (const method of ['credit_card', 'pix']) {
  const body = method === 'pix' ? { method } : card;

  test(`nothing leaves by ${method} for a page that left before it`, async () => {
    for (const step of ['resolveOrder', 'send'] as const) {
      const page = new AbortController();
      const leave = async () => page.abort();
      const shop = openSlowShop(() => ({
        before: async (news) => void (step === 'send' && isLeaving(news) && (await leave())),
      }));
      shop.priced = step === 'resolveOrder' ? leave : async () => {};
      const key = randomUUID();
      const answer = await refusalOf(shop.create({ key, body, signal: page.signal }));
      assert.match(answer, /in_progress|service_unavailable/);
      assert.equal(shop.upstream.creates(), 0, step);
      assert.equal(await refusalOf(shop.ask(key)), '404 not_found', step);
      shop.priced = async () => {};
      await shop.skip(3_000);
      await dataOf(shop.create({ body }));
    }
  });

  test(`nothing leaves by ${method} for a request that waited for longer than a claim lives`, async () => {
    const shop = openSlowShop(() => ({}));
    shop.priced = () => shop.skip(30_001);
    assert.equal(await refusalOf(shop.create({ body })), '409 in_progress');
    assert.equal(shop.upstream.creates(), 0);
    shop.priced = () => shop.skip(30_000);
    await dataOf(shop.create({ body }));
  });
}

test('a page that left keeps no other one of its order from a code', async () => {
  const shop = openSlowShop(() => ({}));
  const page = new AbortController();
  const gate = createGate();
  shop.priced = () => gate.opened;
  const first = shop.create({ signal: page.signal });
  const second = shop.create();
  page.abort();
  gate.release();
  assert.equal(await refusalOf(first), '409 in_progress');
  assert.ok((await dataOf(second)).invoice_id);
});

test('a page that leaves while its code is made keeps none of those that wait for it from theirs', async () => {
  const page = new AbortController();
  const gate = createGate();
  let isSending = false;
  const shop = openSlowShop(() => ({
    async after(news) {
      if (!isLeaving(news)) return;
      isSending = true;
      await gate.opened;
    },
  }));
  const first = shop.create({ signal: page.signal });
  await turnsUntil(() => isSending);
  const second = shop.create();
  await settle();
  page.abort();
  gate.release();
  assert.equal(await refusalOf(first), '409 in_progress');
  assert.ok((await dataOf(second)).invoice_id);
});

test('a card that provably never left is not sent again once its time is over', async () => {
  const shop = openSlowShop(() => ({}));
  shop.upstream.behave = async () => {
    await shop.stand(10_001);
    throw networkError('ECONNREFUSED');
  };
  assert.equal(await refusalOf(await shop.create({ body: card })), '503 service_unavailable');
  assert.equal(shop.upstream.creates(), 1);
});

test('a code that another process made meanwhile is handed out in place of the own one', async () => {
  const slow = openKeptShop();
  const { upstream, clock } = slow;
  const quick = openKeptShop({}, slow);
  const gate = createGate();
  upstream.behave = async () => {
    if (upstream.creates() === 1) await gate.opened;
    return undefined;
  };
  const waiting = slow.create();
  await turnsUntil(() => upstream.creates() === 1);
  // It stands still for longer than others wait for it.
  await clock.advance(6_001);
  const first = await dataOf(await quick.create());
  gate.release();
  assert.equal((await dataOf(await waiting)).invoice_id, first.invoice_id);
  // The own one is kept without its code: it may be paid all the same.
  const { invoices } = await quick.kept();
  assert.deepEqual(
    invoices.map(({ code }) => code === ''),
    [false, true],
  );
});

test('a process may take its time where no other one made a code meanwhile', async () => {
  const shop = openSlowShop(() => ({}));
  shop.upstream.behave = async () => {
    await shop.stand(30_000);
    return undefined;
  };
  assert.ok((await dataOf(await shop.create())).invoice_id);
});
