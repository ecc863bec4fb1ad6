/** The merchant's code may call the proxy, which waits for that code: neither waits for the other for ever. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { PixProxy } from '../../../../src/proxy.js';
import { openKeptCardShop } from '../../../support/proxy/card-shop.js';
import { card, dataOf, json, openKeptShop, settle } from '../../../support/proxy/shop.js';
import type { Shop, ShopOptions } from '../../../support/proxy/shop.js';

const dayMs = 24 * 3_600_000;
const externalId = 'order-1';

type Call = (proxy: PixProxy) => Promise<unknown>;

/** Whatever a hook may call. */
const calls: Readonly<Record<string, Call>> = {
  runDue: (proxy) => proxy.runDue(),
  tellAgain: (proxy) => proxy.tellAgain({ externalId }),
  resolveOutcome: (proxy) =>
    proxy.resolveOutcome({ externalId, deliveryId: 'none', invoiceId: null }),
  createInvoice: (proxy) => proxy.createInvoice({ externalId: 'order-2', method: 'pix' }),
  'createInvoice of its order': (proxy) =>
    proxy.createInvoice({ externalId, method: 'pix' }).catch(() => null),
  forget: (proxy) => proxy.forget(externalId),
  describeOrder: (proxy) => proxy.describeOrder(externalId),
  createPaymentLink: (proxy) => proxy.createPaymentLink({ externalId }),
  close: (proxy) => proxy.close(),
};

/** Those that wait for what runs. */
const waiting = ['runDue', 'tellAgain', 'close'] as const;

/** It ends without time going on: what hangs is ended by the time limit of hooks alone. */
async function endsNow<T>(work: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const end = () => void (state.isOver = true);
  work.then(end, end);
  const giveUpAtMs = performance.now() + 60_000;
  while (!state.isOver && performance.now() < giveUpAtMs) await settle();
  assert.ok(state.isOver, 'it hangs');
  return work;
}

/** How an order comes to where each hook is told of it. */
const stories: Readonly<Record<string, (shop: Shop) => Promise<void>>> = {
  onPixWaiting: async (shop) => void (await dataOf(shop.create())),
  async onPaid(shop) {
    shop.upstream.pay(await dataOf(shop.create()));
    await shop.clock.advance(60_000);
  },
  async onLapsed(shop) {
    await dataOf(shop.create());
    await shop.clock.advance(10 * 60_000);
  },
  async onMismatch(shop) {
    const wire = shop.upstream.of(await dataOf(shop.create()));
    Object.assign(wire, { status: 'paid', total_cents: 1 });
    await shop.clock.advance(60_000);
  },
  async onReturned(shop) {
    const made = await dataOf(shop.create());
    await shop.seePaid(made);
    shop.upstream.of(made).status = 'refunded';
    await shop.clock.advance(dayMs);
  },
  async onOutcomeUnknown(shop) {
    shop.upstream.behave = ({ method }) => (method === 'POST' ? json({}, 500) : undefined);
    await shop.create({ body: card });
    shop.upstream.behave = () => undefined;
  },
  /** `onPaid` fails for two days. */
  async onUndelivered(shop) {
    shop.upstream.pay(await dataOf(shop.create()));
    for (let hours = 0; hours < 48; hours += 1) {
      await shop.clock.advance(3_600_000);
      await shop.proxy.runDue();
    }
  },
};

/** What fails in the story of a hook. */
const failing: Readonly<Record<string, ShopOptions>> = {
  onUndelivered: { onPaid: () => assert.fail('the shop is down'), onError: () => undefined },
};

/** A shop whose hook makes this call. `returned`: how many have come back. */
function openCalling(hook: string, call: Call, options: ShopOptions = {}) {
  const counted = { begun: 0, returned: 0 };
  const shop = openKeptShop({
    backgroundJobs: false,
    paymentPage: { name: 'Padaria da Ana' },
    resolveOrder: () => ({ total_price_cents: 12_345, expires_in: 120 }),
    ...options,
    [hook]: async () => {
      counted.begun += 1;
      await call(shop.proxy);
      counted.returned += 1;
    },
  });
  return { shop, counted };
}

describe('a hook that calls the proxy', () => {
  const cases = [
    ...Object.keys(calls).map((call) => ['onPaid', call] as const),
    ...Object.keys(stories).flatMap((hook) => waiting.map((call) => [hook, call] as const)),
  ];
  for (const [hook, call] of cases) {
    it(`${hook} that awaits ${call}: both it and the runDue that called it return`, async () => {
      const { shop, counted } = openCalling(hook, calls[call]!, failing[hook]);
      await stories[hook]!(shop);
      await endsNow(shop.proxy.runDue());
      assert.ok(counted.begun > 0);
      assert.equal(counted.returned, counted.begun);
      await endsNow(shop.proxy.close());
    });
  }

  it('does what is due meanwhile: runDue in onPaid of one order tells of another one', async () => {
    const told: string[] = [];
    const shop = openKeptShop({
      backgroundJobs: false,
      async onPaid({ externalId: paid }) {
        told.push(paid);
        if (paid !== externalId) return;
        shop.upstream.pay(await dataOf(shop.create({ externalId: 'order-2' })));
        await shop.postback();
        await shop.proxy.runDue();
        assert.deepEqual(told, [externalId, 'order-2']);
      },
    });
    await stories['onPaid']!(shop);
    await endsNow(shop.proxy.runDue());
    assert.deepEqual(shop.logged('delivery_failed'), []);
  });

  it('is waited for by a close from outside, though it asked to close itself', async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const { shop } = openCalling('onPaid', async (proxy) => {
      await proxy.close();
      await gate;
    });
    await stories['onPaid']!(shop);
    const run = shop.proxy.runDue();
    await settle();
    let isClosed = false;
    const closing = shop.proxy.close().then(() => (isClosed = true));
    await settle();
    assert.equal(isClosed, false);
    go();
    await endsNow(Promise.all([run, closing]));
  });

  for (const call of Object.keys(calls)) {
    it(`resolveOrder that awaits ${call} answers its page`, async () => {
      let depth = 0;
      const shop: Shop = openKeptShop({
        paymentPage: { name: 'Padaria da Ana' },
        onPaid: () => {},
        backgroundJobs: false,
        async resolveOrder() {
          depth += 1;
          if (depth === 1) await calls[call]!(shop.proxy);
          return { total_price_cents: 12_345 };
        },
      });
      const { status } = await endsNow(shop.create());
      assert.equal(status, 200);
    });
  }

  for (const call of waiting) {
    it(`accessToken that awaits ${call} gives its token, for a page and for a runDue`, async () => {
      for (const isForPage of [true, false]) {
        const counted = { begun: 0, returned: 0 };
        const shop: Shop = openKeptShop({
          backgroundJobs: false,
          onPaid: () => {},
          async accessToken() {
            const isFirst = (counted.begun += 1) === (isForPage ? 1 : 2);
            if (isFirst) await calls[call]!(shop.proxy);
            counted.returned += 1;
            return 'token';
          },
        });
        await dataOf(endsNow(shop.create()));
        await shop.clock.advance(60_000);
        await endsNow(shop.proxy.runDue());
        await endsNow(shop.proxy.close());
        assert.ok(counted.begun >= (isForPage ? 1 : 2));
        assert.equal(counted.returned, counted.begun);
        // What waits for itself is ended by the time-out of the call.
        assert.deepEqual(shop.logged('service_failed'), []);
      }
    });
  }

  for (const call of waiting) {
    it(`verifyHuman that awaits ${call} answers its page`, async () => {
      const shop = openKeptCardShop({
        backgroundJobs: false,
        onPaid: () => {},
        async verifyHuman() {
          await calls[call]!(shop.proxy);
          return true;
        },
      });
      for (let at = 0; at < 20; at += 1)
        await shop.pay({ token: 'tok_refuse' }, { externalId: `refused-${at}` });
      const { status } = await endsNow(shop.pay());
      assert.equal(status, 200);
    });
  }
});
