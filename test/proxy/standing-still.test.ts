/**
 * A process that stands still, or waits for a ledger that is slow to answer, comes back to a world in which others took its
 * work over. Then nothing of it may leave any more.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { createMemoryLedger } from '../../src/proxy/ledger/memory/memory-ledger.js';
import type { Ledger } from '../../src/proxy/ledger/ledger.js';
import {
  createGate,
  createTestClock,
  dataOf,
  openShop,
  refusalOf,
  settle,
  until,
} from './support/shop.js';
import type { Ticket } from './support/shop.js';

const card = { method: 'credit_card', card: { token: 'tok_any' } };

type Slow = (ledger: Ledger, stand: (ms: number) => Promise<void>) => Partial<Ledger>;

/** A shop whose ledger may be slowed down; `stand` lets time pass in the middle of a step. */
function openSlowShop(slow: Slow) {
  const { now: timeOf, startTimer, advance: stand } = createTestClock();
  let skippedMs = 0;
  const now = () => timeOf() + skippedMs;
  const ledger = createMemoryLedger(now);
  const slowed = { ...ledger, ...slow(ledger, stand) };
  const shop = {
    /** What happens while the merchant's code is asked. */
    priced: async (): Promise<unknown> => undefined,
    ...openShop({
      now,
      startTimer,
      ledger: slowed,
      async resolveOrder() {
        await shop.priced();
        return { total_price_cents: 12_345 };
      },
    }),
    ledger,
    stand,
    /** Time passes before any timer is heard of, as for a process that stood still. */
    skip: async (ms: number) => void (skippedMs += ms),
  };
  return shop;
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

for (const method of ['credit_card', 'pix']) {
  const body = method === 'pix' ? { method } : card;

  test(`nothing leaves by ${method} for a page that left before it`, async () => {
    for (const step of ['resolveOrder', 'recordSend'] as const) {
      const page = new AbortController();
      const leave = async () => page.abort();
      const shop = openSlowShop((ledger) => ({
        async recordSend(...asked) {
          if (step === 'recordSend') await leave();
          return ledger.recordSend(...asked);
        },
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
  const shop = openSlowShop((ledger) => ({
    async recordSend(...asked) {
      await ledger.recordSend(...asked);
      isSending = true;
      await gate.opened;
    },
  }));
  const first = shop.create({ signal: page.signal });
  await until(() => isSending);
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
