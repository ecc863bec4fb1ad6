/** Every fault: what the caller sees, and whether the invoice was made. The client reads them as a proxy would. */

import assert from 'node:assert/strict';
import { describe, it, vi } from 'vitest';
import { faultKinds } from '../../src/sandbox/faults.js';
import { createServiceClient, ServiceError } from '../../src/service.js';
import { parseBrCode } from '../../src/domain/br-code.js';
import type { CreatedWireInvoice, ServiceErrorKind, WireInvoice } from '../../src/service.js';
import { creationRequest } from '../service/samples.js';
import { accessToken, openSandbox } from './open-sandbox.js';
import { column } from '../support/rows.js';

type FaultKind = (typeof faultKinds)[number];

/** What the service client makes of a fault: an error, or a look at the spoilt answer. */
type Outcome = ServiceErrorKind | ((invoice: CreatedWireInvoice | WireInvoice) => void);

const isPending: Outcome = ({ status }) => assert.equal(status, 'pending');

/** Faults under which a creation leaves no invoice behind. */
const before = {
  unauthorized: 'unauthorized',
  rate_limited: 'rate_limited',
  client_error: 'refused_request',
  server_error: 'server',
  cut_before: 'network',
  redirect: 'redirect',
} satisfies Partial<Record<FaultKind, Outcome>>;

/** And those under which it does. */
const after: Readonly<Record<Exclude<FaultKind, keyof typeof before>, Outcome>> = {
  delay: isPending,
  hang: 'timeout',
  redirect_after_effect: 'redirect',
  client_error_after_effect: 'refused_request',
  server_error_after_effect: 'server',
  cut_after: 'network',
  garbage: 'invalid_answer',
  empty: 'invalid_answer',
  invalid_json: 'invalid_answer',
  wrong_shape: 'invalid_answer',
  truncated: 'network',
  oversize: 'invalid_answer',
  slow_body: isPending,
  unknown_status: ({ status }) => assert.equal(status, 'waiting_payment'),
  wrong_total: (invoice) => assert.equal(invoice.total_cents, 12_346),
  foreign_reference: (invoice) => assert.equal(invoice.external_id, 'another-order'),
  bad_crc: (invoice) => assert.throws(() => parseBrCode(invoice.qr_code_pix), { fault: 'crc' }),
  no_invoice_id: 'invalid_answer',
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

for (const [kind, outcome] of Object.entries<Outcome>({ ...before, ...after })) {
  const fault = { kind, ...(kind === 'unknown_status' && { status: 'waiting_payment' }) };

  /** The time of one that hangs runs out once it `isAsked`. */
  const assertOutcome = async (call: () => Promise<CreatedWireInvoice>, isAsked: () => boolean) => {
    if (kind === 'hang') vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const work = call().catch((reason: unknown) => reason);
    if (kind === 'hang') {
      await until(isAsked);
      vi.advanceTimersByTime(10_000);
    }
    const found = await work;
    if (typeof outcome === 'function') return outcome(found as CreatedWireInvoice);
    assert.ok(found instanceof ServiceError, `expected ${outcome}`);
    assert.equal(found.kind, outcome);
  };

  describe(kind, () => {
    const made = kind in after ? 1 : 0;

    it(`at a creation, with ${made} invoices made`, async () => {
      const { client, control, sandbox } = openBoth();
      await control('PUT', '/faults', [{ on: 'create', ...fault }]);
      const count = () => sandbox.invoices().length;
      await assertOutcome(
        () => client.createInvoice(creationRequest),
        () => count() > 0,
      );
      assert.equal(count(), made);
    });

    it('at a look-up, and only there', async () => {
      const { client, control } = openBoth();
      await control('PUT', '/faults', [{ on: 'look_up', ...fault }]);
      const { invoice_id: id } = await client.createInvoice(creationRequest);
      await assertOutcome(
        () => client.lookUpInvoice(id),
        () => true,
      );
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
          const card = { method: 'credit_card', card: { token: 'tok_approve' } };
          const body = JSON.stringify({ ...creationRequest, ...card });
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
    const body = JSON.stringify(creationRequest);
    const response = await send('POST', '/api/v2/invoices', { body });
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
