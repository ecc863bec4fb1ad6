/**
 * Hostile answers through the real client, controller and machine: whatever comes, the payer sees a status and a next
 * step, nothing is ever shown as paid, and once the proxy is well again the payment goes on.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeEnvironment } from '../../support/fake-environment.js';
import type { Answerer, FakeEnvironment, SentRequest } from '../../support/fake-environment.js';
import { canary, good, hostileAnswers } from './hostile-list.js';
import { createNodeHost } from '../node-host.js';
import type { NodeHost } from '../node-host.js';

const tenMinutesMs = 600_000;

/** `pix-paid` comes once per invoice and page load: each test has an invoice of its own. */
let lastInvoice = 0;

const isCreation = ({ method }: SentRequest) => method === 'POST';

/** A proxy that does what it should. */
const well =
  (invoiceId: string, status: string): Answerer =>
  (request) =>
    Response.json({
      data: { ...good(invoiceId), status: isCreation(request) ? 'pending' : status },
      message: '',
    });

async function open(answer: (invoiceId: string) => Answerer) {
  const invoiceId = `invoice-${String((lastInvoice += 1)).padStart(4, '0')}`;
  const environment = createFakeEnvironment(answer(invoiceId));
  const host = createNodeHost(environment);
  host.submit();
  await environment.advance(tenMinutesMs);
  return { invoiceId, environment, host };
}

/** What the payer sees, and what can happen next. */
function assertNextStep({ controller, events }: NodeHost, environment: FakeEnvironment): void {
  const { state } = controller;
  const error = 'error' in state ? state.error : null;
  const toldOf = events
    .filter(({ type }) => type === 'pix-error')
    .map(({ detail }) => detail as object);
  if (error) assert.ok(toldOf.some((detail) => 'code' in detail && detail.code === error.code));
  if (state.phase === 'form' || state.phase === 'failed') {
    assert.ok(error, 'the payer is told why');
    assert.deepEqual(
      [environment.timers, environment.inFlight.size],
      [[], 0],
      'and nothing goes on',
    );
    return;
  }
  if (state.phase === 'awaiting')
    assert.ok(state.watch.invoices[0].code, 'the code is on the screen');
  assert.ok(environment.timers.length > 0, 'look-ups go on');
  assert.ok(environment.inFlight.size <= 1, 'one at a time');
  assert.ok(environment.sent.length < 300, `${environment.sent.length} requests in ten minutes`);
}

function assertNothingPersonal(
  { events, controller }: NodeHost,
  environment: FakeEnvironment,
): void {
  const storage = environment.storage();
  const stored = Array.from({ length: storage?.length ?? 0 }, (_, index) =>
    storage?.getItem(storage.key(index) ?? ''),
  );
  const told = JSON.stringify([controller.state, events.map(({ detail }) => detail as unknown)]);
  assert.ok(![...stored, told, ...environment.warnings].join('').includes(canary));
}

it('there are more than forty of them', () => {
  assert.ok(hostileAnswers.length >= 40);
});

describe('every create request is answered with', () => {
  for (const { name, answer, created } of hostileAnswers) {
    it(`${name}: ${created}`, async () => {
      const { invoiceId, environment, host } = await open(
        (id) => (request) => (isCreation(request) ? answer(id) : well(id, 'pending'))(request),
      );
      assert.equal(host.controller.state.phase, created);
      assertNextStep(host, environment);
      assertNothingPersonal(host, environment);
      if (created === 'failed') return;
      environment.answerWith(well(invoiceId, 'paid'));
      if (created === 'form') host.submit();
      await environment.advance(120_000);
      // An invoice that is not the one paid stays unconfirmed, for the merchant to see.
      const other = name === 'another invoice, paid';
      assert.equal(host.controller.state.phase, other ? 'confirming' : 'paid');
    });
  }
});

describe('every look-up is answered with', () => {
  for (const { name, answer, lookedUp } of hostileAnswers) {
    it(`${name}: ${lookedUp}, and paid once the proxy is well again`, async () => {
      const { invoiceId, environment, host } = await open(
        (id) => (request) => (isCreation(request) ? well(id, 'pending') : answer(id))(request),
      );
      assert.equal(host.controller.state.phase, lookedUp);
      assertNextStep(host, environment);
      assertNothingPersonal(host, environment);
      environment.answerWith(well(invoiceId, 'paid'));
      await environment.advance(155_000);
      assert.equal(host.controller.state.phase, 'paid');
      const paid = host.events.filter(({ type }) => type === 'pix-paid');
      assert.deepEqual(
        paid.map(({ detail }) => (detail as { totalCents: number }).totalCents),
        [12_990],
      );
      assert.deepEqual([environment.timers, environment.inFlight.size], [[], 0]);
    });
  }
});
