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
import { openLedger } from '../../../src/ledger.js';
import type { Sandbox } from '../../../src/sandbox.js';
import { until } from '../../support/until.js';
import type { Answer, Machine, MachineHall, PaymentRequest } from '../machines/machines.js';
import type { Told } from '../machines/words.js';
import type { PaymentPoint } from './crash-points.js';

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
const patienceMs = 120_000;

/** One order, and what anybody was told of it. */
interface Plot {
  readonly scene: Scene;
  readonly diesAt: PaymentPoint;
  readonly payment: PaymentRequest;
  readonly answers: Answer[];
  /** Keeps what a page is told. */
  readonly told: (answer: Promise<Answer>) => Promise<Answer>;
}

/** Plays it. @returns what the page was told; what must hold after every crash is asserted here */
export async function playCrash(
  scene: Scene,
  diesAt: PaymentPoint,
  method: PaymentRequest['method'],
): Promise<Story> {
  const externalId = `order-${randomUUID().slice(0, 8)}`;
  const answers: Answer[] = [];
  const told = async (answer: Promise<Answer>) => {
    answers.push(await answer);
    return answers.at(-1)!;
  };
  // A card that is approved at once is found paid before its page is answered.
  const isPaidLater = diesAt === 'paid stored' || diesAt === 'inside onPaid';
  const payment = {
    externalId,
    method,
    key: randomUUID(),
    ...(isPaidLater && { token: 'tok_pending' }),
  };
  const plot = { scene, diesAt, payment, answers, told };

  const [dead, first] = await crash(plot);
  const { hall, ledgerUrl, serviceUrl } = scene;
  const second = await hall.start({ ledgerUrl, serviceUrl });
  const story = { first, ...(await askOn(plot, second)) };
  await payAndTell(plot, second);
  await judge(plot, dead, second, story);
  await second.close();
  return story;
}

/** @returns the machine that died, and what the page was told by it */
async function crash({ scene, diesAt, payment, told }: Plot): Promise<[Machine, string]> {
  const { hall, sandbox, ledgerUrl, serviceUrl } = scene;
  const hears = diesAt === 'inside onPaid';
  const machine = await hall.start({ ledgerUrl, serviceUrl, diesAt, hears });
  const created = await told(machine.create(payment));
  if (diesAt === 'answered') await machine.kill();
  if (diesAt === 'paid stored' || diesAt === 'inside onPaid') {
    assert.ok(created.data, created.outcome);
    await settle(sandbox, created.data.invoice_id);
    await told(machine.lookUp(created.data));
  }
  // It may be alive: then what it should die of was never done.
  const alive = delay(patienceMs, 'alive', { ref: false });
  assert.equal(await Promise.race([machine.ended, alive]), 'SIGKILL');
  return [machine, created.outcome];
}

async function askOn({ payment, told }: Plot, machine: Machine): Promise<Omit<Story, 'first'>> {
  const atOnce = await told(machine.ask(payment));
  // A page does not wait for leases. By Pix it is answered when that of the dead machine has run out.
  const impatient = told(machine.create(payment));
  if (payment.method === 'credit_card') await impatient;
  await machine.putClockForward(everythingRunsOutMs);
  await impatient;
  const repeated = await untilDecided(machine, () => told(machine.create(payment)));
  const byKey = await untilDecided(machine, () => told(machine.ask(payment)));
  const other = await told(machine.create({ ...payment, key: randomUUID() }));
  return { atOnce: atOnce.outcome, later: [repeated.outcome, byKey.outcome, other.outcome] };
}

/** The payer pays what was shown, and the merchant is told. Only of what was not does the service send a notice. */
async function payAndTell(plot: Plot, machine: Machine): Promise<void> {
  const shown = shownIn(plot);
  for (const invoiceId of shown) await settle(plot.scene.sandbox, invoiceId);
  for (const { invoiceId, request } of plot.scene.sandbox.invoices()) {
    if (request.external_id !== plot.payment.externalId || shown.has(invoiceId)) continue;
    await machine.postback(request.postback_url ?? '', { id: invoiceId });
  }
  await untilLater(machine, async () => {
    // Whatever the merchant's code was told by the machine that died, it died over it.
    const isTold = chargedIn(plot).every((id) => paidNotices(machine.told, id).length > 0);
    return isTold && (await machine.countUndelivered()) === 0;
  });
}

async function judge(plot: Plot, dead: Machine, living: Machine, story: Story): Promise<void> {
  const charged = chargedIn(plot);
  const heard = [...dead.told, ...living.told];
  assert.ok(charged.length <= 1, `charged ${charged.length} times`);
  for (const invoiceId of charged) {
    const ids = new Set(paidNotices(heard, invoiceId).map(({ notice }) => notice['deliveryId']));
    assert.equal(ids.size, 1, 'one payment, one deliveryId');
  }
  assert.ok(shownIn(plot).size <= 1, 'one code at one price');
  for (const { outcome } of plot.answers) assert.ok(!outcome.includes('payment_refused'), outcome);
  const isUnknown = story.later.some((outcome) => outcome.includes('outcome_unknown'));
  const asksHuman = heard.some(({ hook }) => hook === 'onOutcomeUnknown');
  assert.equal(asksHuman, isUnknown, 'the merchant hears of an unknown outcome');
  const surprises = living.log.filter(({ event }) => event === 'unexpected_error');
  assert.deepEqual(surprises, []);
  await agree(plot, charged.length > 0);
  const { outcome } = await living.ask(plot.payment);
  if (charged.length > 0) assert.match(outcome, /^200$|order_paid/);
}

/** What support reads of the order's ledger is what became of it. */
async function agree({ scene, payment }: Plot, isCharged: boolean): Promise<void> {
  const ledger = await openLedger({ url: scene.ledgerUrl, readOnly: true });
  const told = await ledger.describeOrder(payment.externalId);
  await ledger.close();
  const expected = isCharged ? /^nothing: paid at / : /^a person: the outcome of a card/;
  assert.match(told?.waitsFor ?? '', expected);
}

/** Invoices that a page has seen. */
function shownIn({ answers }: Plot): Set<string> {
  return new Set(answers.flatMap(({ data }) => (data ? [data.invoice_id] : [])));
}

/** Invoices of the order that money moved for. */
function chargedIn({ scene, payment }: Plot): string[] {
  return scene.sandbox.charges(payment.externalId).charges.map(({ invoice_id: id }) => id);
}

/** As a page does while it is told that a payment is under way. */
async function untilDecided(machine: Machine, ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  await untilLater(machine, async () => {
    if (answer.outcome !== '409 in_progress') return true;
    answer = await ask();
    return false;
  });
  return answer;
}

function paidNotices(heard: readonly Told[], invoiceId: string): Told[] {
  return heard.filter(({ hook, notice }) => hook === 'onPaid' && notice['invoiceId'] === invoiceId);
}

export async function settle(sandbox: Sandbox, invoiceId: string): Promise<void> {
  const url = `http://127.0.0.1/sandbox/invoices/${invoiceId}/settle`;
  assert.equal((await sandbox.fetch(url, { method: 'POST' })).status, 200);
}

/** Waits for a condition. What time it needs passes on the machine's clock. */
export async function untilLater(machine: Machine, isTrue: () => Promise<boolean>): Promise<void> {
  await until(async () => {
    if (await isTrue()) return true;
    await machine.putClockForward(aWhileMs);
    return false;
  });
}
