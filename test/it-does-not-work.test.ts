/** Each message of the proxy that "It does not work" explains is provoked here, and none is missing there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import type { ProxyOptions } from '../src/proxy.js';
import { openLedger } from '../src/ledger.js';
import { logHints } from '../src/proxy/set-up/log-hints.js';
import { toPixCode } from './support/pix-code.js';
import { dataOf, openShop, publicUrl, shopOrigin } from './support/proxy/shop.js';
import type { Shop } from './support/proxy/shop.js';
import { explainedUnder } from './tools/docs/explained-messages.js';
import { root } from './tools/tools.js';
import { toCreation } from './support/payer.js';

const page = readFileSync(join(root, 'src/IT-DOES-NOT-WORK.md'), 'utf8');

const ledger = await openLedger({ url: 'memory:' });
afterAll(ledger.close);

const mistakes: Partial<Record<keyof ProxyOptions, unknown>>[] = [
  { accessToken: undefined },
  { allowedOrigins: ['*'] },
  { secrets: ['short'] },
];
it('the proxy that does not start says what the page explains', () => {
  const told = mistakes.map((mistake) => messageOf(() => openShop(mistake as object)));
  const explained = explainedUnder(page, 'The proxy does not start');
  assert.equal(told.length, explained.length);
  explained.forEach((message, at) => assert.ok(told[at]?.includes(message), told[at]));
});

describe('the log', () => {
  const post = (shop: Shop, url = publicUrl, headers: Record<string, string> = {}) =>
    shop.signOrder('a').then((order_token) => {
      const init = toCreation(shopOrigin, { external_id: 'a', order_token }, headers);
      return new Request(`${url}/invoices`, init);
    });
  const create = async (shop: Shop, ...where: [url?: string, headers?: Record<string, string>]) => {
    await shop.proxy.fetch(await post(shop, ...where), { remoteAddress: '10.0.0.7' });
  };

  const pay = async (shop: Shop) => {
    const made = await dataOf(shop.create());
    shop.upstream.pay(made);
    await dataOf(shop.lookUp(made));
    await shop.clock.advance(10_000);
  };

  /** How each event comes about, and with which options. */
  const provoke: Record<string, [Partial<ProxyOptions>, (shop: Shop) => Promise<unknown>]> = {
    origin_refused: [{}, (shop) => create(shop, publicUrl, { origin: 'https://other.example' })],
    header_missing: [{}, (shop) => shop.create({ key: null })],
    order_token_refused: [
      { publicUrl: 'https://shop.example:8443/pay' },
      (shop) => create(shop, 'https://shop.example:8443/pay'),
    ],
    lookup_token_refused: [
      {},
      (shop) => shop.proxy.fetch(new Request(`${publicUrl}/invoices/invoice-0001`)),
    ],
    body_already_read: [
      {},
      async (shop) => {
        const request = await post(shop);
        await request.json();
        await shop.proxy.fetch(request);
      },
    ],
    path_outside_public_url: [{}, (shop) => create(shop, 'https://shop.example')],
    host_differs: [{}, (shop) => create(shop, 'https://other.example/pay')],
    forwarding_not_trusted: [
      {},
      (shop) => create(shop, publicUrl, { 'x-forwarded-for': '203.0.113.9' }),
    ],
    amount_mismatch: [{}, (shop) => shop.create({ body: { expected_total_cents: 1 } })],
    service_failed: [
      {},
      (shop) => {
        shop.upstream.behave = () => new Response('{}', { status: 503 });
        return create(shop);
      },
    ],
    service_unauthorized: [
      {},
      (shop) => {
        shop.upstream.behave = () => new Response('{}', { status: 401 });
        return create(shop);
      },
    ],
    order_failed: [
      {
        resolveOrder: () => {
          throw new Error('The database is away');
        },
      },
      create,
    ],
    delivery_failed: [
      {
        onPaid: () => {
          throw new Error('The database is away');
        },
        onError: () => undefined,
      },
      pay,
    ],
    sandbox_payment_withheld: [
      {},
      (shop) => {
        const code = toPixCode({ totalCents: 12_345, name: 'TESTE NAO PAGAR' });
        shop.upstream.makes = { qr_code_pix: code };
        return pay(shop);
      },
    ],
    order_invalid: [{ resolveOrder: () => ({ total_price_cents: 1, total: 1 }) as never }, create],
    code_unusual: [
      {},
      (shop) => {
        const code = toPixCode({ totalCents: 12_345, name: 'Padaria São João' });
        shop.upstream.makes = { qr_code_pix: code };
        return create(shop);
      },
    ],
    assets_missing: [
      {},
      async (shop) => {
        const { process: node } = globalThis;
        // As in a worker, which has no files.
        Object.defineProperty(globalThis, 'process', { value: undefined, configurable: true });
        await shop.proxy.fetch(new Request(`${publicUrl}/assets/pix-checkout.min.js`));
        Object.defineProperty(globalThis, 'process', { value: node, configurable: true });
      },
    ],
    ledger_missing: [{ onPaid: () => undefined }, create],
    on_paid_missing: [{ ledger }, create],
  };

  it('has a row for each of its events', () => {
    const events = Object.keys(logHints);
    assert.ok(events.length > Object.keys(provoke).length);
    assert.deepEqual(new Set(explainedUnder(page, "The proxy's log")), new Set(events));
  });

  for (const [event, [options, happen]] of Object.entries(provoke)) {
    it(`says ${event}`, async () => {
      const shop = openShop(options);
      await happen(shop);
      const told = shop.log.find((entry) => entry.event === event);
      assert.ok(told, JSON.stringify(shop.log));
      assert.ok(page.includes(told.hint ?? 'no hint') || event === 'order_token_refused');
      for (const { hint } of shop.log) assert.ok(hint);
    });
  }
});

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return String(error);
  }
  return 'It starts';
}
