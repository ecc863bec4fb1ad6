/** The control surface: what it does, what it tells, and how it refuses. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { creationRequest } from '../service/samples.js';
import { accessToken, openSandbox } from './open-sandbox.js';
import type { Json } from './open-sandbox.js';
import { words } from '../support/rows.js';

/** A sandbox whose postbacks are caught and answered here. */
function openPostbacks(answer: () => Promise<Response>) {
  const sent: Request[] = [];
  const opened = openSandbox({
    postbackFetch: (input, init) => {
      sent.push(new Request(input, init));
      return answer();
    },
  });
  return { ...opened, sent };
}

describe('invoices', () => {
  it('are listed without a person, a card or a token', async () => {
    const { create, control } = openSandbox();
    await create(creationRequest);
    await create();
    const { status, body } = await control<{ creates: number; invoices: Json[] }>(
      'GET',
      '/invoices',
    );
    assert.equal(status, 200);
    assert.equal(body.creates, 2);
    assert.equal(body.invoices.length, 2);
    const [first] = body.invoices;
    assert.deepEqual(
      Object.keys(first ?? {}).toSorted(),
      words(`
    created_at end_to_end_id external_id invoice_id method order_code qr_code_pix received
    status total_cents updated_at
  `),
    );
    assert.equal(first?.['external_id'], 'order-1001');
    assert.deepEqual(body.invoices[1]?.['received'], ['method', 'total_price_cents']);
    const text = JSON.stringify(body);
    const { external_id: _known, method: _plain, items: _goods, ...personal } = creationRequest;
    const secrets = [personal.ip_payer, personal.postback_url, accessToken].concat(
      Object.values(personal.payer).filter((value) => value.length > 4),
      Object.values(personal.card)
        .map(String)
        .filter((value) => value.length > 4),
    );
    for (const secret of secrets) assert.equal(text.includes(secret), false, secret);
  });

  it('can be given any status', async () => {
    const { create, control, lookUp } = openSandbox();
    const { invoice_id: id } = (await create()).body.data;
    for (const word of ['expired', 'em análise', '']) {
      const { status, body } = await control('POST', `/invoices/${id}/status`, { status: word });
      assert.deepEqual([status, body['status']], [200, word]);
      assert.equal((await lookUp(id)).body.data['status'], word);
    }
  });

  it('can be found by either id', async () => {
    const { create, control } = openSandbox();
    await create();
    const { body } = await control('POST', '/invoices/SBX-000001/settle');
    assert.equal(body['status'], 'paid');
  });
});

describe('postbacks', () => {
  it('are sent to the address of the creation', async () => {
    const { create, control, sent } = openPostbacks(async () => new Response(null));
    const { invoice_id: id } = (await create(creationRequest)).body.data;
    const { status, body } = await control('POST', `/invoices/${id}/postback`);
    assert.equal(status, 200);
    assert.deepEqual(body, { delivered: true, status: 200 });
    assert.equal(sent[0]?.url, creationRequest.postback_url);
    assert.equal(sent[0]?.redirect, 'manual');
    assert.equal(sent.length, 1);
  });

  const failures: readonly (readonly [string, () => Promise<Response>, number | null])[] = [
    ['a refusal', async () => new Response('no', { status: 403 }), 403],
    ['a redirect', async () => new Response(null, { status: 302 }), 302],
    ['no one there', () => Promise.reject(new TypeError('fetch failed')), null],
  ];
  for (const [title, answer, status] of failures) {
    it(`tell of ${title}`, async () => {
      const { create, control } = openPostbacks(answer);
      const { invoice_id: id } = (await create(creationRequest)).body.data;
      const { body } = await control('POST', `/invoices/${id}/postback`);
      assert.deepEqual(body, { delivered: false, status });
    });
  }

  it('go out at once when a payment is made, and their answer is not waited for', async () => {
    const { create, control, sandbox, sent } = openPostbacks(() => new Promise(() => {}));
    const { invoice_id: id } = (await create(creationRequest)).body.data;
    const { status, body } = await control('POST', `/invoices/${id}/pay`);
    assert.deepEqual([status, body['status']], [200, 'paid']);
    assert.equal(sent[0]?.url, creationRequest.postback_url);
    await sandbox.fetch('http://127.0.0.1/sandbox/', {
      method: 'POST',
      body: new URLSearchParams({ act: 'Pay', invoice_id: id }),
    });
    assert.equal(sent.length, 2);
  });

  it('of a payment that has no address, or that is told to no one, do not go out', async () => {
    const { create, control, sent } = openPostbacks(async () => new Response(null));
    const { invoice_id: unnamed } = (await create()).body.data;
    const { invoice_id: silent } = (await create(creationRequest)).body.data;
    for (const path of [`${unnamed}/pay`, `${silent}/settle`]) {
      const { status, body } = await control('POST', `/invoices/${path}`);
      assert.deepEqual([status, body['status'], sent.length], [200, 'paid', 0]);
    }
  });

  it('need an address', async () => {
    const { create, control, sent } = openPostbacks(async () => new Response(null));
    const { invoice_id: id } = (await create()).body.data;
    const { status, body } = await control('POST', `/invoices/${id}/postback`);
    assert.deepEqual([status, body['field'], sent.length], [400, 'postback_url', 0]);
  });
});

describe('the rest', () => {
  it('requests are counted by operation, whatever their answer', async () => {
    const { create, lookUp, control, sandbox } = openSandbox();
    await create();
    await create('no JSON');
    await lookUp('none');
    await sandbox.fetch('http://127.0.0.1/api/v2/invoices/none');
    await lookUp('none');
    assert.deepEqual((await control('GET', '/requests')).body, { create: 2, look_up: 3 });
  });

  it('reset forgets everything', async () => {
    const { create, control } = openSandbox();
    const { invoice_id: id } = (await create()).body.data;
    await control('PUT', '/faults', [{ on: 'create', kind: 'hang' }]);
    assert.equal((await control('POST', '/reset')).status, 200);
    assert.deepEqual((await control('GET', '/requests')).body, { create: 0, look_up: 0 });
    assert.deepEqual((await control('GET', '/faults')).body, []);
    assert.deepEqual((await control('GET', '/invoices')).body, { creates: 0, invoices: [] });
    assert.equal((await control('POST', `/invoices/${id}/settle`)).status, 404);
  });
});

describe('a bad control call', () => {
  const on = 'create';
  const faults: readonly (readonly [fault: object, field: string])[] = [
    [{ kind: 'hang' }, 'on'],
    [{ on: 'refund', kind: 'hang' }, 'on'],
    [{ on, kind: 'constructor' }, 'kind'],
    [{ on, kind: 'hang', times: -1 }, 'times'],
    [{ on, kind: 'delay', ms: '9' }, 'ms'],
    [{ on, kind: 'redirect', http_status: 200 }, 'http_status'],
    [{ on, kind: 'client_error', http_status: 500 }, 'http_status'],
    [{ on, kind: 'server_error', http_status: 502.5 }, 'http_status'],
    [{ on, kind: 'hang', http_status: 502 }, 'http_status'],
    [{ on, kind: 'hang', tmies: 1 }, 'tmies'],
  ];
  const cases: readonly (readonly [string, string, unknown, number, string | undefined])[] = [
    ['POST', '/invoices/none/settle', undefined, 404, 'id'],
    ['POST', '/invoices/none/postback', undefined, 404, 'id'],
    ['POST', '/invoices/SBX-000001/status', undefined, 400, 'body'],
    ['POST', '/invoices/SBX-000001/status', {}, 400, 'status'],
    ['POST', '/invoices/SBX-000001/status', { status: 7 }, 400, 'status'],
    ['POST', '/invoices/SBX-000001/status', { status: 'x', stauts: 1 }, 400, 'stauts'],
    ['PUT', '/faults', undefined, 400, 'body'],
    ['PUT', '/faults', { on: 'create', kind: 'hang' }, 400, 'body'],
    ...faults.map(([fault, field]) => ['PUT', '/faults', [fault], 400, `0.${field}`] as const),
    ['POST', '/charges', undefined, 405, undefined],
    ['GET', '/charges/SBX-000001', undefined, 404, undefined],
    ['DELETE', '/invoices', undefined, 405, undefined],
    ['GET', '/reset', undefined, 405, undefined],
    ['POST', '/faults/none/settle', undefined, 405, undefined],
    ['GET', '/nowhere', undefined, 404, undefined],
    ['GET', '/invoices/none/refund', undefined, 404, undefined],
  ];
  for (const [method, path, sent, expected, field] of cases) {
    it(`${method} ${path} ${JSON.stringify(sent) ?? ''} is ${expected} ${field ?? ''}`, async () => {
      const { create, control } = openSandbox();
      await create();
      const { status, headers, body } = await control(method, path, sent);
      assert.equal(status, expected);
      assert.equal(headers.get('content-type'), 'application/problem+json');
      assert.equal(body['status'], expected);
      assert.equal(body['field'], field);
      assert.deepEqual((await control('GET', '/faults')).body, []);
    });
  }

  it('is any call by a name that is not loopback', async () => {
    const { sandbox } = openSandbox();
    for (const [host, status] of [
      ['shop.example', 403],
      ['127.0.0.1.shop.example', 403],
      ['192.168.0.7', 403],
      ['localhost', 200],
      ['127.0.0.1', 200],
      ['[::1]', 200],
    ] as const) {
      const response = await sandbox.fetch(`http://${host}:5173/sandbox/invoices`);
      assert.equal(response.status, status, host);
    }
  });
});
