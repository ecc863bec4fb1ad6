/** The payment page's files, served beside the proxy: a closed list, compressed, told apart by their content. Needs dist/. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { serveProxy } from '../../../src/node.js';
import { createPageAssets } from '../../../src/proxy/node/page-assets.js';
import { root } from '../../support/tools.js';
import { openShop } from '../support/shop.js';

const file = 'pix-checkout-pay.min.js';

/** @param assetsUrl absent: the default, below the tests' `publicUrl` with its path `/pay` */
async function open(t: TestContext, { hasPage = true, assetsUrl }: Given = {}) {
  const own = assetsUrl === undefined ? {} : { assetsUrl };
  const { proxy } = openShop(hasPage ? { paymentPage: { name: 'Ana', ...own } } : {});
  const server = await serveProxy({ proxy, port: 0 });
  t.after(() => server.close());
  /** Without a client that would tidy the path up. */
  return async (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const { hostname, port } = new URL(server.url);
      request({ hostname, port, path, method, headers }, resolve).on('error', reject).end();
    });
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
  };
}

interface Given {
  readonly hasPage?: boolean;
  readonly assetsUrl?: string;
}

describe('the files of the payment page', () => {
  it('come as they are, or smaller, with a tag of their content', async (t) => {
    const ask = await open(t);
    const bytes = await readFile(join(root, 'dist', file));
    const path = `/pay/assets/${file}`;
    const plain = await ask(path);
    const brotli = await ask(path, { 'accept-encoding': 'gzip, deflate, br' });
    const zipped = await ask(path, { 'accept-encoding': 'gzip' });
    assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(plain.headers['x-content-type-options'], 'nosniff');
    assert.equal(plain.headers.vary, 'Accept-Encoding');
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.deepEqual(plain.body, bytes);
    assert.equal(brotli.headers['content-encoding'], 'br');
    assert.deepEqual(brotliDecompressSync(brotli.body), bytes);
    assert.equal(zipped.headers['content-encoding'], 'gzip');
    assert.deepEqual(gunzipSync(zipped.body), bytes);

    const etag = String(plain.headers.etag);
    const known = await ask(path, { 'if-none-match': etag });
    assert.deepEqual([known.status, known.body.length], [304, 0]);
    const head = await ask(path, {}, 'HEAD');
    assert.deepEqual([head.status, head.body.length], [200, 0]);
    const css = await ask('/pay/assets/pix-checkout.css', { 'if-none-match': etag });
    assert.equal(css.status, 200);
    assert.equal(css.headers['content-type'], 'text/css; charset=utf-8');
  });

  const codings: [accepted: string, coding: string | undefined][] = [
    ['br;q=1.0, gzip;q=0.8', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['BR; q=0.000, deflate', undefined],
    ['brotli, x-gzip', undefined],
  ];
  for (const [accepted, coding] of codings) {
    it(`come as ${coding} to who accepts ${accepted}`, async (t) => {
      const ask = await open(t);
      const { headers } = await ask(`/pay/assets/${file}`, { 'accept-encoding': accepted });
      assert.equal(headers['content-encoding'], coding);
    });
  }

  it('are all there', async (t) => {
    const ask = await open(t);
    for (const part of ['', '-card', '-en', '-es', '-pay']) {
      const { status } = await ask(`/pay/assets/pix-checkout${part}.min.js`, {}, 'HEAD');
      assert.equal(status, 200, part);
    }
  });

  it('are there for a further try, which has an address of its own, and no other question', async (t) => {
    const ask = await open(t);
    for (const [search, status] of [
      ['?again=1', 200],
      ['?again=27', 200],
      ['?again=', 404],
      ['?again=1&x=2', 404],
      ['?v=2', 404],
      ['?', 404],
    ] as const) {
      const answer = await ask(`/pay/assets/pix-checkout-card.min.js${search}`, {}, 'HEAD');
      assert.equal(answer.status, status, search);
    }
  });

  const others = [
    '/pay/assets/',
    '/pay/assets/proxy.js',
    '/pay/assets/index.js',
    '/pay/assets/constructor',
    '/pay/assets/__proto__',
    '/pay/assets/integrity.json',
    '/pay/assets/../package.json',
    `/pay/assets/../assets/${file}`,
    `/pay/assets/./${file}`,
    `/pay/assets/%2e%2e/package.json`,
    `/pay/assets/..%2fpackage.json`,
    `/pay/assets//${file}`,
    `/pay/assets/${file}/`,
    `/pay/assets/${file}%00.css`,
    `/assets/${file}`,
    `//pay/assets/${file}`,
  ];
  for (const path of others) {
    it(`are no others: ${path}`, async (t) => {
      const { status, body } = await (await open(t))(path);
      assert.ok(status === 404 || status === 400, String(status));
      assert.doesNotMatch(body.toString(), /"version"|customElements/);
    });
  }

  it('are not written to', async (t) => {
    const { status } = await (await open(t))(`/pay/assets/${file}`, {}, 'POST');
    assert.equal(status, 404);
  });

  it('are not served without the page, nor where they lie elsewhere', async (t) => {
    const none = await open(t, { hasPage: false });
    assert.equal((await none(`/pay/assets/${file}`)).status, 404);
    const elsewhere = await open(t, { assetsUrl: 'https://static.example/pix' });
    assert.equal((await elsewhere(`/pay/assets/${file}`)).status, 404);
    assert.equal((await elsewhere(`/pix/${file}`)).status, 404);
    const own = await open(t, { assetsUrl: 'https://shop.example/files/' });
    assert.equal((await own(`/files/${file}`)).status, 200);
    const top = await open(t, { assetsUrl: '/' });
    assert.equal((await top(`/${file}`)).status, 200);
  });

  it('are read again after they could not be read', async (t) => {
    let reads = 0;
    const bytes = Buffer.from('1');
    const serve = createPageAssets('/assets', async () => {
      reads += 1;
      if (reads === 1) throw new Error('EMFILE');
      return { etag: '"1"', bytes: { br: bytes, gzip: bytes, identity: bytes } };
    });
    const statuses: (number | undefined)[] = [];
    const server = createServer((incoming, outgoing) => {
      serve!(incoming, outgoing).catch(() => outgoing.writeHead(500).end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    for (let at = 0; at < 3; at += 1) {
      statuses.push((await fetch(`http://127.0.0.1:${port}/assets/${file}`)).status);
    }
    assert.deepEqual([statuses, reads], [[500, 200, 200], 2]);
  });
});
