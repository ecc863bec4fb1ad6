/** The client's door for operations that only the merchant knows: what passes, what never leaves, what comes back. */

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, it, vi } from 'vitest';
import type { ServiceClient, ServiceErrorKind, ServiceMethod } from '../../src/service.js';
import { accessToken, answerWith, failureOf, openClient } from './open-client.js';
import type { Answer } from './open-client.js';
import { column, words } from '../support/rows.js';

const refundPath = '/api/v2/invoices/INV-0001/refund';
const refunded: Answer = () => Response.json({ data: { refunded_cents: 500 } }, { status: 201 });

/** For arguments that TypeScript would refuse. */
const any = (value: unknown) => value as never;

/** Makes a call whose arguments are refused before anything is sent. */
async function refused(call: (client: ServiceClient) => Promise<unknown>, message: RegExp) {
  const { client, sent } = openClient(refunded);
  const thrown: unknown = await call(client).catch((reason: unknown) => reason);
  assert.ok(thrown instanceof TypeError, String(thrown));
  assert.match(thrown.message, message);
  assert.equal(sent.length, 0);
  return thrown;
}

describe('what is sent', () => {
  it('a body is JSON, with the token, and redirects are not followed', async () => {
    const { client, sent } = openClient(refunded);
    const answer = await client.request('POST', refundPath, { amount_cents: 500 });
    assert.deepEqual(answer, {
      status: 201,
      body: { data: { refunded_cents: 500 } },
      isSandbox: false,
    });
    const [request] = sent;
    assert.equal(request?.method, 'POST');
    assert.equal(request?.url, `https://service.example${refundPath}`);
    assert.equal(request?.redirect, 'manual');
    assert.deepEqual(await request?.json(), { amount_cents: 500 });
    assert.deepEqual(Object.fromEntries(request?.headers ?? []), {
      accept: 'application/json',
      authorization: `Bearer ${accessToken}`,
      'content-type': 'application/json',
    });
  });

  it('nothing is sent where no body is given', async () => {
    const { client, sent } = openClient(refunded);
    await client.request('POST', refundPath);
    assert.equal(sent[0]?.body, null);
  });

  it('Assumed: other operations may use more than GET and POST', async () => {
    const { client, sent } = openClient(refunded);
    const methods: ServiceMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
    for (const method of methods) await client.request(method, '/api/v2/payouts');
    assert.deepEqual(column(sent, 'method'), methods);
  });

  it('Idempotency-Key goes only if it is given', async () => {
    const { client, sent } = openClient(refunded);
    await client.request('POST', refundPath, {}, { idempotencyKey: 'refund-1' });
    assert.equal(sent[0]?.headers.get('idempotency-key'), 'refund-1');
  });

  const paths = words(`
    /api/v2/payouts /api/v2/payouts/
    /api/v2/payouts?page=2&status=paid&from=2026-11-21T10:00:00-03:00
    /api/v2/payouts?name=Jos%C3%A9%2FMaria
  `);
  for (const path of paths) {
    it(`${path} is asked for as it is, under the base address`, async () => {
      const serviceUrl = 'https://service.example/prefix/';
      const { client, sent } = openClient(refunded, { serviceUrl });
      await client.request('GET', path);
      assert.equal(sent[0]?.url, `https://service.example/prefix${path}`);
    });
  }
});

describe('what is never sent', () => {
  const hosts = 'https://canary.example/ //canary.example/api @canary.example/ /\\canary.example';
  const ways = '/api//canary /api\\..\\canary /../canary /api/v2/invoices/../canary';
  const encoded = '/api/%2e%2e/canary /api/%252e%252e/canary /api/canary%2fpayouts /api/canary%00';
  const queries = '/api/v2/invoices/..?canary=1 /api/canary?x=/refund /api/canary?x=%2';
  const others = '/ api/v2/payouts /api/..;/canary /api/canary#refund /api/payouts?canary#x';
  const badPaths: readonly unknown[] = [
    ...words(`${hosts} ${ways} ${encoded} ${queries} ${others} /api/canaryé /api/canary．．/x`),
    '',
    '/api/canary refund',
    '/api/canary\n',
    '/api/canary\r\nHost: x',
    `/canary${'a'.repeat(2_000)}`,
    null,
    ['/api'],
    new URL('https://service.example/canary'),
  ];
  for (const path of badPaths) {
    it(`a request of ${String(path).slice(0, 40)}`, async () => {
      const error = await refused((client) => client.request('POST', any(path), {}), /^path must /);
      assert.doesNotMatch(inspect(error), /canary/);
    });
  }

  for (const method of ['post', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'GET\r\n', '', undefined]) {
    it(`a request by ${method}`, () =>
      refused((client) => client.request(any(method), refundPath), /^method must be GET, POST/));
  }

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const thrower = {
    toJSON() {
      throw new Error('canary');
    },
  };
  const bodies: readonly (readonly [string, unknown])[] = [
    ['a cycle', cycle],
    ['a BigInt', { amount_cents: 500n }],
    ['NaN, which JSON calls null', { amount_cents: Number.NaN }],
    ['infinity', [Number.POSITIVE_INFINITY]],
    ['a function', () => 1],
    ['a symbol', Symbol('canary')],
    ['a body that throws', thrower],
  ];
  for (const [title, body] of bodies) {
    it(`a body that is ${title}`, async () => {
      const error = await refused(
        (client) => client.request('POST', refundPath, body),
        /^body must /,
      );
      assert.equal('cause' in error, false);
    });
  }

  it('a body by GET', () =>
    refused((client) => client.request('GET', refundPath, {}), /^body must be absent/));

  it('an invoice whose total is no number', () => {
    const request = { external_id: 'order-1', method: 'pix', total_price_cents: Number.NaN };
    return refused((client) => client.createInvoice(request), /^body must be JSON/);
  });
});

describe('what comes back', () => {
  const bodies: readonly (readonly [BodyInit | null, unknown])[] = [
    [null, undefined],
    ['', undefined],
    [' \r\n', undefined],
    ['null', null],
    ['[1]', [1]],
    ['"ok"', 'ok'],
  ];
  for (const [text, body] of bodies) {
    it(`a body of ${JSON.stringify(text)}`, async () => {
      const { client } = openClient(answerWith(text, { headers: { 'x-pix-sandbox': '1' } }));
      const answer = await client.request('GET', '/api/v2/company');
      assert.deepEqual(answer, { status: 200, body, isSandbox: true });
    });
  }

  const failures: readonly (readonly [string, Answer, ServiceErrorKind, boolean])[] = [
    ['HTML', answerWith('<h1>It works!</h1>'), 'invalid_answer', true],
    ['more than 256 KiB', answerWith(`"${'x'.repeat(256 * 1024)}"`), 'invalid_answer', true],
    ['a redirect', answerWith(null, { status: 307 }), 'redirect', true],
    ['a refusal', answerWith('{}', { status: 422 }), 'refused_request', false],
    ['a conflict', answerWith('{}', { status: 409 }), 'refused_request', true],
    ['a failure', answerWith('{}', { status: 500 }), 'server', true],
  ];
  for (const [title, answer, kind, mayHaveHappened] of failures) {
    it(`${title} is ${kind}, sent once`, async () => {
      const { client, sent } = openClient(answer);
      const error = await failureOf(client.request('POST', refundPath, {}));
      assert.deepEqual([error.kind, error.mayHaveHappened], [kind, mayHaveHappened]);
      assert.equal(sent.length, 1);
    });
  }
});

describe('why the service refused', () => {
  const reason = {
    message: 'O saldo não basta',
    cpf: '52998224725',
    echo: `canary ${accessToken}`,
  };
  const refusing = answerWith(JSON.stringify(reason), { status: 422 });

  it('can be read from the error', async () => {
    const { client } = openClient(refusing);
    const error = await failureOf(client.request('POST', refundPath, {}));
    assert.deepEqual([error.status, error.readAnswer()], [422, reason]);
  });

  it('is in nothing that prints an error', async () => {
    const { client } = openClient(refusing);
    const error = await failureOf(client.request('POST', refundPath, {}));
    const printed = [
      inspect(error, { depth: 9, showHidden: true, getters: true }),
      JSON.stringify(error),
      JSON.stringify(Object.assign({}, error)),
      inspect(structuredClone(error), { showHidden: true }),
      Reflect.ownKeys(error).map((key) => String(Reflect.get(error, key))),
    ].join('\n');
    assert.doesNotMatch(printed, /canary|52998224725|saldo|service\.example|refund\b/);
  });

  it('is left out by operations that a payer waits for', async () => {
    let left = false;
    const body = new ReadableStream({ cancel: () => void (left = true) });
    const { client } = openClient(answerWith(body, { status: 422 }));
    const error = await failureOf(client.lookUpInvoice('INV-0001'));
    assert.deepEqual([error.readAnswer(), left], [undefined, true]);
  });

  const unreadable: readonly (readonly [string, BodyInit])[] = [
    ['no JSON', '<h1>canary</h1>'],
    ['too long', `"${'x'.repeat(16 * 1024)}"`],
    ['cut', new ReadableStream({ start: (controller) => controller.error(new Error('canary')) })],
  ];
  for (const [title, body] of unreadable) {
    it(`is not known if it is ${title}, and the refusal stays one`, async () => {
      const { client } = openClient(answerWith(body, { status: 422 }));
      const error = await failureOf(client.request('POST', refundPath, {}));
      assert.deepEqual([error.kind, error.readAnswer()], ['refused_request', undefined]);
    });
  }

  it('does not outlast the time of the call, and the refusal stays one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const endless = new ReadableStream({ pull: () => new Promise<never>(() => undefined) });
    const { client, sent } = openClient(answerWith(endless, { status: 422 }));
    const work = failureOf(client.request('POST', refundPath, {}));
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(10_000);
    const error = await work;
    assert.deepEqual([error.kind, error.mayHaveHappened], ['refused_request', false]);
    assert.equal(sent[0]?.signal.aborted, true);
  });
});
