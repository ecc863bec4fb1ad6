/** When the work begins that no request asks for: not where a proxy is made, which may be where no timer can be set. */

import assert from 'node:assert/strict';
import nodeCrypto from 'node:crypto';
import { describe, it, vi } from 'vitest';
import { createNodeListener, serveProxy } from '../../../../src/node.js';
import { createMemoryStore } from '../../../../src/proxy/store/memory-store.js';
import type { Ledger, PixProxy } from '../../../../src/proxy.js';
import { bundleToUrl } from '../../../support/proxy/node-servers.js';
import { openInvoice } from '../../../support/proxy/open-invoice.js';
import { createTestClock, openShop, leastOptions } from '../../../support/proxy/shop.js';
import { column } from '../../../support/rows.js';
import type { Shop } from '../../../support/proxy/shop.js';

/** A ledger in which a payment waits to be told, as a process leaves it that ended too soon. */
async function leaveEvent(): Promise<Ledger> {
  const ledger = createMemoryStore(createTestClock().now);
  const [shop, made] = await openInvoice({ ledger });
  await shop.seePaid(made);
  await shop.proxy.close();
  return ledger;
}

/** The process after it. */
const openNext = async () => openShop({ ledger: await leaveEvent(), hears: ['onPaid'] });

/** The orders of which its server heard. */
const heardOf = ({ heard }: Shop) => column(heard.onPaid, 'externalId');

describe('a proxy that is made', () => {
  it('sets no timer, even where none can be set', async () => {
    openShop({
      ledger: createMemoryStore(Date.now),
      onPaid: () => undefined,
      startTimer: () => assert.fail('a timer was set'),
    });
  });

  it('does nothing that a worker refuses outside of a request, and neither do its modules', async () => {
    // One file, evaluated here: the modules of this process have been, long ago.
    const url = await bundleToUrl('src/proxy.ts');
    const refused: [of: object, ...names: string[]][] = [
      // Before the class around it.
      [Date, 'now'],
      [globalThis, 'setTimeout', 'setInterval', 'setImmediate', 'fetch', 'AbortController', 'Date'],
      [Math, 'random'],
      [performance, 'now'],
      [crypto, 'randomUUID', 'getRandomValues'],
      [crypto.subtle, 'sign', 'verify', 'digest', 'importKey', 'generateKey', 'deriveKey'],
      [nodeCrypto, 'createHash', 'createHmac', 'hkdfSync', 'randomBytes'],
    ];
    for (const [of, ...names] of refused) {
      for (const name of names) {
        vi.spyOn(of as Record<string, () => void>, name).mockImplementation(function () {
          assert.fail(`a worker refuses ${name} outside of a request`);
        });
      }
    }
    const { createProxy } = (await import(url)) as typeof import('../../../../src/proxy.js');
    const options = { ...leastOptions, allowedOrigins: [], onPaid: () => undefined };
    createProxy({ ...options, log: () => undefined });
    createProxy({ ...options, ledger: createMemoryStore(Date.now) });
  });

  it('tells nothing that waits in its ledger while it is neither asked nor served', async () => {
    const shop = await openNext();
    await shop.clock.advance(60_000);
    assert.deepEqual(heardOf(shop), []);
    assert.equal(shop.clock.dues().length, 0);
  });

  it('may be closed without having begun, and then begins nothing', async () => {
    const shop = await openNext();
    await shop.proxy.close();
    await shop.request('/health');
    await shop.clock.advance(60_000);
    assert.deepEqual(heardOf(shop), []);
    assert.equal(shop.clock.dues().length, 0);
  });
});

describe('what waits in the ledger is told', () => {
  const calls: Record<string, (shop: Shop) => Promise<unknown>> = {
    fetch: ({ request }) => request('/health'),
    createInvoice: ({ proxy }) => proxy.createInvoice({ externalId: 'order-2', method: 'pix' }),
    resolveOutcome: ({ proxy }) =>
      proxy.resolveOutcome({ externalId: 'none', deliveryId: 'none', invoiceId: null }),
  };
  for (const [name, call] of Object.entries(calls)) {
    it(`after the first call of ${name}`, async (t) => {
      const shop = await openNext();
      t.onTestFinished(() => shop.proxy.close());
      await call(shop);
      await shop.clock.advance(1_000);
      assert.deepEqual(heardOf(shop), ['order-1']);
    });
  }

  const wrappers: Record<string, (shop: Shop) => Pick<PixProxy, 'fetch' | 'close'>> = {
    'though no request comes': ({ proxy }) => proxy,
    'with a function around fetch': ({ proxy }) => {
      return { ...proxy, fetch: (request: Request) => proxy.fetch(request) };
    },
  };
  for (const [name, wrap] of Object.entries(wrappers)) {
    it(`by serveProxy, ${name}`, async (t) => {
      const shop = await openNext();
      const server = await serveProxy({ proxy: wrap(shop), port: 0 });
      t.onTestFinished(() => server.close());
      await shop.clock.advance(1_000);
      assert.deepEqual(heardOf(shop), ['order-1']);
    });
  }

  it('by createNodeListener, and once however many begin it', async (t) => {
    const shop = await openNext();
    t.onTestFinished(() => shop.proxy.close());
    createNodeListener(shop.proxy.fetch);
    const timers = shop.clock.dues().length;
    createNodeListener(shop.proxy.fetch);
    await shop.request('/health');
    assert.equal(shop.clock.dues().length, timers);
    await shop.clock.advance(1_000);
    assert.deepEqual(heardOf(shop), ['order-1']);
  });
});
