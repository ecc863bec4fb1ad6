/**
 * A model of what surrounds the machine (the clock, and the requests as the controller keeps them: one of each kind, a
 * newer one in the older one's place). After each step it checks what must always hold (laws.ts, charge-books.ts).
 */

import assert from 'node:assert/strict';
import type { CreatedInvoice } from '../../../../src/contract/types.js';
import type {
  Answer,
  CheckoutEvent,
  Command,
  State,
  Terms,
} from '../../../../src/checkout/machine/state.js';
import {
  findAttempt,
  emptyForm,
  isAt,
  isCardPending,
  findWatch,
} from '../../../../src/checkout/machine/state.js';
import { findNextDueMs, transition } from '../../../../src/checkout/machine/transition.js';
import { openBooks } from '../charge/charge-books.js';
import type { Stored } from '../charge/charge-books.js';
import { checkCommands, checkExpired, checkIdentity, checkPaid } from './laws.js';
import type { Creation, LookUp, Step } from './laws.js';
import type { Move } from './moves.js';
import { failure } from '../samples.js';

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
          ? [answered(creation, { failure: move.answer })]
          : [answered(creation, { invoice: move.answer })];
      case 'look_up_answered': {
        // An answer to no request, or to one that was given up, changes nothing.
        const invoiceId = lookUp?.invoiceId ?? 'invoice-0001';
        if ('code' in move.answer) {
          return [{ type: 'looked_up', invoiceId, answer: { failure: move.answer } }];
        }
        const invoice = move.foreign ? move.answer : { ...move.answer, invoice_id: invoiceId };
        return [{ type: 'looked_up', invoiceId, answer: { invoice } }];
      }
      case 'card_submitted':
        return [submitCard()];
      case 'card_prepared':
        return tokenizing ? [{ type: 'card_prepared', ready: move.ready }] : [];
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
  function submitCard(): CheckoutEvent {
    const method = 'credit_card';
    const attemptKey = stored?.method === method ? stored.attemptKey : `card-${(cards += 1)}`;
    return { type: 'submitted', method, attemptKey };
  }

  /** As the controller keeps a card's record. */
  function isOpenCard(): boolean {
    return stored?.method === 'credit_card' && !settled.has(stored.attemptKey);
  }

  /** As the controller does when its element is taken out of the page, and put back. */
  function leaveAndReturn(): CheckoutEvent[] {
    apply({ type: 'paused' });
    if (creation?.purpose === 'charge') {
      apply(answered(creation, { failure: failure('network') }));
    }
    apply({ type: 'card_prepared', ready: false });
    [creation, lookUp, tokenizing] = [null, null, false];
    return [{ type: 'returned' }];
  }

  /** As the element does with its record. */
  function resume(): CheckoutEvent[] {
    const fresh: CheckoutEvent = { type: 'order_changed' };
    if (!stored) return [fresh];
    return [fresh, { ...stored, type: 'resumed', createdAtMs: null }];
  }

  /** A few ticks do all that is due at a moment: more would be a loop. */
  function passToDue(): void {
    if (findNextDueMs(state) === Infinity) return;
    nowMs = Math.max(nowMs, findNextDueMs(state));
    for (let ticks = 0; ticks < 4 && findNextDueMs(state) <= nowMs; ticks += 1) {
      apply({ type: 'ticked' });
    }
    assert.ok(findNextDueMs(state) > nowMs, 'a tick does what was due');
  }

  function apply(event: CheckoutEvent): void {
    const outcome = transition(state, event, { nowMs, random: 0.5, terms, freshKey: 'fresh' });
    const step: Step = { before: state, event, outcome, lookUp, creation, nowMs };
    state = outcome.state;
    if (event.type === 'paused') away = true;
    if (event.type === 'returned') away = false;
    // Answered, whatever comes of it.
    if (event.type === 'answered') creation = null;
    if (event.type === 'looked_up') lookUp = null;
    if (event.type === 'card_prepared') tokenizing = false;
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
      case 'request':
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
      case 'forget':
        settled.add(command.attemptKey);
        if (!command.keepsKey && !isOpenCard()) stored = null;
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
    const inFlight = (findWatch(state)?.sinceMs ?? null) !== null;
    assert.equal(inFlight, lookUp !== null, 'the machine knows whether a look-up is in flight');
    const idle = ['form', 'paid', 'failed'].includes(state.phase);
    if (idle && findWatch(state) === null) {
      assert.deepEqual([creation, lookUp], [null, null], 'nothing is in flight that has no use');
    }
  }

  /** Something is under way or due, or the payer or the page can act. */
  function checkNextStep(): void {
    const watch = findWatch(state);
    const attempt = findAttempt(state);
    if (state.phase === 'creating' && isCardPending(state)) {
      if (isAt(state, 'tokenizing')) assert.ok(tokenizing, 'the card is being made ready');
      if (isAt(state, 'barring'))
        assert.ok(creation ?? attempt?.retryAtMs, 'its key is being barred, or will be');
      if (isAt(state, 'sending')) assert.equal(creation?.action, 'charge', 'it is being sent');
    } else if (attempt) {
      assert.ok(creation !== null || attempt.retryAtMs !== null, 'it is asked for, or will be');
    }
    if (watch) {
      const goesOn = lookUp !== null || creation !== null || watch.dueMs !== null;
      assert.ok(goesOn || away, `look-ups go on in ${state.phase}`);
    }
  }

  function checkCodes(): void {
    if (state.phase === 'form' && !state.watch) codes.clear();
    if (state.phase === 'awaiting') assert.ok(state.watch.invoices[0].code, 'a code is shown');
    for (const { invoiceId, code } of findWatch(state)?.invoices ?? []) {
      if (!code) continue;
      const known = codes.get(invoiceId) ?? code.text;
      assert.equal(code.text, known, 'the code of an invoice never changes');
      codes.set(invoiceId, known);
    }
  }
}

function answered({ purpose }: Creation, answer: Answer<CreatedInvoice>): CheckoutEvent {
  return { type: 'answered', purpose, answer };
}
