/**
 * A model of what surrounds the machine (the clock, and the requests as the controller keeps them: one of each kind, a
 * newer one in the older one's place). After each step it checks what must always hold (laws.ts, charge-books.ts).
 */

import assert from 'node:assert/strict';
import type {
  CheckoutEvent,
  Command,
  Failure,
} from '../../../src/checkout/machine/events-and-commands.js';
import { lookUpDueMs } from '../../../src/checkout/machine/polling.js';
import { emptyForm, isCharging, pollingOf, watchOf } from '../../../src/checkout/machine/state.js';
import type { State, Terms } from '../../../src/checkout/machine/state.js';
import { nextDueMs, transition } from '../../../src/checkout/machine/transition.js';
import { openBooks } from './charge-books.js';
import type { Stored } from './charge-books.js';
import { checkCommands, checkExpired, checkIdentity, checkPaid } from './laws.js';
import type { Creation, LookUp, Step } from './laws.js';
import type { Move } from './moves.js';
import { failure } from './samples.js';

/** Opens a model at the empty form. `step` gives the state after a move, or throws what does not hold. */
export function openModel(terms: Terms): { step(move: Move): State } {
  let state: State = emptyForm;
  let nowMs = 0;
  let creation: Creation | null = null;
  let lookUp: LookUp | null = null;
  let tokenizing = false;
  let stored: Stored = null;
  /** Card attempts of which this page load knows how they ended. */
  const settled = new Set<string | null>();
  let cards = 0;
  const books = openBooks();
  /** Whether the page is away, or the line down: then nothing has to be due. */
  let away = false;
  /** The code of each invoice, since the last form. */
  const codes = new Map<string, string>();
  const expired = new Set<string>();

  return {
    step(move) {
      for (const event of toEvents(move)) apply(event);
      return state;
    },
  };

  function toEvents(move: Move): CheckoutEvent[] {
    switch (move.kind) {
      case 'event':
        return [move.event];
      case 'creation_answered':
        if (!creation) return [];
        return 'code' in move.answer
          ? [{ type: 'create_failed', purpose: creation.purpose, failure: move.answer }]
          : [{ type: 'created', purpose: creation.purpose, invoice: move.answer }];
      case 'look_up_answered': {
        // What was not asked, or was given up, changes nothing.
        const invoiceId = lookUp?.invoiceId ?? 'invoice-0001';
        if ('code' in move.answer) {
          return [{ type: 'look_up_failed', invoiceId, failure: move.answer }];
        }
        const invoice = move.foreign ? move.answer : { ...move.answer, invoice_id: invoiceId };
        return [{ type: 'looked_up', invoiceId, invoice }];
      }
      case 'card_submitted':
        return [{ type: 'card_submitted', attemptKey: nextCardKey(), shared: isOpenCard() }];
      case 'card_prepared':
        return tokenizing ? [{ type: move.ready ? 'card_ready' : 'card_failed' }] : [];
      case 'moved':
        return leaveAndReturn();
      case 'begun':
        // An element that finds a card attempt in its record resumes that.
        return stored?.method === 'credit_card'
          ? resume()
          : [{ type: 'order_changed' }, move.event];
      case 'reloaded':
        settled.clear();
        return resume();
      case 'passed':
        nowMs += move.ms;
        return [{ type: 'ticked' }];
      case 'due':
        passToDue();
        return [];
      default:
        return move satisfies never;
    }
  }

  /** As the controller does: the stored attempt's key, or a new one. */
  function nextCardKey(): string {
    const { attemptKey = '' } = stored ?? {};
    return stored?.method === 'credit_card' ? attemptKey : `card-${(cards += 1)}`;
  }

  /** As the controller keeps a card's record. */
  function isOpenCard(): boolean {
    return stored?.method === 'credit_card' && !settled.has(stored.attemptKey);
  }

  /** As the controller does when its element is taken out of the page, and put back. */
  function leaveAndReturn(): CheckoutEvent[] {
    apply({ type: 'paused' });
    if (isCharging(state) && creation) {
      apply({ type: 'create_failed', purpose: creation.purpose, failure: cut });
    }
    apply({ type: 'card_failed' });
    [creation, lookUp, tokenizing] = [null, null, false];
    return [{ type: 'returned' }];
  }

  /** As the element does with its record. */
  function resume(): CheckoutEvent[] {
    const fresh: CheckoutEvent = { type: 'order_changed' };
    if (!stored) return [fresh];
    const { attemptKey, method, invoiceId, lookupToken, totalCents } = stored;
    if (invoiceId === null) return [fresh, { type: 'recovering', attemptKey, method, totalCents }];
    const { externalId } = terms;
    const pendingLookUp = { invoiceId, lookupToken, externalId, totalCents, createdAtMs: null };
    return [fresh, { type: 'following', pendingLookUp, method, attemptKey }];
  }

  /** A few ticks do all that is due at a moment: more would be a loop. */
  function passToDue(): void {
    nowMs = Math.max(nowMs, nextDueMs(state) ?? nowMs);
    for (let ticks = 0; ticks < 4 && (nextDueMs(state) ?? Infinity) <= nowMs; ticks += 1) {
      apply({ type: 'ticked' });
    }
    assert.ok((nextDueMs(state) ?? Infinity) > nowMs, 'a tick does what was due');
  }

  function apply(event: CheckoutEvent): void {
    const outcome = transition(state, event, { nowMs, random: 0.5, terms });
    const step: Step = { before: state, event, outcome, lookUp, creation, nowMs };
    state = outcome.state;
    if (event.type === 'paused') away = true;
    if (event.type === 'returned') away = false;
    // Answered, whatever comes of it.
    if (event.type === 'created' || event.type === 'create_failed') creation = null;
    if (event.type === 'looked_up' || event.type === 'look_up_failed') lookUp = null;
    if (event.type === 'card_ready' || event.type === 'card_failed') tokenizing = false;
    for (const command of outcome.commands) note(command);
    books.note(step, stored);
    checkIdentity(step);
    checkPaid(step);
    checkExpired(step, expired);
    checkCommands(step);
    checkRequests();
    checkNextStep();
    checkCodes();
  }

  function note(command: Command): void {
    switch (command.type) {
      case 'create':
      case 'recover':
      case 'charge':
        creation = command;
        return;
      case 'look_up':
        lookUp = command;
        return;
      case 'tokenize':
        tokenizing = true;
        return;
      case 'remember':
        if (isOpenCard() && stored?.attemptKey !== command.attemptKey) return;
        settled.delete(command.attemptKey);
        stored = command;
        return;
      case 'settle':
        settled.add(command.attemptKey);
        return;
      case 'forget':
        if (!isOpenCard()) stored = null;
        return;
      case 'abort':
        lookUp = null;
        if (command.what === 'all') [creation, tokenizing] = [null, false];
        return;
      case 'emit':
        return;
      default:
        command satisfies never;
    }
  }

  function checkRequests(): void {
    const inquiry = pollingOf(state)?.activity.kind === 'in_flight';
    assert.equal(inquiry, lookUp !== null, 'the machine knows whether a look-up is in flight');
    const idle = ['form', 'paid', 'failed'].includes(state.phase);
    if (idle && watchOf(state) === null) {
      assert.deepEqual([creation, lookUp], [null, null], 'nothing is in flight that has no use');
    }
  }

  /** Something is under way or due, or the payer or the page can act. */
  function checkNextStep(): void {
    const polling = pollingOf(state);
    if (state.phase === 'creating' && 'retryAtMs' in state) {
      assert.ok(creation !== null || state.retryAtMs !== null, 'a creation is under way or due');
    } else if (state.phase === 'creating' && state.task === 'charging') {
      if (state.step === 'tokenizing') assert.ok(tokenizing, 'the card is being made ready');
      if (state.step === 'sending') assert.equal(creation?.type, 'charge', 'it is being sent');
    } else if (state.phase === 'confirming' && state.inquiry) {
      assert.ok(
        creation !== null || state.inquiry.retryAtMs !== null,
        'it is asked for, or will be',
      );
    }
    if (polling) {
      const goesOn = lookUp !== null || creation !== null || lookUpDueMs(polling) !== null;
      assert.ok(goesOn || away, `look-ups go on in ${state.phase}`);
    }
  }

  function checkCodes(): void {
    if (state.phase === 'form' && !state.watch) codes.clear();
    if (state.phase === 'awaiting') assert.ok(state.watch.invoices[0].code, 'a code is shown');
    for (const { invoiceId, code } of watchOf(state)?.invoices ?? []) {
      if (!code) continue;
      const known = codes.get(invoiceId) ?? code.text;
      assert.equal(code.text, known, 'the code of an invoice never changes');
      codes.set(invoiceId, known);
    }
  }
}

/** A request that was given up with the element: nobody's word. */
const cut: Failure = failure('network');
