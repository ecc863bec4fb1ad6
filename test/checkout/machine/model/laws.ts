/**
 * What must hold at each step of the machine, whatever the payer, the page, the clock and the proxy do. Knows one step
 * only; what is known of the steps before comes in.
 */

import assert from 'node:assert/strict';
import type { InvoiceStatus } from '../../../../src/contract/types.js';
import type {
  CheckoutEvent,
  Command,
  Outcome,
  TrackedInvoice,
  State,
} from '../../../../src/checkout/machine/state.js';
import { isPayment } from '../../../../src/checkout/machine/tracked-invoice.js';
import { isCardPending, findWatch } from '../../../../src/checkout/machine/state.js';
import { canary } from './moves.js';

export type Creation = Extract<Command, { type: 'request' }>;
export type LookUp = Extract<Command, { type: 'look_up' }>;

/** One step: an event, what was in flight before it, and what came of it. */
export interface Step {
  readonly before: State;
  readonly event: CheckoutEvent;
  readonly outcome: Outcome;
  readonly lookUp: LookUp | null;
  readonly creation: Creation | null;
  readonly nowMs: number;
}

/**
 * The same object if and only if nothing happened; `paid` is left by fresh starts alone, and so is `confirming` but for
 * a card of which the proxy said that nothing was charged (see charge-books).
 */
export function checkIdentity({ before, event, outcome }: Step): void {
  const { state, commands } = outcome;
  const fresh = event.type === 'reset' || event.type === 'order_changed';
  if (state === before) assert.ok(commands.length === 0 || fresh, 'no command without a change');
  else if (commands.length === 0) assert.notDeepEqual(state, before, 'no change without a change');
  if (fresh) return;
  if (before.phase === 'paid') assert.equal(state, before, 'paid absorbs');
  if (before.phase === 'confirming') {
    const ended = state.phase === 'form' || state.phase === 'failed';
    const mayFollow: readonly string[] = isCodeMade({ before, event }) ? ['awaiting'] : [];
    const next = ['confirming', 'paid', ...mayFollow];
    assert.ok(ended ? isCardPending(before) : next.includes(state.phase));
    const paid = findWatch(state)?.invoices.some(isPayment);
    assert.ok(!(ended && paid), 'nothing may be paid again');
  }
}

/** A Pix press was turned away, and the proxy names the code that it made by that very key. */
export function isCodeMade({ before, event }: Pick<Step, 'before' | 'event'>): boolean {
  return isWaiting(before) && event.type === 'answered' && 'invoice' in event.answer;
}

/** A Pix press was turned away for a card of the order, and waits for that card's outcome. */
export function isWaiting(state: State): boolean {
  return state.phase === 'confirming' && state.attempt?.standing === 'contended_pix';
}

/** `paid` exactly when a look-up in flight says so, and invoice, reference and total are those that are known. */
export function checkPaid({ before, event, outcome, lookUp }: Step): void {
  const { state, commands } = outcome;
  const told = commands.filter((it) => it.type === 'emit' && it.event.name === 'paid');
  const entered = state.phase === 'paid' && before.phase !== 'paid';
  assert.equal(told.length, entered ? 1 : 0, 'pix-paid comes with the phase');
  const known = lookUp && knownOf(before, lookUp.invoiceId);
  const found = foundBy(event);
  const agrees =
    found !== null &&
    known !== null &&
    found.status === 'paid' &&
    found.invoice_id === known.invoiceId &&
    (known.totalCents === null || known.totalCents === found.total_cents) &&
    (known.externalId === null || known.externalId === found.external_id);
  if (!entered) {
    const unverified = known !== null && !known.verified;
    assert.ok(!agrees || unverified, 'a payment that agrees is shown');
    return;
  }
  assert.ok(agrees, 'paid only by a look-up that agrees');
  assert.equal(state.invoice.invoiceId, found?.invoice_id);
  assert.equal(state.invoice.totalCents, found?.total_cents);
}

/** What a look-up found, if it is one that did. */
function foundBy(event: CheckoutEvent): InvoiceStatus | null {
  return event.type === 'looked_up' && 'invoice' in event.answer ? event.answer.invoice : null;
}

function knownOf(state: State, invoiceId: string) {
  return findWatch(state)?.invoices.find((invoice) => invoice.invoiceId === invoiceId) ?? null;
}

/** `expired` only by a look-up of the newest after its deadline; back to it only where it was before. */
export function checkExpired({ before, event, outcome, nowMs }: Step, expired: Set<string>): void {
  const { state } = outcome;
  if (state.phase !== 'expired' || before.phase === 'expired') return;
  const [newest]: readonly TrackedInvoice[] = state.watch.invoices;
  assert.ok(newest);
  if (before.phase === 'creating') {
    assert.ok(expired.has(newest.invoiceId), 'it had expired before');
    return;
  }
  assert.equal(foundBy(event)?.invoice_id, newest.invoiceId);
  assert.ok((newest.deadlineMs ?? Infinity) <= nowMs, 'the deadline has passed');
  expired.add(newest.invoiceId);
}

/** One request of a kind at a time, `pix-created` for a POST of ours, and nothing personal anywhere. */
export function checkCommands({ event, outcome, creation }: Step): void {
  const { state, commands } = outcome;
  const count = (is: (command: Command) => boolean) => commands.filter(is).length;
  assert.ok(count(({ type }) => type === 'look_up') <= 1);
  assert.ok(count(({ type }) => type === 'request') <= 1);
  if (count((it) => it.type === 'emit' && it.event.name === 'created') > 0) {
    assert.ok(event.type === 'answered' && 'invoice' in event.answer);
    assert.ok(creation && creation.action !== 'recover', 'pix-created only for a POST of ours');
  }
  assert.ok(!JSON.stringify([state, commands]).includes(canary), 'nothing personal is kept');
}
