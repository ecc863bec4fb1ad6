/** Whether the proxy is up and ready, what is said while the ledger is down, and how a proxy is closed. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { LedgerError } from '../../../src/proxy/store/order-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { openCardShop, outcomeOf } from '../../support/proxy/card-shop.js';
import { hold, openInvoice } from '../../support/proxy/open-invoice.js';
import { createBrokenStore } from '../../support/proxy/broken-store.js';
import {
  closeOnly,
  createWorld,
  dataOf,
  openKeptShop,
  openShop,
  eventsOf,
  shopOrigin,
  turnsUntil,
  assertRefused,
} from '../../support/proxy/shop.js';
import type { Shop } from '../../support/proxy/shop.js';

type Writes = Pick<OrderStore, 'passThrottle'>;

/** A shop whose ledger does its cheapest write as a test wants. */
function openShopWith(passThrottle: Writes['passThrottle']): Shop {
  return openKeptShop({ onPaid: () => undefined }, createWorld({ passThrottle }));
}

/** The write that tells whether it can, not those of the work beside it. */
const isReady = (name: string) => name.startsWith('ready ');

const soon = Promise.resolve(true);

const down: Writes['passThrottle'] = () => Promise.reject(new LedgerError('57P01'));

for (const path of ['/health', '/ready']) {
  describe(`GET ${path}`, () => {
    it('answers anyone, and tells nothing of the inside', async () => {
      const shop = openShop();
      for (const headers of [{}, { origin: 'https://evil.example' }, { origin: shopOrigin }]) {
        const response = await shop.request(path, { headers });
        assert.equal(response.status, 200);
        assert.deepEqual(await response.json(), { status: 'ok' });
        assert.equal(response.headers.get('cache-control'), 'no-store');
        assert.equal(response.headers.get('content-type'), 'application/json');
        assert.equal(response.headers.get('access-control-allow-origin'), null);
      }
      assert.equal(shop.clock.dues().length, 0);
      assert.deepEqual(shop.log, []);
    });
  });
}

describe('readiness', () => {
  it('is 503 while the ledger is down, and the log says so once', async () => {
    let isDown = true;
    const shop = openShopWith(async (...pause) => (isDown ? down(...pause) : true));
    for (let i = 0; i < 3; i++) {
      const response = await shop.request('/ready');
      assert.equal(response.status, 503);
      assert.deepEqual(await response.json(), { status: 'unavailable' });
      await shop.clock.advance(1_000);
    }
    const entry = { level: 'error', event: 'ledger_failed', errorName: 'LedgerError 57P01' };
    assert.deepEqual(shop.log, [entry]);
    assert.equal((await shop.request('/health')).status, 200);
    isDown = false;
    assert.equal((await shop.request('/ready')).status, 200);
    // Once all has been well for five seconds.
    assert.deepEqual(shop.log, [entry]);
    await shop.clock.advance(5_000);
    assert.equal((await shop.request('/ready')).status, 200);
    assert.deepEqual(shop.log, [entry, { level: 'info', event: 'ledger_recovered' }]);
  });

  it('writes to the ledger once a second, however many ask', async () => {
    let asked = 0;
    const shop = openShopWith(async (name) => {
      if (isReady(name)) asked += 1;
      return true;
    });
    for (let i = 0; i < 100; i++) await shop.request('/ready');
    assert.equal(asked, 1);
    await shop.clock.advance(999);
    await shop.request('/ready');
    assert.equal(asked, 1);
    await shop.clock.advance(1);
    await Promise.all([shop.request('/ready'), shop.request('/ready')]);
    assert.equal(asked, 2);
    await shop.proxy.close();
  });

  it('waits two seconds for a ledger that hangs', async () => {
    const shop = openShopWith((name) => (isReady(name) ? new Promise(() => {}) : soon));
    // The first request begins the work that none asks for.
    await shop.request('/health');
    const timers = shop.clock.dues().length;
    const answer = shop.request('/ready');
    await turnsUntil(() => shop.clock.dues().length === timers + 1);
    await shop.clock.advance(2_000);
    assert.equal((await answer).status, 503);
    await shop.proxy.close();
  });

  it('logs the end of an outage in which no call failed: the ledger only hung', async () => {
    const hung: ((isPassed: boolean) => void)[] = [];
    let isHanging = true;
    const shop = openShopWith((name) =>
      isHanging && isReady(name) ? new Promise((resolve) => hung.push(resolve)) : soon,
    );
    const answer = shop.request('/ready');
    await turnsUntil(() => hung.length === 1);
    await shop.clock.advance(2_000);
    assert.equal((await answer).status, 503);
    assert.deepEqual(eventsOf(shop), ['ledger_failed']);
    isHanging = false;
    for (const end of hung) end(true);
    await shop.clock.advance(6_000);
    assert.equal((await shop.request('/ready')).status, 200);
    assert.deepEqual(eventsOf(shop), ['ledger_failed', 'ledger_recovered']);
    await shop.proxy.close();
  });
});

describe('a ledger that is down', () => {
  it('is a line when it begins, one a minute and one when it ends, whatever fails', async () => {
    const { world, ...broken } = createBrokenStore();
    const shop = openKeptShop({ onPaid: () => undefined }, world);
    const ticket = await dataOf(shop.create());
    const events = () => eventsOf(shop).filter((event) => event.startsWith('ledger_'));
    const live = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        await shop.create({ externalId: `order-${second}` });
        await shop.lookUp(ticket);
        await shop.request('/ready');
        await shop.clock.advance(1_000);
      }
    };
    broken.break(null, 'down');
    await live(150);
    assert.deepEqual(events(), ['ledger_failed', 'ledger_failed', 'ledger_failed']);
    // What may only be read is no ledger that works.
    broken.break('change', 'down');
    await live(10);
    for (let second = 0; second < 10; second += 1) {
      await shop.clock.advance(1_000);
      await shop.proxy.describeOrder('order-1');
    }
    assert.ok(!events().includes('ledger_recovered'));
    broken.mend();
    await live(10);
    assert.equal(events().filter((event) => event === 'ledger_failed').length, 3);
    assert.equal(events().at(-1), 'ledger_recovered');
    await shop.proxy.close();
  });

  it('refuses the merchant’s own server with the same', async () => {
    const broken = { read: down as never, change: down as never };
    const shop = openKeptShop({}, createWorld(broken));
    const code = 'service_unavailable';
    const input = { externalId: 'order-1', method: 'pix' } as const;
    await assert.rejects(shop.proxy.createInvoice(input), { name: 'ProxyError', code });
    const outcome = { externalId: 'order-1', deliveryId: 'none', invoiceId: 'invoice-1' };
    await assert.rejects(shop.proxy.resolveOutcome(outcome), { name: 'ProxyError', code });
    await shop.proxy.close();
  });
});

/** A database that is well and has no time, and one that fails. */
const rejections: [
  answer: string,
  retryAfter: string,
  logged: string[],
  codes: (string | undefined)[],
][] = [
  ['409 in_progress', '1', [], ['BUSY', '55P03', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT']],
  // A statement that ran too long, a server that ends, a full disk, a line that broke.
  ['503 service_unavailable', '5', ['ledger_failed'], ['57014', '57P01', 'SQLITE_FULL', undefined]],
];

for (const [answer, retryAfter, logged, codes] of rejections) {
  for (const code of codes) {
    it(`a ledger that rejects with ${code ?? 'no code'} is answered ${answer}`, async () => {
      const change = () => Promise.reject(new LedgerError(code));
      const shop = openKeptShop({ onPaid: () => undefined }, createWorld({ change }));
      await assertRefused(shop.create(), answer, retryAfter);
      assert.deepEqual(eventsOf(shop), logged);
      assert.equal(shop.upstream.creates(), 0);
    });
  }
}

describe('a proxy that is closed', () => {
  it('lets held look-ups go with what is known, and holds none any more', async () => {
    const [shop, made] = await openInvoice();
    const held = [await hold(shop, made), await hold(shop, made)];
    await shop.proxy.close();
    assert.equal(shop.clock.dues().length, 0);
    for (const { response } of held) {
      assert.equal((await dataOf(await response))['status'], 'pending');
    }
    assert.equal((await dataOf(await shop.lookUp(made, '?wait=25')))['status'], 'pending');
    assert.equal(shop.clock.dues().length, 0);
  });

  it('takes no new payment, and is not ready, but up', async () => {
    const shop = openShop();
    await Promise.all([shop.proxy.close(), shop.proxy.close()]);
    await assertRefused(shop.create(), '503 service_unavailable', '5');
    const refused = shop.proxy.createInvoice({ externalId: 'order-1', method: 'pix' });
    await assert.rejects(refused, { name: 'ProxyError', code: 'service_unavailable' });
    assert.equal(shop.upstream.sent.length, 0);
    assert.equal((await shop.request('/ready')).status, 503);
    assert.equal((await shop.request('/health')).status, 200);
    await shop.proxy.close();
  });

  it('finishes what was sent first', async () => {
    const shop = openCardShop();
    const release = shop.upstream.hold('POST');
    const paying = shop.pay();
    await turnsUntil(() => shop.upstream.creates() === 1);
    await closeOnly(shop, release);
    assert.equal(await outcomeOf(await paying), '200');
  });

  it('finishes the look-up of those who waited', async () => {
    const [shop, made, invoice] = await openInvoice();
    const held = await hold(shop, made);
    const release = shop.upstream.hold('GET');
    invoice.status = 'paid';
    await shop.clock.advance(8_000);
    await closeOnly(shop, () => {
      assert.equal(held.isAnswered, true);
      release();
    });
    assert.equal((await dataOf(await shop.lookUp(made)))['status'], 'paid');
    assert.equal(shop.upstream.lookUps(), 2);
  });
});
