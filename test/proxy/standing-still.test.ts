/**
 * A process that stands still, or waits for a ledger that is slow to answer, comes back to a world in which others took its
 * work over. Then nothing of it may leave any more.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryLedger } from '../../src/proxy/ledger/memory/memory-ledger.js';
import type { Ledger } from '../../src/proxy/ledger/ledger.js';
import { createGate, createTestClock, dataOf, openShop, refusalOf, until } from './support/shop.js';
import type { Ticket } from './support/shop.js';

const card = { method: 'credit_card', card: { token: 'tok_any' } };

type Slow = (ledger: Ledger, stand: (ms: number) => Promise<void>) => Partial<Ledger>;

/** A shop whose ledger may be slowed down; `stand` lets time pass in the middle of a step. */
function openSlowShop(slow: Slow) {
  const { now, startTimer, advance: stand } = createTestClock();
  const ledger = createMemoryLedger(now);
  const shop = openShop({ now, startTimer, ledger: { ...ledger, ...slow(ledger, stand) } });
  return { ...shop, ledger, stand };
}

test('a card does not leave when the ledger took longer to say so than a call may take', async () => {
  const shop = openSlowShop((ledger, stand) => ({
    async advanceAttempt(...asked) {
      const isNew = await ledger.advanceAttempt(...asked);
      if (asked[1].state === 'sent') await stand(10_001);
      return isNew;
    },
  }));
  assert.equal(await refusalOf(await shop.create({ body: card })), '503 service_unavailable');
  assert.equal(shop.upstream.creates(), 0);
  // Nothing is left of it: the order can be paid.
  assert.deepEqual((await shop.ledger.find('order-1')).cards, []);
});

test('a card that provably never left is not sent again once its time is over', async () => {
  const shop = openSlowShop(() => ({}));
  shop.upstream.behave = async () => {
    await shop.stand(10_001);
    throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
  };
  assert.equal(await refusalOf(await shop.create({ body: card })), '503 service_unavailable');
  assert.equal(shop.upstream.creates(), 1);
});

test('a code is not handed out when another process recorded one since this one last looked', async () => {
  let standStill = async () => {};
  const shop = openSlowShop((ledger) => ({
    isShared: true,
    async recordCode(...asked) {
      await standStill();
      return ledger.recordCode(...asked);
    },
  }));
  const quick = openShop({ ledger: shop.ledger, fetch: shop.upstream.fetch });
  let first: Ticket | null = null;
  standStill = async () => {
    first = await dataOf(await quick.create());
  };
  assert.equal((await dataOf(await shop.create())).invoice_id, first!.invoice_id);
  assert.equal((await shop.ledger.find('order-1')).invoices.length, 1);
});

test('a code that another process made meanwhile is handed out in place of the own one', async () => {
  // Each of them believes that it has the turn: their clocks are far apart.
  const ledger = { ...createMemoryLedger(Date.now), isShared: true };
  const slow = openShop({ ledger });
  const { upstream } = slow;
  const quick = openShop({ ledger, fetch: upstream.fetch });
  const gate = createGate();
  upstream.behave = async () => {
    if (upstream.creates() === 1) await gate.opened;
    return undefined;
  };
  const waiting = slow.create();
  await until(() => upstream.creates() === 1);
  const first = await dataOf(await quick.create());
  gate.release();
  assert.equal((await dataOf(await waiting)).invoice_id, first.invoice_id);
  assert.equal((await ledger.find('order-1')).invoices.length, 1);
});

test('a process may take its time where no other one made a code meanwhile', async () => {
  const shop = openSlowShop(() => ({ isShared: true }));
  shop.upstream.behave = async () => {
    await shop.stand(30_000);
    return undefined;
  };
  assert.ok((await dataOf(await shop.create())).invoice_id);
});
