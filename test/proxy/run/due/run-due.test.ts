/** A proxy where no process stays: a cron trigger finds the payment that no page saw, and nothing runs between requests. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dataOf, openKeptShop, openShop, settle } from '../../../support/proxy/shop.js';
import type { ShopOptions } from '../../../support/proxy/shop.js';
import { columns } from '../../../support/rows.js';
import { openInvoice } from '../../../support/proxy/open-invoice.js';

/** A shop whose order's page was closed, and each start of which is a new process on one ledger. */
async function openClosedPage() {
  const options: ShopOptions = { backgroundJobs: false, hears: ['onPaid'] };
  const [shop, made] = await openInvoice(options, openKeptShop);
  const runDue = () => openKeptShop(options, shop).proxy.runDue();
  return { shop, made, told: shop.heard.onPaid, ...shop.clock, runDue };
}

describe('without background jobs', () => {
  it('a payment is found by runDue of any process, which says when to come', async () => {
    const { shop, made, told, advance, now, dues, runDue } = await openClosedPage();
    const first = await runDue();
    assert.deepEqual(first, { nextAt: new Date(now() + 15_000) });
    shop.upstream.pay(made);
    await advance(15_000);
    assert.equal(dues().length, 0);
    assert.equal(shop.upstream.lookUps(), 0, 'nothing runs between requests');
    const tomorrow = { nextAt: new Date(now() + 24 * 3_600_000) };
    assert.deepEqual(await runDue(), tomorrow);
    assert.deepEqual(columns(told, 'externalId', 'invoiceId'), [['order-1', made.invoice_id]]);
    await advance(3_600_000);
    assert.deepEqual(await runDue(), tomorrow);
    assert.equal(told.length, 1);
  });

  it('a proxy without ledger and hooks has nothing to come again for', async () => {
    const shop = openShop();
    await dataOf(await shop.create());
    assert.deepEqual(await shop.proxy.runDue(), { nextAt: null });
  });
});

describe('where what outlives its request or run is cut off', () => {
  it('a postback is looked up before its answer, and so is the next one', async () => {
    const { shop, made, told, advance, dues, runDue } = await openClosedPage();
    assert.equal((await shop.postback()).status, 200);
    assert.equal(shop.upstream.lookUps(), 1);
    assert.equal(dues().length, 0);
    shop.upstream.pay(made);
    await advance(2_000);
    await shop.postback();
    assert.equal(shop.upstream.lookUps(), 2);
    await runDue();
    assert.equal(told.length, 1);
  });

  it('a postback that comes too soon after another is left to the next run', async () => {
    const { shop, made, told, advance, runDue } = await openClosedPage();
    await shop.postback();
    shop.upstream.pay(made);
    await shop.postback();
    assert.equal(shop.upstream.lookUps(), 1);
    await advance(2_000);
    await runDue();
    assert.equal(told.length, 1);
  });

  it('no look-up waits for one that never ends', async () => {
    const { shop, made, advance } = await openClosedPage();
    shop.upstream.behave = () => new Promise(() => undefined);
    void shop.lookUp(made);
    await settle();
    await advance(30_001);
    shop.upstream.behave = () => undefined;
    assert.equal((await dataOf(shop.lookUp(made)))['status'], 'pending');
  });

  it('no run waits for a hook of another one, and its event is tried again', async () => {
    let calls = 0;
    const shop = openKeptShop({
      startTimer: () => () => undefined,
      backgroundJobs: false,
      onPixWaiting() {
        calls += 1;
        return calls === 1 ? new Promise<void>(() => undefined) : undefined;
      },
    });
    await dataOf(await shop.create());
    void shop.proxy.runDue();
    await settle();
    await shop.clock.advance(60_000);
    await shop.proxy.runDue();
    assert.equal(calls, 2);
  });
});
