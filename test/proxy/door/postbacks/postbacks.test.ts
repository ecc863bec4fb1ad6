/** Postbacks: always accepted, never believed. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs } from '../../../../src/domain/spans.js';
import { createProxy } from '../../../../src/proxy.js';
import { createMemoryStore } from '../../../../src/proxy/store/memory-store.js';
import { createSigner } from '../../../../src/proxy/door/tokens/tokens.js';
import { openHeld, openInvoice } from '../../../support/proxy/open-invoice.js';
import {
  createGate,
  dataOf,
  json,
  openShop,
  publicUrl,
  secrets,
  settle,
  shopOrigin,
  turnsUntil,
  leastOptions,
} from '../../../support/proxy/shop.js';
import type { Shop } from '../../../support/proxy/shop.js';

/** A postback to this address. */
function post({ proxy }: Shop, url: string, init: RequestInit = {}): Promise<Response> {
  return proxy.fetch(new Request(url, { method: 'POST', ...init }));
}

async function tellOf(response: Response): Promise<unknown[]> {
  return [response.status, [...response.headers], await response.text()];
}

describe('a postback with a good reference', () => {
  const requests: [name: string, init: RequestInit][] = [
    ['GET', { method: 'GET' }],
    ['PUT', { method: 'PUT', body: 'x' }],
    ['DELETE', { method: 'DELETE' }],
    ['a method of its own', { method: 'NOTIFY' }],
    ['POST without a body', { method: 'POST' }],
    ['JSON', { method: 'POST', body: '{"id":1}', headers: { 'content-type': 'application/json' } }],
    ['a form', { method: 'POST', body: new URLSearchParams({ status: 'paid' }) }],
    ['no JSON', { method: 'POST', body: '{' }],
    ['no UTF-8', { method: 'POST', body: new Uint8Array([0xff, 0xfe, 0x80]) }],
    ['a list', { method: 'POST', body: '[{"id":"11111111-aaaa"}]' }],
    ['a large body', { method: 'POST', body: 'x'.repeat(1_000_000) }],
    ['a foreign origin', { method: 'POST', headers: { origin: 'https://evil.example' } }],
    ['our page', { method: 'POST', headers: { origin: shopOrigin } }],
  ];
  for (const [name, init] of requests) {
    it(`is answered 200 and looked up: ${name}`, async () => {
      const [shop] = await openInvoice();
      const response = await shop.postback(undefined, init);
      const [status, headers, text] = await tellOf(response);
      assert.deepEqual([status, text], [200, '']);
      assert.equal(
        new Headers(headers as [string, string][]).get('access-control-allow-origin'),
        null,
      );
      await turnsUntil(() => shop.upstream.lookUps() === 1);
      assert.deepEqual(shop.log, []);
    });
  }

  it('is answered before the look-up', async () => {
    const [shop] = await openInvoice();
    shop.upstream.behave = () => new Promise(() => {});
    assert.equal((await shop.postback()).status, 200);
    await turnsUntil(() => shop.upstream.lookUps() === 1);
  });

  it('tells waiting pages at once that it is paid', async () => {
    const { shop, invoice, held } = await openHeld();
    invoice.status = 'paid';
    await shop.postback();
    assert.equal((await dataOf(held.response))['status'], 'paid');
    await shop.clock.advance(2_000);
    assert.equal(shop.clock.dues().length, 0);
  });

  it('is not believed', async () => {
    const { shop, made, held } = await openHeld();
    await shop.postback({ id: made.invoice_id, status: 'paid', amount: 12_345 });
    await turnsUntil(() => shop.upstream.lookUps() === 2);
    await shop.clock.advance(0);
    assert.equal(held.isAnswered, false);
    await shop.clock.advance(25_000);
    assert.equal((await dataOf(held.response))['status'], 'pending');
  });

  it('is not answered by what was asked before it came', async () => {
    for (const isUnderWay of [false, true]) {
      const [shop, made, invoice] = await openInvoice();
      const { opened: gate, release } = createGate();
      const stale = json({ data: { ...invoice }, message: '' });
      if (isUnderWay) shop.upstream.behave = async () => (await gate, stale);
      const before = shop.lookUp(made);
      await turnsUntil(() => shop.upstream.lookUps() === 1);
      if (!isUnderWay) await before;
      shop.upstream.behave = () => undefined;
      invoice.status = 'paid';
      await shop.postback();
      await turnsUntil(() => shop.upstream.lookUps() === 2);
      await shop.clock.advance(0);
      release();
      // What was on its way is older than what is known.
      const told = await dataOf(before);
      assert.equal(told['status'], isUnderWay ? 'paid' : 'pending');
      assert.equal((await dataOf(shop.lookUp(made)))['status'], 'paid');
      assert.equal(shop.upstream.lookUps(), 2);
    }
  });

  it('asks nothing of an order that is paid, unless it names the invoice', async () => {
    const [shop, made] = await openInvoice();
    await shop.seePaid(made);
    await shop.postback();
    await shop.clock.advance(2_000);
    assert.equal(shop.upstream.lookUps(), 1);
    await shop.postback({ id: made.invoice_id });
    await shop.clock.advance(3_600_000);
    assert.equal(shop.upstream.lookUps(), 2);
    assert.deepEqual(shop.log, []);
  });

  it('that names nothing asks nothing of an order that the ledger does not know, and says so once a minute', async () => {
    const [shop] = await openInvoice();
    await dataOf(shop.create({ externalId: 'order-2' }));
    const other = openShop({ fetch: shop.upstream.fetch });
    const urls = shop.upstream.sent
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => String(body?.['postback_url']));
    const body = JSON.stringify({ status: 'paid' });
    for (const url of urls) assert.equal((await post(other, url, { body })).status, 200);
    await other.clock.advance(0);
    const entry = { level: 'warn', event: 'postback_unknown', operation: 'postback' };
    assert.deepEqual(other.log, [{ ...entry, externalId: 'order-1' }]);
    await other.clock.advance(60_000);
    await post(other, urls[1]!, { body });
    await other.clock.advance(0);
    assert.deepEqual(other.log.slice(1), [{ ...entry, externalId: 'order-2' }]);
    assert.equal(shop.upstream.lookUps(), 0);
  });
});

describe('a postback reference', () => {
  const unknownPath = (shop: Shop, init: RequestInit) => shop.request('/postbacks', init);

  async function assertUnknown(shop: Shop, url: string): Promise<void> {
    const lookUps = shop.upstream.lookUps();
    for (const headers of [{}, { origin: shopOrigin }, { origin: 'https://evil.example' }]) {
      for (const method of ['POST', 'GET', 'HEAD']) {
        const response = await shop.proxy.fetch(new Request(url, { method, headers }));
        const expected = await unknownPath(shop, { method, headers });
        assert.deepEqual(await tellOf(response), await tellOf(expected), `${method} ${url}`);
        assert.equal(
          response.status,
          'origin' in headers && headers.origin !== shopOrigin ? 403 : 404,
        );
      }
    }
    await shop.clock.advance(0);
    assert.equal(shop.upstream.lookUps(), lookUps);
  }

  it('is good for longer than the order lives, whose payer may contest the payment', async () => {
    const [shop] = await openInvoice();
    const url = shop.postbackUrl();
    await shop.clock.advance(400 * dayMs - 1_000);
    assert.equal((await post(shop, url)).status, 200);
    await shop.clock.advance(1_000);
    await assertUnknown(shop, url);
  });

  it('is nothing once it is changed, and nothing without a signature', async () => {
    const [shop] = await openInvoice();
    const url = shop.postbackUrl();
    await assertUnknown(shop, url.slice(0, -1));
    await assertUnknown(shop, `${url}.x`);
    await assertUnknown(shop, `${publicUrl}/postbacks/order-1`);
    await assertUnknown(shop, `${publicUrl}/postbacks/${'a'.repeat(3_000)}`);
  });

  it('is no token of another kind', async () => {
    const [shop, made] = await openInvoice();
    const orderToken = await shop.signOrder('order-1');
    for (const token of [made.lookup_token, orderToken]) {
      await assertUnknown(shop, `${publicUrl}/postbacks/${token}`);
    }
  });

  it('stays good when the secrets are rotated, and goes with its secret', async () => {
    const [shop] = await openInvoice();
    const url = shop.postbackUrl();
    const newer = 'a newer secret of the tests, 32 bytes';
    const rotated = openShop({ secrets: [newer, ...secrets] });
    assert.equal((await post(rotated, url)).status, 200);
    await assertUnknown(openShop({ secrets: [newer] }), url);
  });

  it('holds the order and its expiry, and nothing of a person', async () => {
    const [shop] = await openInvoice();
    const [, payload = ''] = shop.postbackUrl().split('/').at(-1)!.split('.');
    const x = shop.clock.now() / 1_000 + (400 * dayMs) / 1_000;
    const read = JSON.parse(Buffer.from(payload, 'base64url').toString());
    assert.deepEqual(read, { e: 'order-1', x });
  });
});

it('postback errors never end the process', async () => {
  const change = async () => {
    throw new TypeError('not ours');
  };
  const ledger = { ...createMemoryStore(Date.now), change };
  const proxy = createProxy({
    ...leastOptions,
    log: () => {
      throw new Error('the log is broken');
    },
    ledger,
  });
  const x = Date.now() / 1_000 + 60;
  const reference = await createSigner('postback', { secrets, publicUrl }).sign({ e: 'a', x });
  const response = await proxy.fetch(new Request(`${publicUrl}/postbacks/${reference}`));
  // What could not be kept has to be told again.
  assert.equal(response.status, 503);
  await settle();
  await proxy.close();
});
