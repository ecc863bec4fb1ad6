/** The Node adapter's fetch, over real sockets on loopback: requests, answers and connections. */

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it, vi } from 'vitest';
import { createNodeFetch } from '../../../../src/node.js';
import { answer, freePort, listen, serve, turns } from '../../../support/proxy/node-servers.js';
import { until } from '../../../support/until.js';

const post = { method: 'POST', redirect: 'manual', body: '{"a":1}' } as const;
const get = { redirect: 'manual' } as const;

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
    const response = await fetch(url, { ...post, redirect: 'follow' });
    assert.deepEqual([response.status, response.headers.get('location')], [307, '/other']);
    assert.equal(await response.text(), '');
    assert.equal(requests, 1);
    const empty = await listen(t, (_data, socket) => socket.end(answer('204 Nothing')));
    assert.equal((await fetch(empty, get)).body, null);
  });

  it('reads a body only as fast as it is wanted, and leaves it when it is not', async (t) => {
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

  it('throttles no one: five hundred at the same time are under way at the same time', async (t) => {
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
    const order = [get, get, post, get, post, get, post, get, get, get];
    for (const init of order) await (await fetch(url, init)).text();
    const used = (init: object) => ports.filter((_, index) => order[index] === init);
    // undici opens a second one where an answer has only just ended.
    assert.ok(new Set(used(get)).size <= 2);
    assert.equal(new Set([...used(post), ...used(get)]).size, 3 + new Set(used(get)).size);
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
    const added = vi.spyOn(signal, 'addEventListener').mock;
    const removed = vi.spyOn(signal, 'removeEventListener').mock;
    await (await createNodeFetch()(url, { ...get, signal })).text();
    await turns(5);
    const left = new Set(added.calls.map(([, listener]) => listener));
    for (const [, listener] of removed.calls) left.delete(listener);
    assert.ok(added.calls.length > 0);
    assert.equal(left.size, 0);
  });
});
