/** What a failure of the Node adapter's fetch proves, on real sockets, and what the service client makes of it. */

import assert from 'node:assert/strict';
import { describe, it, vi, type TestContext } from 'vitest';
import { createNodeFetch } from '../../../../src/node.js';
import { createSandbox, serveSandbox } from '../../../../src/sandbox.js';
import { ServiceError, createServiceClient } from '../../../../src/service.js';
import { toNetworkError } from '../../../../src/service/service-error.js';
import { creationRequest } from '../../../service/samples.js';
import {
  answer,
  bundleToUrl,
  freePort,
  listen,
  listenTls,
} from '../../../support/proxy/node-servers.js';

const accessToken = 'canary-access-token';
const post = { method: 'POST', redirect: 'manual', body: '{"a":1}' } as const;
const get = { redirect: 'manual' } as const;

describe('what a failure of the Node transport proves', () => {
  const unreached: [name: string, toUrl: (t: TestContext) => string | Promise<string>][] = [
    ['no one listens', freePort],
    ['no such name', () => 'http://name.invalid/'],
    [
      'each address of a name refuses',
      async () => `http://localhost:${new URL(await freePort()).port}/`,
    ],
    [
      'a connection that ends before TLS is there',
      async (t) => toTls(await listen(t, (_data, socket) => socket.destroy())),
    ],
    [
      'a server that speaks no TLS',
      async (t) => toTls(await listen(t, (_data, socket) => socket.end(answer('400 Bad Request')))),
    ],
  ];
  for (const [name, toUrl] of unreached) {
    it(`${name}: nothing was sent`, async (t) => {
      assert.equal(await kindOf(await toUrl(t), post), 'unsent');
    });
  }

  it('an unvouched certificate: nothing was sent', async (t) => {
    let received = 0;
    const url = await listenTls(t, (socket) => socket.on('data', () => (received += 1)));
    assert.equal(await kindOf(url, post), 'unsent');
    assert.equal(received, 0);
  });

  it('a connection that does not come about in time: nothing was sent', async (t) => {
    // Takes the connection and never says a word of TLS: as far from a request as a silent network.
    const url = await listen(t, () => undefined);
    const fetch = createNodeFetch({ connectTimeoutMs: 20 });
    const error = await failureOf(toTls(url), post, fetch);
    assert.equal(toNetworkError(error).kind, 'unsent');
    assert.equal(Reflect.get(error.cause as object, 'code'), 'UND_ERR_CONNECT_TIMEOUT');
  });

  it('undici is not installed: nothing was sent, and the error says what to do', async () => {
    const told = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined).mock;
    // Where a module is a data: URL, no package is found.
    const url = await bundleToUrl('src/node.ts', ['prom-client', 'undici']);
    const module = (await import(url)) as typeof import('../../../../src/node.js');
    const fetch = module.createNodeFetch();
    await assert.rejects(fetch('http://127.0.0.1/', post), (thrown) => {
      assert.match(String(thrown), /npm install undici/);
      assert.equal(toNetworkError(thrown).kind, 'unsent');
      return true;
    });
    assert.match(String(told.calls[0]?.[0]), /npm install undici/);
    await assert.rejects(module.serveMetrics({ port: 0 }), /npm install prom-client/);
  });

  const cuts: [name: string, text: string | null][] = [
    ['reset', null],
    ['closed', ''],
    ['answered with no HTTP', 'hello\r\n\r\n'],
    ['answered with an impossible status', answer('999 What')],
    ['upgraded unasked', answer('101 X\r\nUpgrade: y\r\nConnection: upgrade')],
  ];
  for (const [name, text] of cuts) {
    it(`${name} after the request: the outcome is unknown, and it is sent once`, async (t) => {
      let requests = 0;
      const url = await listen(t, (_data, socket) => {
        requests += 1;
        if (text === null) socket.resetAndDestroy();
        else socket.end(text);
      });
      assert.equal(await kindOf(url, post), 'network');
      assert.equal(requests, 1);
    });
  }

  it('a kept connection that dies under a look-up: the outcome is unknown, and it is sent once', async (t) => {
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

/** The client takes another way through a `fetch` that it knows: both have to say the same. */
const ways: [name: string, toFetch: () => typeof fetch][] = [
  ['the Node transport', createNodeFetch],
  [
    'the Node transport in a function of the merchant',
    () => {
      const own = createNodeFetch();
      return (input, init) => own(input, init);
    },
  ],
];

for (const [way, toFetch] of ways)
  describe(`the service client over ${way}`, () => {
    async function open(t: TestContext, timeoutMs = 60_000) {
      // A pause of this sandbox has no end.
      const sandbox = createSandbox({ accessToken, sleep: () => new Promise(() => undefined) });
      const server = await serveSandbox(sandbox);
      t.onTestFinished(() => server.close());
      const client = createServiceClient({
        serviceUrl: server.url,
        accessToken,
        timeoutMs,
        fetch: toFetch(),
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
        const { client, setFault } = await open(t, kind === 'timeout' ? 300 : undefined);
        assert.equal((await setFault({ on: 'create', ...fault })).status, 200);
        await assert.rejects(client.createInvoice(creationRequest), (thrown) => {
          assert.ok(thrown instanceof ServiceError);
          assert.equal(thrown.kind, kind);
          return true;
        });
      });
    }
  });

function toTls(url: string): string {
  return url.replace('http:', 'https:');
}

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
