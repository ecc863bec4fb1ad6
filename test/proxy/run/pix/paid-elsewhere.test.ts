/** Two processes on one ledger: what the one found paid is not taken back by what the other one sees. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { LedgerError } from '../../../../src/proxy/store/ledger-error.js';
import type { OrderStore } from '../../../../src/proxy/store/order-store.js';
import { outcomeOf } from '../../support/card-shop.js';
import { card, createWorld, dataOf, openKeptShop } from '../../support/shop.js';

it('a card that another process found paid stays paid although the service cancels it later', async () => {
  const shop = openKeptShop({}, createWorld({ isShared: true }));
  const other = openKeptShop({}, shop);
  const made = await dataOf(shop.create({ body: card }));
  const wire = shop.upstream.of(made);
  wire.status = 'paid';
  await dataOf(shop.lookUp(made));
  wire.status = 'canceled';
  assert.equal((await dataOf(other.lookUp(made)))['status'], 'paid');
  wire.status = 'pending';
  await other.clock.advance(2_000);
  assert.equal((await dataOf(other.lookUp(made)))['status'], 'paid');
  assert.equal(await outcomeOf(other.create()), '409 order_paid');
});

describe('an order that the ledger knows as paid', () => {
  /** A second process, after a first one found the order paid and the service went back to `pending`. */
  async function openOther(change: (ledger: OrderStore) => Partial<OrderStore> = () => ({})) {
    const shop = openKeptShop({}, createWorld({ isShared: true }));
    const other = openKeptShop({}, { ...shop, store: { ...shop.store, ...change(shop.store) } });
    const key = randomUUID();
    const made = await dataOf(shop.create({ key }));
    const wire = shop.upstream.of(made);
    wire.status = 'paid';
    await dataOf(shop.lookUp(made));
    wire.status = 'pending';
    return { other, made, wire, key };
  }

  it('stays paid in a process that said so, although the service answers stale', async () => {
    const { other, made } = await openOther();
    const refusal = await (await other.create()).json();
    assert.deepEqual([refusal.code, refusal.data.status], ['order_paid', 'paid']);
    for (const ticket of [refusal.data, made]) {
      assert.equal((await dataOf(other.lookUp(ticket)))['status'], 'paid');
    }
  });

  it('is looked up all the same: the service knows more of it', async () => {
    const { other, made, wire } = await openOther();
    Object.assign(wire, { status: 'paid', updated_at: '2026-11-25T10:00:00Z' });
    await other.create();
    assert.equal((await dataOf(other.lookUp(made)))['updated_at'], '2026-11-25T10:00:00Z');
  });

  it('stays paid though the ledger fails afterwards', async () => {
    let isDown = false;
    const { other, made } = await openOther(({ change }) => ({
      change: (...fact) => (isDown ? Promise.reject(new LedgerError('57P01')) : change(...fact)),
    }));
    assert.equal(await outcomeOf(other.create()), '409 order_paid');
    isDown = true;
    assert.equal((await dataOf(other.lookUp(made)))['status'], 'paid');
  });

  it('stays paid though the service answers with the reference of another order', async () => {
    const { other, made, wire } = await openOther();
    await other.create();
    wire.external_id = 'order-2';
    assert.equal((await dataOf(other.lookUp(made)))['status'], 'paid');
  });

  it('makes no other code of its own paid that was paid with another total', async () => {
    const shop = openKeptShop({}, createWorld({ isShared: true }));
    const other = openKeptShop({}, shop);
    const first = await dataOf(shop.create());
    const second = await dataOf(shop.create({ body: { replaces: first.invoice_id } }));
    shop.upstream.pay(second);
    await dataOf(shop.lookUp(second));
    Object.assign(shop.upstream.of(first), { status: 'paid', total_cents: 1 });
    assert.equal((await dataOf(other.lookUp(first)))['status'], 'amount_mismatch');
  });

  it('stays paid in a process that said nothing', async () => {
    const { other, made } = await openOther();
    assert.equal((await dataOf(other.lookUp(made)))['status'], 'paid');
  });
});
