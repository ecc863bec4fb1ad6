/** Faults of how the proxy is set up: the operator reads in the log what to do, and no log is filled with it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { minuteMs } from '../../../src/domain/spans.js';
import { createNodeListener } from '../../../src/node.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import { serve } from '../../support/proxy/node-servers.js';
import { eventsOf, openShop, refusalOf, settle, shopOrigin } from '../../support/proxy/shop.js';
import type { Shop } from '../../support/proxy/shop.js';
import { toCreation } from '../../support/payer.js';

const jsonType = { 'content-type': 'application/json' };

const at = (path: string, init?: RequestInit) => new Request(shopOrigin + path, init);

interface Fault {
  readonly event: string;
  readonly refusal: string;
  readonly hint: RegExp;
  /** What came, and what the options name. */
  readonly told?: object;
  readonly request: () => Request | Promise<Request>;
}

const faults: Fault[] = [
  {
    event: 'origin_refused',
    refusal: '403 invalid_request allowedOrigins',
    hint: /allowedOrigins/,
    told: { got: 'https://www.shop.example', expected: shopOrigin },
    request: () => at('/pay/invoices', { headers: { origin: 'https://www.shop.example' } }),
  },
  {
    event: 'body_already_read',
    refusal: '415 invalid_request bodyUsed',
    hint: /express\.json\(\)/,
    async request() {
      const request = at('/pay/invoices', { method: 'POST', headers: jsonType, body: '{}' });
      await request.json();
      return request;
    },
  },
  {
    event: 'raw_card_refused',
    refusal: '403 invalid_request rawCard',
    hint: /accept-raw-card.*rawCard: true.*serve PIX_RAW_CARD=true/,
    request() {
      const card = { number: '4111111111111111', security_code: '123' };
      const body = { method: 'credit_card', external_id: 'order-1', card };
      return at('/pay/invoices', toCreation(shopOrigin, body));
    },
  },
  {
    event: 'path_outside_public_url',
    refusal: '404 not_found publicUrl',
    hint: /path of publicUrl/,
    told: { expected: '/pay' },
    request: () => at('/invoices'),
  },
  ...['order/1', 'pedido 1', 'order-😀', 'a'.repeat(65)].map((external_id) => ({
    event: 'reference_refused',
    refusal: '400 invalid_request external_id',
    hint: /1 to 64 of A-Z a-z 0-9 \. _ : -/,
    request: () => at('/pay/invoices', toCreation(shopOrigin, { method: 'pix', external_id })),
  })),
  {
    event: 'header_missing',
    refusal: '400 invalid_request Idempotency-Key',
    hint: /gateway.*Idempotency-Key/,
    told: { expected: 'Idempotency-Key' },
    request: () => at('/pay/invoices'),
  },
  {
    event: 'lookup_token_refused',
    refusal: '401 unauthorized',
    hint: /former secrets/,
    request: () => at('/pay/invoices/invoice-0001', { headers: { 'lookup-token': 'v1.a.b' } }),
  },
];

async function fail(shop: Shop, { request, refusal }: Fault): Promise<void> {
  assert.equal(await refusalOf(await shop.proxy.fetch(await request())), refusal);
}

describe('a fault of the set-up', () => {
  for (const fault of faults) {
    it(`${fault.event} says what to do, once a minute`, async () => {
      const shop = openShop();
      for (let i = 0; i < 3; i++) await fail(shop, fault);
      const [entry, ...more] = shop.log;
      assert.deepEqual(more, []);
      const { hint, ...rest } = entry ?? {};
      assert.deepEqual(rest, { level: 'warn', event: fault.event, ...fault.told });
      assert.match(hint ?? '', fault.hint);

      await shop.clock.advance(minuteMs - 1);
      await fail(shop, fault);
      assert.equal(shop.log.length, 1);
      await shop.clock.advance(1);
      await fail(shop, fault);
      assert.deepEqual(shop.log, [entry, entry]);
    });
  }

  it('of each kind is told, whatever else was told this minute', async () => {
    const shop = openShop();
    for (const fault of faults) await fail(shop, fault);
    const expected = [...new Set(faults.map(({ event }) => event))];
    assert.deepEqual(eventsOf(shop), expected);
  });

  it('is told again after the clock was set back', async () => {
    let nowMs = Date.UTC(2026, 10, 21);
    const shop = openShop({ now: () => nowMs });
    await fail(shop, faults[0]!);
    nowMs -= 10 * minuteMs;
    await fail(shop, faults[0]!);
    assert.equal(shop.log.length, 2);
  });

  it('is none where a client sends the name of an option, or asks for an invoice that is not there', async () => {
    const shop = openShop();
    const wish = toCreation(shopOrigin, { external_id: 'a', allowedOrigins: [] });
    const post = shop.request('/invoices', wish);
    assert.equal(await refusalOf(post), '400 invalid_request allowedOrigins');
    assert.equal(await refusalOf(shop.request('/nowhere')), '404 not_found');
    assert.deepEqual(shop.log, []);
  });

  it('is a path that only begins with the letters of publicUrl', async () => {
    const answer = openShop().proxy.fetch(at('/payments'));
    assert.equal(await refusalOf(answer), '404 not_found publicUrl');
  });
});

it('a question by key for a reference that is none is told with the rule', async () => {
  const shop = openShop();
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const path = `/invoices?external_id=${encodeURIComponent('order/1')}`;
  const asked = shop.request(path, { headers });
  assert.equal(await refusalOf(asked), '400 invalid_request external_id');
  assert.deepEqual(eventsOf(shop), ['reference_refused']);
});

it('resolveOrder that answers undefined is told once a minute, null is not', async () => {
  for (const [answer, events] of [
    [undefined, ['order_invalid']],
    [null, []],
  ] as const) {
    const shop = openShop({ resolveOrder: () => answer });
    for (let count = 0; count < 3; count += 1) {
      assert.equal(await refusalOf(shop.create()), '404 unknown_order');
    }
    assert.deepEqual(eventsOf(shop), events);
    for (const { hint } of shop.log) assert.match(hint ?? '', /undefined.*Answer null/);
  }
});

it('a look-up without its token is told as a header that was taken away', async () => {
  const shop = openShop();
  await shop.request('/invoices/invoice-0001');
  const [{ event, got, expected, hint = '' } = {}] = shop.log;
  assert.deepEqual([event, got, expected], ['lookup_token_refused', 'none', 'Lookup-Token']);
  assert.match(hint, /gateway.*Lookup-Token/);
});

it('a publicUrl without the path of its mount is told by a path of ours below another one', async () => {
  const shop = openShop({ publicUrl: 'https://shop.example' });
  const script = at('/pix/assets/pix-checkout.min.js');
  assert.equal(await refusalOf(await shop.proxy.fetch(script)), '404 not_found publicUrl');
  assert.deepEqual(eventsOf(shop), ['path_outside_public_url']);
  assert.equal(shop.log[0]?.expected, '/');
  assert.match(shop.log[0]?.hint ?? '', /^Mount the proxy at the path of publicUrl/);
});

const cases: [name: string, headers: Record<string, string>, got: string][] = [
  ['is null for a page of a file', { origin: 'null' }, 'null'],
  ['is none where the browser sent none', { 'sec-fetch-site': 'cross-site' }, 'none'],
  [
    'is not repeated if it is none',
    { origin: 'https://a.example/maria@example.com' },
    'unreadable',
  ],
  ['is not repeated at any length', { origin: `https://${'a'.repeat(300)}` }, 'unreadable'],
];
for (const [name, headers, got] of cases) {
  it(`the origin that was refused ${name}`, async () => {
    const shop = openShop({ allowedOrigins: [shopOrigin, 'https://m.shop.example'] });
    await shop.request('/invoices', { headers });
    const [entry] = shop.log;
    const expected = `${shopOrigin} https://m.shop.example`;
    assert.deepEqual([entry?.got, entry?.expected], [got, expected]);
  });
}

describe('a host that publicUrl does not name', () => {
  /** Makes an order's code over this host. @returns what was logged */
  async function createAt(host: string, headers = {}, options: Partial<ProxyOptions> = {}) {
    const shop = openShop(options);
    for (let i = 0; i < 3; i++) {
      const body = { external_id: 'a', order_token: await shop.signOrder('a') };
      const init = toCreation(shopOrigin, body, headers);
      const answer = await shop.proxy.fetch(new Request(`http://${host}/pay/invoices`, init));
      assert.equal(answer.status, 200);
    }
    return shop.log;
  }

  it('is told once a minute, and the order is served all the same', async () => {
    const [entry, ...more] = await createAt('www.shop.example');
    assert.deepEqual(more, []);
    const { hint, ...rest } = entry ?? {};
    const hosts = { got: 'www.shop.example', expected: 'shop.example' };
    assert.deepEqual(rest, { level: 'warn', event: 'host_differs', ...hosts });
    assert.match(hint ?? '', /publicUrl/);
  });

  it('is the one that a web server in front was asked for', async () => {
    const inFront = { 'x-forwarded-host': 'shop.example' };
    assert.deepEqual(await createAt('upstream.internal', inFront), []);
    const [entry] = await createAt('shop.example', { 'x-forwarded-host': 'pay.example' });
    assert.equal(entry?.got, 'pay.example');
  });

  it('may stand inside a network: there a web server in front has a name of its own for the proxy', async () => {
    for (const host of [
      'shop.example',
      'localhost:8080',
      '127.0.0.1:8080',
      'proxy:8080',
      '[::1]',
    ]) {
      assert.deepEqual(await createAt(host), [], host);
    }
  });

  it('may be one of the shop: a page of it may call', async () => {
    const allowedOrigins = [shopOrigin, 'https://www.shop.example'];
    assert.deepEqual(await createAt('www.shop.example', {}, { allowedOrigins }), []);
  });

  it('is not repeated if it is none', async () => {
    const headers = { 'x-forwarded-host': 'maria@example.com' };
    assert.deepEqual(await createAt('shop.example', headers), []);
  });
});

it('under node:http a body that a parser in front has read is told, too', async (t) => {
  const shop = openShop();
  const listener = createNodeListener(shop.proxy.fetch);
  const url = await serve(t, async (incoming, outgoing) => {
    // As express.json() does.
    for await (const chunk of incoming) void chunk;
    listener(incoming, outgoing);
  });
  const response = await fetch(`${url}/pay/invoices`, {
    method: 'POST',
    headers: { ...jsonType, origin: shopOrigin },
    body: '{"method":"pix"}',
  });
  assert.equal(await refusalOf(response), '415 invalid_request bodyUsed');
  await settle();
  assert.deepEqual(eventsOf(shop), ['started', 'body_already_read']);
});
