/** What the memory of orders gives up in time. What else it does is the contract of every ledger. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import { toCard, toInvoice, toPix } from './contract/samples.js';

const dayMs = 24 * 3_600_000;
const created = { state: 'created', invoiceId: 'invoice-1' } as const;

function openMemory() {
  const clock = { nowMs: 0 };
  const ledger = createMemoryLedger(() => clock.nowMs);
  return {
    ledger,
    /** Another order is used then, and what is old is given up. */
    async useAt(nowMs: number) {
      clock.nowMs = nowMs;
      await ledger.recordSend('elsewhere', 'pix', nowMs, 100);
    },
    countOf: async (key: string) => (await ledger.findAttempts(key)).length,
  };
}

describe('the memory of orders', () => {
  it('keeps an order with an invoice for seven days after its last use, another for one', async () => {
    const { ledger, useAt, countOf } = openMemory();
    await ledger.recordInvoice(toInvoice());
    await ledger.recordSend('order-2', 'pix', 0, 100);
    for (const one of [toPix({ key: 'key-2', externalId: 'order-2' }), toPix()]) {
      await ledger.claimAttempt(one);
      await ledger.advanceAttempt(one, created);
    }
    await useAt(dayMs);
    assert.deepEqual([await countOf('key-2'), await countOf('key-1')], [0, 1]);
    await useAt(7 * dayMs - 1);
    assert.equal((await ledger.find('order-1')).invoices.length, 1);
    await useAt(14 * dayMs - 2);
    assert.equal(await countOf('key-1'), 1);
    await useAt(14 * dayMs + 60_000);
    assert.equal(await countOf('key-1'), 0);
    assert.equal((await ledger.find('order-1')).invoices.length, 0);
  });

  it('keeps a card that may have been charged for seven days, and all that are open', async () => {
    const { ledger, useAt, countOf } = openMemory();
    const card = toCard();
    await ledger.claimAttempt(card);
    await ledger.advanceAttempt(card, { state: 'unknown', candidate: null });
    for (let i = 0; i < 100; i++) {
      const pix = toPix({ key: `key-${i}` });
      await ledger.claimAttempt(pix);
      await ledger.advanceAttempt(pix, created);
    }
    await useAt(7 * dayMs - 1);
    assert.equal(await countOf(card.key), 1);
    await useAt(7 * dayMs + 60_000);
    assert.equal(await countOf(card.key), 0);
    const { invoices, cards, sentAtMs } = await ledger.find('order-1');
    assert.deepEqual([invoices, cards, sentAtMs], [[], [], []]);
  });
});
