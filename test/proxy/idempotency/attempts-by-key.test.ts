/** What an idempotency key is good for: telling a repeated request from a new one, and asking what became of it. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { LedgerError } from '../../../src/proxy/store/order-store.js';
import { withNews } from '../../support/order-news.js';
import type { News } from '../../support/order-news.js';
import { inProgress, openCardShop, outcomeOf } from '../../support/proxy/card-shop.js';
import {
  card,
  assertPaidBy,
  createGate,
  createWorld,
  dataOf,
  json,
  openShop,
  refusalOf,
  turnsUntil,
  assertRefused,
} from '../../support/proxy/shop.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';

describe('an idempotency key', () => {
  const key = randomUUID();

  it('is free again after a creation that failed', async () => {
    const shop = openShop();
    shop.upstream.behave = () => json({}, 500);
    assert.equal((await shop.create({ key })).status, 503);
    shop.upstream.behave = () => undefined;
    shop.totalCents = 500;
    await dataOf(shop.create({ key }));
  });

  it('is the same in capitals', async () => {
    const shop = openShop();
    const made = await dataOf(shop.create({ key: key.toUpperCase() }));
    assert.equal((await dataOf(shop.ask(key))).invoice_id, made.invoice_id);
  });

  it('is not sent to the service unless the merchant says so', async () => {
    const shop = openShop();
    await shop.create({ key });
    assert.equal(shop.upstream.sent[0]?.headers.get('idempotency-key'), null);
  });

  it('forwardIdempotencyKey: is sent, and nothing is sent for it after it got its code', async () => {
    const shop = openShop({ forwardIdempotencyKey: true });
    const first = await dataOf(shop.create({ key }));
    const again = shop.create({ key, body: { replaces: first.invoice_id } });
    assert.equal(await refusalOf(again), '422 key_reused');
    const keys = shop.upstream.sent.flatMap(({ method, headers }) =>
      method === 'POST' ? [headers.get('idempotency-key')] : [],
    );
    assert.deepEqual(keys, [key]);
  });
});

describe('asking for an attempt', () => {
  const key = randomUUID();

  it('answers as the creation did', async () => {
    const shop = openShop();
    const made = await dataOf(shop.create({ key }));
    assert.deepEqual(await dataOf(shop.ask(key)), made);
    assert.equal(shop.upstream.lookUps(), 0);
  });

  it('answers a key that found the open invoice, too', async () => {
    const [shop, made] = await openInvoice();
    await dataOf(shop.create({ key }));
    assert.equal((await dataOf(shop.ask(key))).invoice_id, made.invoice_id);
  });

  it('answers a key that a page has sent again with a newer order token', async () => {
    const shop = openShop();
    const made = await dataOf(shop.create({ key }));
    await shop.clock.advance(1_000);
    await dataOf(shop.create({ key }));
    assert.equal((await dataOf(shop.ask(key))).invoice_id, made.invoice_id);
  });

  it('offers no code of an order that another code has paid', async () => {
    const shop = openShop();
    const first = await dataOf(shop.create({ key }));
    const second = await dataOf(shop.create({ body: { replaces: first.invoice_id } }));
    shop.upstream.pay(second);
    await shop.clock.advance(2_000);
    await dataOf(shop.lookUp(second));
    await assertPaidBy(shop.ask(key), second);
  });

  it('answers with the invoice that has paid, which a page then looks up', async () => {
    const shop = openShop();
    const made = await dataOf(shop.create({ key }));
    await shop.seePaid(made);
    assert.equal((await dataOf(shop.ask(key)))['status'], 'paid');
  });

  it('says so while it is under way', async () => {
    const shop = openShop();
    const { opened: gate, release } = createGate();
    shop.upstream.behave = () => gate.then(() => json({}, 500));
    const creation = shop.create({ key });
    await turnsUntil(() => shop.upstream.creates() === 1);
    await assertRefused(shop.ask(key), '409 in_progress', '1');
    release();
    await creation;
    assert.equal(await refusalOf(shop.ask(key)), '404 not_found');
  });

  it('promises that a key which it does not know is never used', async () => {
    const shop = openShop();
    assert.equal(await refusalOf(shop.ask(key)), '404 not_found');
    assert.equal(await refusalOf(shop.create({ key })), '422 key_reused');
    assert.equal(await refusalOf(shop.create({ key, body: card })), '422 key_reused');
    assert.equal(await refusalOf(shop.ask(key)), '404 not_found');
    assert.equal(shop.upstream.creates(), 0);
    // The key of another order is another one.
    await dataOf(shop.create({ key, externalId: 'other' }));
  });

  it('names the order that has been paid meanwhile', async () => {
    const [shop, made] = await openInvoice();
    await shop.seePaid(made);
    await assertPaidBy(shop.ask(key), made);
  });

  it('of two orders gets the answer of the one that it names, and without one none', async () => {
    const shop = openShop();
    const made = await dataOf(shop.create({ key, externalId: 'a' }));
    await dataOf(shop.create({ key, externalId: 'b' }));
    const found = await dataOf(shop.ask(key, { externalId: 'a' }));
    assert.equal(found.invoice_id, made.invoice_id);
    assert.equal(await refusalOf(shop.ask(key, { externalId: null })), '502 outcome_unknown');
  });

  it('without its order promises nothing of a key that is not known', async () => {
    const shop = openShop();
    const unnamed = { externalId: null };
    assert.equal(await refusalOf(shop.ask(key, unnamed)), '502 outcome_unknown');
    await shop.create({ key });
    assert.equal(await refusalOf(shop.ask(key, unnamed)), '502 outcome_unknown');
    const barred = randomUUID();
    await shop.ask(barred);
    assert.equal(await refusalOf(shop.ask(barred, unnamed)), '502 outcome_unknown');
  });

  it('bars no key without the token of its order', async () => {
    const shop = openShop();
    for (const token of [null, 'v1.e30.AAAA', await shop.signOrder('another')]) {
      const missing = token === null ? ' order_token is missing' : '';
      assert.equal(await refusalOf(shop.ask(key, { token })), `401 unauthorized${missing}`);
    }
    const bad = await shop.ask(key, { externalId: '..%2F', token: null });
    assert.equal(await refusalOf(bad), '400 invalid_request external_id');
    await dataOf(shop.create({ key }));
  });

  it('of a public order bars the keys of orders that the shop knows, as often as one address may ask', async () => {
    const resolveOrder = ({ externalId }: { externalId: string }) =>
      externalId === 'order-1' ? { total_price_cents: 100 } : null;
    const shop = openShop({
      requireOrderToken: false,
      addressRequestsPerMinute: 31,
      resolveOrder,
    });
    const asked = { token: null, remoteAddress: '203.0.113.9' };
    const unknown = shop.ask(key, { ...asked, externalId: 'other' });
    assert.equal(await refusalOf(unknown), '404 unknown_order');
    assert.equal(await refusalOf(shop.ask(key, asked)), '404 not_found');
    const answers = [];
    for (let n = 0; n < 31; n += 1) answers.push(await refusalOf(shop.ask(randomUUID(), asked)));
    assert.deepEqual(
      [answers.filter((one) => one === '404 not_found').length, answers.at(-1)],
      [29, '429 too_many_requests'],
    );
  });

  it('promises it for many keys of one order', async () => {
    const shop = openShop();
    const keys = Array.from({ length: 80 }, () => randomUUID());
    for (const each of keys) assert.equal(await refusalOf(shop.ask(each)), '404 not_found');
    for (const each of keys)
      assert.equal(await refusalOf(shop.create({ key: each })), '422 key_reused');
    await dataOf(shop.create({ key }));
  });
});

it('a card whose attempt the ledger gives back without a charge, though the ledger cannot record that, counts as open and is logged', async () => {
  const world = createWorld();
  const before = async (news: readonly News[]) => {
    if (news.some(({ is }) => is === 'gone')) throw new LedgerError('57P01');
  };
  const shop = openCardShop({ ledger: withNews(world.store, { before }) }, world);
  await shop.fail({ on: 'create', kind: 'rate_limited', times: 1 });
  assert.equal(await outcomeOf(shop.pay()), inProgress);
  assert.deepEqual(shop.logged('ledger_failed'), [
    {
      level: 'error',
      event: 'ledger_failed',
      operation: 'create',
      externalId: 'order-1',
      errorName: 'LedgerError 57P01',
    },
  ]);
});
