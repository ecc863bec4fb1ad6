/** Promises of an order that were broken once, each by what came long after or beside it. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { createMemoryStore } from '../../../src/proxy/store/memory/memory-store.js';
import {
  createTestClock,
  dataOf,
  json,
  openShop,
  refusalOf,
  toWireInvoice,
} from '../support/shop.js';

const dayMs = 24 * 3_600_000;
const card = { method: 'credit_card', card: { token: 'tok_any' } };

function open() {
  const { now, startTimer, advance } = createTestClock();
  let behind = 0;
  const paid: string[] = [];
  const shop = openShop({
    now: () => now() + behind,
    startTimer,
    ledger: createMemoryStore(() => now() + behind),
    requireOrderToken: false,
    onPaid: ({ invoiceId }) => void paid.push(invoiceId),
  });
  /** Time passes, and no timer is heard of. */
  return { shop, paid, advance, skip: (ms: number) => void (behind += ms) };
}

describe('nothing is sent for a key that has ended', () => {
  for (const [after, days] of [
    ['a day', 1.1],
    ['eight days', 8],
    ['eighty days', 80],
  ] as const) {
    it(`after ${after}`, async () => {
      const { shop, skip } = open();
      shop.upstream.behave = ({ method }) => (method === 'POST' ? json({}, 402) : undefined);
      const key = randomUUID();
      assert.equal(await refusalOf(shop.create({ key, body: card })), '402 payment_refused');
      const barred = randomUUID();
      assert.equal(await refusalOf(shop.ask(barred)), '404 not_found');
      skip(days * dayMs);
      shop.upstream.behave = () => undefined;
      for (const one of [key, barred]) {
        assert.match(
          await refusalOf(shop.create({ key: one, body: card })),
          /key_reused|payment_refused/,
        );
      }
      assert.equal(shop.upstream.creates(), 1);
    });
  }

  it('after more presses of Pix than attempts are kept', async () => {
    const { shop, skip } = open();
    const key = randomUUID();
    assert.equal(await refusalOf(shop.ask(key)), '404 not_found');
    for (let n = 0; n < 60; n += 1) {
      skip(5_000);
      await dataOf(shop.create({ key: randomUUID() }));
    }
    assert.equal(await refusalOf(shop.create({ key, body: card })), '422 key_reused');
    assert.equal(shop.upstream.creates(), 1);
  });
});

describe('an invoice that is paid with another total', () => {
  async function openMismatch() {
    const bench = open();
    const { shop } = bench;
    const made = await dataOf(shop.create());
    const wire = shop.upstream.invoices.get(made.invoice_id) ?? assert.fail();
    Object.assign(wire, { status: 'paid', total_cents: 1 });
    assert.equal((await dataOf(shop.lookUp(made)))['status'], 'amount_mismatch');
    return { ...bench, made };
  }

  it('is handed out no more, by no key', async () => {
    const { shop } = await openMismatch();
    assert.equal(await refusalOf(shop.create()), '409 in_progress');
    assert.equal(await refusalOf(shop.create({ body: card })), '409 in_progress');
  });

  it('pays the order where a person accepts it', async () => {
    const { shop, made } = await openMismatch();
    const outcome = { externalId: 'order-1', invoiceId: made.invoice_id };
    assert.equal(await shop.proxy.resolveOutcome(outcome), true);
    assert.equal(await refusalOf(shop.create()), '409 order_paid');
  });

  it('leaves the order to be paid anew where a person gives it up', async () => {
    const { shop, made } = await openMismatch();
    const outcome = { externalId: 'order-1', invoiceId: null };
    assert.equal(await shop.proxy.resolveOutcome(outcome), true);
    const other = await dataOf(shop.create());
    assert.notEqual(other.invoice_id, made.invoice_id);
  });
});

describe('a postback long after', () => {
  it('that names the invoice of a lost answer is looked up, and told when paid', async () => {
    const { shop, skip } = open();
    let lost: ReturnType<typeof toWireInvoice> | null = null;
    shop.upstream.behave = ({ method, body }) => {
      if (method !== 'POST' || !body) return undefined;
      lost = toWireInvoice(body);
      shop.upstream.invoices.set(lost.invoice_id, lost);
      return json({}, 500);
    };
    assert.equal((await shop.create()).status, 503);
    skip(8 * dayMs);
    const { invoice_id: id } = lost ?? assert.fail();
    Object.assign(shop.upstream.invoices.get(id) ?? assert.fail(), { status: 'paid' });
    const url = String(shop.upstream.sent[0]?.body?.['postback_url']);
    const told = new Request(url, { method: 'POST', body: JSON.stringify({ id }) });
    assert.equal((await shop.proxy.fetch(told)).status, 200);
    for (let n = 0; n < 50; n += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await refusalOf(shop.create()), '409 order_paid');
  });
});
