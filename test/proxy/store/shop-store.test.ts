/** Whose orders a store keeps: it remembers service and address of its first use, and refuses another shop by name. */

import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { LedgerError, openLedger } from '../../../src/ledger.js';
import { serveProxy } from '../../../src/node.js';
import { createShopStore, OtherShopError, toOwner } from '../../../src/proxy/store/shop-store.js';
import {
  createWorld,
  dataOf,
  eventsOf,
  openKeptShop,
  publicUrl,
} from '../../support/proxy/shop.js';
import { refusalOf, serviceUrl } from '../../support/proxy/shop.js';
import { durableStores } from '../../support/proxy/stores.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';
import { column } from '../../support/rows.js';

const mine = { serviceUrl, publicUrl };
const staging = { ...mine, serviceUrl: 'https://sandbox.example' };
const other = { ...mine, publicUrl: 'https://other.example/pay', allowedOrigins: [] };
const notMoved = { serviceUrl: null, publicUrl: null };
const noOutage = { isOn: false, noteFailure: () => {}, noteSuccess: () => {} };

it('a store remembers the shop of its first use, and follows a move that is named', () => {
  assert.deepEqual(toOwner(null, mine, notMoved), mine);
  assert.equal(toOwner(mine, staging, notMoved), mine, 'the same object: nothing is written');
  assert.equal(toOwner(mine, { ...mine }, { ...notMoved, publicUrl: 'https://x.example' }), mine);
  const moved = { ...mine, publicUrl: 'https://new.example' };
  assert.equal(toOwner(mine, moved, { ...notMoved, publicUrl }), moved);
  assert.equal(toOwner(moved, moved, { ...notMoved, publicUrl }), moved, 'it may stay');
  // The other address has moved as well, and that was not said.
  assert.equal(toOwner(mine, { ...moved, ...staging }, { ...notMoved, publicUrl }), mine);
});

describe('a store of another shop', () => {
  it('says which addresses have to be named as the former ones', () => {
    const rows = [
      [staging, `{ serviceUrl: '${serviceUrl}' }`],
      [other, `{ publicUrl: '${publicUrl}' }`],
      [
        { ...other, ...staging, publicUrl: other.publicUrl },
        `{ serviceUrl: '${serviceUrl}', publicUrl: '${publicUrl}' }`,
      ],
    ] as const;
    for (const [shop, movedFrom] of rows) {
      assert.ok(new OtherShopError(mine, shop).message.includes(`set movedFrom: ${movedFrom}, of`));
    }
  });

  it('refuses each operation, a new one too', async () => {
    const { store } = createWorld();
    const terms = { movedFrom: notMoved, metrics: null, outage: noOutage };
    await createShopStore(store, { ...terms, shop: mine }).requireOwn();
    const wrong = createShopStore(store, { ...terms, shop: staging });
    const open = ['now', 'close', 'requireOwn'];
    const gated = Object.entries(wrong).filter(
      ([name, value]) => typeof value === 'function' && !open.includes(name),
    );
    assert.ok(gated.length >= 7);
    for (const [name, run] of gated) {
      const use = async () => (run as (...args: unknown[]) => Promise<unknown>)('order-1');
      await assert.rejects(use, { code: 'OTHER_SHOP' }, name);
    }
  });

  for (const [name, options] of Object.entries({ staging, other })) {
    it(`is not used: ${name}`, async () => {
      const [shop, made] = await openInvoice({}, openKeptShop);
      shop.upstream.pay(made);
      const wrong = openKeptShop({ hears: ['onPaid'], ...options }, shop);
      const asked = { externalId: 'order-1', method: 'pix' } as const;
      await assert.rejects(wrong.proxy.createInvoice(asked), { code: 'service_unavailable' });
      await shop.clock.advance(120_000);
      assert.deepEqual(await wrong.proxy.runDue(), { nextAt: null });
      assert.deepEqual(shop.heard.onPaid, []);
      assert.equal((await wrong.request('/ready')).status, 503);
      const [entry, ...more] = wrong.logged('ledger_of_other_shop');
      const { got = '', expected = '' } = entry ?? {};
      assert.equal(expected, `serviceUrl ${serviceUrl}, publicUrl ${publicUrl}`);
      const given = { ...mine, ...options };
      assert.equal(got, `serviceUrl ${given.serviceUrl}, publicUrl ${given.publicUrl}`);
      assert.deepEqual(more, []);
      // Its own shop goes on.
      await openKeptShop({ hears: ['onPaid'], backgroundJobs: false }, shop).proxy.runDue();
      assert.deepEqual(column(shop.heard.onPaid, 'externalId'), ['order-1']);
    });
  }

  it('is refused by a server before it listens, with both pairs and the way out', async () => {
    const shop = openKeptShop();
    await shop.create();
    const { proxy } = openKeptShop(staging, shop);
    await assert.rejects(serveProxy({ proxy, port: 0 }), (thrown: Error) => {
      for (const part of [serviceUrl, staging.serviceUrl, publicUrl, 'movedFrom: { serviceUrl: ']) {
        assert.ok(thrown.message.includes(part), part);
      }
      return thrown.name === 'LedgerError';
    });
  });

  it('is this one where the shop says that it has moved', async () => {
    const [shop, made] = await openInvoice({}, openKeptShop);
    const movedFrom = { publicUrl };
    const moved = openKeptShop({ ...other, movedFrom, requireOrderToken: false }, shop);
    const again = await dataOf(
      moved.proxy
        .createInvoice({ externalId: 'order-1', method: 'pix' })
        .then((data) => Response.json({ data, message: '' })),
    );
    assert.equal(again.invoice_id, made.invoice_id);
    // From now on the former address is another shop's.
    assert.equal(await refusalOf(openKeptShop({}, shop).create()), '503 service_unavailable');
  });
});

describe('a store of this shop', () => {
  it('takes further processes, and new secrets', async () => {
    const shop = openKeptShop();
    await dataOf(shop.create());
    const next = openKeptShop(
      { secrets: ['n'.repeat(40), 'a secret of the tests, 32 bytes long!!'] },
      shop,
    );
    assert.equal((await next.request('/ready')).status, 200);
    assert.ok(!eventsOf(next).includes('ledger_of_other_shop'));
  });

  it('is asked once, however many come', async () => {
    let claims = 0;
    const world = createWorld();
    const { claim } = world.store;
    const shop = openKeptShop(
      {},
      { ...world, store: { ...world.store, claim: (step) => ((claims += 1), claim(step)) } },
    );
    for (let n = 0; n < 5; n += 1) await dataOf(shop.create({ externalId: `order-${n}` }));
    assert.equal(claims, 1);
  });

  it('is asked again where it did not answer', async () => {
    let isDown = true;
    const world = createWorld();
    const { claim } = world.store;
    const down = async () => Promise.reject(new LedgerError('ECONNREFUSED'));
    const store = { ...world.store, claim: (step: never) => (isDown ? down() : claim(step)) };
    const shop = openKeptShop({}, { ...world, store });
    assert.equal(await refusalOf(shop.create()), '503 service_unavailable');
    isDown = false;
    await dataOf(shop.create());
  });

  it('may be at another port of this machine each time, and its sandbox', async () => {
    const shop = openKeptShop({
      serviceUrl: 'http://127.0.0.1:4001',
      publicUrl: 'http://localhost:3000/pay',
    });
    await shop.request('/ready');
    const again = openKeptShop(
      { serviceUrl: 'http://127.0.0.1:4002', publicUrl: 'http://localhost:3001/pay' },
      shop,
    );
    assert.equal((await again.request('/ready')).status, 200);
    assert.equal((await openKeptShop({}, shop).request('/ready')).status, 503);
  });
});

for (const store of durableStores()) {
  describe.skipIf(store.whyNot)(`in ${store.name}`, () => {
    beforeAll(store.open);
    afterAll(store.close);

    it('it is found again by another process', async () => {
      const url = await store.createUrl();
      const first = await openLedger({ url });
      await openKeptShop({ ledger: first }).request('/ready');
      const second = await openLedger({ url });
      assert.equal((await openKeptShop({ ledger: second }).request('/ready')).status, 200);
      assert.equal(
        (await openKeptShop({ ledger: second, ...staging }).request('/ready')).status,
        503,
      );
      await Promise.all([first.close(), second.close()]);
    });
  });
}

it('a failure of the store shows its caller, with two frames of the wrapper between', async () => {
  const fail = async (): Promise<never> => {
    await Promise.resolve();
    throw new LedgerError('IOERR');
  };
  const names = ['read', 'change', 'search', 'count', 'share', 'passThrottle', 'prune'] as const;
  const failing = Object.fromEntries(names.map((name) => [name, fail]));
  const store = createShopStore(
    { ...createWorld().store, ...failing },
    { shop: mine, movedFrom: notMoved, metrics: null, outage: noOutage },
  );
  for (const name of names) {
    const use = store[name] as (given: string) => Promise<unknown>;
    const callStore = async () => await use('order-1');
    const { stack = '' } = await callStore().then(
      () => new Error('did not fail'),
      (thrown: Error) => thrown,
    );
    const frames = stack.split('\n').filter((line) => /^\s+at (?!.*node:)/.test(line));
    const caller = frames.findIndex((line) => line.includes('callStore'));
    assert.ok(caller > 0, `${name} hides its caller: ${stack}`);
    assert.ok(caller <= 3, `${name}: ${stack}`);
  }
});
