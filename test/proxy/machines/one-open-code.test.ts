/**
 * An order that is paid from everywhere at once, at four machines: one charge, one code. Set `MACHINE_ROUNDS` for a long
 * run.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { rounds } from '../../support/runs.js';
import { createPostgresStore } from '../support/stores.js';
import { newOrder, openFourMachines } from './four-machines.js';
import type { FourMachines } from './four-machines.js';
import type { Answer } from './machines.js';

const crowdRounds = rounds('MACHINE_ROUNDS', { quick: 1, thorough: 3 });
const crowd = rounds('MACHINE_CROWD', { quick: 40, thorough: 100 });
const store = createPostgresStore();

const keysOf: [name: string, toKeys: () => string[]][] = [
  ['with one key', () => Array<string>(crowd).fill(randomUUID())],
  ['with a key each', () => Array.from({ length: crowd }, () => randomUUID())],
];

describe('one order at four machines', { skip: store.whyNot }, () => {
  let shop: FourMachines;
  before(async () => {
    await store.open();
    shop = await openFourMachines(store);
  });
  after(async () => {
    await shop.close();
    await store.close();
  });

  for (const [name, toKeys] of keysOf) {
    it(`is charged once, however many pay by card ${name}`, async () => {
      for (let round = 1; round <= crowdRounds; round += 1) {
        const externalId = newOrder();
        const answers = await shop.askInCrowd({ externalId, method: 'credit_card' }, toKeys());
        assert.equal(shop.sandbox.charges(externalId).count, 1);
        assert.equal(shop.made(externalId).length, 1);
        assert.ok(answers.some(({ outcome }) => outcome === '200'));
        assert.equal(valuesOf(answers, 'invoice_id').size, 1);
        assert.deepEqual(outcomesBeside(answers, ['200', '409 in_progress', '409 order_paid']), []);
      }
    });

    it(`has one code, however many pay by Pix ${name}`, async () => {
      for (let round = 1; round <= crowdRounds; round += 1) {
        const externalId = newOrder();
        const answers = await shop.askInCrowd({ externalId, method: 'pix' }, toKeys());
        assert.equal(shop.made(externalId).length, 1);
        assert.equal(valuesOf(answers, 'qr_code_pix').size, 1);
        assert.deepEqual(outcomesBeside(answers, ['200']), []);
      }
    });
  }
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
