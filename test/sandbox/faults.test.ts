/** Every fault: what the caller sees, and whether the invoice was made. The client reads them as a proxy would. */

import assert from 'node:assert/strict';
import { describe, it, vi } from 'vitest';
import { faultKinds } from '../../src/sandbox/faults.js';
import { createServiceClient, ServiceError } from '../../src/service.js';
import { parseBrCode } from '../../src/domain/br-code.js';
import type { CreatedWireInvoice, ServiceErrorKind, WireInvoice } from '../../src/service.js';
import { creationRequest } from '../service/samples.js';
import { accessToken, openSandbox } from './open-sandbox.js';
import { column } from '../world/rows.js';

type FaultKind = (typeof faultKinds)[number];

/** What the service client makes of a fault: an error, or a look at the spoilt answer. */
type Outcome = ServiceErrorKind | ((invoice: CreatedWireInvoice | WireInvoice) => void);

interface Case {
  readonly outcome: Outcome;
  /** Whether a creation under this fault leaves an invoice behind. */
  readonly made: boolean;
  /** Parameters of the fault. */
  readonly with?: object;
}

const cases: Readonly<Record<FaultKind, Case>> = {
  unauthorized: { outcome: 'unauthorized', made: false },
  rate_limited: { outcome: 'rate_limited', made: false },
  client_error: { outcome: 'refused_request', made: false },
  server_error: { outcome: 'server', made: false },
  cut_before: { outcome: 'network', made: false },
  redirect: { outcome: 'redirect', made: false },
  delay: { outcome: ({ status }) => assert.equal(status, 'pending'), made: true },
  hang: { outcome: 'timeout', made: true },
  redirect_after_effect: { outcome: 'redirect', made: true },
  client_error_after_effect: { outcome: 'refused_request', made: true },
  server_error_after_effect: { outcome: 'server', made: true },
  cut_after: { outcome: 'network', made: true },
  garbage: { outcome: 'invalid_answer', made: true },
  empty: { outcome: 'invalid_answer', made: true },
  invalid_json: { outcome: 'invalid_answer', made: true },
  wrong_shape: { outcome: 'invalid_answer', made: true },
  truncated: { outcome: 'network', made: true },
  oversize: { outcome: 'invalid_answer', made: true },
  slow_body: { outcome: ({ status }) => assert.equal(status, 'pending'), made: true },
  unknown_status: {
    with: { status: 'waiting_payment' },
    outcome: ({ status }) => assert.equal(status, 'waiting_payment'),
    made: true,
  },
  wrong_total: { outcome: (i) => assert.equal(i.total_cents, 12_346), made: true },
  foreign_reference: { outcome: (i) => assert.equal(i.external_id, 'another-order'), made: true },
  bad_crc: {
    outcome: ({ qr_code_pix: code }) => {
      assert.throws(() => parseBrCode(code), { fault: 'crc' });
    },
    made: true,
  },
  no_invoice_id: { outcome: 'invalid_answer', made: true },
};

/** A sandbox, and a service client whose network it is. */
function openBoth() {
  const opened = openSandbox();
  const client = createServiceClient({
    serviceUrl: 'http://127.0.0.1',
    accessToken,
    fetch: opened.sandbox.fetch,
  });
  return { ...opened, client };
}

async function assertOutcome(work: Promise<CreatedWireInvoice>, outcome: Outcome) {
  if (typeof outcome === 'function') return outcome(await work);
  const thrown: unknown = await work.catch((reason: unknown) => reason);
  assert.ok(thrown instanceof ServiceError, `expected ${outcome}`);
  assert.equal(thrown.kind, outcome);
}

for (const kind of faultKinds) {
  const { outcome, made, with: parameters } = cases[kind];

  describe(kind, () => {
    it(`at a creation, with ${made ? 'an' : 'no'} effect`, async () => {
      const { client, control, sandbox } = openBoth();
      await control('PUT', '/faults', [{ on: 'create', kind, ...parameters }]);
      if (kind === 'hang') vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const work = assertOutcome(client.createInvoice(creationRequest), outcome);
      if (kind === 'hang') {
        await until(() => sandbox.invoices().length > 0);
        vi.advanceTimersByTime(10_000);
      }
      await work;
      assert.equal(sandbox.invoices().length, made ? 1 : 0);
    });

    it('at a look-up, and only there', async () => {
      const { client, control } = openBoth();
      await control('PUT', '/faults', [{ on: 'look_up', kind, ...parameters }]);
      const { invoice_id: id } = await client.createInvoice(creationRequest);
      if (kind === 'hang') vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const work = assertOutcome(client.lookUpInvoice(id), outcome);
      if (kind === 'hang') {
        await until(() => true);
        vi.advanceTimersByTime(10_000);
      }
      await work;
    });
  });
}

describe('parameters', () => {
  it('rate_limited says when to come back', async () => {
    const { control, send } = openBoth();
    for (const [retry_after, header] of [
      [undefined, '2'],
      [9, '9'],
      ['Sat, 21 Nov 2026 13:16:00 GMT', 'Sat, 21 Nov 2026 13:16:00 GMT'],
    ] as const) {
      await control('PUT', '/faults', [{ on: 'look_up', kind: 'rate_limited', retry_after }]);
      const response = await send('GET', '/api/v2/invoices/none');
      assert.deepEqual([response.status, response.headers.get('retry-after')], [429, header]);
    }
  });

  const statuses = {
    redirect: [301, 302, 303, 307, 308],
    client_error: [400, 401, 403, 404, 408, 409, 422, 429],
    server_error: [500, 502, 503, 504],
  };
  for (const [kind, choices] of Object.entries(statuses)) {
    it(`${kind} chooses its status, before and after the effect`, async () => {
      const { control, send, sandbox } = openBoth();
      for (const http_status of choices) {
        for (const [suffix, made] of [
          ['', 0],
          ['_after_effect', 1],
        ] as const) {
          sandbox.reset();
          await control('PUT', '/faults', [{ on: 'create', kind: kind + suffix, http_status }]);
          const body = JSON.stringify({
            ...creationRequest,
            method: 'credit_card',
            card: { token: 'tok_approve' },
          });
          const response = await send('POST', '/api/v2/invoices', { body });
          assert.equal(response.status, http_status);
          assert.equal(sandbox.charges().count, made);
        }
      }
    });
  }

  it('a redirect leads nowhere', async () => {
    const { control, send } = openBoth();
    for (const kind of ['redirect', 'redirect_after_effect']) {
      await control('PUT', '/faults', [{ on: 'create', kind }]);
      const body = JSON.stringify(creationRequest);
      const { headers } = await send('POST', '/api/v2/invoices', { body });
      assert.equal(new URL(headers.get('location') ?? '').hostname, 'redirect.invalid');
    }
  });

  it('truncated gives the beginning of the answer, and breaks off', async () => {
    const { control, send } = openBoth();
    await control('PUT', '/faults', [{ on: 'create', kind: 'truncated' }]);
    const response = await send('POST', '/api/v2/invoices', {
      body: JSON.stringify(creationRequest),
    });
    assert.equal(response.status, 200);
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    assert.match(first, /^\{"data":\{"external_id":"order-1001"/);
    assert.throws(() => JSON.parse(first), SyntaxError);
    await assert.rejects(async () => reader?.read(), TypeError);
  });

  it('delay and slow_body wait as long as they are told', async () => {
    const { control, create, slept } = openBoth();
    await control('PUT', '/faults', [{ on: 'create', kind: 'delay', ms: 700 }]);
    await create();
    assert.deepEqual(slept.splice(0), [700]);
    await control('PUT', '/faults', [{ on: 'create', kind: 'slow_body', ms: 40 }]);
    await create();
    assert.ok(slept.length > 10);
    assert.deepEqual(new Set(slept), new Set([40]));
  });

  it('a delayed look-up tells what was true when it was asked', async () => {
    const opened = openSandbox({
      sleep: async () => {
        await opened.control('POST', '/invoices/SBX-000001/settle');
      },
    });
    await opened.create();
    await opened.control('PUT', '/faults', [{ on: 'look_up', kind: 'delay', times: 1 }]);
    assert.equal((await opened.lookUp('SBX-000001')).body.data['status'], 'pending');
    assert.equal((await opened.lookUp('SBX-000001')).body.data['status'], 'paid');
  });
});

describe('the list', () => {
  it('is struck in order, each fault as often as it says', async () => {
    const { control, send } = openBoth();
    const faults = [
      { on: 'look_up', kind: 'server_error', times: 2 },
      { on: 'look_up', kind: 'unauthorized', times: 0 },
      { on: 'look_up', kind: 'rate_limited', times: 1 },
    ];
    assert.deepEqual((await control('PUT', '/faults', faults)).body, faults);
    const statuses: number[] = [];
    for (let call = 0; call < 5; call += 1) {
      statuses.push((await send('GET', '/api/v2/invoices/none')).status);
    }
    assert.deepEqual(statuses, [500, 500, 429, 404, 404]);
    const left = (await control<{ times: number }[]>('GET', '/faults')).body;
    assert.deepEqual(column(left, 'times'), [0, 0, 0]);
  });

  for (const times of [undefined, null]) {
    it(`strikes until it is deleted where times is ${times}`, async () => {
      const { control, send } = openBoth();
      await control('PUT', '/faults', [{ on: 'look_up', kind: 'server_error', times }]);
      for (let call = 0; call < 3; call += 1) {
        assert.equal((await send('GET', '/api/v2/invoices/none')).status, 500);
      }
      assert.deepEqual((await control('DELETE', '/faults')).body, []);
      assert.equal((await send('GET', '/api/v2/invoices/none')).status, 404);
    });
  }

  it('strikes no one without a bearer', async () => {
    const { control, send } = openBoth();
    await control('PUT', '/faults', [{ on: 'look_up', kind: 'server_error', times: 1 }]);
    const headers = { Authorization: 'Bearer another' };
    assert.equal((await send('GET', '/api/v2/invoices/none', { headers })).status, 401);
    assert.equal((await send('GET', '/api/v2/invoices/none')).status, 500);
  });
});

/** Waits for a condition, turn by turn of the event loop. */
async function until(condition: () => boolean): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (!condition());
}
