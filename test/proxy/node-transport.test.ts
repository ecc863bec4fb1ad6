/** The Node adapter's fetch, over real sockets on loopback: what a failure proves, that nothing is sent twice, and bodies. */

import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { createNodeFetch } from '../../src/node.js';
import { createSandbox, serveSandbox } from '../../src/sandbox.js';
import { ServiceError, createServiceClient } from '../../src/service.js';
import { toNetworkError } from '../../src/service/failures.js';
import { creationRequest } from '../service/samples.js';
import { makeCertificate } from './certificate.js';
import { until } from './support.js';

const accessToken = 'canary-access-token';
const post = { method: 'POST', redirect: 'manual', body: '{"a":1}' } as const;
const get = { redirect: 'manual' } as const;

/** An answer as it stands on the wire. */
const answer = (head: string, body = '') => `HTTP/1.1 ${head}\r\n\r\n${body}`;

describe('the Node transport', () => {
  it('sends what it is told, and gives the answer as a Response', async (t) => {
    let received = '';
    const url = await listen(t, (data, socket) => {
      received = data;
      const headers = 'Content-Type: text/plain\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2';
      socket.write(answer(`201 Made\r\n${headers}\r\nContent-Length: 4`, 'olá'));
    });
    const response = await createNodeFetch()(`${url}/p?q=1`, {
      ...post,
      body: 'olá',
      headers: new Headers({ Authorization: 'Bearer x', 'Content-Type': 'text/plain' }),
    });
    assert.ok(response instanceof Response);
    const { status, statusText, ok, headers } = response;
    assert.deepEqual([status, statusText, ok], [201, 'Made', true]);
    assert.equal(headers.get('content-type'), 'text/plain');
    assert.deepEqual(headers.getSetCookie(), ['a=1', 'b=2']);
    assert.equal(await response.text(), 'olá');
    const [head = '', body] = received.split('\r\n\r\n');
    assert.match(head, /^POST \/p\?q=1 HTTP\/1\.1\r\n/);
    const fields = head.toLowerCase().split('\r\n').slice(1);
    for (const field of [
      'authorization: bearer x',
      'accept-encoding: identity',
      'content-length: 4',
      `host: ${new URL(url).host}`,
    ]) {
      assert.ok(fields.includes(field), field);
    }
    assert.equal(body, 'olá');
  });

  it('gives answers without a body, and follows no redirect', async (t) => {
    let requests = 0;
    const url = await listen(t, (_data, socket) => {
      requests += 1;
      socket.end(answer('307 Elsewhere\r\nLocation: /other\r\nContent-Length: 0'));
    });
    const fetch = createNodeFetch();
    const response = await fetch(url, post);
    assert.deepEqual([response.status, response.headers.get('location')], [307, '/other']);
    assert.equal(await response.text(), '');
    assert.equal(requests, 1);
    const empty = await listen(t, (_data, socket) => socket.end(answer('204 Nothing')));
    assert.equal((await fetch(empty, get)).body, null);
  });

  const unsupported: [name: string, input: unknown, init: unknown][] = [
    ['A Request', new Request('http://127.0.0.1/'), get],
    ['redirect', 'http://127.0.0.1/', {}],
    ['redirect', 'http://127.0.0.1/', { redirect: 'follow' }],
    ['body', 'http://127.0.0.1/', { ...post, body: new Uint8Array(1) }],
    ['body', 'http://127.0.0.1/', { ...get, body: 'x' }],
    ['method', 'http://127.0.0.1/', { ...get, method: 'CONNECT' }],
    ['method', 'http://127.0.0.1/', { ...get, method: 'get' }],
    ['keepalive', 'http://127.0.0.1/', { ...get, keepalive: true }],
    ['accept-encoding', 'http://127.0.0.1/', { ...get, headers: { 'Accept-Encoding': 'br' } }],
    ['host', 'http://127.0.0.1/', { ...get, headers: { Host: 'other.example' } }],
    ['transfer-encoding', 'http://127.0.0.1/', { ...post, headers: { 'Transfer-Encoding': 'x' } }],
    ['address', '/relative', get],
    ['address', 'file:///etc/hosts', get],
    ['credentials', 'http://a:secret@127.0.0.1/', get],
  ];
  for (const [name, input, init] of unsupported) {
    it(`refuses ${name} in ${JSON.stringify(init)}, and says so`, async () => {
      const sending = createNodeFetch()(input as string, init as RequestInit);
      await assert.rejects(sending, (thrown) => {
        assert.ok(thrown instanceof TypeError);
        assert.match(thrown.message, new RegExp(name));
        assert.doesNotMatch(thrown.message, /secret/);
        return true;
      });
    });
  }

  it('reads a body only as fast as somebody wants it, and leaves it when nobody does', async (t) => {
    const chunk = Buffer.alloc(65_536, 0x20);
    let given = 0;
    let isLeft = false;
    const url = await serve(t, (_incoming, outgoing) => {
      outgoing.on('close', () => (isLeft = true));
      const give = () => {
        do given += chunk.length;
        while (outgoing.write(chunk) && given < 1e9);
      };
      outgoing.on('drain', give);
      give();
    });
    const response = await createNodeFetch()(url, get);
    const reader = response.body!.getReader();
    for (let read = 0; read < 1_000_000;) read += (await reader.read()).value!.byteLength;
    await turns(200);
    const given1 = given;
    await turns(200);
    // What is on its way fills the buffers of two sockets, and then it stops.
    assert.equal(given, given1);
    assert.ok(given < 50_000_000, `${given} bytes were taken`);
    await reader.cancel();
    await until(() => isLeft);
  });

  it('throttles nobody: five hundred at the same time are under way at the same time', async (t) => {
    const waiting: (() => void)[] = [];
    const url = await serve(t, (_incoming, outgoing) => {
      waiting.push(() => outgoing.end('ok'));
      if (waiting.length === 500) for (const finish of waiting) finish();
    });
    const fetch = createNodeFetch();
    const texts = await Promise.all(
      Array.from({ length: 500 }, async () => (await fetch(url, get)).text()),
    );
    assert.ok(texts.every((text) => text === 'ok'));
  });

  it('keeps connections for look-ups, and opens one for each creation', async (t) => {
    const ports: unknown[] = [];
    const url = await serve(t, (incoming, outgoing) => {
      ports.push(incoming.socket.remotePort);
      incoming.resume();
      outgoing.end('ok');
    });
    const fetch = createNodeFetch();
    for (const init of [get, get, post, post, get]) await (await fetch(url, init)).text();
    const [first, second, third, fourth, fifth] = ports;
    assert.equal(first, second);
    assert.equal(first, fifth);
    assert.equal(new Set([first, third, fourth]).size, 3);
  });
});

describe('what a failure of the Node transport proves', () => {
  it('nobody listens: nothing was sent', async () => {
    assert.equal(await kindOf(await freePort(), post), 'unsent');
  });

  it('no such name: nothing was sent', async () => {
    assert.equal(await kindOf('http://name.invalid/', post), 'unsent');
  });

  it('each address of a name refuses: nothing was sent', async () => {
    const { port } = new URL(await freePort());
    const error = await failureOf(`http://localhost:${port}/`, post);
    assert.equal(toNetworkError(error).kind, 'unsent');
  });

  it('a certificate nobody vouches for: nothing was sent', async (t) => {
    let received = 0;
    const url = await listenTls(t, (socket) => socket.on('data', () => (received += 1)));
    assert.equal(await kindOf(url, post), 'unsent');
    assert.equal(received, 0);
  });

  it('a connection that ends before TLS is there: nothing was sent', async (t) => {
    const url = await listen(t, (_data, socket) => socket.destroy());
    assert.equal(await kindOf(url.replace('http:', 'https:'), post), 'unsent');
  });

  it('a server that speaks no TLS: nothing was sent', async (t) => {
    const url = await listen(t, (_data, socket) => socket.end(answer('400 Bad Request')));
    assert.equal(await kindOf(url.replace('http:', 'https:'), post), 'unsent');
  });

  it('a connection that does not come about in time: nothing was sent', async (t) => {
    // Takes the connection and never says a word of TLS: as far from a request as a silent network.
    const url = await listen(t, () => undefined);
    const fetch = createNodeFetch({ connectTimeoutMs: 20 });
    const error = await failureOf(url.replace('http:', 'https:'), post, fetch);
    assert.equal(toNetworkError(error).kind, 'unsent');
    assert.equal(Reflect.get(error.cause as object, 'code'), 'ETIMEDOUT');
  });

  const cuts: [name: string, cut: (socket: Socket) => void][] = [
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
    ['answered with no HTTP', (socket) => socket.end('hello\r\n\r\n')],
    ['answered with an impossible status', (socket) => socket.end(answer('999 What'))],
    [
      'upgraded unasked',
      (socket) => socket.end(answer('101 X\r\nUpgrade: y\r\nConnection: upgrade')),
    ],
  ];
  for (const [name, cut] of cuts) {
    it(`${name} after the request: nobody knows, and it is sent once`, async (t) => {
      let requests = 0;
      const url = await listen(t, (_data, socket) => {
        requests += 1;
        cut(socket);
      });
      assert.equal(await kindOf(url, post), 'network');
      assert.equal(requests, 1);
    });
  }

  it('a kept connection that dies under a look-up: nobody knows, and it is sent once', async (t) => {
    const seen: string[] = [];
    const url = await listen(t, (data, socket) => {
      seen.push(data.split(' ', 1)[0]!);
      if (seen.length === 1) socket.write(answer('200 OK\r\nContent-Length: 0'));
      else socket.resetAndDestroy();
    });
    const fetch = createNodeFetch();
    await (await fetch(url, get)).text();
    assert.equal(toNetworkError(await failureOf(url, get, fetch)).kind, 'network');
    assert.deepEqual(seen, ['GET', 'GET']);
  });

  it('a body that breaks off is no body', async (t) => {
    const url = await listen(t, (_data, socket) => {
      socket.end(answer('200 OK\r\nContent-Length: 900', '{"data":'));
    });
    const response = await createNodeFetch()(url, get);
    await assert.rejects(response.text(), (thrown) => toNetworkError(thrown).kind === 'network');
  });
});

describe('an abort of the Node transport', () => {
  const phases: [name: string, onData: (socket: Socket) => void][] = [
    ['before the answer', () => undefined],
    ['within the head', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-')],
    ['within the body', (socket) => socket.write(answer('200 OK\r\nContent-Length: 9', 'x'))],
  ];
  for (const [name, onData] of phases) {
    it(`${name} ends the request and its connection`, async (t) => {
      let isClosed = false;
      let isSeen = false;
      const url = await listen(t, (_data, socket) => {
        isSeen = true;
        socket.on('close', () => (isClosed = true));
        onData(socket);
      });
      const leaving = new AbortController();
      const sending = createNodeFetch()(url, { ...get, signal: leaving.signal });
      const text = sending.then((response) => response.text());
      text.catch(() => {});
      await until(() => isSeen);
      if (name === 'within the body') await sending;
      leaving.abort();
      await assert.rejects(text, { name: 'AbortError' });
      await until(() => isClosed);
    });
  }

  it('before it began sends nothing, and gives the reason', async () => {
    const sending = createNodeFetch()(await freePort(), {
      ...get,
      signal: AbortSignal.abort(new Error('why')),
    });
    await assert.rejects(sending, /why/);
  });

  it('leaves no listener on a signal that outlives the request', async (t) => {
    const url = await serve(t, (_incoming, outgoing) => outgoing.end('ok'));
    const { signal } = new AbortController();
    const added = t.mock.method(signal, 'addEventListener').mock;
    const removed = t.mock.method(signal, 'removeEventListener').mock;
    await (await createNodeFetch()(url, { ...get, signal })).text();
    await turns(5);
    const left = new Set(added.calls.map(({ arguments: [, listener] }) => listener));
    for (const { arguments: gone } of removed.calls) left.delete(gone[1]);
    assert.ok(added.callCount() > 0);
    assert.equal(left.size, 0);
  });
});

describe('the service client over the Node transport', () => {
  async function open(t: TestContext, timeoutMs = 5_000) {
    // A pause of this sandbox has no end.
    const sandbox = createSandbox({ accessToken, sleep: () => new Promise(() => undefined) });
    const server = await serveSandbox(sandbox);
    t.after(() => server.close());
    const client = createServiceClient({
      serviceUrl: server.url,
      accessToken,
      timeoutMs,
      fetch: createNodeFetch(),
    });
    const setFault = (fault: object) =>
      fetch(`${server.url}/sandbox/faults`, { method: 'PUT', body: JSON.stringify([fault]) });
    return { client, setFault };
  }

  it('creates and looks up', async (t) => {
    const { client } = await open(t);
    const made = await client.createInvoice(creationRequest);
    const found = await client.lookUpInvoice(made.invoice_id);
    assert.deepEqual([found.invoice_id, found.isSandbox], [made.invoice_id, true]);
  });

  const faults: [fault: object, kind: string][] = [
    [{ kind: 'cut_before' }, 'network'],
    [{ kind: 'cut_after' }, 'network'],
    [{ kind: 'truncated' }, 'network'],
    [{ kind: 'redirect' }, 'redirect'],
    [{ kind: 'unauthorized' }, 'unauthorized'],
    [{ kind: 'rate_limited' }, 'rate_limited'],
    [{ kind: 'server_error' }, 'server'],
    [{ kind: 'oversize' }, 'invalid_answer'],
    [{ kind: 'garbage' }, 'invalid_answer'],
    [{ kind: 'empty' }, 'invalid_answer'],
    [{ kind: 'hang' }, 'timeout'],
    [{ kind: 'slow_body' }, 'timeout'],
  ];
  for (const [fault, kind] of faults) {
    it(`says ${kind} of ${JSON.stringify(fault)}`, async (t) => {
      const { client, setFault } = await open(t, kind === 'timeout' ? 300 : 5_000);
      assert.equal((await setFault({ on: 'create', ...fault })).status, 200);
      await assert.rejects(client.createInvoice(creationRequest), (thrown) => {
        assert.ok(thrown instanceof ServiceError);
        assert.equal(thrown.kind, kind);
        return true;
      });
    });
  }
});

async function failureOf(
  url: string,
  init: RequestInit,
  fetch = createNodeFetch(),
): Promise<TypeError> {
  const thrown = await fetch(url, init).then(
    () => assert.fail('it was answered'),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof TypeError);
  assert.equal(thrown.message, 'fetch failed');
  return thrown;
}

async function kindOf(url: string, init: RequestInit): Promise<string> {
  return toNetworkError(await failureOf(url, init)).kind;
}

/** A server of raw sockets, told of each piece of data. */
async function listen(
  t: TestContext,
  onData: (data: string, socket: Socket) => void,
): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => onData(String(data), socket));
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${await openPort(server)}`;
}

async function listenTls(t: TestContext, onSocket: (socket: Socket) => void): Promise<string> {
  const server = createTlsServer(makeCertificate(), onSocket);
  server.on('tlsClientError', () => undefined);
  t.after(() => server.close());
  return `https://127.0.0.1:${await openPort(server)}`;
}

async function serve(
  t: TestContext,
  listener: Parameters<typeof createHttpServer>[1] & object,
): Promise<string> {
  const server = createHttpServer(listener);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await openPort(server)}`;
}

async function freePort(): Promise<string> {
  const server = createServer();
  const port = await openPort(server);
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function openPort(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
}
