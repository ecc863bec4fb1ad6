/** Who may call what: origins, paths, methods, bodies and keys. Nothing refused here ever reaches the service. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dataOf, openShop, refusalOf, shopOrigin } from '../../support/proxy/shop.js';

const key = '3f0c8f0e-2b8d-4f0a-9d6a-0c6f1c1f7a11';
const jsonType = { 'content-type': 'application/json' };

const pageHeaders = 'authorization, content-type, idempotency-key, lookup-token, order-token';

/** What is asked for beside that, as browsers list it, by pages that are traced. */
const tracers = {
  Sentry: 'baggage,content-type,idempotency-key,sentry-trace',
  Datadog: 'lookup-token,x-datadog-origin,x-datadog-parent-id,x-datadog-sampling-priority',
  'New Relic': 'newrelic,traceparent,tracestate',
  Elastic: 'elastic-apm-traceparent, traceparent',
  OpenTelemetry: 'b3,baggage,traceparent',
  jQuery: 'x-requested-with',
} as const;

describe('an origin', () => {
  const refused: Record<string, Record<string, string>> = {
    'of another site': { origin: 'https://evil.example' },
    'that is null': { origin: 'null' },
    'that only begins right': { origin: 'https://shop.example.evil.example' },
    'that only ends right': { origin: 'https://evilshop.example' },
    'of a sub-domain': { origin: 'https://www.shop.example' },
    'of another port': { origin: 'https://shop.example:8443' },
    'in capitals': { origin: 'https://SHOP.example' },
    'that is missing across sites': { 'sec-fetch-site': 'cross-site' },
  };
  for (const [name, headers] of Object.entries(refused)) {
    it(`${name} is refused before anything else`, async () => {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
        for (const path of ['/invoices', '/nowhere']) {
          const response = await ask(path, { method, headers });
          assert.equal(response.headers.get('access-control-allow-origin'), null);
          assert.equal(response.headers.get('vary'), 'Origin');
          const refusal = await refusalOf(response);
          assert.equal(refusal, '403 invalid_request allowedOrigins', `${method} ${path}`);
        }
      }
    });
  }

  it('of an app is admitted exactly as it is listed', async () => {
    for (const origin of ['capacitor://localhost', 'ionic://localhost', 'tauri://localhost']) {
      const shop = openShop({ allowedOrigins: [origin] });
      const ask = (from: string) =>
        shop.request('/invoices', { method: 'OPTIONS', headers: { origin: from } });
      const { status, headers } = await ask(origin);
      assert.equal(status, 204);
      assert.equal(headers.get('access-control-allow-origin'), origin);
      await dataOf(shop.create({ headers: { origin } }));
      const others = ['null', 'file://', `${origin}:80`, `${origin}.evil.example`];
      for (const other of [...others, 'http://localhost', 'capacitor://evil.example']) {
        assert.equal((await ask(other)).status, 403, other);
      }
    }
  });

  it('by https of a page that is listed by http is told what that means', async () => {
    const shop = openShop({ allowedOrigins: ['http://localhost:3000'] });
    await shop.create({ headers: { origin: 'https://localhost:3000' } });
    assert.match(shop.log[0]?.hint ?? '', /by https.*TLS ends in front/);
  });

  it('may be missing: same-origin GET, and servers', async () => {
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }]) {
      const response = await ask('/invoices', { headers: { ...headers } });
      assert.equal(response.headers.get('access-control-allow-origin'), null);
      assert.equal(await refusalOf(response), '400 invalid_request Idempotency-Key');
    }
  });
});

describe('the headers of an answer', () => {
  it('let exactly the page that asked read it, and no one keep it', async () => {
    const shop = openShop({ allowedOrigins: ['https://other.example', shopOrigin] });
    const made = await shop.create();
    const init = { method: 'OPTIONS', headers: { origin: shopOrigin } };
    const preflight = await shop.request('/invoices', init);
    const refused = await shop.create({ key: null });
    const expected = {
      'access-control-allow-origin': shopOrigin,
      'access-control-expose-headers': 'Retry-After',
      // A wrapper of the page's `fetch` may send its cookies: no answer depends on them.
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    };
    for (const { headers } of [made, preflight, refused]) {
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(headers.get(name), value, name);
      }
    }
    assert.equal(made.headers.get('content-type'), 'application/json');
  });

  for (const [path, methods] of [
    ['/invoices', 'GET, HEAD, POST'],
    ['/invoices/11111111-aaaa', 'GET, HEAD'],
    ['/order', 'GET, HEAD'],
  ] as const) {
    it(`answer a preflight of ${path}`, async () => {
      const response = await ask(path, { method: 'OPTIONS', headers: { origin: shopOrigin } });
      assert.equal(response.status, 204);
      const { headers } = response;
      assert.equal(headers.get('access-control-allow-methods'), methods);
      assert.equal(headers.get('access-control-allow-headers'), pageHeaders);
      assert.match(headers.get('access-control-max-age') ?? '', /^\d+$/);
    });

    for (const [tracer, asked] of Object.entries(tracers)) {
      it(`answer a preflight of ${path} for a page with ${tracer}`, async () => {
        const preflight = { origin: shopOrigin, 'access-control-request-headers': asked };
        const { headers } = await ask(path, { method: 'OPTIONS', headers: preflight });
        assert.equal(headers.get('access-control-allow-headers'), `${pageHeaders}, ${asked}`);
        assert.equal(headers.get('access-control-allow-credentials'), 'true');
      });
    }

    it(`repeat nothing of a preflight of ${path} that is no list of names`, async () => {
      for (const asked of ['', ' ', 'x:y', 'x;y', '<script>', 'a,'.repeat(40), 'a'.repeat(200)]) {
        const preflight = { origin: shopOrigin, 'access-control-request-headers': asked };
        const { headers } = await ask(path, { method: 'OPTIONS', headers: preflight });
        assert.equal(headers.get('access-control-allow-headers'), pageHeaders, asked);
      }
    });

    it(`give no other page leave of ${path}, and are logged once a minute`, async () => {
      const shop = openShop();
      const origin = 'https://www.shop.example';
      const headers = { origin, 'access-control-request-headers': 'traceparent' };
      for (let count = 0; count < 3; count++) {
        const response = await shop.request(path, { method: 'OPTIONS', headers });
        assert.equal(response.status, 403);
        const given = [...response.headers.keys()].filter((name) =>
          name.startsWith('access-control'),
        );
        assert.deepEqual(given, []);
      }
      const told = shop.log.map(({ event, got }) => [event, got]);
      assert.deepEqual(told, [['origin_refused', origin]]);
    });

    it(`name what ${path} allows where a method is refused`, async () => {
      const others = methods === 'GET, HEAD' ? ['POST'] : ['PROPFIND', 'FOO'];
      for (const method of ['PUT', 'PATCH', 'DELETE', ...others]) {
        const response = await ask(path, { method });
        assert.equal(response.headers.get('allow'), methods);
        assert.equal(await refusalOf(response), '405 invalid_request method', method);
      }
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
    ['application/json; charset=latin1', false],
    ['application/x-www-form-urlencoded', false],
  ];
  for (const [type, isTaken] of types) {
    it(`of type ${type} is ${isTaken ? 'read' : 'refused'}`, async () => {
      // Bytes, because a text would get a content type of its own.
      const body = toStream('[');
      const refusal = await refusalOf(
        await post(body, type === null ? {} : { 'content-type': type }),
      );
      assert.equal(
        refusal,
        isTaken ? '400 invalid_request body' : '415 invalid_request Content-Type',
      );
    });
  }

  const maxBytes = 16 * 1024;
  const sizes: [bytes: number, refusal: string][] = [
    [maxBytes, '400 invalid_request Idempotency-Key'],
    [maxBytes + 1, '413 invalid_request body'],
  ];
  for (const [bytes, refusal] of sizes) {
    it(`of ${bytes} bytes is answered ${refusal}, announced or not`, async () => {
      const text = `"${'x'.repeat(bytes - 2)}"`;
      const announced = { ...jsonType, 'content-length': String(bytes) };
      const bodies: [string | ReadableStream, Record<string, string>][] = [
        [text, announced],
        [text, { ...jsonType, 'content-length': '2' }],
        [toStream(text), jsonType],
      ];
      for (const [body, headers] of bodies) {
        assert.equal(await refusalOf(await post(body, headers)), refusal);
      }
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
    assert.equal(await refusalOf(await post(endless, jsonType)), '413 invalid_request body');
    assert.ok(pulled < 20 && isCancelled);
  });

  it('that breaks off is refused', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) });
    assert.equal(await refusalOf(await post(broken, jsonType)), '400 invalid_request body');
  });

  const bodies: [name: string, fields: object, field: string][] = [
    ['a card beside Pix', { card: { token: 't' } }, 'card'],
    ['no reference', { external_id: undefined }, 'external_id'],
    ['a reference with a space', { external_id: 'a b' }, 'external_id'],
    ['a reference with an accent', { external_id: 'açaí' }, 'external_id'],
    ['a long reference', { external_id: 'a'.repeat(65) }, 'external_id'],
    ['an empty order token', { order_token: '' }, 'order_token'],
    ['a price of 2^53 + 1', { expected_total_cents: 2 ** 53 + 1 }, 'expected_total_cents'],
    ['a bad id to replace', { replaces: '../../x' }, 'replaces'],
    ['personal data as a key', { 'ana@example.com': 1 }, 'body'],
    ['digits as a key', { '52998224725': 1 }, 'body'],
  ];
  for (const [name, fields, field] of bodies) {
    it(`with ${name} is refused by name: ${field}`, async () => {
      const body = JSON.stringify({ method: 'pix', external_id: 'a', ...fields });
      assert.equal(await refusalOf(await post(body)), `400 invalid_request ${field}`);
    });
  }

  const texts: [text: string, refusal: RegExp][] = [
    ['null', / body$/],
    ['[]', / body$/],
    // A prototype cannot be brought along.
    ['{"method":"pix","external_id":"a","__proto__":{"order_token":"x"}}', / __proto__$/],
    ...['', '{', '{"method":"pix"}}', '<html>', '\u0000', '{"a":1e400}', '\ufeff{', "{'a':1}"].map(
      (text): [string, RegExp] => [text, /^400 invalid_request /],
    ),
  ];
  for (const [text, refusal] of texts) {
    it(`${JSON.stringify(text)} is refused`, async () => {
      const told = await refusalOf(await post(text));
      assert.match(told, /^400 invalid_request /);
      assert.match(told, refusal);
    });
  }

  it('that is not UTF-8 is refused, not mended', async () => {
    const body = '{"method":"pix","external_id":"a","payer":{"name":"\xff"}}';
    const response = await post(toStream(Buffer.from(body, 'latin1')));
    assert.equal(await refusalOf(response), '400 invalid_request body');
  });
});

const bad = [null, '', 'a', '1', 'order-1', key.slice(1), `${key}0`, key.replaceAll('-', '')];
for (const value of [...bad, `${key}, ${key}`]) {
  it(`an idempotency key ${value} is refused on both routes`, async () => {
    const refusal = '400 invalid_request Idempotency-Key';
    const shop = openShop();
    assert.equal(await refusalOf(await shop.create({ key: value })), refusal);
    assert.equal(shop.upstream.sent.length, 0);
    const headers = value === null ? {} : { 'idempotency-key': value };
    assert.equal(await refusalOf(await ask('/invoices', { headers })), refusal);
  });
}

/** Asks a proxy that must not ask the service. */
async function ask(path: string, init: RequestInit): Promise<Response> {
  const shop = openShop();
  const response = await shop.request(path, init);
  assert.equal(shop.upstream.sent.length, 0);
  return response;
}

function post(
  body: string | ReadableStream,
  headers: Record<string, string> = { ...jsonType, 'idempotency-key': key },
): Promise<Response> {
  return ask('/invoices', { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
}

function toStream(text: string | Uint8Array): ReadableStream {
  const bytes = Buffer.from(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, (at += 1000)));
    },
  });
}
