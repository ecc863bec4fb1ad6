/**
 * Four machines of one shop: an order that is paid from everywhere at once has one charge and one code, and news of a
 * payment is heard of once, with few look-ups, and by all who wait. Set `MACHINE_ROUNDS` for a long run.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { nextLookUpDelayMs } from '../../../src/contract/schedule.js';
import { rounds } from '../../support/runs.js';
import { createPostgresStore } from '../support/stores.js';
import { newOrder, openFourMachines } from './four-machines.js';
import type { FourMachines } from './four-machines.js';
import type { Answer } from './machines.js';
import { itFew, itLong } from '../../support/runner/long.js';

const itSome = itFew(1);
const itSomeOther = itFew(1);

const crowdRounds = rounds('MACHINE_ROUNDS', { quick: 1, thorough: 3 });
const crowd = rounds('MACHINE_CROWD', { quick: 40, thorough: 100 });
/** Postbacks of one invoice, and invoices at once. */
const postbacks = rounds('MACHINE_POSTBACKS', { quick: 200, thorough: 1_000 });
const store = createPostgresStore();

const keysOf: [name: string, toKeys: () => string[]][] = [
  ['with one key', () => Array<string>(crowd).fill(randomUUID())],
  ['with a key each', () => Array.from({ length: crowd }, () => randomUUID())],
];

describe('four machines', { skip: store.whyNot }, () => {
  let shop: FourMachines;
  before(async () => {
    await store.open();
    shop = await openFourMachines(store);
  });
  after(async () => {
    await shop.close();
    await store.close();
  });

  describe('one order', () => {
    for (const [name, toKeys] of keysOf) {
      itSome(`is charged once, however many pay by card ${name}`, async () => {
        for (let round = 1; round <= crowdRounds; round += 1) {
          const externalId = newOrder();
          const answers = await shop.askInCrowd({ externalId, method: 'credit_card' }, toKeys());
          assert.equal(shop.sandbox.charges(externalId).count, 1);
          assert.equal(shop.made(externalId).length, 1);
          assert.ok(answers.some(({ outcome }) => outcome === '200'));
          assert.equal(valuesOf(answers, 'invoice_id').size, 1);
          assert.deepEqual(
            outcomesBeside(answers, ['200', '409 in_progress', '409 order_paid']),
            [],
          );
        }
      });

      itSomeOther(`has one code, however many pay by Pix ${name}`, async () => {
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

  describe('a payment', () => {
    it('is heard of once, however many postbacks come', async (t) => {
      const { invoice_id: id } = await shop.createPix();
      await shop.settle(id);
      const startedAtMs = performance.now();
      await shop.postbacks(id, postbacks);
      await shop.until(() => shop.toldOf(id).length > 0);
      await shop.everythingTold();
      const seconds = (performance.now() - startedAtMs) / 1_000;
      const calls = `${shop.lookUps(id)} look-ups, ${shop.toldOf(id).length} onPaid`;
      t.diagnostic(`${postbacks} postbacks: ${calls} in ${seconds.toFixed(1)} s`);
      assert.equal(shop.toldOf(id).length, 1);
      // One, unless the database was too late to record what it found.
      assert.ok(shop.lookUps(id) <= 1 + seconds / 2, calls);
    });

    itLong(
      'that has not come yet costs a look-up in two seconds, however many postbacks come',
      async (t) => {
        const { invoice_id: id } = await shop.createPix();
        const startedAtMs = performance.now();
        await shop.postbacks(id, postbacks);
        await shop.until(() => shop.lookUps(id) > 1);
        const seconds = (performance.now() - startedAtMs) / 1_000;
        t.diagnostic(
          `${postbacks} postbacks: ${shop.lookUps(id)} look-ups in ${seconds.toFixed(1)} s`,
        );
        assert.ok(shop.lookUps(id) <= 1 + seconds / 2);
      },
    );

    itLong('is shown where somebody waits, once another machine has found it', async (t) => {
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

    itLong('is told of once, if it is one of many and nothing fails', async (t) => {
      const invoices = await Promise.all(
        Array.from({ length: postbacks / 5 }, () => shop.createPix()),
      );
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
