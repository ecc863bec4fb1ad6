/** The memory of orders: what it keeps, what it gives up in time, and that nobody can change it from outside. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import type {
  Attempt,
  AttemptProgress,
  RememberedInvoice,
} from '../../../src/proxy/ledger/ledger.js';

const dayMs = 24 * 3_600_000;

const invoice: RememberedInvoice = {
  invoiceId: 'invoice-1',
  lookUpId: 'invoice-1',
  externalId: 'order-1',
  totalCents: 100,
  method: 'pix',
  deadlineMs: null,
  orderCode: 'code-1',
  code: 'PIX',
  status: 'pending',
  createdAtMs: 0,
};

const payment = { endToEndId: null };

const attempt: Attempt = {
  key: 'key-1',
  scope: 'scope-1',
  externalId: 'order-1',
  method: 'pix',
  totalCents: 100,
  installment: 1,
  holder: 'h',
};

const card: Attempt = { ...attempt, key: 'card-1', scope: 'card', method: 'credit_card' };

const created: AttemptProgress = { state: 'created', invoiceId: 'invoice-1' };

const nothing = { invoices: [], sentAtMs: [], cardSentAtMs: [], cards: [], paid: null };

function openMemory() {
  const clock = { nowMs: 0 };
  return { clock, orders: createMemoryLedger(() => clock.nowMs) };
}

describe('the memory of orders', () => {
  it('reads an unknown order as an empty one', async () => {
    const { orders } = openMemory();
    assert.deepEqual(await orders.find('order-1'), nothing);
  });

  it('keeps invoices in order, and paid for good', async () => {
    const { orders } = openMemory();
    const second = { ...invoice, invoiceId: 'invoice-2' };
    await orders.recordInvoice(invoice);
    await orders.recordInvoice(second);
    await orders.recordPaid({ ...invoice, status: 'paid', code: 'what a look-up said' }, payment);
    await orders.recordPaid({ ...second, status: 'paid' }, payment);
    const { invoices, paid } = await orders.find('order-1');
    assert.deepEqual(
      invoices.map(({ invoiceId }) => invoiceId),
      ['invoice-1', 'invoice-2'],
    );
    assert.deepEqual(paid, { ...invoice, status: 'paid' });
  });

  it('hands out copies', async () => {
    const { orders } = openMemory();
    await orders.recordInvoice(invoice);
    ((await orders.find('order-1')).invoices as RememberedInvoice[]).length = 0;
    ((await orders.find('order-1')).sentAtMs as number[]).push(1);
    assert.deepEqual(await orders.find('order-1'), { ...nothing, invoices: [invoice] });
  });

  it('tells a known request from a reused key, by scope and fingerprint', async () => {
    const { orders } = openMemory();
    const claims: [fields: Partial<Attempt>, claim: string][] = [
      [{}, 'new'],
      [{}, 'known'],
      [{ totalCents: 101 }, 'reused'],
      [{ installment: 2 }, 'reused'],
      [{ scope: 'scope-2', totalCents: 101 }, 'new'],
      [{ key: 'key-2', totalCents: 101 }, 'new'],
    ];
    for (const [fields, claim] of claims) {
      assert.equal(
        await orders.claimAttempt({ ...attempt, ...fields }),
        claim,
        JSON.stringify(fields),
      );
    }
    assert.equal((await orders.findAttempts('key-1')).length, 2);
    await orders.advanceAttempt(attempt, created);
    assert.equal(await orders.claimAttempt(attempt), 'known');
    await orders.releaseAttempt({ ...attempt, scope: 'scope-2' });
    assert.deepEqual(await orders.findAttempts('key-1'), [{ ...attempt, progress: created }]);
  });

  it('keeps an order with an invoice for seven days after its last use, another for one', async () => {
    const { clock, orders } = openMemory();
    await orders.recordInvoice(invoice);
    await orders.recordSend('order-2', 'pix', 0);
    for (const one of [{ ...attempt, key: 'key-2', externalId: 'order-2' }, attempt]) {
      await orders.claimAttempt(one);
      await orders.advanceAttempt(one, created);
    }

    clock.nowMs = dayMs;
    await orders.recordSend('elsewhere', 'pix', dayMs);
    assert.deepEqual(await orders.findAttempts('key-2'), []);
    assert.equal((await orders.findAttempts('key-1')).length, 1);

    clock.nowMs = 7 * dayMs - 1;
    await orders.recordSend('elsewhere', 'pix', clock.nowMs);
    assert.equal((await orders.find('order-1')).invoices.length, 1);
    clock.nowMs = 14 * dayMs - 2;
    await orders.recordSend('elsewhere', 'pix', clock.nowMs);
    assert.equal((await orders.findAttempts('key-1')).length, 1);
    clock.nowMs += 60_000;
    await orders.recordSend('elsewhere', 'pix', clock.nowMs);
    assert.deepEqual(await orders.findAttempts('key-1'), []);
    assert.equal((await orders.find('order-1')).invoices.length, 0);
  });

  it('does not grow with the keys of one order, and never gives up one in progress', async () => {
    const { orders } = openMemory();
    await orders.claimAttempt({ ...attempt, key: 'in progress' });
    for (let i = 0; i < 500; i++) {
      const done = { ...attempt, key: `key-${i}` };
      await orders.claimAttempt(done);
      await orders.advanceAttempt(done, created);
      await orders.recordSend('order-1', 'pix', i);
    }
    let kept = 0;
    for (let i = 0; i < 500; i++) kept += (await orders.findAttempts(`key-${i}`)).length;
    assert.equal(kept, 49);
    assert.equal((await orders.findAttempts('key-499')).length, 1);
    assert.equal((await orders.findAttempts('in progress')).length, 1);
    assert.equal((await orders.find('order-1')).sentAtMs.length, 50);
  });

  const open: AttemptProgress[] = [
    { state: 'claimed' },
    { state: 'sent' },
    { state: 'unknown', candidate: null },
    created,
  ];
  for (const progress of open) {
    it(`lets no second card in while the first one is ${progress.state}, whatever its key and scope`, async () => {
      const { orders } = openMemory();
      await orders.claimAttempt(card);
      await orders.advanceAttempt(card, progress);
      const second = { ...card, key: 'card-2' };
      assert.equal(await orders.claimAttempt(card), 'known');
      assert.equal(await orders.claimAttempt(second), 'busy');
      assert.equal(await orders.claimAttempt({ ...card, scope: 'another' }), 'busy');
      assert.deepEqual(await orders.findAttempts('card-2'), []);
      assert.equal(await orders.claimAttempt({ ...second, externalId: 'order-2' }), 'new');
      assert.equal(await orders.claimAttempt(attempt), 'new');
    });
  }

  it('lets the next card in after a refusal or a release', async () => {
    const { orders } = openMemory();
    await orders.claimAttempt(card);
    assert.equal(await orders.advanceAttempt(card, { state: 'refused' }), true);
    const second = { ...card, key: 'card-2' };
    assert.equal(await orders.claimAttempt(second), 'new');
    await orders.releaseAttempt(second);
    assert.equal(await orders.claimAttempt({ ...card, key: 'card-3' }), 'new');
    const { cards } = await orders.find('order-1');
    assert.deepEqual(
      cards.map(({ key, progress }) => [key, progress.state]),
      [
        ['card-1', 'refused'],
        ['card-3', 'claimed'],
      ],
    );
  });

  it('takes attempts forward only', async () => {
    const { orders } = openMemory();
    const refused: AttemptProgress = { state: 'refused' };
    const steps: [progress: AttemptProgress, isNew: boolean][] = [
      [{ state: 'sent' }, true],
      [{ state: 'sent' }, false],
      [{ state: 'unknown', candidate: null }, true],
      [{ state: 'sent' }, false],
      [created, true],
      [{ state: 'unknown', candidate: null }, false],
      [refused, true],
      [created, false],
    ];
    await orders.claimAttempt(card);
    for (const [progress, isNew] of steps) {
      assert.equal(await orders.advanceAttempt(card, progress), isNew, progress.state);
    }
    assert.deepEqual(await orders.findAttempts('card-1'), [{ ...card, progress: refused }]);
  });

  it('keeps a card that may have been charged for seven days, and all that are open', async () => {
    const { clock, orders } = openMemory();
    await orders.claimAttempt(card);
    await orders.advanceAttempt(card, { state: 'unknown', candidate: null });
    for (let i = 0; i < 100; i++) {
      const pix = { ...attempt, key: `key-${i}` };
      await orders.claimAttempt(pix);
      await orders.advanceAttempt(pix, created);
    }
    clock.nowMs = 7 * dayMs - 1;
    await orders.recordSend('elsewhere', 'pix', clock.nowMs);
    assert.equal((await orders.findAttempts('card-1')).length, 1);
    clock.nowMs += 60_000;
    await orders.recordSend('elsewhere', 'pix', clock.nowMs);
    assert.equal((await orders.findAttempts('card-1')).length, 0);
    assert.deepEqual(await orders.find('order-1'), nothing);
  });
});
