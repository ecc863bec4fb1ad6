/** The browser's files, served by the proxy itself: a closed list, compressed before, told apart by name or tag. Needs dist/. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, it, type TestContext } from 'vitest';
import { createNodeListener, serveProxy } from '../../../../src/node.js';
import { integrity } from '../../../tools/built-files.js';
import { root } from '../../../tools/tools.js';
import { openShop, shopOrigin } from '../../../support/proxy/shop.js';
import { serve } from '../../../support/proxy/node-servers.js';

const names = Object.keys(integrity);
const entry = 'pix-checkout.min.js';
const hashed = names.filter((name) => /\.[\w-]{8}\.min\.js$/.test(name));

/** One request of a page, without a network. */
async function ask(name: string, headers: Record<string, string> = {}) {
  return openShop().request(`/assets/${name}`, { headers });
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('the files of the browser', () => {
  it('are all there, as they are, with their type', async () => {
    assert.ok(names.includes('pix-checkout.css') && names.includes(entry));
    for (const name of names) {
      const answer = await ask(name);
      assert.equal(answer.status, 200, name);
      const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
      assert.equal(answer.headers.get('content-type'), `${type}; charset=utf-8`);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      const bytes = await bytesOf(answer);
      assert.deepEqual(bytes, readFileSync(join(root, 'dist', name)));
      // What a page's own tag may hold against it.
      assert.equal(
        integrity[name],
        `sha384-${createHash('sha384').update(bytes).digest('base64')}`,
      );
    }
  });

  const codings: [accepted: string, coding: string | null][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=1.0, gzip;q=0.8', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['BR; q=0.000, deflate', null],
    ['brotli, x-gzip', null],
  ];
  for (const [accepted, coding] of codings) {
    it(`come as ${coding} to who accepts ${accepted}`, async () => {
      const answer = await ask(entry, { 'accept-encoding': accepted });
      assert.equal(answer.headers.get('content-encoding'), coding);
      assert.match(answer.headers.get('vary') ?? '', /Accept-Encoding/);
      const sent = await bytesOf(answer);
      const whole = readFileSync(join(root, 'dist', entry));
      const open = { br: brotliDecompressSync, gzip: gunzipSync, null: (same: Buffer) => same };
      assert.deepEqual(open[`${coding}` as keyof typeof open](sent), whole);
    });
  }

  it('that a page names are asked for again each time, and sent only when they have changed', async () => {
    for (const name of [entry, 'pix-checkout-card.min.js', 'pix-checkout.css']) {
      const first = await ask(name);
      assert.equal(first.headers.get('cache-control'), 'no-cache', name);
      const etag = first.headers.get('etag') ?? '';
      const second = await ask(name, { 'if-none-match': etag });
      assert.deepEqual([second.status, (await bytesOf(second)).length], [304, 0]);
      assert.equal((await ask('pix-checkout-pay.min.js', { 'if-none-match': etag })).status, 200);
    }
  });

  it('that are loaded after it have their content in their name, and are kept for ever', async () => {
    assert.ok(hashed.length >= 3, String(hashed));
    for (const name of hashed) {
      const answer = await ask(name);
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    }
    const text = readFileSync(join(root, 'dist', entry), 'utf8');
    const named = [...text.matchAll(/pix-checkout-[\w.-]+\.min\.js/g)].map(([name]) => name);
    assert.deepEqual(new Set(named), new Set(hashed));
  });

  it('of another version are not there: no page gets a pair that does not fit', async () => {
    const stale = hashed[0]!.replace(/\.[\w-]{8}\./, '.00000000.');
    const answer = await ask(stale);
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  });

  it('may be loaded by pages of the allowed origins', async () => {
    const allowed = await ask(entry, { origin: shopOrigin });
    assert.equal(allowed.headers.get('access-control-allow-origin'), shopOrigin);
    assert.match(allowed.headers.get('vary') ?? '', /Origin/);
    for (const headers of [{}, { origin: 'https://other.example' }] as Record<string, string>[]) {
      assert.equal((await ask(entry, headers)).headers.get('access-control-allow-origin'), null);
    }
  });

  for (const origin of ['null', 'https://other.example']) {
    it(`are closed to scripts of origin ${origin} as before, which the log tells once a minute`, async () => {
      const shop = openShop();
      for (const name of [entry, hashed[0]!]) {
        const answer = await shop.request(`/assets/${name}`, { headers: { origin } });
        assert.equal(answer.headers.get('access-control-allow-origin'), null);
      }
      const [{ hint = '', ...told } = assert.fail(), ...more] = shop.log;
      const expected = { level: 'warn', event: 'origin_refused', got: origin };
      assert.deepEqual([told, more], [{ ...expected, expected: shopOrigin }, []]);
      assert.match(hint, origin === 'null' ? /WebView/ : /^Add the page's origin/);
    });
  }

  it('are no reason to warn where a page of the shop loads them', async () => {
    const shop = openShop();
    for (const headers of [{}, { origin: shopOrigin }, { 'sec-fetch-site': 'cross-site' }]) {
      await shop.request(`/assets/${entry}`, { headers: headers as Record<string, string> });
    }
    assert.deepEqual(shop.log, []);
  });

  it('may be loaded by a page that isolates itself (COEP): every answer says so, an error too', async () => {
    const { etag } = Object.fromEntries((await ask(entry)).headers);
    const shop = openShop();
    const answers = await Promise.all([
      ask(entry),
      ask(hashed[0]!),
      ask(entry, { 'if-none-match': etag ?? '' }),
      shop.request(`/assets/${entry}`, { method: 'HEAD' }),
      ask('other.js'),
      shop.request(`/assets/${entry}`, { method: 'DELETE' }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 304, 200, 404, 405],
    );
    for (const { status, headers } of answers) {
      assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin', String(status));
    }
    for (const path of ['/invoices?external_id=a', '/health', '/order', '/pay', '/assets']) {
      const { headers } = await shop.request(path);
      assert.equal(headers.get('cross-origin-resource-policy'), null, path);
    }
  });

  it('are there for a further try, which has an address of its own', async () => {
    assert.equal((await ask(`${hashed[0]}?again=1`)).status, 200);
    assert.equal((await ask(`${entry}?v=2`)).status, 200);
  });
});

describe('the files of the browser, under node:http', () => {
  /** Without a client that would tidy the path up. */
  async function open(t: TestContext) {
    const server = await serveProxy({ proxy: openShop().proxy, port: 0 });
    t.onTestFinished(() => server.close());
    return async (path: string, headers: OutgoingHttpHeaders = {}) => {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const { hostname, port } = new URL(server.url);
        // A connection that is kept would hold the server's end up.
        request({ hostname, port, path, headers, agent: false }, resolve).on('error', reject).end();
      });
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
    };
  }

  it('come without a payment page, and with their length', async (t) => {
    const own = await open(t);
    const answer = await own(`/pay/assets/${entry}`, { 'accept-encoding': 'br' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-length'], String(answer.body.length));
    const known = await own(`/pay/assets/${entry}`, { 'if-none-match': answer.headers.etag });
    assert.deepEqual([known.status, known.body.length], [304, 0]);
  });

  it('come through a function around the proxy, too', async (t) => {
    const { proxy } = openShop();
    const listener = createNodeListener((incoming, info) => proxy.fetch(incoming, info));
    const answer = await fetch(`${await serve(t, listener)}/pay/assets/${entry}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(await bytesOf(answer), readFileSync(join(root, 'dist', entry)));
  });

  const below = [
    'proxy.js',
    'index.js',
    'constructor',
    '__proto__',
    'integrity.json',
    `${entry}.br`,
    `${entry}%00.css`,
    `./${entry}`,
    `../assets/${entry}`,
    '../package.json',
    '%2e%2e/package.json',
    '..%2fpackage.json',
  ];
  const others = ['', ...below].map((name) => `/pay/assets/${name}`);
  for (const path of [...others, `/assets/${entry}`]) {
    it(`are no others: ${path}`, async (t) => {
      const { status, body } = await (await open(t))(path);
      assert.ok(status === 404 || status === 400, String(status));
      assert.doesNotMatch(body.toString(), /"version"|customElements/);
    });
  }
});

it('where the files are not the log says what to do, once, and the page hears of no such file', async () => {
  const { request: ask, logged } = openShop();
  const { process: node } = globalThis;
  // As in a worker, which has no files.
  Object.defineProperty(globalThis, 'process', { value: undefined, configurable: true });
  try {
    for (let tries = 0; tries < 2; tries += 1) {
      assert.equal((await ask(`/assets/${entry}`)).status, 404);
    }
  } finally {
    Object.defineProperty(globalThis, 'process', { value: node, configurable: true });
  }
  const told = logged('assets_missing');
  assert.equal(told.length, 1);
  assert.match(told[0]?.hint ?? '', /dist\//);
  // They may be there later, such as after an installation.
  assert.equal((await ask(`/assets/${entry}`)).status, 200);
});
