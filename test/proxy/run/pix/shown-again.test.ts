/**
 * A code without a deadline is the same on day 8 and on day 20. However it is shown again, a payment that follows is found,
 * though its page was closed at once.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { dayMs } from '../../../../src/domain/spans.js';
import { openLedger } from '../../../../src/ledger.js';
import type { OpenLedger } from '../../../../src/ledger.js';
import { createSqliteStore } from '../../../support/proxy/stores.js';
import { dataOf, openShop } from '../../../support/proxy/shop.js';
import type { Shop } from '../../../support/proxy/shop.js';
import { column } from '../../../support/rows.js';
import { openInvoice } from '../../../support/proxy/open-invoice.js';

const store = createSqliteStore();
beforeAll(store.open);
afterAll(store.close);

interface Shown {
  readonly shop: Shop;
  readonly key: string;
  readonly qrImageUrl: string;
}

/** Each way in which a code is shown again. */
const ways: Record<string, (shown: Shown) => Promise<unknown>> = {
  'a new request': ({ shop }) => dataOf(shop.create()),
  'the same request': ({ shop, key }) => dataOf(shop.create({ key })),
  'the shop itself, as for a payment link': ({ shop }) =>
    shop.proxy.createInvoice({ externalId: 'order-1', method: 'pix' }),
  'the picture in an e-mail': async ({ shop, qrImageUrl }) => {
    assert.equal((await shop.proxy.fetch(new Request(qrImageUrl))).status, 200);
  },
};

/** Orders are looked after for as long as the test says, by `runDue` each minute or hour. */
async function runFor(shop: Shop, forMs: number, everyMs: number) {
  for (let spentMs = 0; spentMs < forMs; spentMs += everyMs) {
    await shop.clock.advance(everyMs);
    await shop.proxy.runDue();
  }
}

describe('A code that is shown again', () => {
  for (const [way, show] of Object.entries(ways)) {
    for (const day of [8, 20]) {
      it(`by ${way} on day ${day} is looked after again`, async () => {
        const now = () => shop.clock.now();
        const ledger: OpenLedger = await openLedger({ url: await store.createUrl(), now });
        const hears = ['onPaid', 'onPixWaiting'] as const;
        const shop: Shop = openShop({ ledger, backgroundJobs: false, hears });
        const key = randomUUID();
        const made = await dataOf(shop.create({ key }));
        await runFor(shop, day * dayMs, 12 * 3_600_000);
        const [{ qrImageUrl = '' } = assert.fail('its waiting event')] = shop.heard.onPixWaiting;
        await show({ shop, key, qrImageUrl });
        // No page looks any more, and the payer needs twenty minutes.
        await runFor(shop, 20 * 60_000, 60_000);
        shop.upstream.pay(made);
        await runFor(shop, 15 * 60_000, 60_000);
        assert.deepEqual(column(shop.heard.onPaid, 'invoiceId'), [made.invoice_id]);
        await shop.proxy.close();
        await ledger.close();
      });
    }
  }

  it('by a page that was open before its token ended is looked after again', async () => {
    const [shop, made] = await openInvoice({ backgroundJobs: false, hears: ['onPaid'] });
    await runFor(shop, 6 * dayMs + 20 * 3_600_000, 4 * 3_600_000);
    assert.equal((await dataOf(shop.lookUp(made)))['status'], 'pending');
    await runFor(shop, 8 * 3_600_000, 3_600_000);
    shop.upstream.pay(made);
    await runFor(shop, 8 * 3_600_000, 3_600_000);
    assert.equal(shop.heard.onPaid.length, 1);
  });

  it('is no change of its order for the page that has just got it: its first look-up changes what the service said alone', async () => {
    let changes = 0;
    const observe = (_name: string, _seconds: number, { operation = '' } = {}): void => {
      if (operation === 'change') changes += 1;
    };
    const shop = openShop({ metrics: { count: () => {}, set: () => {}, observe } });
    const made = await dataOf(shop.create());
    const before = changes;
    await dataOf(shop.lookUp(made));
    assert.equal(changes - before, 1);
  });

  it('is no further work while its page is open: it is noted twice an hour at most', async () => {
    const shop = openShop({ backgroundJobs: false, onPaid: () => {} });
    await dataOf(shop.create());
    await runFor(shop, 8 * dayMs, 12 * 3_600_000);
    const before = shop.upstream.lookUps();
    for (let minute = 0; minute < 30; minute += 1) {
      await dataOf(shop.create());
      await runFor(shop, 60_000, 60_000);
    }
    // 15 s, 30 s, 1, 2, 5, 10 and 30 minutes after the showing, as far as runs once a minute see them apart.
    assert.ok(shop.upstream.lookUps() - before <= 7, `${shop.upstream.lookUps() - before}`);
  });
});
