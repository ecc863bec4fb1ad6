/**
 * A model of what surrounds the machine (the clock, and the requests as the controller keeps them: one of each kind, a
 * newer one in the older one's place), and what must always hold, checked after each step.
 */

import assert from 'node:assert/strict';
import type { CheckoutEvent, Command, Failure } from '../../../src/checkout/machine/messages.js';
import type { Outcome } from '../../../src/checkout/machine/outcome.js';
import { lookUpDueMs } from '../../../src/checkout/machine/polling.js';
import { emptyForm, isCharging, pollingOf, watchOf } from '../../../src/checkout/machine/state.js';
import type { Offer, State, Terms } from '../../../src/checkout/machine/state.js';
import { nextDueMs, transition } from '../../../src/checkout/machine/transition.js';
import { openBooks } from './charge-books.js';
import type { Stored } from './charge-books.js';
import { canary } from './moves.js';
import type { Move } from './moves.js';
import { failure } from './samples.js';

type Creation = Extract<Command, { type: 'create' | 'recover' | 'charge' }>;
type LookUp = Extract<Command, { type: 'look_up' }>;

/** One step: an event, and what came of it. */
interface Step {
  readonly before: State;
  readonly event: CheckoutEvent;
  readonly outcome: Outcome;
  /** The look-up that was in flight before. */
  readonly lookUp: LookUp | null;
  readonly creation: Creation | null;
  readonly nowMs: number;
}

/** Opens a model at the empty form. `step` gives the state after a move, or throws what does not hold. */
export function openModel(terms: Terms): { step(move: Move): State } {
  let state: State = emptyForm;
  let nowMs = 0;
  let creation: Creation | null = null;
  let lookUp: LookUp | null = null;
  let tokenizing = false;
  let stored: Stored = null;
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
          ? [{ type: 'create_failed', failure: move.answer }]
          : [{ type: 'created', invoice: move.answer }];
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
        return [{ type: 'card_submitted', attemptKey: nextCardKey() }];
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

  /** As the controller does when its element is taken out of the page, and put back. */
  function leaveAndReturn(): CheckoutEvent[] {
    apply({ type: 'paused' });
    if (isCharging(state) && creation) apply({ type: 'create_failed', failure: cut });
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
    const sought = { invoiceId, lookupToken, externalId, totalCents, createdAtMs: null };
    return [fresh, { type: 'following', sought, method, attemptKey }];
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
    const { before, creation: asked } = step;
    const { commands } = outcome;
    books.note({ before, event, after: state, commands, stored, creation: asked });
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
        stored = command;
        return;
      case 'forget':
        stored = null;
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
    const asking = pollingOf(state)?.activity.kind === 'asking';
    assert.equal(asking, lookUp !== null, 'the machine knows whether a look-up is in flight');
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
    } else if (state.phase === 'confirming' && state.asking) {
      assert.ok(
        creation !== null || state.asking.retryAtMs !== null,
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
    if (state.phase === 'awaiting') assert.ok(state.watch.offers[0].code, 'a code is shown');
    for (const { invoiceId, code } of watchOf(state)?.offers ?? []) {
      if (!code) continue;
      const known = codes.get(invoiceId) ?? code.text;
      assert.equal(code.text, known, 'the code of an invoice never changes');
      codes.set(invoiceId, known);
    }
  }
}

/**
 * The same object if and only if nothing happened; `paid` is left by fresh starts alone, and so is `confirming` but for
 * a card of which the proxy said that nothing was charged (see charge-books).
 */
function checkIdentity({ before, event, outcome }: Step): void {
  const { state, commands } = outcome;
  const fresh = event.type === 'reset' || event.type === 'order_changed';
  if (state === before) assert.ok(commands.length === 0 || fresh, 'no command without a change');
  else if (commands.length === 0) assert.notDeepEqual(state, before, 'no change without a change');
  if (fresh) return;
  if (before.phase === 'paid') assert.equal(state, before, 'paid absorbs');
  if (before.phase === 'confirming') {
    const ended = state.phase === 'form' || state.phase === 'failed';
    assert.ok(ended ? isCharging(before) : ['confirming', 'paid'].includes(state.phase));
    const paid = watchOf(state)?.offers.some(({ status }) => status === 'paid');
    assert.ok(!(ended && paid), 'nothing may be paid again');
  }
}

/** `paid` exactly when a look-up in flight says so, and invoice, reference and total are those that are known. */
function checkPaid({ before, event, outcome, lookUp }: Step): void {
  const { state, commands } = outcome;
  const told = commands.filter((it) => it.type === 'emit' && it.event.name === 'paid');
  const entered = state.phase === 'paid' && before.phase !== 'paid';
  assert.equal(told.length, entered ? 1 : 0, 'pix-paid comes with the phase');
  const known = lookUp && knownOf(before, lookUp.invoiceId);
  const agrees =
    event.type === 'looked_up' &&
    known !== null &&
    event.invoice.status === 'paid' &&
    event.invoice.invoice_id === known.invoiceId &&
    (known.totalCents === null || known.totalCents === event.invoice.total_cents) &&
    (known.externalId === null || known.externalId === event.invoice.external_id);
  if (!entered) {
    const unvouched = known !== null && 'vouched' in known && !known.vouched;
    assert.ok(!agrees || unvouched, 'a payment that agrees is shown');
    return;
  }
  assert.ok(agrees, 'paid only by a look-up that agrees');
  assert.equal(state.offer.invoiceId, event.invoiceId);
  assert.equal(state.offer.totalCents, event.invoice.total_cents);
}

function knownOf(state: State, invoiceId: string) {
  if (state.phase === 'creating' && state.task === 'following') return state.sought;
  return watchOf(state)?.offers.find((offer) => offer.invoiceId === invoiceId) ?? null;
}

/** `expired` only by a look-up of the newest after its deadline; back to it only where it was before. */
function checkExpired({ before, event, outcome, nowMs }: Step, expired: Set<string>): void {
  const { state } = outcome;
  if (state.phase !== 'expired' || before.phase === 'expired') return;
  const [newest]: readonly Offer[] = state.watch.offers;
  assert.ok(newest);
  if (before.phase === 'creating') {
    assert.ok(expired.has(newest.invoiceId), 'it had expired before');
    return;
  }
  assert.equal(event.type === 'looked_up' && event.invoice.invoice_id, newest.invoiceId);
  assert.ok((newest.deadlineMs ?? Infinity) <= nowMs, 'the deadline has passed');
  expired.add(newest.invoiceId);
}

/** One request of a kind at a time, `pix-created` for a POST of ours, and nothing personal anywhere. */
function checkCommands({ event, outcome, creation }: Step): void {
  const { state, commands } = outcome;
  const count = (is: (command: Command) => boolean) => commands.filter(is).length;
  assert.ok(count(({ type }) => type === 'look_up') <= 1);
  assert.ok(count(({ type }) => ['create', 'recover', 'charge'].includes(type)) <= 1);
  if (count((it) => it.type === 'emit' && it.event.name === 'created') > 0) {
    assert.equal(event.type, 'created');
    assert.ok(
      creation?.type === 'create' || creation?.type === 'charge',
      'pix-created only for a POST of ours',
    );
  }
  assert.ok(!JSON.stringify([state, commands]).includes(canary), 'nothing personal is kept');
}

/** A request that was given up with the element: nobody's word. */
const cut: Failure = failure('network');
