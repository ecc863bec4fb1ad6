/**
 * Four machines of one shop: an order that is paid from everywhere at once has one charge and one code, and news of a
 * payment is heard of once, with few look-ups.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createPostgresStore } from '../../support/proxy/stores.js';
import { newOrder, openFourMachines } from './four-machines.js';
import type { FourMachines } from './four-machines.js';
import type { Answer } from './machines.js';
import { until } from '../../support/until.js';
import { leftOutIf } from '../../tools/runner/left-out.js';

const crowd = 40;
/** Postbacks of one invoice. */
const postbacks = 200;
const store = createPostgresStore();

const keysOf: [name: string, toKeys: () => string[]][] = [
  ['with one key', () => Array<string>(crowd).fill(randomUUID())],
  ['with a key each', () => Array.from({ length: crowd }, () => randomUUID())],
];

describe('four machines', leftOutIf(store.whyNot), () => {
  let shop: FourMachines;
  beforeAll(async () => {
    await store.open();
    shop = await openFourMachines(store);
  });
  afterAll(async () => {
    await shop.close();
    await store.close();
  });

  describe('one order', () => {
    for (const [name, toKeys] of keysOf) {
      it(`is charged once, however many pay by card ${name}`, async () => {
        const externalId = newOrder();
        const answers = await shop.askInCrowd({ externalId, method: 'credit_card' }, toKeys());
        assert.equal(shop.sandbox.charges(externalId).count, 1);
        assert.equal(shop.made(externalId).length, 1);
        assert.ok(answers.some(({ outcome }) => outcome === '200'));
        assert.equal(valuesOf(answers, 'invoice_id').size, 1);
        const allowed = ['200', '409 in_progress', '409 order_paid'];
        assert.deepEqual(outcomesBeside(answers, allowed), []);
      });

      it(`has one code, however many pay by Pix ${name}`, async () => {
        const externalId = newOrder();
        const answers = await shop.askInCrowd({ externalId, method: 'pix' }, toKeys());
        assert.equal(shop.made(externalId).length, 1);
        assert.equal(valuesOf(answers, 'qr_code_pix').size, 1);
        assert.deepEqual(outcomesBeside(answers, ['200']), []);
      });
    }
  });

  it('a payment is heard of once, however many postbacks come', async () => {
    const { invoice_id: id } = await shop.createPix();
    await shop.settle(id);
    const startedAtMs = performance.now();
    await shop.postbacks(id, postbacks);
    await until(() => shop.toldOf(id).length > 0);
    await shop.everythingTold();
    const seconds = (performance.now() - startedAtMs) / 1_000;
    const calls = `${shop.lookUps(id)} look-ups, ${shop.toldOf(id).length} onPaid`;
    console.log(`${postbacks} postbacks: ${calls} in ${seconds.toFixed(1)} s`);
    assert.equal(shop.toldOf(id).length, 1);
    // One, unless the database was too late to record what it found.
    assert.ok(shop.lookUps(id) <= 1 + seconds / 2, calls);
  });
});

/** The values of a field, over all answers that have data. */
function valuesOf(
  answers: readonly Answer[],
  field: keyof NonNullable<Answer['data']>,
): Set<string> {
  return new Set(answers.flatMap(({ data }) => (data ? [data[field]] : [])));
}

function outcomesBeside(answers: readonly Answer[], expected: readonly string[]): string[] {
  const outcomes = new Set(answers.map(({ outcome }) => outcome));
  return [...outcomes].filter((outcome) => !expected.includes(outcome));
}
