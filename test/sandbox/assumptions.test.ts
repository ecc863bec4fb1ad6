/** Each behaviour that the specification does not show, under the very name by which the sandbox lists it. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { it } from 'vitest';
import { serveSandbox } from '../../src/sandbox.js';
import { assumptions } from '../../src/sandbox/assumptions.js';
import { parseLookUp } from '../../src/service/wire.js';
import { creationRequest } from '../service/samples.js';
import { words } from '../support/rows.js';
import { accessToken, openSandbox } from './open-sandbox.js';

const bare = { method: 'pix', total_price_cents: 500 };

/** Creations with such values of one field, by the status of their answers. */
async function assertAnswered(field: string, answers: Readonly<Record<number, unknown[]>>) {
  const { create } = openSandbox();
  for (const [status, values] of Object.entries(answers)) {
    for (const value of values) {
      const answer = await create({ ...bare, [field]: value });
      assert.equal(answer.status, Number(status), JSON.stringify(value));
    }
  }
}

const tests: Readonly<Record<string, () => Promise<void>>> = {
  'A creation needs method and total_price_cents; other fields may be absent or null.':
    async () => {
      const { create } = openSandbox();
      assert.equal((await create(bare)).status, 200);
      const nulls = Object.fromEntries(Object.keys(creationRequest).map((key) => [key, null]));
      assert.equal((await create({ ...nulls, ...bare })).status, 200);
      assert.equal((await create({ method: 'pix' })).status, 422);
      assert.equal((await create({ total_price_cents: 1 })).status, 422);
    },

  'method is pix or credit_card, in any case; another one is refused.': () =>
    assertAnswered('method', {
      200: ['pix', 'PIX', 'Credit_Card'],
      422: ['boleto', 'constructor', ''],
    }),

  'A total has at least one cent and fits into field 54 of a Pix code.': () =>
    assertAnswered('total_price_cents', {
      200: [1, 999_999_999_999],
      422: [1_000_000_000_000, 0, -1, 1.5, '500'],
    }),

  'A body that is no JSON is 400, a wrong field 422 with its name in the message.': async () => {
    const { create } = openSandbox();
    assert.equal((await create('{"method":')).status, 400);
    assert.equal((await create('')).status, 400);
    const { status, body } = await create({ ...bare, payer: { email: 7 } });
    assert.deepEqual([status, body.message], [422, 'payer.email is missing or invalid']);
  },

  'A CPF or CNPJ with wrong check digits is a wrong field.': () =>
    assertAnswered('payer', {
      200: [{ cpf_cnpj: '52998224725' }, { cpf_cnpj: '529.982.247-25' }],
      422: [{ cpf_cnpj: '52998224724' }],
    }),

  'Errors are JSON with a message; unknown paths and ids are 404, wrong methods 405.': async () => {
    const { send } = openSandbox();
    for (const [method, path, status] of [
      ['GET', '/api/v2/invoices/none', 404],
      ['GET', '/api/v1/invoices/none', 404],
      ['GET', '/', 404],
      ['GET', '/api/v2/invoices', 405],
      ['POST', '/api/v2/invoices/none', 405],
      ['DELETE', '/api/v2/invoices/none', 405],
    ] as const) {
      const response = await send(method, path);
      const body: { message: unknown } = JSON.parse(await response.text());
      assert.deepEqual([response.status, typeof body.message], [status, 'string'], path);
    }
  },

  'Too many requests are 429 with Retry-After, a failure is 500.': async () => {
    const { send, control } = openSandbox();
    for (const [kind, status, retryAfter] of [
      ['rate_limited', 429, '2'],
      ['server_error', 500, null],
    ] as const) {
      await control('PUT', '/faults', [{ on: 'create', kind }]);
      const response = await send('POST', '/api/v2/invoices', { body: JSON.stringify(bare) });
      assert.deepEqual(
        [response.status, response.headers.get('retry-after')],
        [status, retryAfter],
      );
    }
  },

  'No Content-Type is demanded.': async () => {
    const { send } = openSandbox();
    const body = new TextEncoder().encode(JSON.stringify(bare));
    assert.equal((await send('POST', '/api/v2/invoices', { body })).status, 200);
  },

  'Idempotency-Key is ignored: the same external_id twice makes two invoices.': async () => {
    const { send, sandbox } = openSandbox();
    const body = JSON.stringify({ ...bare, external_id: 'order-1001' });
    const headers = { 'Idempotency-Key': 'one' };
    await send('POST', '/api/v2/invoices', { body, headers });
    await send('POST', '/api/v2/invoices', { body, headers });
    assert.equal(new Set(sandbox.invoices().map(({ invoiceId }) => invoiceId)).size, 2);
  },

  'The look-up takes invoice_id and order_code alike.': async () => {
    const { create, lookUp } = openSandbox();
    const { data } = (await create(bare)).body;
    const byOrderCode = await lookUp(String(data['order_code']));
    assert.deepEqual(byOrderCode.body, (await lookUp(data.invoice_id)).body);
  },

  'The look-up reads no body.': async () => {
    const { sandbox, create, lookUp } = openSandbox();
    await create(bare);
    const server = await serveSandbox(sandbox);
    const answered = once(
      // The global `fetch` refuses to send a body with a GET.
      request(`${server.url}/api/v2/invoices/SBX-000001`, {
        headers: { Authorization: `Bearer ${accessToken}`, 'Content-Length': 7 },
      }).end('{"a": 1'),
      'response',
    );
    const response: IncomingMessage = (await answered)[0];
    const body: unknown = JSON.parse(await text(response));
    await server.close();
    assert.deepEqual(body, (await lookUp('SBX-000001')).body);
  },

  'order_code is SBX- and a running number.': async () => {
    const { create } = openSandbox();
    const codes = [await create(bare), await create(bare)].map(
      ({ body }) => body.data['order_code'],
    );
    assert.deepEqual(codes, ['SBX-000001', 'SBX-000002']);
  },

  'Timestamps have the offset of Brasília and six fractional digits.': async () => {
    const { create, lookUp, clock } = openSandbox();
    clock.ms = Date.UTC(2027, 0, 1, 2, 59, 59, 7);
    await create(bare);
    const { data } = (await lookUp('SBX-000001')).body;
    assert.equal(Date.parse(String(data['created_at'])), clock.ms);
    assert.equal(data['created_at'], '2026-12-31T23:59:59.007000-03:00');
  },

  'An invoice that is not paid has null for end_to_end_id and payer.': async () => {
    const { create, lookUp, control } = openSandbox();
    await create(creationRequest);
    await control('POST', '/invoices/SBX-000001/status', { status: 'expired' });
    const { data } = (await lookUp('SBX-000001')).body;
    assert.deepEqual([data['end_to_end_id'], data['payer']], [null, null]);
  },

  'client repeats the payer of the creation; what it lacked is null.': async () => {
    const { create, lookUp } = openSandbox();
    await create({ ...bare, payer: { name: 'Maria' } });
    assert.deepEqual((await lookUp('SBX-000001')).body.data['client'], {
      cpf_cnpj: null,
      email: null,
      id: 1,
      name: 'Maria',
      phone: null,
    });
  },

  'unit_price is in cents, and UnitPrice repeats it.': async () => {
    const { create, lookUp } = openSandbox();
    await create(creationRequest);
    const { items } = parseLookUp((await lookUp('SBX-000001')).body);
    assert.equal(items?.[0]?.UnitPrice, creationRequest.items[0]?.unit_price);
  },

  'An item is Tangible when product_fisical was given and is not digital.': async () => {
    const { create, lookUp } = openSandbox();
    for (const [index, [product_fisical, tangible]] of [
      ['digital', false],
      [undefined, false],
      ['fisico', true],
    ].entries()) {
      await create({ ...bare, product_fisical, items: [{}] });
      const { items } = parseLookUp((await lookUp(`SBX-00000${index + 1}`)).body);
      assert.equal(items?.[0]?.Tangible, tangible);
    }
  },

  'A card invoice has an empty qr_code_pix, and when paid no end_to_end_id and no payer.':
    async () => {
      const { create, lookUp, control } = openSandbox();
      const { data } = (await create({ ...creationRequest, method: 'credit_card' })).body;
      assert.equal(data['qr_code_pix'], '');
      await control('POST', `/invoices/${data.invoice_id}/settle`);
      const { data: paid } = (await lookUp(data.invoice_id)).body;
      assert.deepEqual([paid['status'], paid['is_pix'], paid['installments']], ['paid', false, 3]);
      assert.deepEqual(
        [paid['qr_code_pix'], paid['end_to_end_id'], paid['payer']],
        ['', null, null],
      );
    },

  'A token decides before a number; a card that is no test card stays pending.': async () => {
    const { create, lookUp, control } = openSandbox();
    const approved = '4111111111111111';
    for (const [card, status] of [
      [{ token: 'tok_refuse', number: approved }, 'refused'],
      [{ token: 'tok_unknown', number: approved }, 'pending'],
      [{ token: '', number: approved }, 'paid'],
      [{ number: '4242424242424242' }, 'pending'],
      [{}, 'pending'],
      [undefined, 'pending'],
    ] as const) {
      const { data } = (await create({ ...bare, method: 'credit_card', card })).body;
      assert.equal(data['status'], status, JSON.stringify(card));
    }
    for (let asked = 0; asked < 5; asked += 1) {
      assert.equal((await lookUp('SBX-000004')).body.data['status'], 'pending');
    }
    await control('POST', '/invoices/SBX-000004/settle');
    assert.equal((await lookUp('SBX-000004')).body.data['status'], 'paid');
  },

  'A creation says paid or refused of a card with HTTP 200.': async () => {
    const { create } = openSandbox();
    for (const [token, expected] of [
      ['tok_approve', 'paid'],
      ['tok_refuse', 'refused'],
    ] as const) {
      const request = { ...bare, method: 'credit_card', card: { token } };
      const { status, body } = await create(request);
      assert.deepEqual([status, body.data['status']], [200, expected]);
    }
  },

  'A pending card that ends by itself says so at the second look-up.': async () => {
    const { create, lookUp } = openSandbox();
    for (const end of ['paid', 'refused']) {
      const card = { token: `tok_pending_then_${end}` };
      const { data } = (await create({ ...bare, method: 'credit_card', card })).body;
      assert.equal(data['status'], 'pending');
      assert.equal((await lookUp(data.invoice_id)).body.data['status'], 'pending');
      assert.equal((await lookUp(data.invoice_id)).body.data['status'], end);
    }
  },

  'A card is charged unless refused, failed, canceled, cancelled, expired, blocked or processing_error.':
    async () => {
      const { create, control, sandbox } = openSandbox();
      const card = { token: 'tok_pending' };
      await create({ ...bare, method: 'credit_card', card });
      const charged: string[] = [];
      const ends = 'refused failed canceled cancelled expired blocked processing_error';
      for (const status of words(`pending ${ends} em_analise`)) {
        await control('POST', '/invoices/SBX-000001/status', { status });
        if (sandbox.charges().count === 1) charged.push(status);
      }
      assert.deepEqual(charged, ['pending', 'em_analise']);
    },

  'Settling a paid invoice again changes nothing.': async () => {
    const { create, control, clock } = openSandbox();
    await create(bare);
    const first = await control('POST', '/invoices/SBX-000001/settle');
    clock.ms += 60_000;
    const second = await control('POST', '/invoices/SBX-000001/settle');
    assert.deepEqual(second.body, first.body);
  },

  'The postback is an unsigned JSON POST, sent once each time.': async () => {
    const sent: Request[] = [];
    const { create, control } = openSandbox({
      postbackFetch: async (input, init) => {
        sent.push(new Request(input, init));
        return new Response(null);
      },
    });
    await create(creationRequest);
    await control('POST', '/invoices/SBX-000001/settle');
    assert.equal(sent.length, 0);
    await control('POST', '/invoices/SBX-000001/postback');
    assert.equal(sent.length, 1);
    assert.deepEqual(Object.fromEntries(sent[0]?.headers ?? []), {
      'content-type': 'application/json',
    });
    const body: Record<string, unknown> = JSON.parse((await sent[0]?.text()) ?? '');
    const { end_to_end_id: endToEndId, ...rest } = body;
    assert.match(String(endToEndId), /^E99999999\d{12}\w{11}$/);
    assert.deepEqual(rest, {
      id: '0b1e6f0c-7f3a-4a3e-9d52-000000000001',
      status: 'paid',
      amount: 12_345,
      total: 12_345,
      method: 'pix',
      external_id: 'order-1001',
    });
  },
};

it('every assumption has a test of its name, and no test another', () => {
  assert.deepEqual(Object.keys(tests), assumptions);
});

for (const [name, test] of Object.entries(tests)) it(`Assumed: ${name}`, test);
