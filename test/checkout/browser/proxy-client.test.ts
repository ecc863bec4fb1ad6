/** The three requests: what is sent, what becomes of every answer there can be, and how long is waited for it. */

import assert from 'node:assert/strict';
import { describe, it, vi } from 'vitest';
import { redirected } from '../../support/checkout/fake-proxy.js';
import fc from 'fast-check';
import { errorCodes, isErrorCode, isRetryable } from '../../../src/contract/codes.js';
import { lookUpInvoice, requestInvoice } from '../../../src/checkout/browser/proxy-client.js';
import type { RequestOptions } from '../../../src/checkout/browser/proxy-client.js';
import { created, invoiceId, key, status } from '../machine/samples.js';
import { body, failed, failureOf, hangingBody, json, look, never, open } from './open-client.js';
import { anyText, forAnyAsync } from '../../support/tables.js';

const order = { externalId: 'order-1042', orderToken: 'order-token-1' };
const create = (options: RequestOptions) => requestInvoice(options, key, order, body);
const recover = (options: RequestOptions) => requestInvoice(options, key, order, null);
const recoverPublic = (options: RequestOptions) =>
  requestInvoice(options, key, { ...order, orderToken: null }, null);
const question = ['GET', '/pix/invoices?external_id=order-1042&n=', null] as const;
const lookUp = (options: RequestOptions) => lookUpInvoice(options, look);

const token = { 'lookup-token': 'token-1' };
const plain = (options: RequestOptions) => lookUpInvoice(options, { ...look, waitSeconds: 0 });
const tokenless = (options: RequestOptions) =>
  lookUpInvoice(options, { ...look, lookupToken: null });
for (const [name, send, request, headers] of [
  [
    'a creation: the body and the key',
    create,
    ['POST', '/pix/invoices', body],
    { 'content-type': 'application/json', 'idempotency-key': key },
  ],
  [
    'a recovery: the key, the order and its token',
    recover,
    question,
    { 'idempotency-key': key, 'order-token': 'order-token-1' },
  ],
  ['one without an order token', recoverPublic, question, { 'idempotency-key': key }],
  // No token stands in a URL.
  ['a look-up', lookUp, ['GET', `/pix/invoices/${invoiceId}?n=&wait=25`, null], token],
  ['one at once', plain, ['GET', `/pix/invoices/${invoiceId}?n=`, null], token],
  ['one without a token', tokenless, ['GET', `/pix/invoices/${invoiceId}?n=&wait=25`, null], {}],
] as const) {
  it(`what is sent ${name}, never cached, redirected, or with cookies of another origin`, async () => {
    const { environment, options } = open(() => json({ data: created(), message: '' }));
    const answer = await send(options);
    assert.ok('invoice' in answer);
    assert.equal(answer.invoice.invoice_id, invoiceId);
    const sent = environment.sent[0]!;
    const url = sent.url.replace(/n=\d+/, 'n=');
    assert.deepEqual([sent.method, url, sent.body], request);
    assert.deepEqual(Object.fromEntries(sent.headers), headers);
    const { cache, redirect, credentials } = sent.init;
    assert.deepEqual([cache, redirect, credentials], ['no-store', 'manual', undefined]);
  });
}

it('no question has the address of another, also after a reload: a cache has no answer to it', async () => {
  const { environment, options } = open(() => json({ data: created(), message: '' }));
  for (const send of [lookUp, lookUp, recover, recover, lookUp]) await send(options);
  // Time has passed, and the page begins anew.
  await environment.advance(1_000);
  vi.resetModules();
  const reloaded = await import('../../../src/checkout/browser/proxy-client.js');
  await reloaded.lookUpInvoice(options, look);
  const addresses = environment.sent.map(({ url }) => url);
  assert.equal(new Set(addresses).size, 6, addresses.join(' '));
});

describe('an answer that is none', () => {
  const data = JSON.stringify({ data: status() });
  for (const [name, text] of [
    ['empty', ''],
    ['HTML', '<!doctype html><title>Login</title>'],
    ['cut off', '{"data":{"invoice_id":"invo'],
    ['no data', '{}'],
    ['a problem', JSON.stringify({ code: 'order_paid' })],
    ['oversized', JSON.stringify({ data: status(), message: 'x'.repeat(262_144) })],
    ['a total that is not safe', data.replace('12990', '9007199254740993')],
    ['204', null],
  ] as const) {
    it(`${name}: invalid_answer`, async () => {
      const answer = () => new Response(text, { status: text === null ? 204 : 200 });
      const { code, retryable } = await failed(answer);
      assert.deepEqual([code, retryable], ['invalid_answer', true]);
    });
  }

  it('the connection breaks: network', async () => {
    const lost = () => {
      throw new TypeError('Failed to fetch https://shop.example/pix?secret');
    };
    const expected = { code: 'network', retryable: true, retryAfterSeconds: null };
    assert.deepEqual(await failed(lost), { ...expected, invoice: null, told: false });
  });
});

describe('an error answer', () => {
  /** An origin, a method, a type or a size that the proxy does not take: nothing of it was typed by the payer. */
  const pageStatuses = [403, 405, 413, 415];

  for (const code of Object.keys(errorCodes).filter(isErrorCode)) {
    it(`${code}: as the contract says, whatever the status`, async () => {
      for (const status of [...errorCodes[code].statuses, 418, 599]) {
        const found = await failed(() => json({ code }, { status }));
        // Trying again does not mend a page.
        const ofPage = code === 'invalid_request' && pageStatuses.includes(status);
        const expected = ofPage ? ['configuration', false] : [code, isRetryable(code)];
        assert.deepEqual([found.code, found.retryable], expected);
        assert.equal(found.told, true, "the proxy's own word");
      }
    });
  }

  it('names to the developer what to mend, and repeats no other text', async () => {
    const differs = 'total: 12990, not 13990';
    const told: [status: number, code: string, detail: string | undefined, advice: string][] = [
      [400, 'invalid_request', 'external_id', ' invalid_request external_id'],
      [401, 'unauthorized', 'order_token is missing', ' unauthorized order_token is missing'],
      [404, 'unknown_order', undefined, ' unknown_order'],
      [409, 'amount_mismatch', differs, ` amount_mismatch ${differs}`],
      [409, 'amount_mismatch', '529.982.247-25', ' amount_mismatch'],
      [500, 'service_unavailable', 'resolveOrder', ' service_unavailable resolveOrder'],
      [402, 'payment_refused', undefined, ''],
      [409, 'in_progress', 'Ana: 52998224725', ''],
    ];
    for (const [status, code, detail, advice] of told) {
      const { options } = open(() => json({ code, detail }, { status }));
      const expected = advice && `/pix answered ${status}${advice}`;
      assert.equal((await create(options)).advice, expected);
    }
  });

  it('is a mistake of the page where a gateway took the key away: no payer can correct that', async () => {
    const problem = { code: 'invalid_request', detail: 'Idempotency-Key' };
    const answer = await create(open(() => json(problem, { status: 400 })).options);
    assert.ok('failure' in answer);
    const { code, retryable } = answer.failure;
    assert.deepEqual([code, retryable], ['configuration', false]);
  });

  it('of a fetch that a script of the page spoils is called so', async () => {
    const spoiled = { ok: true, status: 200, text: async () => '{}' } as Response;
    const { advice } = await create(open(() => spoiled).options);
    assert.match(advice, /^\/pix was not heard whole: .* replace fetch\?$/);
  });

  it('is a redirect, which is not followed, and is called so', async () => {
    const { options } = open(redirected);
    const { advice } = await create(options);
    assert.equal(advice, '/pix answered with a redirect without a code');
  });

  it('order_paid carries its invoice, if it is one', async () => {
    const paid = created({ status: 'paid' });
    const answer = (data: unknown) => () => json({ code: 'order_paid', data }, { status: 409 });
    assert.deepEqual((await failed(answer(paid))).invoice, paid);
    assert.equal((await failed(answer({ ...paid, total_cents: -1 }))).invoice, null);
    assert.equal((await failed(answer(undefined))).invoice, null);
  });

  /** What a gateway, a firewall or a wrong address says may pass, so that the payer can go on. */
  const byStatus = {
    invalid_answer: [400, 402, 405, 407, 408, 409, 413, 422, 451],
    too_many_requests: [429],
    service_unavailable: [500, 502, 503, 504, 599],
  };
  const ofCreation = { ...byStatus, unauthorized: [401, 403] };
  const ofLookUp = { ...byStatus, unauthorized: [401], invalid_answer: [403, 407, 451] };
  for (const [name, send, codes] of [
    ['creation', create, { ...ofCreation, invalid_answer: [404, ...ofCreation.invalid_answer] }],
    ['recovery', recover, { ...ofCreation, invalid_answer: [404, ...ofCreation.invalid_answer] }],
    ['look-up', lookUp, { ...ofLookUp, not_found: [404] }],
  ] as const) {
    for (const [code, statuses] of Object.entries(codes)) {
      it(`to a ${name}, ${statuses.join(', ')} that is none of this contract: ${code}`, async () => {
        for (const status of statuses) {
          for (const text of ['', '<html>', '{"code":"constructor"}', '{"code":"paid"}', '[]']) {
            const found = await failureOf(send(open(() => new Response(text, { status })).options));
            assert.deepEqual([found.code, found.told], [code, false]);
          }
        }
      });
    }
  }

  it('of a web server that asks for a password of its own: that is named', async () => {
    const headers = { 'WWW-Authenticate': 'Basic realm="Staging of Ana"' };
    const { options } = open(() => new Response('<h1>', { status: 401, headers }));
    const { advice, reason } = await lookUp(options);
    assert.equal(advice, '/pix answered 401 (WWW-Authenticate: Basic) without a code');
    assert.equal(reason, 'http_basic');
    const bearer = { 'WWW-Authenticate': 'Bearer' };
    const other = open(() => new Response('', { status: 401, headers: bearer }));
    assert.equal((await lookUp(other.options)).reason, undefined);
  });

  it('503 stands in the console with its code', async () => {
    const { options } = open(() => json({ code: 'service_unavailable' }, { status: 503 }));
    assert.equal((await create(options)).advice, '/pix answered 503 service_unavailable');
  });
});

it('personal data in an answer is named and dropped, and the payment goes on', async () => {
  const leaks = { client: { name: 'x' }, payer: { cpf: 'x' }, end_to_end_id: 'E1' };
  const leaking = open(() => json({ data: { ...status(), ...leaks }, message: '' }));
  const leaked = ['client', 'payer', 'end_to_end_id'];
  assert.deepEqual(await lookUp(leaking.options), { invoice: status(), leaked, advice: '' });
  const empty = { client: null, payer: '', end_to_end_id: null };
  const { options } = open(() => json({ data: { ...created(), ...empty }, message: '' }));
  assert.deepEqual(await create(options), { invoice: created(), leaked: [], advice: '' });
});

it('any bytes with any status: an answer or a failure of the closed list, never another error', async () => {
  const codes = new Set([...Object.keys(errorCodes), 'network', 'invalid_answer', 'configuration']);
  const text = fc.oneof(anyText(), fc.json(), fc.constant(JSON.stringify({ data: status() })));
  await forAnyAsync(300, text, fc.integer({ min: 200, max: 599 }), async (text, status) => {
    const bodyless = [204, 205, 304].includes(status);
    const answer = () => new Response(bodyless ? null : text, { status });
    const found = await lookUp(open(answer).options);
    assert.ok('invoice' in found || codes.has(found.failure.code));
  });
});

describe('Retry-After', () => {
  const after = (ms: number) => new Date(Date.UTC(2026, 2, 2, 12) + ms).toUTCString();
  for (const [seconds, ...values] of [
    [30, '30'],
    [1, '0', after(-45_000)],
    [45, after(45_000)],
    [120, '3600', '9'.repeat(400), after(86_400_000)],
    [null, 'soon', 'soon 5', '-5', '1.5', '1e3', '', ' GMT'],
  ] as const) {
    it(`${seconds} s: ${values.join(', ').slice(0, 60)}`, async () => {
      for (const value of values) {
        const headers = { 'Retry-After': value };
        const found = await failed(() => new Response('', { status: 503, headers }));
        assert.equal(found.retryAfterSeconds, seconds, value);
      }
    });
  }

  for (const [name, value, ms] of [
    ['of a pause that is waited out nothing', '5', undefined],
    ['of one that is not the moment of its end', '3600', 3_610_000],
    ['of one that no payer waits for, twelve hours', '9'.repeat(400), 43_210_000],
  ] as const) {
    it(`tells the payer ${name}`, async () => {
      const headers = { 'Retry-After': value };
      const found = await failed(() => new Response('', { status: 429, headers }));
      assert.equal(found.retryAtMs, ms);
    });
  }
});

describe('time', () => {
  for (const [name, send, timeoutMs] of [
    ['a creation', create, 25_000],
    ['a recovery', recover, 8_000],
    ['a look-up', lookUp, 33_000],
  ] as const) {
    for (const answer of [never, hangingBody]) {
      it(`${name} waits ${timeoutMs} ms for ${answer.name}, then it is the network`, async () => {
        const { environment, options } = open(answer);
        let code = 'none yet';
        void failureOf(send(options)).then((failure) => (code = failure.code));
        await environment.advance(timeoutMs - 1);
        assert.equal(code, 'none yet');
        await environment.advance(1);
        assert.equal(code, 'network');
        assert.equal(environment.sent[0]?.signal.aborted, true, 'the connection is given up');
      });
    }
  }

  it('an answer leaves no timer behind, good or bad', async () => {
    for (const answer of [
      () => json({ data: status(), message: '' }),
      () => new Response('', { status: 500 }),
      () => Promise.reject(new TypeError('lost')),
    ]) {
      const { environment, options } = open(answer);
      await lookUp(options).catch(() => {});
      assert.deepEqual(environment.timers, []);
    }
  });

  for (const advanceMs of [100, null]) {
    it(`a signal ends the request, ${advanceMs ? 'sent' : 'before it was sent'}`, async () => {
      const { environment, options, abort } = open(never);
      if (advanceMs === null) abort();
      const request = failureOf(lookUp(options));
      if (advanceMs !== null) await environment.advance(advanceMs);
      abort();
      assert.equal((await request).code, 'network');
      assert.deepEqual([environment.inFlight.size, environment.timers.length], [0, 0]);
    });
  }
});
