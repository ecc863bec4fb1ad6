/** The adapter to node:http, over real sockets on loopback: what gets through, what is cut, and that nothing throws. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { createNodeListener } from '../../../src/node.js';
import type { FetchHandler } from '../../../src/node.js';
import { accessToken, dataOf, openShop, until } from '../support/shop.js';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listen(handler: FetchHandler): Promise<number> {
  const server = createServer(createNodeListener(handler));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

/** Sends bytes as they are and reads until the connection ends. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += String(chunk)));
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

function raw(target: string, { method = 'GET', host = 'shop.example' } = {}): string {
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
}

describe('the Node listener', () => {
  it('hands a request on whole, and its answer back', async () => {
    let seen: unknown;
    const port = await listen(async (request, info) => {
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
    const response = await fetch(`http://127.0.0.1:${port}/pay/invoices?wait=5`, {
      method: 'POST',
      headers: [
        ['x-two', 'a'],
        ['x-two', 'b'],
      ],
      body: 'olá',
    });
    assert.equal(response.status, 201);
    assert.equal(await response.text(), 'grüße');
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    const url = `http://127.0.0.1:${port}/pay/invoices?wait=5`;
    assert.deepEqual(seen, ['POST', url, 'a, b', '127.0.0.1', 'olá']);
  });

  it('carries bodies larger than any buffer, both ways', async () => {
    const bytes = new Uint8Array(5_000_000).map((_, index) => index % 251);
    const port = await listen((request) => new Response(request.body));
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: bytes });
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), bytes);
  });

  it('answers HEAD and 204 without a body', async () => {
    const port = await listen((request) =>
      request.method === 'HEAD' ? new Response('hidden') : new Response(null, { status: 204 }),
    );
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' })).text(), '');
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 204);
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
    it(`refuses ${name} with ${status}, unseen by the handler`, async () => {
      let calls = 0;
      const port = await listen(() => {
        calls += 1;
        return new Response('seen');
      });
      const answer = await exchange(port, text);
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
    it(`shows the handler ${target} as it was sent`, async () => {
      const port = await listen((request) => new Response(new URL(request.url).pathname));
      assert.ok((await exchange(port, raw(target))).includes(path));
    });
  }

  it('answers 500 when the handler throws, and tells nothing', async () => {
    const port = await listen(() => {
      throw new Error(accessToken);
    });
    const response = await fetch(`http://127.0.0.1:${port}/`);
    assert.equal(response.status, 500);
    assert.equal(await response.text(), '');
  });

  it('cuts the connection when a body fails on its way', async () => {
    const port = await listen(() => {
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
    await assert.rejects(async () => (await fetch(`http://127.0.0.1:${port}/`)).text());
  });

  it('answers before a body is read to its end, and closes that connection', async () => {
    const port = await listen(() => new Response('no', { status: 413 }));
    const outgoing = httpRequest({ port, host: '127.0.0.1', method: 'POST' });
    outgoing.on('error', () => {});
    outgoing.write('x'.repeat(1_000));
    const [response] = await once(outgoing, 'response');
    assert.equal(response.statusCode, 413);
    assert.equal(response.headers.connection, 'close');
    outgoing.destroy();
  });

  it('aborts the request when its client disconnects', async () => {
    let isAborted = false;
    let isSeen = false;
    const port = await listen(async ({ signal }) => {
      isSeen = true;
      await once(signal, 'abort');
      isAborted = true;
      return new Response('too late');
    });
    const leaving = new AbortController();
    const answer = fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal });
    answer.catch(() => {});
    await until(() => isSeen);
    leaving.abort();
    await until(() => isAborted);
    await assert.rejects(answer);
  });

  it('lets go of an answer that comes when its client has gone', async () => {
    let isCancelled = false;
    let isSeen = false;
    const port = await listen(async ({ signal }) => {
      isSeen = true;
      await once(signal, 'abort');
      return new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1)),
          cancel: () => void (isCancelled = true),
        }),
      );
    });
    const leaving = new AbortController();
    const answer = fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal });
    answer.catch(() => {});
    await until(() => isSeen);
    leaving.abort();
    await assert.rejects(answer);
    await until(() => isCancelled);
  });

  it('does not abort a request that was answered', async () => {
    const signals: AbortSignal[] = [];
    const port = await listen((request) => {
      signals.push(request.signal);
      return new Response('ok');
    });
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    await exchange(port, raw('/'));
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false, false],
    );
  });

  it('serves the proxy, and frees a held look-up whose client has gone', async () => {
    const shop = openShop();
    const port = await listen(shop.proxy.fetch);
    const made = await dataOf(await shop.create());
    const leaving = new AbortController();
    const held = fetch(`http://127.0.0.1:${port}/pay/invoices/${made.invoice_id}?wait=25`, {
      headers: { authorization: `Bearer ${made.lookup_token}` },
      signal: leaving.signal,
    });
    held.catch(() => {});
    await until(() => shop.clock.pending() === 2);
    leaving.abort();
    await until(() => shop.clock.pending() === 0);
    await assert.rejects(held);
  });

  it('tells the proxy whose address it is', async () => {
    const shop = openShop();
    const port = await listen(shop.proxy.fetch);
    const response = await fetch(`http://127.0.0.1:${port}/pay/invoices`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
      body: JSON.stringify({
        method: 'pix',
        external_id: 'order-1',
        order_token: await shop.signOrder('order-1'),
      }),
    });
    await dataOf(response);
    assert.equal(shop.upstream.sent[0]?.body?.['ip_payer'], '127.0.0.1');
  });
});
