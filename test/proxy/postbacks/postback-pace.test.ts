/** How many look-ups postbacks cost, and what becomes of them in trouble. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { LogEntry } from '../../../src/proxy.js';
import { LedgerError } from '../../../src/proxy/store/ledger-error.js';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import { openHeld, openInvoice } from '../support/open-invoice.js';
import { post, postbackUrl, settled, toTimes } from '../support/postback-shop.js';
import {
  createGate,
  createTestClock,
  dataOf,
  json,
  openShop,
  settle,
  until,
  withQuietHint,
} from '../support/shop.js';

describe('many postbacks of one order', () => {
  it('cost a look-up in two seconds: ten thousand at once cost two', async () => {
    const [shop] = await openInvoice();
    const url = postbackUrl(shop);
    for (let i = 0; i < 10_000; i++) assert.equal((await post(shop, url)).status, 200);
    await settled(shop);
    assert.equal(shop.upstream.lookUps(), 1);
    assert.equal(shop.clock.pending(), 1);
    await shop.clock.advance(1_999);
    assert.equal(shop.upstream.lookUps(), 1);
    await shop.clock.advance(1);
    assert.equal(shop.upstream.lookUps(), 2);
    await shop.clock.advance(60_000);
    assert.equal(shop.upstream.lookUps(), 2);
    assert.equal(shop.clock.pending(), 0);
  });

  it('drop none: the one that says paid may be the last', async () => {
    const { shop, invoice, held } = await openHeld();
    await post(shop, postbackUrl(shop));
    await until(() => shop.upstream.lookUps() === 2);
    await settled(shop);
    invoice.status = 'paid';
    await post(shop, postbackUrl(shop));
    await settled(shop);
    assert.equal(held.isAnswered, false);
    await shop.clock.advance(2_000);
    await until(() => held.isAnswered);
    assert.equal((await dataOf(held.response))['status'], 'paid');
  });

  it('never ask twice at once, however slow the service is', async () => {
    const [shop] = await openInvoice();
    shop.upstream.behave = () => new Promise(() => {});
    for (let i = 0; i < 5; i++) {
      await post(shop, postbackUrl(shop));
      await shop.clock.advance(1_000);
    }
    assert.equal(shop.upstream.lookUps(), 1);
  });

  it('share the two seconds over several processes', async () => {
    const clock = createTestClock();
    const times = { ledger: createMemoryLedger(clock.now), ...toTimes(clock) };
    const [shop] = await openInvoice(times);
    const askedAtMs: number[] = [];
    shop.upstream.behave = () => {
      askedAtMs.push(clock.now());
      return undefined;
    };
    const { fetch } = shop.upstream;
    const shops = [shop, ...[1, 2, 3].map(() => openShop({ ...times, fetch }))];
    const url = postbackUrl(shop);
    // Before anybody else asks.
    const startedAtMs = clock.now();
    for (let i = 0; i < 50; i++) for (const each of shops) await post(each, url);
    await settle();
    assert.equal(askedAtMs.length, 1);
    await clock.advance(14_000);
    // One asks again for all that came after the first look-up. The first process, which may not know, is the last.
    assert.deepEqual(
      askedAtMs.map((atMs) => atMs - startedAtMs),
      [0, 2_000, 4_000],
    );
    for (const { proxy } of shops) await proxy.close();
  });
});

describe('trouble behind a postback', () => {
  it('is over when the ledger is: a payment is found then, not at the next look-up of its age', async () => {
    const clock = createTestClock();
    const ledger = createMemoryLedger(clock.now);
    let isDown = false;
    const find: typeof ledger.find = async (externalId) => {
      if (isDown) throw new LedgerError('57P01');
      return ledger.find(externalId);
    };
    const [shop, , invoice] = await openInvoice({ ledger: { ...ledger, find }, ...toTimes(clock) });
    // The next look-up that nobody asks for is five hours away.
    await clock.advance(7 * 3_600_000);
    isDown = true;
    invoice.status = 'paid';
    await post(shop, postbackUrl(shop));
    await clock.advance(20_000);
    assert.equal((await ledger.find('order-1')).paid, null);
    isDown = false;
    await clock.advance(2_000);
    assert.notEqual((await ledger.find('order-1')).paid, null);
    await shop.proxy.close();
  });

  it('is answered 200 and logged, and left alone in the end, while the ledger stays down', async () => {
    const clock = createTestClock();
    const ledger = createMemoryLedger(clock.now);
    const [shop] = await openInvoice({ ledger, ...toTimes(clock) });
    const log: LogEntry[] = [];
    const find = () => Promise.reject(new LedgerError('57P01'));
    const down = { ledger: { ...ledger, find }, ...toTimes(clock) };
    const other = openShop({ ...down, log: (entry) => log.push(withQuietHint(entry)) });
    assert.equal((await post(other, postbackUrl(shop))).status, 200);
    await clock.advance(60_000);
    const about = { operation: 'postback', externalId: 'order-1', errorName: 'LedgerError 57P01' };
    const entry = { level: 'error', event: 'ledger_failed', ...about };
    const told = log.filter(({ operation }) => operation === 'postback');
    assert.deepEqual(
      told,
      Array.from({ length: 16 }, () => entry),
    );
    await shop.proxy.close();
    await other.proxy.close();
    assert.equal(clock.pending(), 0);
  });

  it('leaves the invoice to reconciliation, soon', async () => {
    const clock = createTestClock();
    const ledger = createMemoryLedger(clock.now);
    const [shop, , invoice] = await openInvoice({ ledger, ...toTimes(clock) });
    await clock.advance(8 * 60_000);
    shop.upstream.behave = () => json({}, 500);
    await post(shop, postbackUrl(shop));
    await settle();
    shop.upstream.behave = () => undefined;
    invoice.status = 'paid';
    await clock.advance(60_000);
    assert.notEqual((await ledger.find('order-1')).paid, null);
    await shop.proxy.close();
  });
});

describe('a proxy that is being closed', () => {
  /** Which invoices are due now for the look-ups nobody asks for. */
  async function openClosing() {
    const clock = createTestClock();
    const ledger = createMemoryLedger(clock.now);
    // Closing waits for the ledger.
    const slow: typeof ledger.hastenLookUp = async (...hastening) => {
      await settle();
      return ledger.hastenLookUp(...hastening);
    };
    const options = { ledger: { ...ledger, hastenLookUp: slow }, ...toTimes(clock) };
    const [shop, made] = await openInvoice(options);
    const isDue = async () => {
      const due = await ledger.claimDueLookUps(10, 1_000);
      return due.some(({ invoiceId }) => invoiceId === made.invoice_id);
    };
    return { shop, clock, isDue };
  }

  it('finishes the look-up of a postback, and leaves the next one to the ledger', async () => {
    const { shop, clock, isDue } = await openClosing();
    const { opened: gate, release } = createGate();
    shop.upstream.behave = () => gate;
    await post(shop, postbackUrl(shop));
    await until(() => shop.upstream.lookUps() === 1);
    await post(shop, postbackUrl(shop));
    let isClosed = false;
    const closing = shop.proxy.close().then(() => (isClosed = true));
    await settle();
    assert.equal(isClosed, false);
    release();
    await closing;
    assert.equal(clock.pending(), 0);
    assert.equal(await isDue(), true);
  });

  it('takes postbacks still, and leaves them to the ledger', async () => {
    const { shop, isDue } = await openClosing();
    await shop.proxy.close();
    assert.equal((await post(shop, postbackUrl(shop))).status, 200);
    await settle();
    assert.equal(shop.upstream.lookUps(), 0);
    assert.equal(await isDue(), true);
  });

  it('leaves to the ledger what came in a pause, and nothing without another postback', async () => {
    for (const isTold of [true, false]) {
      const { shop, clock, isDue } = await openClosing();
      await post(shop, postbackUrl(shop));
      await settled(shop);
      if (isTold) await post(shop, postbackUrl(shop));
      await shop.proxy.close();
      assert.equal(shop.upstream.lookUps(), 1);
      assert.equal(await isDue(), isTold);
      assert.equal(clock.pending(), 0);
    }
  });
});
