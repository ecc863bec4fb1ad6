/**
 * Hostile answers through the real client, controller and machine: whatever comes, the payer sees a status and a next
 * step, nothing is ever shown as paid, and once the proxy is well again the payment goes on.
 */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import { createFakeEnvironment } from '../../support/checkout/fake-environment.js';
import type {
  Answerer,
  FakeEnvironment,
  SentRequest,
} from '../../support/checkout/fake-environment.js';
import { canary, good, hostileAnswers, nextId } from './hostile-list.js';
import { createNodeHost } from '../node-host.js';
import type { NodeHost } from '../node-host.js';

const tenMinutesMs = 600_000;

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
  const invoiceId = nextId();
  const environment = createFakeEnvironment(answer(invoiceId));
  const host = createNodeHost(environment);
  host.submit();
  await environment.advance(tenMinutesMs);
  return { invoiceId, environment, host };
}

/** What the payer sees, and what can happen next; nothing personal is told or kept. */
function assertNextStep({ controller, events }: NodeHost, environment: FakeEnvironment): void {
  const { state } = controller;
  const details = events.map(({ type, detail }) => ({ type, ...(detail as { code?: string }) }));
  const storage = environment.storage()!;
  const kept = Array.from({ length: storage.length }, (_, at) => storage.getItem(storage.key(at)!));
  assert.ok(!JSON.stringify([state, details, environment.warnings, kept]).includes(canary));
  const error = 'error' in state ? state.error : null;
  const told = ({ type, code }: { type: string; code?: string }) =>
    type === 'pix-error' && code === error?.code;
  if (error) assert.ok(details.some(told));
  if (state.phase === 'form' || state.phase === 'failed') {
    assert.ok(error, 'the payer is told why');
    assertOver(environment);
    return;
  }
  if (state.phase === 'awaiting') assert.ok(state.watch.invoices[0].code, 'on the screen');
  assert.ok(environment.timers.length > 0, 'look-ups go on');
  assert.ok(environment.inFlight.size <= 1, 'one at a time');
  assert.ok(environment.sent.length < 300, `${environment.sent.length} requests in ten minutes`);
}

function assertOver({ timers, inFlight }: FakeEnvironment): void {
  assert.deepEqual([timers, inFlight.size], [[], 0]);
}

it('there are more than forty of them', () => assert.ok(hostileAnswers.length >= 40));

for (const { name, answer, created, lookedUp } of hostileAnswers) {
  it(`every creation is answered with ${name}: ${created}`, async () => {
    const { invoiceId, environment, host } = await open(
      (id) => (request) => (isCreation(request) ? answer(id) : well(id, 'pending'))(request),
    );
    assert.equal(host.controller.state.phase, created);
    assertNextStep(host, environment);
    if (created === 'failed') return;
    environment.answerWith(well(invoiceId, 'paid'));
    if (created === 'form') host.submit();
    await environment.advance(120_000);
    // An invoice that is not the one paid stays unconfirmed, for the merchant to see.
    const other = name === 'another invoice, paid';
    assert.equal(host.controller.state.phase, other ? 'confirming' : 'paid');
  });

  it(`every look-up is answered with ${name}: ${lookedUp}, and then paid`, async () => {
    const { invoiceId, environment, host } = await open(
      (id) => (request) => (isCreation(request) ? well(id, 'pending') : answer(id))(request),
    );
    assert.equal(host.controller.state.phase, lookedUp);
    assertNextStep(host, environment);
    environment.answerWith(well(invoiceId, 'paid'));
    // The page is out of date: it is loaded again.
    const next = lookedUp === 'failed' ? createNodeHost(environment) : host;
    if (next !== host) next.resume();
    await environment.advance(155_000);
    assert.equal(next.controller.state.phase, 'paid');
    const paid = next.events.filter(({ type }) => type === 'pix-paid');
    const totals = paid.map(({ detail }) => (detail as { totalCents: number }).totalCents);
    assert.deepEqual(totals, [12_990]);
    assertOver(environment);
  });
}
