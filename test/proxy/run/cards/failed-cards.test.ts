/**
 * A card whose page was told that it failed never leaves afterwards: the same request comes once more, from a service worker or
 * an extension, when the shop and the service are well again and the payer has turned to Pix.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import type { OrderAnswer, ProxyOptions } from '../../../../src/proxy.js';
import {
  inProgress,
  networkError,
  openCardShop,
  openKeptCardShop,
  outcomeOf,
  refused,
  tooMany,
  unavailable,
} from '../../../support/proxy/card-shop.js';
import { createBrokenStore } from '../../../support/proxy/broken-store.js';
import type { CardShop } from '../../../support/proxy/card-shop.js';
import {
  assertPaidBy,
  accessToken,
  card,
  dataOf,
  json,
  openKeptShop,
  settle,
  turnsUntil,
} from '../../../support/proxy/shop.js';

const priced = { total_price_cents: 12_345 };

/** What the merchant's code answers, until it is changed. */
function openWithAnswer(answer: () => OrderAnswer | Promise<OrderAnswer>) {
  const merchant = { answer };
  const shop = openCardShop({ resolveOrder: () => merchant.answer() });
  return { shop, heal: () => void (merchant.answer = () => priced) };
}

type Failing = () => Promise<{ readonly shop: CardShop; readonly heal: () => unknown }>;

async function open(strike: (shop: CardShop) => unknown, options?: Partial<ProxyOptions>) {
  const shop = openCardShop(options);
  await strike(shop);
  return { shop, heal: () => void (shop.network = () => undefined) };
}

const answers = (answer: () => OrderAnswer | Promise<OrderAnswer>) => async () =>
  openWithAnswer(answer);
const struck = (strike: (shop: CardShop) => unknown) => () => open(strike);
const refuse = (shop: CardShop, refused: string) => {
  shop.network = ({ method }) => {
    if (method === refused) throw networkError('ECONNREFUSED');
  };
};
const withCode = async (shop: CardShop) => {
  await dataOf(shop.create());
  refuse(shop, 'GET');
};
const withFiveRefused = async (shop: CardShop) => {
  for (let i = 0; i < 5; i++) {
    assert.equal(await outcomeOf(shop.pay({ token: 'tok_refuse' })), refused);
    await shop.clock.advance(3_000);
  }
};

const failures: [name: string, told: string, open: Failing][] = [
  [
    'the shop could not price the order',
    unavailable,
    answers(() => Promise.reject(new Error('down'))),
  ],
  [
    'the shop answered nonsense for the order',
    '500 order_failed',
    answers(() => ({ total_price_cents: 0 })),
  ],
  ['the shop had closed the order', '409 order_closed', answers(() => ({ status: 'closed' }))],
  ['the shop took the order for paid', '409 order_paid', answers(() => ({ status: 'paid' }))],
  [
    'the page showed another total',
    '409 amount_mismatch',
    answers(() => ({ total_price_cents: 12_346 })),
  ],
  ['the service could not be reached', unavailable, struck((shop) => refuse(shop, 'POST'))],
  ['a code could not be looked up', unavailable, struck(withCode)],
  ['five cards were tried already', tooMany, struck(withFiveRefused)],
  [
    'another card of the order was open',
    inProgress,
    struck((shop) => dataOf(shop.pay({ token: 'tok_pending' }))),
  ],
];

describe('A card whose page was told that it failed', () => {
  for (const [name, told, openFailing] of failures) {
    it(`never leaves afterwards: ${name}`, async () => {
      const { shop, heal } = await openFailing();
      const key = randomUUID();
      const body = { expected_total_cents: 12_345 };
      assert.equal(await outcomeOf(shop.pay(undefined, { key, body })), told);
      heal();
      await shop.clock.advance(4_000);
      const before = shop.upstream.creates();
      const again = await outcomeOf(shop.pay(undefined, { key, body }));
      assert.equal(shop.upstream.creates(), before, `it left, and was told ${again}`);
      assert.equal(again, '422 key_reused');
    });
  }

  it('never leaves after the proxy stopped', async () => {
    const stopped = openKeptCardShop();
    const next = openKeptCardShop({}, stopped);
    const key = randomUUID();
    await stopped.proxy.close();
    assert.equal(await outcomeOf(stopped.pay(undefined, { key })), unavailable);
    assert.equal(await outcomeOf(next.pay(undefined, { key })), '422 key_reused');
    assert.equal(next.upstream.creates(), 0);
  });

  it('never leaves if its token did not come in time, and is no card of unknown outcome', async () => {
    let isHanging = true;
    const shop = openCardShop({
      serviceTimeoutMs: 50,
      accessToken: () => (isHanging ? new Promise(() => {}) : Promise.resolve(accessToken)),
    });
    const key = randomUUID();
    assert.equal(await outcomeOf(shop.pay(undefined, { key })), unavailable);
    isHanging = false;
    await shop.clock.advance(3_000);
    assert.equal(await outcomeOf(shop.pay(undefined, { key })), '422 key_reused');
    await dataOf(shop.pay());
    assert.equal(shop.upstream.creates(), 1);
    assert.deepEqual(shop.logged('outcome_unknown'), []);
  });

  it('is answered at once by its key, and the payer presses again with another', async () => {
    const { shop, heal } = openWithAnswer(() => Promise.reject(new Error('down')));
    const key = randomUUID();
    assert.equal(await outcomeOf(shop.pay(undefined, { key })), unavailable);
    heal();
    assert.equal(await outcomeOf(shop.ask(key)), '404 not_found');
    await dataOf(shop.pay());
    assert.equal(shop.upstream.creates(), 1);
  });

  it('is not said to have failed while it is being charged, though the same request failed', async () => {
    const merchant = { isDown: false };
    const shop = openCardShop({
      resolveOrder: () => (merchant.isDown ? Promise.reject(new Error('down')) : priced),
    });
    const release = shop.upstream.hold('POST');
    const key = randomUUID();
    const first = shop.pay(undefined, { key });
    await turnsUntil(() => shop.upstream.creates() === 1);
    merchant.isDown = true;
    assert.equal(await outcomeOf(shop.pay(undefined, { key })), inProgress);
    release();
    const { invoice_id: id } = await dataOf(first);
    await settle();
    await assertPaidBy(shop.pay(undefined, { key }), { invoice_id: id });
    assert.equal(shop.upstream.creates(), 1);
  });

  it('never leaves after its order token had ended, and is answered by its key', async () => {
    const shop = openCardShop();
    const key = randomUUID();
    const order_token = await shop.signOrder('order-1');
    await shop.clock.advance(24 * 3_600_000);
    const body = { order_token };
    assert.equal(await outcomeOf(shop.pay(undefined, { key, body })), '401 unauthorized');
    assert.equal(await outcomeOf(shop.ask(key, { token: order_token })), '404 not_found');
    // A clock that was set back makes the token good again.
    const again = await outcomeOf(shop.pay(undefined, { key }));
    assert.deepEqual([again, shop.upstream.creates()], ['422 key_reused', 0]);
    const other = randomUUID();
    assert.equal(await outcomeOf(shop.ask(other, { token: order_token })), '404 not_found');
    assert.equal(await outcomeOf(shop.pay(undefined, { key: other })), '422 key_reused');
  });

  it('is answered by its key, though the limit of its address turned it away', async () => {
    const shop = openCardShop({ requireOrderToken: false, addressRequestsPerMinute: 2 });
    const from = { remoteAddress: '203.0.113.9' };
    for (const _ of [1, 2]) await dataOf(shop.create(from));
    const key = randomUUID();
    assert.equal(await outcomeOf(shop.pay(undefined, { key, ...from })), tooMany);
    assert.equal(await outcomeOf(shop.ask(key, from)), '404 not_found');
    await shop.clock.advance(60_000);
    assert.equal(await outcomeOf(shop.pay(undefined, { key, ...from })), '422 key_reused');
  });

  it('hears in_progress where its bar could not be written, and no final word', async () => {
    for (const answer of [{ status: 'closed' }, { total_price_cents: 12_346 }] as const) {
      const broken = createBrokenStore();
      const shop = openKeptCardShop({ resolveOrder: () => answer }, broken.world);
      broken.break('change', 'down');
      const body = { expected_total_cents: 12_345 };
      assert.equal(await outcomeOf(shop.pay(undefined, { body })), inProgress);
      assert.equal(shop.log.at(-1)?.operation, 'create');
    }
  });

  it('leaves nothing in the store where the shop does not know the order', async () => {
    const shop = openKeptCardShop({ requireOrderToken: false, resolveOrder: () => null });
    const key = randomUUID();
    assert.equal(await outcomeOf(shop.pay(undefined, { key })), '404 unknown_order');
    assert.equal(await outcomeOf(shop.ask(key)), '404 unknown_order');
    assert.equal(await shop.store.read('order-1'), null);
  });

  it('is not barred by who may not pay the order', async () => {
    const shop = openCardShop();
    const key = randomUUID();
    const body = { order_token: 'v1.forged' };
    assert.equal(await outcomeOf(shop.pay(undefined, { key, body })), '401 unauthorized');
    await dataOf(shop.pay(undefined, { key }));
  });
});

it('A card with the key of a code’s request, told that the key is not its own, is not charged once that request failed', async () => {
  const shop = openKeptShop();
  shop.upstream.behave = () => json({}, 503);
  const release = shop.upstream.hold('POST');
  const key = randomUUID();
  const code = shop.create({ key });
  await turnsUntil(() => shop.upstream.creates() === 1);
  assert.equal(await outcomeOf(shop.create({ key, body: card })), '422 key_reused');
  release();
  assert.equal(await outcomeOf(code), unavailable);
  shop.upstream.behave = () => undefined;
  await shop.clock.advance(40_000);
  assert.equal(await outcomeOf(shop.create({ key, body: card })), '422 key_reused');
  assert.equal(shop.upstream.creates(), 1);
});
