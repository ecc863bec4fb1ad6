/** Orders that cannot be changed, as where someone holds their rows in the database: the others are paid and told all the same. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { minuteMs } from '../../../../src/domain/spans.js';
import type { OrderStore } from '../../../../src/proxy/store/order-store.js';
import { LedgerError } from '../../../../src/proxy/store/order-store.js';
import { createWorld, dataOf, eventsOf, openKeptShop } from '../../../support/proxy/shop.js';
import type { ShopOptions } from '../../../support/proxy/shop.js';
import { column } from '../../../support/rows.js';

describe('orders that cannot be changed', () => {
  it('keep no other order waiting', async () => {
    const { shop, stuck, paid, advance } = await openPaid();
    for (let n = 0; n < 10; n += 1) stuck.add(`order-${n}`);
    await advance(minuteMs);
    assert.deepEqual(paid(), ['order-10', 'order-11']);
    assert.ok(eventsOf(shop).filter((event) => event === 'ledger_failed').length < 120);
    stuck.clear();
    await advance(minuteMs);
    assert.equal(paid().length, 12);
  });

  it('keep no other order waiting where no process stays', async () => {
    const { shop, stuck, paid, advance } = await openPaid({ backgroundJobs: false });
    await advance(minuteMs);
    for (let n = 0; n < 10; n += 1) stuck.add(`order-${n}`);
    await shop.proxy.runDue();
    assert.deepEqual(paid(), ['order-10', 'order-11']);
  });

  it('are left to the next run after five batches, where they are many', async () => {
    const { shop, stuck, tries, advance } = await openPaid({ backgroundJobs: false }, 200);
    for (let n = 0; n < 200; n += 1) stuck.add(`order-${n}`);
    await advance(minuteMs);
    await shop.proxy.runDue();
    assert.ok(tries() > 0 && tries() <= 5 * 20, `${tries()} tries`);
  });
});

/** Orders that were paid while no page looked. */
async function openPaid(options: ShopOptions = {}, orders = 12) {
  const world = createWorld();
  const { change } = world.store;
  const stuck = new Set<string>();
  let tries = 0;
  Object.assign(world.store, {
    change: async (...[externalId, ...rest]: Parameters<OrderStore['change']>) => {
      if (stuck.has(externalId)) {
        tries += 1;
        throw new LedgerError('BUSY');
      }
      return change(externalId, ...rest);
    },
  });
  const shop = openKeptShop({ hears: ['onPaid'], ...options }, world);
  for (let n = 0; n < orders; n += 1) {
    const made = await dataOf(shop.create({ externalId: `order-${n}` }));
    shop.upstream.pay(made);
  }
  const paid = () => column(shop.heard.onPaid, 'externalId').toSorted();
  return { shop, stuck, paid, tries: () => tries, advance: shop.clock.advance };
}
