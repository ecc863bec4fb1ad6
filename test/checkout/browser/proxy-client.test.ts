/** The three requests: what is sent, and what becomes of every answer there can be. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { errorCodes, isErrorCode, isRetryable } from '../../../src/contract/codes.js';
import type { ErrorCode } from '../../../src/contract/codes.js';
import {
  createInvoice,
  lookUpInvoice,
  recoverInvoice,
  RequestFailed,
} from '../../../src/checkout/browser/proxy-client.js';
import type { SentRequest } from '../../support/fake-environment.js';
import { numRuns } from '../../support/runs.js';
import { created, invoiceId, key, status } from '../machine/samples.js';
import { body, failed, json, look, open } from './open-client.js';

describe('what is sent', () => {
  const headersOf = ({ headers }: SentRequest) => Object.fromEntries(headers);

  it('a creation: the body and the key', async () => {
    const { environment, options } = open(() => json({ data: created(), message: '' }));
    assert.deepEqual((await createInvoice(options, key, body)).invoice, created());
    const [sent] = environment.sent;
    assert.deepEqual([sent?.method, sent?.url, sent?.body], ['POST', '/pix/invoices', body]);
    assert.deepEqual(headersOf(sent!), {
      'content-type': 'application/json',
      'idempotency-key': key,
    });
  });

  it('a recovery: the key alone', async () => {
    const { environment, options } = open(() => json({ data: created(), message: '' }));
    await recoverInvoice(options, key);
    const [sent] = environment.sent;
    assert.deepEqual([sent?.method, sent?.url, sent?.body], ['GET', '/pix/invoices', null]);
    assert.deepEqual(headersOf(sent!), { 'idempotency-key': key });
  });

  for (const [name, changes, query, headers] of [
    ['held', {}, '?wait=25', { authorization: 'Bearer token-1' }],
    ['plain', { waitSeconds: 0 }, '', { authorization: 'Bearer token-1' }],
    ['without a token', { lookupToken: null }, '?wait=25', {}],
  ] as const) {
    it(`a look-up, ${name}: no token in the URL`, async () => {
      const { environment, options } = open(() => json({ data: status(), message: '' }));
      await lookUpInvoice(options, { ...look, ...changes });
      const [sent] = environment.sent;
      assert.equal(sent?.url, `/pix/invoices/${invoiceId}${query}`);
      assert.deepEqual(headersOf(sent), headers);
    });
  }

  it('never cached, never redirected, never with cookies of another origin', async () => {
    const { environment, options } = open(() => json({ data: status(), message: '' }));
    await lookUpInvoice(options, look);
    const { cache, redirect, credentials } = environment.sent[0]!.init;
    assert.deepEqual([cache, redirect, credentials], ['no-store', 'error', undefined]);
  });
});

describe('an answer that is none', () => {
  for (const [name, text] of [
    ['empty', ''],
    ['HTML', '<!doctype html><title>Login</title>'],
    ['cut off', '{"data":{"invoice_id":"invo'],
    ['null', 'null'],
    ['a list', '[]'],
    ['no data', '{}'],
    ['polluted', '{"__proto__":{"data":{"status":"paid"}}}'],
    ['data polluted', '{"data":{"__proto__":{"status":"paid","invoice_id":"invoice-0001"}}}'],
    ['a problem', JSON.stringify({ code: 'order_paid' })],
    ['oversized', JSON.stringify({ data: status(), message: 'x'.repeat(262_144) })],
    ['an infinite total', JSON.stringify({ data: status() }).replace('12990', '1e400')],
    [
      'a total that is not safe',
      JSON.stringify({ data: status() }).replace('12990', '9007199254740993'),
    ],
  ] as const) {
    it(`status 200, ${name}: invalid_answer`, async () => {
      const { code, retryable } = await failed(() => new Response(text));
      assert.deepEqual([code, retryable], ['invalid_answer', true]);
    });
  }

  it('204: invalid_answer', async () => {
    assert.equal((await failed(() => new Response(null, { status: 204 }))).code, 'invalid_answer');
  });

  it('the connection breaks: network', async () => {
    const lost = () => {
      throw new TypeError('Failed to fetch https://shop.example/pix?secret');
    };
    assert.deepEqual(await failed(lost), {
      code: 'network',
      retryable: true,
      retryAfterSeconds: null,
      invoice: null,
      told: false,
    });
  });
});

describe('an error answer', () => {
  /** An origin, a method, a type or a size that the proxy does not take: nothing of it was typed by the payer. */
  const pageStatuses = [403, 405, 413, 415];

  for (const code of Object.keys(errorCodes).filter(isErrorCode)) {
    it(`${code}: as the contract says, whatever the status`, async () => {
      for (const status of [...errorCodes[code].statuses, 418, 599]) {
        if (code === 'invalid_request' && pageStatuses.includes(status)) continue;
        const found = await failed(() => json({ code }, { status }));
        assert.deepEqual([found.code, found.retryable], [code, isRetryable(code)]);
        assert.equal(found.told, true, "the proxy's own word");
      }
    });
  }

  for (const status of pageStatuses) {
    it(`invalid_request with ${status}: the page is wrong, and trying again does not help`, async () => {
      const found = await failed(() => json({ code: 'invalid_request' }, { status }));
      assert.deepEqual([found.code, found.retryable], ['configuration', false]);
      assert.equal(found.told, true, "the proxy's own word");
    });
  }

  it('order_paid carries its invoice, if it is one', async () => {
    const paid = created({ status: 'paid' });
    const answer = (data: unknown) => () => json({ code: 'order_paid', data }, { status: 409 });
    assert.deepEqual((await failed(answer(paid))).invoice, paid);
    assert.equal((await failed(answer({ ...paid, total_cents: -1 }))).invoice, null);
    assert.equal((await failed(answer(undefined))).invoice, null);
  });

  const byStatus: Readonly<Record<number, ErrorCode | 'configuration'>> = {
    400: 'invalid_request',
    401: 'unauthorized',
    402: 'payment_refused',
    403: 'configuration',
    404: 'not_found',
    405: 'configuration',
    408: 'invalid_request',
    409: 'invalid_request',
    422: 'invalid_request',
    429: 'too_many_requests',
    500: 'service_unavailable',
    502: 'service_unavailable',
    503: 'service_unavailable',
    504: 'service_unavailable',
    599: 'service_unavailable',
  };
  for (const [status, code] of Object.entries(byStatus)) {
    it(`${status} that is none of this contract: ${code}`, async () => {
      for (const text of ['', '<html>', '{"code":"constructor"}', '{"code":"paid"}', '[]']) {
        const found = await failed(() => new Response(text, { status: Number(status) }));
        assert.equal(found.code, code);
        assert.equal(found.told, false, 'a gateway or a wrong address may have said it');
      }
    });
  }
});

describe('personal data in an answer', () => {
  const leaks = { client: { name: 'x' }, payer: { cpf: 'x' }, end_to_end_id: 'E1' };

  it('is named and dropped, and the payment goes on', async () => {
    const { options } = open(() => json({ data: { ...status(), ...leaks }, message: '' }));
    const { invoice, leaked } = await lookUpInvoice(options, look);
    assert.deepEqual(leaked, ['client', 'payer', 'end_to_end_id']);
    assert.deepEqual(invoice, status());
  });

  it('is none where the fields are empty', async () => {
    const empty = { client: null, payer: '', end_to_end_id: null };
    const { options } = open(() => json({ data: { ...created(), ...empty }, message: '' }));
    assert.deepEqual((await createInvoice(options, key, body)).leaked, []);
  });
});

it('any bytes with any status: an answer or a failure of the closed list, never another error', async () => {
  const codes = new Set([...Object.keys(errorCodes), 'network', 'invalid_answer', 'configuration']);
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.constant(JSON.stringify({ data: status() })),
  );
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 200, max: 599 }), async (text, status) => {
      const bodyless = [204, 205, 304].includes(status);
      const answer = () => new Response(bodyless ? null : text, { status });
      try {
        await lookUpInvoice(open(answer).options, look);
      } catch (error) {
        assert.ok(error instanceof RequestFailed);
        assert.ok(codes.has(error.failure.code));
      }
    }),
    { numRuns: numRuns(300) },
  );
});
