/** A proxy that is ended with requests open, in a process of its own: what is sent is finished, and then it is gone. */

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { describe, it, type TestContext } from 'vitest';
import { createNodeListener, serveProxy } from '../../../../src/node.js';
import type { FetchHandler } from '../../../../src/node.js';
import { signOrder } from '../../../../src/order-token.js';
import type { PixProxy } from '../../../../src/proxy.js';
import { bundleProgram } from '../../../support/program.js';
import {
  connectTo,
  isListening,
  readToEnd,
  serve,
  turns,
} from '../../../support/proxy/node-servers.js';
import {
  createGate,
  openShop,
  publicUrl,
  secrets,
  shopOrigin,
} from '../../../support/proxy/shop.js';
import { until } from '../../../support/until.js';
import type { Ticket } from '../../../support/proxy/shop.js';
import { createUpstream } from '../../../support/proxy/upstream.js';
import { toCreation, toLookUp } from '../../../support/payer.js';

const shopFile = 'test/support/proxy/node-shop.ts';
let program: Promise<string> | undefined;

it('a proxy whose port is taken starts no work that would keep its process alive', async (t) => {
  const port = Number(new URL(await serve(t, () => undefined)).port);
  let timers = 0;
  const startTimer = () => {
    timers += 1;
    return () => undefined;
  };
  const { proxy } = openShop({ startTimer, onPaid: () => undefined });
  t.onTestFinished(() => proxy.close());
  await assert.rejects(serveProxy({ proxy, port }), { code: 'EADDRINUSE' });
  assert.equal(timers, 0);
  const server = await serveProxy({ proxy, port: 0 });
  t.onTestFinished(() => server.close());
  assert.ok(timers > 0, 'another port is another try');
});

it('what is given in place of a proxy is refused with what is meant, before anything listens', async (t) => {
  const { proxy } = openShop();
  t.onTestFinished(() => proxy.close());
  const wrong: readonly unknown[] = [
    proxy,
    undefined,
    {},
    { port: 0 },
    { proxy: proxy.fetch, port: 0 },
    { proxy: { fetch: proxy.fetch }, port: 0 },
    { proxy: Promise.resolve(proxy), port: 0 },
  ];
  for (const options of wrong) {
    const serving = serveProxy(options as Parameters<typeof serveProxy>[0]);
    await assert.rejects(serving, /^TypeError: serveProxy needs \{ proxy, port \}, where proxy is/);
  }
  for (const handler of [proxy, undefined, Promise.resolve(proxy.fetch)]) {
    const make = () => createNodeListener(handler as unknown as FetchHandler);
    assert.throws(make, /^TypeError: createNodeListener needs a function: proxy\.fetch, not the/);
  }
});

describe('a proxy that is ended by SIGTERM', () => {
  it('answers a held look-up, finishes a creation, takes nothing new, and goes', async (t) => {
    const service = await openService(t);
    const { child, url } = await startShop(t, service);
    const made = (await send(url, await creation('order-1'))).data;
    const agent = new Agent({ keepAlive: true });
    t.onTestFinished(() => agent.destroy());
    const held = send(url, { ...lookUp(made, '?wait=25'), agent });
    const idle = connectTo(t, url, 'GET /pay/health HTTP/1.1\r\nHost: shop.example\r\n\r\n');
    await once(idle, 'data');
    const release = service.hold('POST');
    const slow = send(url, await creation('order-2'));
    await until(() => service.creates() === 2);

    const idleEnded = once(idle, 'close');
    child.kill('SIGTERM');
    const answered = await held;
    assert.deepEqual([answered.status, answered.data['status']], [200, 'pending']);
    assert.equal(answered.headers.connection, 'close');
    await idleEnded;
    await assertRefused(url);
    assert.equal(child.exitCode, null, 'a payment is still on its way');

    release();
    const finished = await slow;
    assert.deepEqual([finished.status, finished.data['status']], [200, 'pending']);
    assert.equal(finished.headers.connection, 'close');
    const [code, signal] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
    assert.deepEqual([code, signal ?? null], [0, null]);
    assert.equal(service.invoices.size, 2);
  });

  it('answers what was sent before its client could know, and resets no page', async (t) => {
    const service = await openService(t);
    const { child, url } = await startShop(t, service);
    const made = (await send(url, await creation('order-1'))).data;
    const agent = new Agent({ keepAlive: true });
    t.onTestFinished(() => agent.destroy());
    // Its connection is kept, and idle.
    await send(url, { ...lookUp(made), agent });
    const held = send(url, lookUp(made, '?wait=25'));
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await held;
    for (const late of [agent, false] as const) {
      const { status, headers } = await send(url, { ...lookUp(made, '?wait=25'), agent: late });
      assert.deepEqual([status, headers.connection], [200, 'close']);
    }
    assert.deepEqual(await exit, [0, null]);
  });

  it('waits for a payment whose payer has gone', async (t) => {
    const service = await openService(t);
    const { child, url } = await startShop(t, service);
    const release = service.hold('POST');
    const leaving = new AbortController();
    const slow = send(url, { ...(await creation('order-1')), signal: leaving.signal });
    slow.catch(() => {});
    await until(() => service.creates() === 1);
    leaving.abort();
    child.kill('SIGTERM');
    await assertRefused(url);
    assert.equal(child.exitCode, null);
    release();
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  it('cuts what hangs when its time is over', async (t) => {
    const service = await openService(t);
    const { child, url } = await startShop(t, service, 200);
    const half = connectTo(t, url, 'POST /pay/invoices HTTP/1.1\r\nHost: shop.example\r\nConte');
    await once(half, 'connect');
    // Node 26 resets it, where others end it: to a page its request has failed either way.
    const gone = new Promise((resolve) => half.on('error', resolve).once('close', resolve));
    child.kill('SIGTERM');
    await Promise.all([gone, once(child, 'exit')]);
    assert.equal(child.exitCode, 0);
  });
});

describe('a proxy served in this process', () => {
  it('answers what comes on a kept connection while it ends, and closes it', async (t) => {
    const shop = openShop();
    const gate = createGate();
    const proxy = { fetch: shop.proxy.fetch, close: () => gate.opened };
    const server = await serveProxy({ proxy, port: 0 });
    // Half a request keeps the connection from being idle.
    const socket = connectTo(t, server.url, 'GET /pay/health HTTP/1.1\r\n');
    await once(socket, 'connect');
    await turns(10);
    const closed = server.close();
    assert.equal(server.close(), closed);
    socket.write('Host: shop.example\r\n\r\n');
    const text = await readToEnd(socket);
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(text, /\r\nConnection: close\r\n/i);
    gate.release();
    await closed;
  });

  it('takes on no payment whose body came when it was ending', async (t) => {
    const shop = openShop();
    let isAsked = false;
    const fetch: PixProxy['fetch'] = (request, info) => {
      isAsked = true;
      return shop.proxy.fetch(request, info);
    };
    const server = await serveProxy({ proxy: { ...shop.proxy, fetch }, port: 0 });
    const { headers, body = '' } = await creation('order-1', shop.clock.now);
    const late = httpRequest(`${server.url}/pay/invoices`, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': body.length },
    });
    t.onTestFinished(() => void late.destroy());
    late.write(body.slice(0, 1));
    await until(() => isAsked);
    const closed = server.close();
    late.end(body.slice(1));
    const [answer] = (await once(late, 'response')) as [IncomingMessage];
    assert.equal(answer.statusCode, 503);
    assert.equal(shop.upstream.creates(), 0);
    answer.resume();
    await closed;
  });

  it('survives connections that it cannot accept', async (t) => {
    const server = await serveProxy({ proxy: openShop().proxy, port: 0 });
    t.onTestFinished(() => server.close());
    // Node's own word for who takes a request: a server is not handed out otherwise.
    const takers: Server[] = [];
    const note = (message: unknown) => void takers.push((message as { server: Server }).server);
    subscribe('http.server.request.start', note);
    t.onTestFinished(() => void unsubscribe('http.server.request.start', note));
    await fetch(`${server.url}/pay/health`);
    for (let i = 0; i < 2; i++) takers[0]?.emit('error', new Error('accept EMFILE'));
    assert.equal(takers.length, 1);
    assert.equal((await fetch(`${server.url}/pay/health`)).status, 200);
  });

  it('is where it says, on the loopback address unless told otherwise', async (t) => {
    const { proxy } = openShop();
    const server = await serveProxy({ proxy, port: 0 });
    t.onTestFinished(() => server.close());
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await fetch(`${server.url}/pay/health`)).status, 200);
    const { port } = new URL(server.url);
    await assert.rejects(serveProxy({ proxy, port: Number(port) }), { code: 'EADDRINUSE' });
  });
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly agent?: Agent | false;
  readonly signal?: AbortSignal;
}

async function creation(externalId: string, now = Date.now): Promise<Sent> {
  const order_token = await signOrder({ secrets, publicUrl, externalId, now });
  const body = { external_id: externalId, order_token };
  return { path: '/pay/invoices', ...toCreation(shopOrigin, body) };
}

function lookUp({ invoice_id: id, lookup_token: token }: Ticket, query = ''): Sent {
  return { method: 'GET', path: `/pay/invoices/${id}${query}`, ...toLookUp(shopOrigin, token) };
}

/** Node's own client: fetch would open its connections when it likes. */
async function send(url: string, { body, ...sent }: Sent) {
  const outgoing = httpRequest(url, { agent: false, ...sent });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  const { data } = JSON.parse(text);
  return { status: incoming.statusCode, headers: incoming.headers, data };
}

async function startShop(t: TestContext, service: { readonly url: string }, graceMs = 30_000) {
  const env = { ...process.env, SERVICE_URL: service.url, GRACE_MS: String(graceMs) };
  const child: ChildProcess = fork(await (program ??= bundleProgram(shopFile)), { env });
  t.onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = (await once(child, 'message')) as [string];
  return { child, url };
}

/** The service, on loopback. */
async function openService(t: TestContext) {
  const upstream = createUpstream();
  const listener = createNodeListener((request) => upstream.fetch(request));
  return Object.assign(upstream, { url: await serve(t, listener) });
}

/** Waits until no one listens there any more. */
async function assertRefused(url: string): Promise<void> {
  while (await isListening(Number(new URL(url).port))) continue;
}
