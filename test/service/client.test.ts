/** The client sends each request once, in time, and keeps its token to itself. */

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, it, vi } from 'vitest';
import type { ServiceClientOptions } from '../../src/service.js';
import {
  accessToken,
  answerWith,
  envelope,
  failureOf,
  fetchFailed,
  openClient,
} from './open-client.js';
import type { Answer } from './open-client.js';
import { createdInvoice, creationRequest, invoice } from './samples.js';

describe('what is sent', () => {
  it('a creation is a POST of the request as it is', async () => {
    const { client, sent } = openClient(envelope(createdInvoice));
    const created = await client.createInvoice(creationRequest);
    assert.deepEqual(created, { ...createdInvoice, isSandbox: false });
    assert.equal(sent.length, 1);
    const [request] = sent;
    assert.equal(request?.method, 'POST');
    assert.equal(request?.url, 'https://service.example/api/v2/invoices');
    assert.equal(request?.redirect, 'manual');
    assert.deepEqual(await request?.json(), creationRequest);
    assert.deepEqual(Object.fromEntries(request?.headers ?? []), {
      accept: 'application/json',
      authorization: `Bearer ${accessToken}`,
      'content-type': 'application/json',
    });
  });

  it('a look-up is a GET with the same headers and no body', async () => {
    const { client, sent } = openClient(envelope(invoice));
    const found = await client.lookUpInvoice(invoice.invoice_id);
    assert.deepEqual(found, { ...invoice, isSandbox: false });
    const [request] = sent;
    assert.equal(request?.method, 'GET');
    assert.equal(request?.body, null);
    assert.equal(request?.url, `https://service.example/api/v2/invoices/${invoice.invoice_id}`);
    assert.equal(request?.headers.get('content-type'), 'application/json');
  });

  it('Assumed: the service ignores Idempotency-Key, so it goes only if it is given', async () => {
    const { client, sent } = openClient(envelope(createdInvoice));
    await client.createInvoice(creationRequest, { idempotencyKey: 'key-1' });
    assert.equal(sent[0]?.headers.get('idempotency-key'), 'key-1');
  });

  it('a token function is asked before each call', async () => {
    const tokens = ['first', 'second'];
    const { client, sent } = openClient(envelope(invoice), {
      accessToken: async () => tokens.shift() ?? '',
    });
    await client.lookUpInvoice(invoice.invoice_id);
    await client.lookUpInvoice(invoice.invoice_id);
    const bearers = sent.map((request) => request.headers.get('authorization'));
    assert.deepEqual(bearers, ['Bearer first', 'Bearer second']);
  });

  const prefixes = [
    ['https://service.example/', 'https://service.example/api/v2/invoices'],
    ['http://127.0.0.1:5173/service', 'http://127.0.0.1:5173/service/api/v2/invoices'],
    ['http://localhost:1/a/b//', 'http://localhost:1/a/b/api/v2/invoices'],
    ['http://[::1]:1', 'http://[::1]:1/api/v2/invoices'],
  ] as const;
  for (const [serviceUrl, url] of prefixes) {
    it(`${serviceUrl} is a base address`, async () => {
      const { client, sent } = openClient(envelope(createdInvoice), { serviceUrl });
      await client.createInvoice(creationRequest);
      assert.equal(sent[0]?.url, url);
    });
  }

  it('an answer of the sandbox is marked', async () => {
    const { client } = openClient(() =>
      Response.json({ data: createdInvoice }, { headers: { 'x-pix-sandbox': '1' } }),
    );
    assert.equal((await client.createInvoice(creationRequest)).isSandbox, true);
  });
});

describe('the content type of a success', () => {
  const types: readonly (readonly [type: string | null, isRead: boolean])[] = [
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['Application/JSON ;charset="UTF-8"', true],
    ['application/vnd.service.v2+json', true],
    // The specification calls all bodies JSON: an answer that does not name its type is none against it.
    [null, true],
    ['text/html', false],
    ['text/html; charset=utf-8', false],
    ['text/plain; a=application/json', false],
    ['application/json-seq', false],
    ['application/jsonp', false],
    ['application/json, text/html', false],
    ['', false],
  ];
  for (const [type, isRead] of types) {
    it(`${type} is ${isRead ? 'read' : 'none of an answer, whatever the body says'}`, async () => {
      const body = new TextEncoder().encode(
        JSON.stringify({ data: { ...invoice, status: 'paid' } }),
      );
      const headers: Record<string, string> = type === null ? {} : { 'content-type': type };
      const { client } = openClient(() => new Response(body, { headers }));
      const work = client.lookUpInvoice(invoice.invoice_id);
      if (isRead) return assert.equal((await work).status, 'paid');
      const { kind, status, field } = await failureOf(work);
      assert.deepEqual([kind, status, field], ['invalid_answer', 200, 'Content-Type']);
      const refused = await failureOf(client.request('GET', '/api/v2/payouts'));
      assert.equal(refused.kind, 'invalid_answer');
    });
  }

  it('does not matter where there is no body', async () => {
    const { client } = openClient(
      () => new Response(null, { headers: { 'content-type': 'text/html' } }),
    );
    const answer = await client.request('DELETE', '/api/v2/hooks/1');
    assert.equal(answer.body, undefined);
  });
});

describe('what is never sent', () => {
  const ids = [
    '',
    'short',
    '../invoices',
    'INV-0001/..',
    'INV-0001?x=1',
    'INV-0001#',
    'INV%2F0001',
    'INV-0001\n',
    'é'.repeat(9),
    'a'.repeat(65),
  ];
  for (const id of ids) {
    it(`a look-up of ${JSON.stringify(id).slice(0, 20)}`, async () => {
      const { client, sent } = openClient(envelope(invoice));
      const error = await failureOf(client.lookUpInvoice(id));
      assert.deepEqual([error.kind, error.field, sent.length], ['unsent', 'id', 0]);
    });
  }

  const tokens: readonly (readonly [string, () => Promise<string>])[] = [
    ['with a line end', async () => `${accessToken}\r\nX: y`],
    ['that is empty', async () => ''],
    ['that cannot be had', () => Promise.reject(new Error(accessToken))],
  ];
  for (const [title, token] of tokens) {
    it(`a call with a token ${title}`, async () => {
      const { client, sent } = openClient(envelope(invoice), { accessToken: token });
      const error = await failureOf(client.lookUpInvoice(invoice.invoice_id));
      assert.deepEqual([error.kind, error.mayHaveHappened, sent.length], ['unsent', false, 0]);
      assert.doesNotMatch(inspect(error, { depth: 9 }), /canary/);
    });
  }

  it('a call with a key that no header can carry', async () => {
    const { client, sent } = openClient(envelope(createdInvoice));
    const work = client.createInvoice(creationRequest, { idempotencyKey: 'a\nb' });
    assert.equal((await failureOf(work)).kind, 'unsent');
    assert.equal(sent.length, 0);
  });

  it('a creation whose time was up before the token came', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const givers: ((token: string) => void)[] = [];
    const { client, sent } = openClient(envelope(createdInvoice), {
      accessToken: () => new Promise((resolve) => void givers.push(resolve)),
    });
    const work = failureOf(client.createInvoice(creationRequest));
    vi.advanceTimersByTime(10_000);
    assert.equal((await work).kind, 'unsent');
    givers[0]?.('late');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(sent.length, 0);
  });
});

describe('options are checked at start', () => {
  const cases: readonly (readonly [Partial<ServiceClientOptions>, RegExp])[] = [
    [{ serviceUrl: 'service.example' }, /^serviceUrl is not an absolute URL$/],
    [{ serviceUrl: 'localhost:8081' }, /^serviceUrl is not an absolute URL$/],
    [{ serviceUrl: 'http://service.example' }, /^serviceUrl must be https/],
    [{ serviceUrl: 'http://127.0.0.1.example' }, /^serviceUrl must be https/],
    [{ serviceUrl: 'ftp://localhost' }, /^serviceUrl must be https/],
    [{ serviceUrl: 'https://canary:pw@service.example' }, /^serviceUrl must not hold credentials$/],
    [{ serviceUrl: 'https://service.example?a=canary' }, /^serviceUrl must not hold a query/],
    [{ serviceUrl: 'https://service.example#canary' }, /^serviceUrl must not hold a query/],
    [{ accessToken: '' }, /^accessToken is empty: is the variable set\?$/],
    [{ accessToken: 'canary token' }, /^accessToken is not a bearer token: give the token alone$/],
  ];
  for (const [options, message] of cases) {
    it(JSON.stringify(options), () => {
      assert.throws(() => openClient(envelope(invoice), options), { name: 'TypeError', message });
    });
  }
});

const never = () => new Promise<never>(() => undefined);

describe('time is limited', () => {
  const cases: readonly (readonly [string, Answer])[] = [
    ['an answer that never comes', never],
    ['a body that never ends', answerWith(new ReadableStream({ pull: never }))],
  ];
  for (const [title, answer] of cases) {
    it(`${title} is a timeout after ten seconds`, async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { client, sent } = openClient(answer);
      const work = failureOf(client.createInvoice(creationRequest));
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(9_999);
      assert.equal(sent[0]?.signal.aborted, false);
      vi.advanceTimersByTime(1);
      const error = await work;
      assert.deepEqual([error.kind, error.mayHaveHappened], ['timeout', true]);
      assert.equal(sent[0]?.signal.aborted, true);
      assert.equal(sent.length, 1);
    });
  }

  it('timeoutMs is another limit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { client } = openClient(never, { timeoutMs: 50 });
    const work = failureOf(client.lookUpInvoice('INV-0001'));
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(50);
    assert.equal((await work).kind, 'timeout');
  });
});

const answers: readonly (readonly [string, Answer])[] = [
  ['a status', (request) => new Response(request.headers.get('authorization'), { status: 500 })],
  ['a body', answerWith(`{"data": "canary-body ${accessToken}"}`)],
  ['an exception', fetchFailed(new Error(`${accessToken} canary-body`))],
];
for (const [title, answer] of answers) {
  it(`no error tells a secret ${title}`, async () => {
    const { client } = openClient(answer);
    const error = await failureOf(client.createInvoice(creationRequest));
    assert.equal('cause' in error, false);
    const text = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
    assert.doesNotMatch(text, /canary|52998224725|maria@|4111111111111111/);
  });
}
