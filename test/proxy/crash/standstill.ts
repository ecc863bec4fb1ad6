/**
 * Payments and a machine that stands still over each (`SIGSTOP`), while another one is asked by its key. Judged by what the
 * sandbox made afterwards: nothing, where the answer was `not_found`.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Machine, PaymentRequest } from '../machines/machines.js';
import type { CrashPoint } from './crash-points.js';
import type { Scene } from './scenario.js';

/** Every step of a creation. */
export const standstills = [
  'before claim',
  'claimed',
  'sent',
  'answer read',
  'stored',
] as const satisfies readonly CrashPoint[];

/** No time-out of ours: where the test runs on a slow machine it takes longer. */
const patienceMs = 120_000;

/** Two machines, and one payment after the other at which the first stands still: by card, by Pix, and by card once clocks are apart. */
export async function playStandstill(scene: Scene, diesAt: CrashPoint): Promise<void> {
  const { hall, ledgerUrl, serviceUrl } = scene;
  const at = { ledgerUrl, serviceUrl };
  const first = await hall.start({ ...at, diesAt, standsStill: true });
  const second = await hall.start(at);
  const machines = { first, second, diesAt };
  await playPayment(scene, machines, 'credit_card', 0);
  await playPayment(scene, machines, 'pix', 0);
  // Then Pix rests on its own: a code that no payer saw harms no one.
  await playPayment(scene, machines, 'credit_card', 31_000);
  await Promise.all([first.close(), second.close()]);
}

interface Standstill {
  readonly first: Machine;
  readonly second: Machine;
  readonly diesAt: CrashPoint;
}

/** @param waitMs by so much the clock of the other machine is ahead when it is asked */
async function playPayment(
  { sandbox }: Scene,
  { first, second, diesAt }: Standstill,
  method: PaymentRequest['method'],
  waitMs: number,
): Promise<void> {
  const payment = { externalId: `order-${randomUUID().slice(0, 8)}`, method, key: randomUUID() };
  const made = () =>
    sandbox.invoices().filter(({ request }) => request.external_id === payment.externalId).length;

  const creation = first.create(payment);
  const giveUpAtMs = performance.now() + patienceMs;
  while (!(await first.standsStill())) {
    if (performance.now() > giveUpAtMs) assert.fail('it never came to where it stands still');
    await delay(5);
  }
  await second.putClockForward(waitMs);
  const before = made();
  const { outcome } = await second.ask(payment);
  first.goOn();
  await creation;
  const isDenied = outcome === '404 not_found';
  if (isDenied) {
    assert.equal(made(), before, 'sent after a not_found');
    if (method === 'credit_card') assert.equal(before, 0, 'sent before it');
    assert.equal((await second.ask(payment)).outcome, '404 not_found');
  }
  if (diesAt === 'before claim') assert.ok(isDenied, outcome);
}
