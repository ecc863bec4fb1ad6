/**
 * One payment, one crash: a machine dies at a point, another one takes over its ledger, the payer's page goes on asking,
 * the payer pays what was shown, and the service sends its notices.
 *
 * Owns what happens in which order, and what must be true after it whatever the point was. Judged by what the sandbox
 * charged and what the merchant's code heard.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Sandbox } from '../../../src/sandbox.js';
import type { Answer, Machine, MachineHall, PaymentRequest } from '../machines/machines.js';
import type { Told } from '../machines/words.js';
import type { CrashPoint } from './crash-points.js';

/** Where it happens. */
export interface Scene {
  readonly hall: MachineHall;
  readonly sandbox: Sandbox;
  readonly serviceUrl: string;
  readonly ledgerUrl: string;
}

/** What the page is told after the crash: at once, and when every claim has run out. */
export interface Story {
  /** By the first machine, and `lost` if it died over it. */
  readonly first: string;
  /** `GET` with the key. */
  readonly atOnce: string;
  /** `POST` with the same key, `GET` with it, `POST` with a new one. */
  readonly later: readonly [string, string, string];
}

/** Longer than a claim, a turn and the time to record a charge last, milliseconds. */
const everythingRunsOutMs = 61_000;

/** What a page lets pass before it asks again, and each worker before it looks for work, milliseconds. */
const aWhileMs = 5_000;

/** No time-out of ours: where the test runs on a slow machine it takes longer. */
const patienceMs = 30_000;

/** Plays it. @returns what the page was told; what must hold after every crash is asserted here */
export async function playCrash(
  { hall, sandbox, serviceUrl, ledgerUrl }: Scene,
  diesAt: CrashPoint,
  method: PaymentRequest['method'],
): Promise<Story> {
  const externalId = `order-${randomUUID().slice(0, 8)}`;
  const payment = { externalId, method, key: randomUUID() };
  const another = () => ({ ...payment, key: randomUUID() });
  const ours = () => sandbox.invoices().filter(({ request }) => request.external_id === externalId);
  const answers: Answer[] = [];
  const told = async (answer: Promise<Answer>) => {
    answers.push(await answer);
    return answers.at(-1)!;
  };

  const first = await hall.start({
    ledgerUrl,
    serviceUrl,
    diesAt,
    hears: diesAt === 'inside onPaid',
  });
  const created = await told(first.create(payment));
  if (diesAt === 'answered') await first.kill();
  if (diesAt === 'paid stored' || diesAt === 'inside onPaid') {
    assert.ok(created.data, created.outcome);
    await settle(sandbox, created.data.invoice_id);
    await told(first.lookUp(created.data));
  }
  // It may be alive: then what it should die of was never done.
  const alive = delay(patienceMs, 'alive', { ref: false });
  assert.equal(await Promise.race([first.ended, alive]), 'SIGKILL');

  const second = await hall.start({ ledgerUrl, serviceUrl });
  const atOnce = await told(second.ask(payment.key));
  // A page does not wait for leases. By Pix it is answered when that of the dead machine has run out.
  const impatient = told(second.create(payment));
  if (method === 'credit_card') await impatient;
  await second.putClockForward(everythingRunsOutMs);
  await impatient;
  const later = [
    await untilDecided(second, () => told(second.create(payment))),
    await untilDecided(second, () => told(second.ask(payment.key))),
    await told(second.create(another())),
  ];

  // The payer pays what was shown, whatever was shown first.
  const shown = new Set(answers.flatMap(({ data }) => (data ? [data.invoice_id] : [])));
  for (const invoiceId of shown) await settle(sandbox, invoiceId);
  const charged = () => sandbox.charges(externalId).charges.map(({ invoice_id }) => invoice_id);
  for (const { invoiceId, request } of ours()) {
    await second.postback(request.postback_url ?? '', { id: invoiceId });
  }
  const heard = () =>
    [...first.told, ...second.told].filter(({ notice }) => notice.externalId === externalId);
  await until(second, async () => {
    // Whatever the merchant's code was told by the machine that died, it died over it.
    const isTold = charged().every((invoiceId) => paidNotices(second.told, invoiceId).length > 0);
    return isTold && (await second.readState()).undelivered === 0;
  });
  const last = await told(second.ask(payment.key));

  assert.ok(charged().length <= 1, `charged ${charged().length} times`);
  for (const invoiceId of charged()) {
    const ids = new Set(paidNotices(heard(), invoiceId).map(({ notice }) => notice['deliveryId']));
    assert.equal(ids.size, 1, 'one payment, one deliveryId');
  }
  assert.equal(shown.size <= 1, true, `${shown.size} invoices were shown`);
  for (const { outcome } of answers) assert.ok(!outcome.includes('payment_refused'), outcome);
  const isUnknown = later.some(({ outcome }) => outcome.includes('outcome_unknown'));
  const asksHuman = heard().filter(({ hook }) => hook === 'onOutcomeUnknown');
  assert.equal(asksHuman.length > 0, isUnknown, 'the merchant hears of an unknown outcome');
  if (charged().length > 0) assert.match(last.outcome, /^200$|order_paid/);
  await second.close();

  const [repeated, byKey, other] = later.map(({ outcome }) => outcome);
  return {
    first: created.outcome,
    atOnce: atOnce.outcome,
    later: [repeated!, byKey!, other!],
  };
}

/** As a page does while it is told that a payment is under way. */
async function untilDecided(machine: Machine, ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  await until(machine, async () => {
    if (answer.outcome !== '409 in_progress') return true;
    answer = await ask();
    return false;
  });
  return answer;
}

function paidNotices(heard: readonly Told[], invoiceId: string): Told[] {
  return heard.filter(({ hook, notice }) => hook === 'onPaid' && notice['invoiceId'] === invoiceId);
}

async function settle(sandbox: Sandbox, invoiceId: string): Promise<void> {
  const url = `http://127.0.0.1/sandbox/invoices/${invoiceId}/settle`;
  assert.equal((await sandbox.fetch(url, { method: 'POST' })).status, 200);
}

/** Waits for a condition. What time it needs passes on the machine's clock. */
async function until(machine: Machine, isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + patienceMs;
  while (!(await isTrue())) {
    if (performance.now() > giveUpAtMs) assert.fail('what the test waits for never came');
    await delay(20);
    await machine.putClockForward(aWhileMs);
  }
}
