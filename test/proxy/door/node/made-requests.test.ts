/**
 * Requests that a program made, not a parser: of `node:http2`, of serverless adapters, of servers whose middleware was at the
 * body before. Each creates and looks up, or one line of the log says what has to go where.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestListener } from 'node:http';
import { connect, createServer } from 'node:http2';
import { Socket } from 'node:net';
import { describe, it, type TestContext } from 'vitest';
import { createNodeListener } from '../../../../src/node.js';
import { serve, openPort } from '../../../support/proxy/node-servers.js';
import { create, host, payThrough } from '../../../support/proxy/pay-through.js';
import type { Ask, Send } from '../../../support/proxy/pay-through.js';
import { eventsOf, openKeptShop, settle } from '../../../support/proxy/shop.js';
import { column } from '../../../support/rows.js';

/** How each asks a listener. */
const ways: Readonly<Record<string, (listener: RequestListener, t: TestContext) => Promise<Send>>> =
  {
    'a server': async (listener, t) => overHttp(await serve(t, listener)),
    'a server of HTTP/2': overHttp2,
    'a function without a list of headers': async (listener) => (ask) => call(listener, ask),
    // As Google's functions do.
    'a body that was read, and kept beside it': async (listener, t) =>
      overHttp(
        await serve(t, async (incoming, outgoing) => {
          const chunks: Uint8Array[] = [];
          for await (const chunk of incoming) chunks.push(chunk);
          listener(Object.assign(incoming, { rawBody: Buffer.concat(chunks) }), outgoing);
        }),
      ),
    // As `express.text({ type: '*/*' })` does.
    'a body that was read as a text': async (listener, t) =>
      overHttp(
        await serve(t, async (incoming, outgoing) => {
          let body = '';
          for await (const chunk of incoming) body += String(chunk);
          listener(Object.assign(incoming, { body }), outgoing);
        }),
      ),
    'a middleware that listens to the body': async (listener, t) =>
      overHttp(
        await serve(t, (incoming, outgoing) => {
          incoming.on('data', () => undefined);
          listener(incoming, outgoing);
        }),
      ),
  };

describe('the listener takes what comes from', () => {
  for (const [name, open] of Object.entries(ways)) {
    it(`${name}: it creates, looks up, holds a look-up, and hears a postback`, async (t) => {
      await payThrough((listener) => open(listener, t));
    });
  }

  it('a middleware that listened before: one line says where it has to go', async (t) => {
    const shop = openKeptShop({ onPaid: () => undefined });
    const listener = createNodeListener(shop.proxy.fetch);
    const url = await serve(t, async (incoming, outgoing) => {
      incoming.on('data', () => undefined);
      await once(incoming, 'end');
      listener(incoming, outgoing);
    });
    await assert.rejects(create(shop, overHttp(url)), /bodyUsed/);
    const [, entry] = shop.log;
    assert.equal(entry?.event, 'body_already_read');
    assert.match(entry.hint ?? '', /before .*rawBody/);
  });

  it('a postback that something in front has read is told in the log, and looked up', async (t) => {
    const shop = openKeptShop({ onPaid: () => undefined });
    await create(shop, overHttp(await serve(t, createNodeListener(shop.proxy.fetch))));
    const before = shop.upstream.lookUps();
    const read = new Request(shop.postbackUrl(), { method: 'POST', body: '{}' });
    await read.text();
    assert.equal((await shop.proxy.fetch(read)).status, 200);
    await settle();
    assert.equal(shop.upstream.lookUps(), before + 1);
    assert.deepEqual(eventsOf(shop), ['started', 'body_already_read']);
  });

  it('HTTP/2 with two hosts is refused, and one that is named twice is not', async (t) => {
    const shop = openKeptShop();
    const send = await overHttp2(createNodeListener(shop.proxy.fetch), t);
    const ask = (second: string) =>
      send({ method: 'GET', path: '/pay/health', headers: { host: second } });
    assert.equal((await ask(host)).status, 200);
    assert.equal((await ask('evil.example')).status, 400);
  });

  it('HTTP/2 does not abort a request that was answered', async (t) => {
    const signals: AbortSignal[] = [];
    const listener = createNodeListener(({ signal }) => {
      signals.push(signal);
      return new Response('ok');
    });
    const send = await overHttp2(listener, t);
    for (let i = 0; i < 2; i += 1) await send({ method: 'GET', path: '/', headers: {} });
    await settle();
    assert.deepEqual(column(signals, 'aborted'), [false, false]);
  });
});

function overHttp(url: string): Send {
  return async ({ path, ...init }) => {
    const response = await fetch(url + path, init);
    const { status, headers } = response;
    return { status, headers: Object.fromEntries(headers), body: await response.text() };
  };
}

async function overHttp2(listener: RequestListener, t: TestContext): Promise<Send> {
  const server = createServer(listener as never);
  const session = connect(`http://127.0.0.1:${await openPort(server)}`);
  t.onTestFinished(() => {
    session.destroy();
    server.close();
  });
  return async ({ method, path, headers, body = '' }) => {
    const asked = { ':method': method, ':path': path, ':authority': host, ...headers };
    const stream = session.request(asked, { endStream: body === '' });
    if (body) stream.end(body);
    const [answered] = await once(stream, 'response');
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    return { status: answered[':status'], headers: answered, body: text };
  };
}

/** A request without a connection, as serverless adapters make them. Their `writeHead` sets one header after another. */
async function call(listener: RequestListener, { method, path, headers, body }: Ask) {
  const incoming = Object.assign(new IncomingMessage(new Socket()), {
    method,
    url: path,
    headers: { host, 'content-length': body?.length, ...headers },
    complete: true,
  });
  incoming._read = () => void (incoming.push(body ?? null), incoming.push(null));
  const outgoing = new ServerResponse(incoming);
  const written: Record<string, unknown> = {};
  let text = '';
  outgoing.writeHead = ((status: number, fields: object) => {
    outgoing.statusCode = status;
    for (const [name, value] of Object.entries(fields)) written[name.toLowerCase()] = value;
  }) as never;
  const ended = new Promise<void>((resolve) => {
    outgoing.end = ((chunk = '') => {
      text += chunk;
      resolve();
    }) as never;
  });
  listener(incoming, outgoing);
  await ended;
  return { status: outgoing.statusCode, headers: written, body: text };
}
