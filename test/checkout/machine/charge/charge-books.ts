/**
 * The books of card attempts, kept beside the machine: what was charged, how it ended, and by whose word. Knows the
 * commands and the answers only, and throws where a card could be charged twice.
 */

import assert from 'node:assert/strict';
import { errorCodes, isErrorCode } from '../../../../src/contract/codes.js';
import type { CheckoutEvent, Command, State } from '../../../../src/checkout/machine/state.js';
import { isCardPending, findWatch } from '../../../../src/checkout/machine/state.js';
import { isCodeMade, isWaiting } from '../model/laws.js';
import type { Step } from '../model/laws.js';

/** A card attempt of which no word has said that it ended. */
interface OpenAttempt {
  /** `null`: the page named its invoice. */
  readonly key: string | null;
  readonly invoiceId: string | null;
  /** It was charged here, not found by its invoice. */
  readonly charged: boolean;
  /** The charge was turned away because the shop does not know the order. */
  readonly isUnknownOrder?: boolean;
}

/** The record of an attempt that a reload finds. */
export type Stored = Extract<Command, { type: 'remember' }> | null;

/** Opens empty books. */
export function openBooks() {
  let open: OpenAttempt | null = null;
  /** Keys of attempts that the proxy has refused: another attempt takes another. */
  const refused = new Set<string | null>();

  return {
    /** @param stored the record after the step */
    note(step: Step, stored: Stored): void {
      const { before, event, outcome } = step;
      const { state: after, commands } = outcome;
      const ended = open !== null && isEnd(step, open);
      if (ended && open) {
        if (codeOf(event) === 'payment_refused') refused.add(open.key);
        open = null;
      }
      if (open && step.creation?.action === 'charge' && codeOf(event) === 'unknown_order') {
        open = { ...open, isUnknownOrder: true };
      }
      if (before.phase === 'confirming' && (after.phase === 'form' || after.phase === 'failed')) {
        const isOver = ended || isFresh(event) || (isWaiting(before) && isTurnedLoose(step));
        assert.ok(isOver, 'what is open is not given up');
      }
      for (const command of commands) noteCommand(command, step);
      noteInvoice(after);
      if (open?.charged && event.type !== 'order_changed') {
        assert.ok(after.phase === 'creating' || isCardPending(after), 'what is open is followed');
      }
      if (event.type === 'reset' && open) assert.equal(after, before, 'reset is refused');
      if (open?.charged) assert.equal(stored?.attemptKey, open.key, 'a reload finds its key');
      if (event.type === 'order_changed' && !open?.charged) open = null;
    },
  };

  function noteCommand(command: Command, { before, event }: Step): void {
    if (command.type === 'request' && command.action === 'create') {
      assert.equal(open, null, 'no code is asked for while a card is open');
      assert.ok(!isCardKey(command.attemptKey), 'no code is asked for with the key of a card');
    }
    if (isWaiting(before) && command.type === 'request') {
      assert.equal(command.action, 'recover', 'nothing is paid while a card of the order is open');
    }
    if (command.type !== 'request' || command.action !== 'charge') return;
    assert.equal(open, null, 'one card at a time');
    const first = findWatch(before) === null || event.type === 'looked_up';
    assert.ok(first, 'a look-up of the open code comes first');
    assert.ok(!refused.has(command.attemptKey), 'another attempt takes another key');
    open = { key: command.attemptKey, invoiceId: null, charged: true };
  }

  function noteInvoice(state: State): void {
    if (state.phase !== 'confirming') return;
    const { attempt, watch } = state;
    // Asked for after a reload: it may have been made then.
    if (attempt && !isWaiting(state))
      open ??= { key: attempt.attemptKey, invoiceId: null, charged: true };
    if (attempt) return;
    if (watch?.invoices[0].method !== 'credit_card') return;
    const { invoiceId } = watch.invoices[0];
    open = open ? { ...open, invoiceId } : { key: watch.attemptKey, invoiceId, charged: false };
  }
}

/** Keys of cards are told from those of Pix by their looks, in the model only. */
function isCardKey(key: string): boolean {
  return key.startsWith('card-');
}

/** The proxy's own word lets a Pix press go that was turned away for a card of the order. */
function isTurnedLoose(step: Step): boolean {
  const code = codeOf(step.event) ?? '';
  return isCodeMade(step) || ['not_found', 'payment_refused', 'order_paid'].includes(code);
}

/** A fresh start by the page. */
function isFresh({ type }: CheckoutEvent): boolean {
  return type === 'reset' || type === 'order_changed';
}

function codeOf(event: CheckoutEvent): string | null {
  return 'answer' in event && 'failure' in event.answer && event.answer.failure.told
    ? event.answer.failure.code
    : null;
}

/** Whether the proxy's own word has ended the attempt. */
function isEnd({ event, outcome, creation }: Step, open: OpenAttempt): boolean {
  if (outcome.state.phase === 'paid') return true;
  const code = codeOf(event);
  if (code === null) return false;
  if (event.type === 'looked_up') {
    return code === 'payment_refused' && event.invoiceId === open.invoiceId;
  }
  if (isErrorCode(code) && errorCodes[code].binds) return true;
  // Said of the charge itself it bars nothing: a repeat of the request may still arrive.
  if (creation?.action !== 'recover' || open.invoiceId !== null) return false;
  return code === 'not_found' || (code === 'unknown_order' && open.isUnknownOrder === true);
}
