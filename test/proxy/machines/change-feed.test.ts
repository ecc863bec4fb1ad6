/** How news of a payment comes through at four machines: heard of once, with few look-ups, and by whoever waits. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { nextLookUpDelayMs } from '../../../src/contract/schedule.js';
import { rounds } from '../../support/runs.js';
import { createPostgresStore } from '../support/stores.js';
import { openFourMachines } from './four-machines.js';
import type { FourMachines } from './four-machines.js';

/** Postbacks of one invoice, and invoices at once. */
const crowd = rounds('MACHINE_POSTBACKS', { quick: 200, thorough: 1_000 });
const store = createPostgresStore();

describe('a payment at four machines', { skip: store.whyNot }, () => {
  let shop: FourMachines;
  before(async () => {
    await store.open();
    shop = await openFourMachines(store);
  });
  after(async () => {
    await shop.close();
    await store.close();
  });

  it('is heard of once, however many postbacks come', async (t) => {
    const { invoice_id: id } = await shop.createPix();
    await shop.settle(id);
    const startedAtMs = performance.now();
    await shop.postbacks(id, crowd);
    await shop.until(() => shop.toldOf(id).length > 0);
    await shop.everythingTold();
    const seconds = (performance.now() - startedAtMs) / 1_000;
    const calls = `${shop.lookUps(id)} look-ups, ${shop.toldOf(id).length} onPaid`;
    t.diagnostic(`${crowd} postbacks: ${calls} in ${seconds.toFixed(1)} s`);
    assert.equal(shop.toldOf(id).length, 1);
    // One, unless the database was too late to record what it found.
    assert.ok(shop.lookUps(id) <= 1 + seconds / 2, calls);
  });

  it('that has not come yet costs a look-up in two seconds, however many postbacks come', async (t) => {
    const { invoice_id: id } = await shop.createPix();
    const startedAtMs = performance.now();
    await shop.postbacks(id, crowd);
    await shop.until(() => shop.lookUps(id) > 1);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    t.diagnostic(`${crowd} postbacks: ${shop.lookUps(id)} look-ups in ${seconds.toFixed(1)} s`);
    assert.ok(shop.lookUps(id) <= 1 + seconds / 2);
  });

  it('is shown where somebody waits, once another machine has found it', async (t) => {
    let heldForMs = Infinity;
    // Later it could have found out by itself: on a busy machine the next one may be soon enough.
    for (let tries = 0; tries < 10 && heldForMs >= nextLookUpDelayMs(0); tries += 1) {
      const invoice = await shop.createPix();
      const { invoice_id: id } = invoice;
      const askedAtMs = performance.now();
      const held = shop.at(0).lookUp(invoice, '?wait=25');
      await shop.until(() => shop.lookUps(id) > 0);
      await shop.settle(id);
      await shop.postback(id, 1);
      assert.equal((await held).data?.status, 'paid');
      heldForMs = performance.now() - askedAtMs;
      // The first, the one that found it, and the one that the held answer is believed for.
      assert.ok(heldForMs > nextLookUpDelayMs(0) || shop.lookUps(id) <= 3);
    }
    t.diagnostic(`answered after ${heldForMs.toFixed(0)} ms`);
    assert.ok(heldForMs < nextLookUpDelayMs(0), `held for ${heldForMs} ms`);
  });

  it('is told of once, if it is one of many and nothing fails', async (t) => {
    const invoices = await Promise.all(Array.from({ length: crowd / 5 }, () => shop.createPix()));
    const ids = invoices.map(({ invoice_id }) => invoice_id);
    for (const id of ids) await shop.settle(id);
    await Promise.all(ids.map((id, index) => shop.postback(id, index)));
    await shop.until(() => ids.every((id) => shop.toldOf(id).length > 0));
    await shop.everythingTold();
    for (const id of ids) assert.equal(shop.toldOf(id).length, 1);
    const shares = [0, 1, 2, 3].map((index) => shop.at(index).told.length);
    t.diagnostic(`deliveries of the four machines: ${shares.join(', ')}`);
  });
});
