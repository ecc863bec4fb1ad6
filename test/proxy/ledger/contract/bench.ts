/** A ledger to be tested, and what the tests do with it time and again. Knows no store. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'vitest';
import type { ClaimedEvent, DeliveryKind } from '../../../../src/proxy/order/outbox-events.js';
import type { Attempt, AttemptProgress, Ledger } from '../../../../src/proxy/ledger/ledger.js';
import { allKinds, toCard, toCharge } from './samples.js';

/** One empty store, open. */
export interface Bench {
  readonly ledger: Ledger;
  /** Another handle on the same store, as another process has it; the same one, where there is only one. */
  readonly other: Ledger;
  /** What both handles take for the time. */
  readonly clock: { nowMs: number };
}

/** Runs with an empty store, and clears it away afterwards. */
export type WithBench<B = Bench> = (run: (bench: B) => Promise<void>) => Promise<void>;

/** Declares a test on an empty store. */
export type OnStore<B = Bench> = (
  name: string,
  run: (bench: B & { readonly t: TestContext }) => Promise<void>,
) => void;

export function onStore<B>(withBench: WithBench<B>): OnStore<B> {
  return (name, run) => it(name, (t) => withBench((bench) => run({ ...bench, t })));
}

/** Claims an attempt, and takes it as far as these steps. What is sent has a minute. */
export async function begin(
  ledger: Ledger,
  attempt: Attempt,
  ...steps: readonly AttemptProgress[]
): Promise<void> {
  await ledger.claimAttempt(attempt);
  for (const step of steps) await ledger.advanceAttempt(attempt, step, 60_000);
}

/** Hands an invoice out for a card. */
export async function charge(ledger: Ledger, card = toCard(), invoice = toCharge()): Promise<void> {
  await ledger.claimAttempt(card);
  await ledger.recordInvoice(invoice, card);
}

/** The kinds of what is due, oldest first. It is due again at once. */
export async function peekKinds(ledger: Ledger): Promise<DeliveryKind[]> {
  return (await ledger.claimEvents(allKinds, 100, 0)).map(({ kind }) => kind);
}

/** The ids of what is due of these kinds: `paid~order-1~invoice-1`. It is due again at once. */
export async function peek(ledger: Ledger, kinds: readonly DeliveryKind[]): Promise<string[]> {
  return (await ledger.claimEvents(kinds, 100, 0)).map(({ notice }) => notice.deliveryId);
}

/** The only event that is due, of this kind. It is due again at once. */
export async function peekOnly<Kind extends DeliveryKind>(ledger: Ledger, kind: Kind) {
  const [told, ...more] = await ledger.claimEvents(allKinds, 100, 0);
  assert.deepEqual(more, []);
  assert.equal(told?.kind, kind);
  return told as Extract<ClaimedEvent, { readonly kind: Kind }>;
}

/** Ends what is due. */
export async function deliver(ledger: Ledger, kinds = allKinds): Promise<void> {
  for (const { notice } of await ledger.claimEvents(kinds, 100, 0)) {
    await ledger.endEvent(notice.deliveryId, 'delivered');
  }
}

/** The invoices whose look-up is due, which is claimed for so long. */
export async function claimIds(ledger: Ledger, forMs = 1_000, most = 100): Promise<string[]> {
  return (await ledger.claimDueLookUps(most, forMs)).map(({ invoiceId }) => invoiceId);
}

/** How far the cards of an order have come. */
export async function cardStates(ledger: Ledger, externalId = 'order-1'): Promise<string[]> {
  return (await ledger.find(externalId)).cards.map(({ progress }) => progress.state);
}
