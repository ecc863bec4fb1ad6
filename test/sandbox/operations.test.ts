/** The two operations as the specification shows them, read with the wire format's own readers. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createSandbox } from '../../src/sandbox.js';
import { parseBrCode } from '../../src/domain/br-code.js';
import { parseCreation, parseLookUp } from '../../src/service/wire.js';
import { creationRequest } from '../service/samples.js';
import { accessToken, openSandbox } from './open-sandbox.js';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('POST /api/v2/invoices', () => {
  it('answers with every field, pending, and a code of the total', async () => {
    const { create } = openSandbox();
    const { status, headers, body } = await create(creationRequest);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/json');
    assert.deepEqual(Object.keys(body).toSorted(), ['data', 'message']);
    const { qr_code_pix, ...data } = parseCreation(body);
    assert.deepEqual(data, {
      external_id: 'order-1001',
      invoice_id: '0b1e6f0c-7f3a-4a3e-9d52-000000000001',
      order_code: 'SBX-000001',
      status: 'pending',
      total_cents: 12_345,
    });
    assert.match(data.invoice_id, uuid);
    assert.equal(parseBrCode(qr_code_pix).amountCents, 12_345);
  });

  it('external_id is null when none was given', async () => {
    const { create } = openSandbox();
    assert.equal((await create()).body.data['external_id'], null);
  });

  it('makes ids of its own by default', async () => {
    const sandbox = createSandbox({ accessToken });
    const response = await sandbox.fetch('https://service.example/api/v2/invoices', {
      method: 'POST',
      headers: { Authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ method: 'pix', total_price_cents: 1 }),
    });
    assert.match(parseCreation(await response.json()).invoice_id, uuid);
  });
});

describe('GET /api/v2/invoices/{id}', () => {
  it('answers with every field while pending', async () => {
    const { create, lookUp } = openSandbox();
    const { data } = (await create(creationRequest)).body;
    const { status, body } = await lookUp(data.invoice_id);
    assert.equal(status, 200);
    assert.deepEqual(body.data, {
      ...data,
      client: {
        cpf_cnpj: '52998224725',
        email: 'maria@example.com',
        id: 1,
        name: 'Maria da Silva',
        phone: '11987654321',
      },
      created_at: '2026-11-21T10:15:30.123000-03:00',
      updated_at: '2026-11-21T10:15:30.123000-03:00',
      end_to_end_id: null,
      payer: null,
      installments: 3,
      is_pix: true,
      items: [
        {
          ID: 100,
          InvoiceID: 1,
          Title: 'Camiseta',
          Description: 'Azul, M',
          Quantity: 2,
          UnitPrice: 6_000,
          Tangible: false,
          ExternalRef: null,
        },
      ],
    });
    assert.equal(parseLookUp(body).status, 'pending');
  });

  it('names who paid when it is paid', async () => {
    const { create, lookUp, control, clock } = openSandbox();
    const { invoice_id: id } = (await create(creationRequest)).body.data;
    clock.ms += 60_000;
    await control('POST', `/invoices/${id}/settle`);
    const paid = parseLookUp((await lookUp(id)).body);
    assert.equal(paid.status, 'paid');
    assert.equal(paid.created_at, '2026-11-21T10:15:30.123000-03:00');
    assert.equal(paid.updated_at, '2026-11-21T10:16:30.123000-03:00');
    assert.match(paid.end_to_end_id ?? '', /^E99999999202611211316[0-9A-Za-z]{11}$/);
    assert.deepEqual(paid.payer, {
      cpf: '12345678909',
      end_to_end_id: paid.end_to_end_id,
      name: 'Pagador de Teste',
    });
  });
});

describe('without an acceptable bearer', () => {
  const headers: readonly (readonly [string, string | null])[] = [
    ['no header', null],
    ['another token', 'Bearer another'],
    ['no token', 'Bearer'],
    ['an empty token', 'Bearer '],
    ['another scheme', `Basic ${accessToken}`],
    ['the bare token', accessToken],
    ['more than the token', `Bearer ${accessToken}, Bearer x`],
  ];
  for (const [title, authorization] of headers) {
    it(`${title} is answered 401, and has no effect`, async () => {
      const { sandbox } = openSandbox();
      const sent = new Headers(authorization === null ? {} : { Authorization: authorization });
      for (const [method, path] of [
        ['POST', ''],
        ['GET', '/INV-0001'],
      ] as const) {
        const body = method === 'POST' ? JSON.stringify(creationRequest) : null;
        const response = await sandbox.fetch(`http://127.0.0.1/api/v2/invoices${path}`, {
          method,
          headers: sent,
          body,
        });
        assert.equal(response.status, 401);
        assert.doesNotMatch(await response.text(), /canary/);
      }
      assert.equal(sandbox.invoices().length, 0);
    });
  }

  it('the scheme is read in any case', async () => {
    const { send } = openSandbox();
    const headers = { Authorization: `bearer ${accessToken}` };
    assert.equal((await send('GET', '/api/v2/invoices/INV-0001', { headers })).status, 404);
  });
});

describe('the sandbox', () => {
  it('marks every answer', async () => {
    const { send, sandbox } = openSandbox();
    const answers = [
      send('POST', '/api/v2/invoices', { body: JSON.stringify(creationRequest) }),
      send('GET', '/api/v2/invoices/none'),
      send('DELETE', '/api/v2/invoices/none'),
      send('GET', '/nowhere'),
      sandbox.fetch('http://127.0.0.1/sandbox/invoices'),
      sandbox.fetch('http://127.0.0.1/sandbox/nowhere'),
      sandbox.fetch('http://shop.example/sandbox/invoices'),
    ];
    for (const answer of await Promise.all(answers)) {
      assert.equal(answer.headers.get('x-pix-sandbox'), '1');
    }
  });

  it('answers 404 outside of its paths: a serviceUrl with a path must not pass a rehearsal', async () => {
    const { send, sandbox } = openSandbox();
    const body = JSON.stringify(creationRequest);
    for (const path of ['/service', '/api/v2', '/api/v2/invoices', '/']) {
      assert.equal((await send('POST', `${path}/api/v2/invoices`, { body })).status, 404, path);
      const list = await sandbox.fetch(`http://localhost:5173${path}/sandbox/invoices`);
      assert.equal(list.status, 404, path);
    }
    assert.equal(sandbox.invoices().length, 0);
  });

  it('waits delayMs before each answer', async () => {
    const { create, slept } = openSandbox({ delayMs: 250 });
    await create();
    assert.deepEqual(slept, [250]);
  });

  it('keeps what was asked for, but never a card', async () => {
    const { create, sandbox } = openSandbox();
    await create(creationRequest);
    const [invoice] = sandbox.invoices();
    const { card: _left, ...rest } = creationRequest;
    assert.deepEqual(invoice?.request, rest);
    assert.ok(invoice?.receivedFields.includes('card.security_code'));
    assert.doesNotMatch(JSON.stringify(sandbox.invoices()), /4111111111111111|tok_made_up/);
  });

  it('refuses to start without a token, and in production', (t) => {
    assert.throws(() => createSandbox({ accessToken: '' }), /accessToken/);
    const { NODE_ENV: before } = process.env;
    t.onTestFinished(() => {
      if (before === undefined) delete process.env['NODE_ENV'];
      else process.env['NODE_ENV'] = before;
    });
    process.env['NODE_ENV'] = 'production';
    assert.throws(() => createSandbox({ accessToken }), /never runs in production/);
  });
});
