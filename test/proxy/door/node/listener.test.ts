/** The adapter to node:http, over real sockets on loopback: what gets through, what is cut, and that nothing throws. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { describe, it, type TestContext } from 'vitest';
import { createNodeListener } from '../../../../src/node.js';
import type { FetchHandler } from '../../../../src/node.js';
import { refuseClient } from '../../../../src/proxy/door/node/server.js';
import { connectTo, openPort, readToEnd, serve } from '../../../support/proxy/node-servers.js';
import { accessToken, dataOf, openShop, shopOrigin } from '../../../support/proxy/shop.js';
import { until } from '../../../support/until.js';
import { toCreation } from '../../../support/payer.js';

function listen(t: TestContext, handler: FetchHandler): Promise<string> {
  return serve(t, createNodeListener(handler));
}

/** A request whose client leaves once the handler has it. */
async function leave(t: TestContext, handler: FetchHandler): Promise<void> {
  let isSeen = false;
  const url = await listen(t, (request, info) => {
    isSeen = true;
    return handler(request, info);
  });
  const leaving = new AbortController();
  const answer = fetch(url, { signal: leaving.signal });
  answer.catch(() => {});
  await until(() => isSeen);
  leaving.abort();
  await assert.rejects(answer);
}

function raw(target: string, { method = 'GET', host = 'shop.example' } = {}): string {
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
}

describe('the Node listener', () => {
  it('hands a request on whole, and its answer back', async (t) => {
    let seen: unknown;
    const url = await listen(t, async (request, info) => {
      const { method, url, headers } = request;
      seen = [method, url, headers.get('x-two'), info.remoteAddress, await request.text()];
      return new Response('grüße', {
        status: 201,
        headers: [
          ['x-a', '1'],
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ],
      });
    });
    const asked = `${url}/pay/invoices?wait=5`;
    const headers: [string, string][] = [
      ['x-two', 'a'],
      ['x-two', 'b'],
    ];
    const response = await fetch(asked, { method: 'POST', headers, body: 'olá' });
    assert.equal(response.status, 201);
    assert.equal(await response.text(), 'grüße');
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.deepEqual(seen, ['POST', asked, 'a, b', '127.0.0.1', 'olá']);
  });

  it('carries bodies larger than any buffer, both ways', async (t) => {
    const bytes = new Uint8Array(5_000_000).map((_, index) => index % 251);
    const url = await listen(t, (request) => new Response(request.body));
    const response = await fetch(url, { method: 'POST', body: bytes });
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), bytes);
  });

  it('answers HEAD and 204 without a body', async (t) => {
    const url = await listen(t, (request) =>
      request.method === 'HEAD' ? new Response('hidden') : new Response(null, { status: 204 }),
    );
    assert.equal(await (await fetch(url, { method: 'HEAD' })).text(), '');
    assert.equal((await fetch(url)).status, 204);
  });

  const refused: [name: string, text: string, status: number][] = [
    ['an absolute target', raw('http://evil.example/pay/invoices'), 400],
    ['no path', raw('*', { method: 'OPTIONS' }), 400],
    ['dots', raw('/pay/../pay/invoices'), 400],
    ['encoded dots', raw('/x/%2e%2e/pay/invoices'), 400],
    ['a back slash', raw('/pay\\invoices'), 400],
    ['a fragment', raw('/pay/invoices#x'), 400],
    ['a user in the host', raw('/', { host: 'a@shop.example' }), 400],
    ['a path in the host', raw('/', { host: 'shop.example/x' }), 400],
    ['a host that is none', raw('/', { host: 'a b' }), 400],
    // RFC 9112 section 3.2.
    ['two hosts', raw('/', { host: 'shop.example\r\nHost: evil.example' }), 400],
    ['one host twice', raw('/', { host: 'shop.example\r\nhost: shop.example' }), 400],
    ['a second host that is empty', raw('/', { host: 'shop.example\r\nHost:' }), 400],
    ['TRACE', raw('/', { method: 'TRACE' }), 405],
  ];
  for (const [name, text, status] of refused) {
    it(`refuses ${name} with ${status}, unseen by the handler`, async (t) => {
      let calls = 0;
      const url = await listen(t, () => {
        calls += 1;
        return new Response('seen');
      });
      const answer = await readToEnd(connectTo(t, url, text));
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      assert.equal(calls, 0);
    });
  }

  const doubled: [target: string, path: string][] = [
    ['//evil.example/pay/invoices', '//evil.example/pay/invoices'],
    ['/pay//invoices?a=b/../c', '/pay//invoices'],
    ['/pay%2finvoices', '/pay%2finvoices'],
  ];
  for (const [target, path] of doubled) {
    it(`shows the handler ${target} as it was sent`, async (t) => {
      const url = await listen(t, (request) => new Response(new URL(request.url).pathname));
      assert.ok((await readToEnd(connectTo(t, url, raw(target)))).includes(path));
    });
  }

  it('answers 500 when the handler throws, and tells nothing', async (t) => {
    const url = await listen(t, () => {
      throw new Error(accessToken);
    });
    const response = await fetch(url);
    assert.equal(response.status, 500);
    assert.equal(await response.text(), '');
  });

  it('cuts the connection when a body fails on its way', async (t) => {
    const url = await listen(t, () => {
      let chunks = 0;
      return new Response(
        new ReadableStream({
          pull(controller) {
            if ((chunks += 1) > 3) controller.error(new Error(accessToken));
            else controller.enqueue(new Uint8Array(10));
          },
        }),
      );
    });
    await assert.rejects(async () => (await fetch(url)).text());
  });

  it('answers before a body is read to its end, and closes that connection', async (t) => {
    const url = await listen(t, () => new Response('no', { status: 413 }));
    const outgoing = httpRequest(url, { method: 'POST' });
    outgoing.on('error', () => {});
    outgoing.write('x'.repeat(1_000));
    const [response] = await once(outgoing, 'response');
    assert.equal(response.statusCode, 413);
    assert.equal(response.headers.connection, 'close');
    outgoing.destroy();
  });

  it('aborts the request when its client disconnects', async (t) => {
    let isAborted = false;
    await leave(t, async ({ signal }) => {
      await once(signal, 'abort');
      isAborted = true;
      return new Response('too late');
    });
    await until(() => isAborted);
  });

  it('lets go of an answer that comes when its client has gone', async (t) => {
    let isCancelled = false;
    await leave(t, async ({ signal }) => {
      await once(signal, 'abort');
      return new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1)),
          cancel: () => void (isCancelled = true),
        }),
      );
    });
    await until(() => isCancelled);
  });

  it('does not abort a request that was answered', async (t) => {
    const signals: AbortSignal[] = [];
    const url = await listen(t, (request) => {
      signals.push(request.signal);
      return new Response('ok');
    });
    await (await fetch(url)).text();
    await readToEnd(connectTo(t, url, raw('/')));
    assert.equal(signals.length, 2);
    assert.ok(signals.every(({ aborted }) => !aborted));
  });

  it('serves the proxy, and frees a held look-up whose client has gone', async (t) => {
    const shop = openShop();
    const url = await listen(t, shop.proxy.fetch);
    const made = await dataOf(await shop.create());
    const leaving = new AbortController();
    const held = fetch(`${url}/pay/invoices/${made.invoice_id}?wait=25`, {
      headers: { authorization: `Bearer ${made.lookup_token}` },
      signal: leaving.signal,
    });
    held.catch(() => {});
    await until(() => shop.clock.dues().length === 2);
    leaving.abort();
    await until(() => shop.clock.dues().length === 0);
    await assert.rejects(held);
  });

  it('tells the proxy whose address it is', async (t) => {
    const shop = openShop();
    const url = await listen(t, shop.proxy.fetch);
    const body = { external_id: 'order-1', order_token: await shop.signOrder('order-1') };
    await dataOf(fetch(`${url}/pay/invoices`, toCreation(shopOrigin, body)));
    assert.equal(shop.upstream.sent[0]?.body?.['ip_payer'], '127.0.0.1');
  });
});

const head = 'POST /pay/invoices HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 9\r\n';
const badRequest = /^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n\r\n$/;
const cases: [name: string, text: string, answer: RegExp][] = [
  // A browser would send it again after a 408.
  ['is not told 408 when its head does not come in time', head, badRequest],
  ['is not told 408 when its body does not come in time', `${head}\r\n{`, badRequest],
  ['is told that it speaks no HTTP', 'no HTTP\r\n\r\n', badRequest],
  [
    'is told that its head is too large',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/,
  ],
];
for (const [name, text, answer] of cases) {
  it(`a connection that is refused ${name}`, async (t) => {
    // On a busy machine a long head takes longer than that.
    const soon = { headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 5 };
    const times = answer === badRequest ? soon : {};
    const server = createServer(times, () => undefined).on('clientError', refuseClient);
    t.onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${await openPort(server)}`;
    assert.match(await readToEnd(connectTo(t, url, text)), answer);
  });
}
