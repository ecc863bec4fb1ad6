/** Orders in memory keep the contract, and are forgotten without anyone who asks. */
import assert from 'node:assert/strict';
import { dayMs } from '../../../src/domain/spans.js';
import { onStore, withMemory } from './bench.js';
import { describeStore } from './contract.js';
import { addInvoice, toOrder } from './samples.js';

describeStore('a store in memory', withMemory);

onStore(withMemory)('memory forgets by itself, as long as it is used', async ({ store, clock }) => {
  await store.change('order-1', () => [toOrder('order-1', 1), null]);
  for (const laterMs of [100 * dayMs, dayMs]) {
    assert.ok(await store.read('order-1'));
    clock.nowMs += laterMs;
    await store.change('order-2', addInvoice(1));
  }
  assert.equal(await store.read('order-1'), null);
});
