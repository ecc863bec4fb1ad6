/** The store is away while cards are answered, as on each day on which a database is patched: what the service said is known, and kept. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createBrokenStore } from '../../../support/proxy/broken-store.js';
import { outcomeOf, unknown } from '../../../support/proxy/card-shop.js';
import { card, dataOf, openKeptShop, turnsUntil } from '../../../support/proxy/shop.js';
import type { Shop } from '../../../support/proxy/shop.js';

const most = 20;
const toName = (n: number) => `order-${n}`;

/** Cards of so many orders, answered in one moment in which the store goes away. */
async function openAway() {
  const broken = createBrokenStore();
  const hears = ['onOutcomeUnknown'] as const;
  const shop = openKeptShop({ backgroundJobs: false, hears }, broken.world);
  const release = shop.upstream.hold('POST');
  const asked = Array.from({ length: most }, (_, n) =>
    shop.create({ externalId: toName(n), body: card }),
  );
  await turnsUntil(() => shop.upstream.creates() === most);
  broken.break(null, 'down');
  release();
  return { shop, broken, asked };
}

async function statesOf(shop: Shop) {
  const all = await Promise.all(Array.from({ length: most }, (_, n) => shop.kept(toName(n))));
  return new Set(all.map(({ attempts }) => attempts[0]?.progress.state));
}

describe('the answers of twenty cards', () => {
  it('are recorded though the store is away for two seconds: no person is asked', async () => {
    const { shop, broken, asked } = await openAway();
    await shop.clock.advance(2_000);
    broken.mend();
    await shop.clock.advance(2_000);
    for (const answer of asked) assert.ok((await dataOf(answer)).invoice_id);
    await shop.live(60_000);
    assert.deepEqual(shop.heard.onOutcomeUnknown, []);
    assert.deepEqual(await statesOf(shop), new Set(['created']));
    assert.equal(shop.upstream.creates(), most);
  });

  it('are recorded after a minute: pages hear after fifteen seconds that the outcome is unknown', async () => {
    const { shop, broken, asked } = await openAway();
    await shop.clock.advance(15_000);
    for (const answer of asked) assert.equal(await outcomeOf(answer), unknown);
    await shop.clock.advance(45_000);
    broken.mend();
    await shop.clock.advance(30_000);
    assert.deepEqual(await statesOf(shop), new Set(['created']));
  });

  it('are tried once more when the process ends', async () => {
    const { shop, broken, asked } = await openAway();
    await shop.clock.advance(16_000);
    await Promise.all(asked);
    broken.mend();
    await shop.proxy.close();
    assert.deepEqual(await statesOf(shop), new Set(['created']));
  });

  it('do not keep the process from its end where the store stays away', async () => {
    const { shop, asked } = await openAway();
    await shop.clock.advance(16_000);
    await Promise.all(asked);
    await shop.proxy.close();
  });
});
