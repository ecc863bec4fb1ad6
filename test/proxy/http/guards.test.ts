/** Who may call what: origins, paths, methods, bodies and keys. Nothing refused here ever reaches the service. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openShop, publicUrl, refusalOf, shopOrigin } from '../support/shop.js';

const key = '3f0c8f0e-2b8d-4f0a-9d6a-0c6f1c1f7a11';
const jsonType = { 'content-type': 'application/json' };

describe('an origin', () => {
  const refused: Record<string, Record<string, string>> = {
    'of another site': { origin: 'https://evil.example' },
    'that is null': { origin: 'null' },
    'that is empty': { origin: '' },
    'that only begins right': { origin: 'https://shop.example.evil.example' },
    'that only ends right': { origin: 'https://evilshop.example' },
    'of a sub-domain': { origin: 'https://www.shop.example' },
    'of another scheme': { origin: 'http://shop.example' },
    'of another port': { origin: 'https://shop.example:8443' },
    'in capitals': { origin: 'https://SHOP.example' },
    'with a path': { origin: 'https://shop.example/' },
    'that is missing across sites': { 'sec-fetch-site': 'cross-site' },
  };
  for (const [name, headers] of Object.entries(refused)) {
    for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
      it(`${name} is refused before anything else: ${method}`, async () => {
        const shop = openShop();
        for (const path of ['/invoices', '/nowhere']) {
          const request = new Request(publicUrl + path, { method, headers });
          const response = await shop.proxy.fetch(request);
          assert.equal(response.headers.get('access-control-allow-origin'), null);
          assert.equal(response.headers.get('vary'), 'Origin');
          assert.equal(await refusalOf(response), '403 invalid_request allowedOrigins');
        }
        assert.equal(shop.upstream.sent.length, 0);
      });
    }
  }

  it('may be missing: same-origin GET, and servers', async () => {
    const shop = openShop();
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }]) {
      const request = new Request(`${publicUrl}/invoices`, { headers: { ...headers } });
      const response = await shop.proxy.fetch(request);
      assert.equal(response.headers.get('access-control-allow-origin'), null);
      assert.equal(await refusalOf(response), '400 invalid_request Idempotency-Key');
    }
  });
});

describe('the headers of an answer', () => {
  it('let exactly the page that asked read it, and nobody keep it', async () => {
    const shop = openShop({ allowedOrigins: ['https://other.example', shopOrigin] });
    const made = await shop.create();
    const preflight = await shop.proxy.fetch(
      new Request(`${publicUrl}/invoices`, { method: 'OPTIONS', headers: { origin: shopOrigin } }),
    );
    const refused = await shop.create({ key: null });
    for (const response of [made, preflight, refused]) {
      const headers = Object.fromEntries(response.headers);
      assert.equal(headers['access-control-allow-origin'], shopOrigin);
      assert.equal(headers['access-control-expose-headers'], 'Retry-After');
      assert.equal(headers['access-control-allow-credentials'], undefined);
      assert.equal(headers['vary'], 'Origin');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
    }
    assert.equal(made.headers.get('content-type'), 'application/json');
  });

  const routes = { '/invoices': 'GET, POST', '/invoices/11111111-aaaa': 'GET' };
  for (const [path, methods] of Object.entries(routes)) {
    it(`answer a preflight of ${path}`, async () => {
      const init = { method: 'OPTIONS', headers: { origin: shopOrigin } };
      const response = await openShop().proxy.fetch(new Request(publicUrl + path, init));
      assert.equal(response.status, 204);
      assert.equal(response.headers.get('access-control-allow-methods'), methods);
      assert.equal(
        response.headers.get('access-control-allow-headers'),
        'authorization, content-type, idempotency-key',
      );
      assert.match(response.headers.get('access-control-max-age') ?? '', /^\d+$/);
    });
  }
});

describe('a method', () => {
  const cases: [method: string, path: string, allow: string][] = [
    ...['PUT', 'PATCH', 'DELETE', 'HEAD', 'PROPFIND', 'FOO'].map(
      (method): [string, string, string] => [method, '/invoices', 'GET, POST'],
    ),
    ...['PUT', 'PATCH', 'DELETE', 'HEAD', 'POST'].map((method): [string, string, string] => [
      method,
      '/invoices/11111111-aaaa',
      'GET',
    ]),
  ];
  for (const [method, path, allow] of cases) {
    it(`${method} ${path} is refused with what is allowed`, async () => {
      const shop = openShop();
      const response = await shop.proxy.fetch(new Request(publicUrl + path, { method }));
      assert.equal(response.headers.get('allow'), allow);
      assert.equal(await refusalOf(response), '405 invalid_request');
      assert.equal(shop.upstream.sent.length, 0);
    });
  }
});

describe('a body', () => {
  const types: [type: string | null, isTaken: boolean][] = [
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['Application/JSON;charset="UTF-8"', true],
    [null, false],
    ['', false],
    ['text/plain', false],
    ['text/plain; a=application/json', false],
    ['application/json; charset=latin1', false],
    ['application/json-seq', false],
    ['application/x-www-form-urlencoded', false],
    ['multipart/form-data; boundary=x', false],
  ];
  for (const [type, isTaken] of types) {
    it(`of type ${type} is ${isTaken ? 'read' : 'refused'}`, async () => {
      const headers: Record<string, string> = type === null ? {} : { 'content-type': type };
      // Bytes, because a text would get a content type of its own.
      const body = new TextEncoder().encode('[');
      const request = new Request(`${publicUrl}/invoices`, { method: 'POST', headers, body });
      const refusal = await refusalOf(await openShop().proxy.fetch(request));
      assert.equal(refusal, isTaken ? '400 invalid_request body' : '415 invalid_request');
    });
  }

  const maxBytes = 16 * 1024;
  const sizes: [bytes: number, refusal: string][] = [
    [maxBytes, '400 invalid_request Idempotency-Key'],
    [maxBytes + 1, '413 invalid_request'],
  ];
  for (const [bytes, refusal] of sizes) {
    it(`of ${bytes} bytes is answered ${refusal}, announced or not`, async () => {
      const text = `"${'x'.repeat(bytes - 2)}"`;
      const announced = { ...jsonType, 'content-length': String(bytes) };
      assert.equal(await refusalOf(await post(text, announced)), refusal);
      assert.equal(
        await refusalOf(await post(text, { ...jsonType, 'content-length': '2' })),
        refusal,
      );
      assert.equal(await refusalOf(await post(toStream(text), jsonType)), refusal);
    });
  }

  it('that never ends is read no further than the limit', async () => {
    let pulled = 0;
    let isCancelled = false;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1024));
      },
      cancel() {
        isCancelled = true;
      },
    });
    assert.equal(await refusalOf(await post(endless, jsonType)), '413 invalid_request');
    assert.ok(pulled < 20 && isCancelled);
  });

  it('that breaks off is refused', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) });
    assert.equal(await refusalOf(await post(broken, jsonType)), '400 invalid_request body');
  });

  const bodies: [name: string, body: unknown, field: string][] = [
    ['null', null, 'body'],
    ['a list', [], 'body'],
    ['no method', { external_id: 'a' }, 'method'],
    ['a foreign method', { method: 'boleto', external_id: 'a' }, 'method'],
    ['a card payment without a card', { method: 'credit_card', external_id: 'a' }, 'card'],
    ['a card beside Pix', { method: 'pix', external_id: 'a', card: { token: 't' } }, 'card'],
    ['no reference', { method: 'pix' }, 'external_id'],
    ['a reference with a space', { method: 'pix', external_id: 'a b' }, 'external_id'],
    ['a reference with a slash', { method: 'pix', external_id: '../b' }, 'external_id'],
    ['a reference with an accent', { method: 'pix', external_id: 'açaí' }, 'external_id'],
    ['a long reference', { method: 'pix', external_id: 'a'.repeat(65) }, 'external_id'],
    ['an empty order token', { method: 'pix', external_id: 'a', order_token: '' }, 'order_token'],
    [
      'a price as text',
      { method: 'pix', external_id: 'a', expected_total_cents: '1' },
      'expected_total_cents',
    ],
    [
      'a price of 2^53 + 1',
      { method: 'pix', external_id: 'a', expected_total_cents: 2 ** 53 + 1 },
      'expected_total_cents',
    ],
    [
      'a price of its own',
      { method: 'pix', external_id: 'a', total_price_cents: 1 },
      'total_price_cents',
    ],
    [
      'a foreign payer field',
      { method: 'pix', external_id: 'a', payer: { cpf: '1' } },
      'payer.cpf',
    ],
    [
      'a payer field of another type',
      { method: 'pix', external_id: 'a', payer: { name: 1 } },
      'payer.name',
    ],
    [
      'a payer address of its own',
      { method: 'pix', external_id: 'a', ip_payer: '1.1.1.1' },
      'ip_payer',
    ],
    ['a bad id to replace', { method: 'pix', external_id: 'a', replaces: '../../x' }, 'replaces'],
    ['personal data as a key', { method: 'pix', external_id: 'a', 'ana@example.com': 1 }, 'body'],
    ['digits as a key', { method: 'pix', external_id: 'a', '52998224725': 1 }, 'body'],
  ];
  for (const [name, body, field] of bodies) {
    it(`with ${name} is refused by name: ${field}`, async () => {
      const response = await post(JSON.stringify(body), { ...jsonType, 'idempotency-key': key });
      assert.equal(await refusalOf(response), `400 invalid_request ${field}`);
    });
  }

  const texts = [
    '',
    '{',
    '{"method":"pix"}}',
    '<html>',
    '\u0000',
    '{"a":1e400}',
    '\ufeff{',
    "{'a':1}",
  ];
  for (const text of texts) {
    it(`${JSON.stringify(text)} is refused`, async () => {
      const response = await post(text, { ...jsonType, 'idempotency-key': key });
      assert.match(await refusalOf(response), /^400 invalid_request /);
    });
  }

  it('that is not UTF-8 is refused, not mended', async () => {
    const [head, tail] = JSON.stringify({
      method: 'pix',
      external_id: 'a',
      payer: { name: '|' },
    }).split('|');
    const bytes = Buffer.concat([Buffer.from(head!), Buffer.from([0xff]), Buffer.from(tail!)]);
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(bytes));
        controller.close();
      },
    });
    const response = await post(body, { ...jsonType, 'idempotency-key': key });
    assert.equal(await refusalOf(response), '400 invalid_request body');
  });

  it('cannot bring a prototype along', async () => {
    const body = '{"method":"pix","external_id":"a","__proto__":{"order_token":"x"}}';
    const response = await post(body, { ...jsonType, 'idempotency-key': key });
    assert.equal(await refusalOf(response), '400 invalid_request __proto__');
  });
});

describe('an idempotency key', () => {
  const bad = [
    null,
    '',
    'a',
    '1',
    'order-1',
    key.slice(1),
    `${key}0`,
    key.replaceAll('-', ''),
    `${key}, ${key}`,
  ];
  for (const value of bad) {
    it(`${value} is refused on both routes`, async () => {
      const shop = openShop();
      assert.equal(
        await refusalOf(await shop.create({ key: value })),
        '400 invalid_request Idempotency-Key',
      );
      const headers: Record<string, string> = value === null ? {} : { 'idempotency-key': value };
      const response = await shop.proxy.fetch(new Request(`${publicUrl}/invoices`, { headers }));
      assert.equal(await refusalOf(response), '400 invalid_request Idempotency-Key');
      assert.equal(shop.upstream.sent.length, 0);
    });
  }
});

async function post(
  body: string | ReadableStream,
  headers: Record<string, string>,
): Promise<Response> {
  const shop = openShop();
  const init = { method: 'POST', headers, body, duplex: 'half' };
  const response = await shop.proxy.fetch(new Request(`${publicUrl}/invoices`, init));
  assert.equal(shop.upstream.sent.length, 0);
  return response;
}

function toStream(text: string): ReadableStream {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, (at += 1000)));
    },
  });
}
