/** Four proxies with a ledger in one database: together they make the calls that the service allows, and no more. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openLedger } from '../../../src/ledger.js';
import { isChosen, isThorough } from '../../support/runs.js';
import { createPostgresStore, createSqliteStore } from '../support/stores.js';
import { createTestClock, createUpstream, dataOf, openShop } from '../support/shop.js';
import type { Shop, Ticket } from '../support/shop.js';

const serviceCallsPerMinute = 60;
const orders = 20;

/** To start the server takes longer than the test; what it books is in the ledger's contract, too. */
const whyNoServer = isThorough || isChosen ? false : 'runs with CI=true';

for (const store of [createSqliteStore(), createPostgresStore()]) {
  const skip = store.whyNot || (store.name === 'PostgreSQL' && whyNoServer);
  describe(`four proxies on one ${store.name}`, { skip }, () => {
    before(() => store.open());
    after(() => store.close());

    it('share the calls of a minute', async () => {
      const url = await store.createUrl();
      const clock = createTestClock();
      const { now, startTimer } = clock;
      const upstream = createUpstream();
      const ledgers = await Promise.all([1, 2, 3, 4].map(() => openLedger({ url, now })));
      const shops = ledgers.map((ledger) =>
        openShop({ ledger, now, startTimer, fetch: upstream.fetch, serviceCallsPerMinute }),
      );
      const tickets: Ticket[] = [];
      for (let i = 0; i < orders; i += 1) {
        tickets.push(await dataOf(shops[i % 4]!.create({ externalId: `order-${i}` })));
      }
      const answers = await Promise.all(
        tickets.flatMap((ticket) => shops.map((shop) => shop.lookUp(ticket))),
      );
      const passed = answers.filter(({ status }) => status === 200).length;
      assert.equal(upstream.lookUps(), passed);
      // Nine tenths of the calls, without those of the creations. What one of them booked last, it may not have used.
      assert.ok(passed <= 34 && passed >= 30, `${passed} look-ups`);
      for (const answer of answers) {
        if (answer.status === 200) continue;
        assert.equal(answer.status, 503);
        assert.ok(Number(answer.headers.get('retry-after')) > 50);
      }
      assert.equal((await shops[0]!.create({ externalId: 'one-more' })).status, 200);
      await closeAll(shops);
      for (const ledger of ledgers) await ledger.close();
    });
  });
}

async function closeAll(shops: readonly Shop[]): Promise<void> {
  await Promise.all(shops.map(({ proxy }) => proxy.close()));
}
