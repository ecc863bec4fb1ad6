/**
 * The checkout's state machine: (state, event) → state and commands. Every rule of what a payer may see next is here or
 * in the files beside it. Pure: the time, a random number and the page's terms come in as `Given`.
 *
 * Promises kept here: `paid` absorbs, for nothing is followed or asked for in it. What is open is never reset. An event
 * that does not apply returns the same object.
 */

import type { CreatedInvoice, Method } from '../../contract/types.js';
import {
  afterCardPrepared,
  bar,
  inquire,
  resumeCard,
  startCharging,
  afterCharged,
  afterChargeFailed,
  afterInquiryFailed,
  afterRefused,
} from './charge.js';
import {
  afterCreationFailed,
  afterInvoice,
  afterOrderPaid,
  afterRenewalFailed,
  afterRenewed,
  renewedWatch,
  askForInvoice,
  startPosting,
  toPosting,
} from './creation.js';
import {
  abortAll,
  forget,
  confirm,
  fatal,
  isRefusal,
  show,
  to,
  toFailed,
  withWatch,
  attemptOf,
  emptyForm,
  isAt,
  isCharging,
  isOfCode,
  isPosting,
  isSent,
  unresolvedCharge,
  watchOf,
} from './state.js';
import type {
  Answer,
  CheckoutEvent,
  Former,
  Purpose,
  Submitted,
  Outcome,
  AwaitingState,
  ExpiredState,
  FormState,
  Given,
  State,
} from './state.js';
import { afterLookUp, lookUpIfDue } from './look-up-result.js';
import {
  afterReturn,
  goOnIfPaused,
  isPaused,
  pause,
  quick,
  startWatch,
} from './tracked-invoice.js';

/** How long the page may take to keep its promise of an invoice before the payer is told. */
const promiseForMs = 30_000;

/** Applies one event. */
export function transition(state: State, event: CheckoutEvent, given: Given): Outcome {
  const outcome = apply(state, event, given) || to(state);
  const isIgnored = outcome.state === state && event.type !== 'ticked';
  return isIgnored ? outcome : lookUpIfDue(outcome, given);
}

/** Without an outcome the event does not apply. */
type Move = Outcome | null | false;

function apply(state: State, event: CheckoutEvent, given: Given): Move {
  const isForm = state.phase === 'form';
  switch (event.type) {
    case 'submitted':
      return isForm && submit(state, event, given);
    case 'method_chosen':
      return choose(state, event.method);
    case 'new_code_asked':
      return isOfCode(state) && replaceCode(state, event.attemptKey, given);
    case 'check_asked':
      return lookUpNow((state.phase === 'confirming' && askAgain(state)) || to(state), given);
    case 'answered':
      return afterAnswered(state, event.purpose, event.answer, given);
    case 'looked_up':
      return afterLookUp(state, event.invoiceId, event.answer, given);
    case 'card_prepared':
      return isAt(state, 'tokenizing') && afterCardPrepared(state, event.ready, given);
    case 'ticked':
      return afterTick(state, given);
    case 'returned':
      return lookUpNow(askAgain(state) || to(state), given);
    case 'paused':
      return afterPaused(state);
    case 'resumed':
      return isForm && resume(event, given);
    case 'promised':
      return isForm && awaitPromised(given);
    case 'given':
      return mayPromiseBeKept(state) && take(state, event, given);
    case 'failed':
      return mayPromiseFail(state) && toFailed(fatal(event.code), null, abortAll);
    case 'reset':
      // Refused while a creation is in flight, or a card's outcome open: it would be lost.
      return state.phase !== 'creating' && !isCharging(state) && to(emptyForm, abortAll, forget());
    case 'order_changed':
      // A Pix creation may be given up here: its code was never shown.
      return to(emptyForm, abortAll);
    default:
      return event satisfies never;
  }
}

/** The proxy answered a request for an invoice, or did not. One that was given up since changes nothing. */
function afterAnswered(
  state: State,
  purpose: Purpose,
  answer: Answer<CreatedInvoice>,
  given: Given,
): Move {
  const posting = purpose === 'invoice' && isPosting(state) && state;
  const card = purpose === 'charge' && unresolvedCharge(state);
  const renewed = purpose === 'renewal' && renewedWatch(state);
  if ('invoice' in answer) {
    const { invoice } = answer;
    if (posting) return afterInvoice(posting, invoice, given);
    if (card) {
      return card.standing === 'contended_pix'
        ? afterInvoice(toPosting(card.attemptKey, given, { task: 'recovering' }), invoice, given)
        : afterCharged(state, card, invoice, given);
    }
    return renewed && afterRenewed(state, renewed, invoice, given);
  }
  const { failure } = answer;
  if (failure.code === 'order_paid' && (posting || card || renewed)) {
    return afterOrderPaid(state, failure, given);
  }
  if (posting) return afterCreationFailed(posting, failure, given);
  if (isAt(state, 'sending')) return card && afterChargeFailed(state, failure, given);
  if (renewed) {
    return isRefusal(failure) && state.phase === 'confirming' && isCharging(state)
      ? afterRefused(state, renewed, failure)
      : afterRenewalFailed(state, renewed, failure, given);
  }
  // A look-up may have moved a charge in flight to `confirming`: its failure counts as that of an inquiry there.
  const asking = state.phase === 'confirming' ? state : card && confirm(watchOf(state), card);
  return card && asking && afterInquiryFailed(asking, card, failure, given);
}

/** The payer pays, or the page begins by itself. */
function submit({ watch, replaces }: FormState, event: Submitted, given: Given): Outcome {
  if (event.method === 'credit_card') return startCharging(event, watch, given);
  // A Pix code that is followed behind the form is the one there is.
  return watch ? to(show(watch)) : startPosting(toPosting(event.attemptKey, given, { replaces }));
}

/** An open Pix code stays followed while the card form shows; back to Pix, it is there again. */
function choose(state: State, method: Method): Move {
  if (isOfCode(state)) {
    return method === 'credit_card' && to({ ...emptyForm, watch: state.watch });
  }
  if (state.phase !== 'form') return false;
  if (method === 'pix' && state.watch) return to(show(state.watch));
  return state.error !== null && to({ ...state, error: null });
}

/** The payer wants another code instead of the one that is or was on the screen. */
function replaceCode(state: AwaitingState | ExpiredState, attemptKey: string, given: Given) {
  const { watch, phase } = state;
  const replaces = watch.invoices[0].invoiceId;
  // It takes the place of a renewal, for which look-ups would stand still.
  const before = { watch: goOnIfPaused(watch, given), expired: phase === 'expired' };
  return startPosting(toPosting(attemptKey, given, { replaces, ...before }));
}

/** A payer who was here before is not asked anything twice, and sees nothing until the answer. */
function resume(former: Former, given: Given): Outcome {
  const { nowMs, terms } = given;
  const { attemptKey, method, totalCents, invoiceId, lookupToken, createdAtMs } = former;
  if (invoiceId !== null) {
    const invoice = {
      invoiceId,
      orderCode: '',
      externalId: terms.externalId,
      method,
      totalCents,
      code: null,
      lookupToken,
      status: '',
      createdAtMs: createdAtMs ?? nowMs,
      deadlineMs: null,
      verified: true,
    };
    const watch = startWatch([invoice], attemptKey, nowMs, quick);
    return to({ phase: 'creating', task: 'following', watch });
  }
  if (attemptKey === null) return to(emptyForm);
  if (method === 'credit_card') return resumeCard(attemptKey, totalCents, 'own');
  const posting = toPosting(attemptKey, given, { task: 'recovering' });
  return to(posting, askForInvoice(posting));
}

/** One that we asked for before the element was there is as good as the answer to a request of its own. */
function take(state: State, event: Extract<CheckoutEvent, { type: 'given' }>, given: Given) {
  const { attemptKey, invoice } = event;
  const before = attemptKey === undefined ? state : toPosting(attemptKey, given);
  return afterInvoice(before, invoice, given);
}

function awaitPromised({ nowMs }: Given): Outcome {
  return to({ phase: 'creating', task: 'promised', untilMs: nowMs + promiseForMs });
}

/** A promise that breaks late must not hide a card that was sent since. */
function mayPromiseFail(state: State): boolean {
  return state.phase === 'form' || (state.phase === 'creating' && !isSent(state));
}

/** A promise that is kept after all is as good as one kept in time. */
function mayPromiseBeKept(state: State): boolean {
  const late = state.phase === 'failed' && state.error.code === 'network';
  return state.phase === 'form' || isAt(state, 'promised') || late;
}

/** When the next event `ticked` is due, monotonic milliseconds; `Infinity`: nothing is waited for. */
export function nextDueMs(state: State): number {
  const dues = [watchOf(state)?.dueMs, attemptOf(state)?.retryAtMs, deadlineOf(state)];
  return Math.min(...dues.map((atMs) => atMs ?? Infinity));
}

/** When a promise, or the newest code, is over. */
function deadlineOf(state: State): number | null {
  if (isAt(state, 'promised')) return state.untilMs;
  const isOpen = state.phase === 'awaiting' && !state.closing;
  return isOpen ? state.watch.invoices[0].deadlineMs : null;
}

function afterTick(state: State, given: Given): Move {
  const isDue = (atMs: number | null | undefined) => (atMs ?? Infinity) <= given.nowMs;
  if (isDue(deadlineOf(state))) {
    return state.phase === 'awaiting'
      ? lookUpNow(to({ ...state, closing: true }), given)
      : toFailed(fatal('network'), null);
  }
  return isDue(attemptOf(state)?.retryAtMs) && askAgain(state);
}

/** Makes a request again that may have died with the connection. The same key makes that harmless; a card is not sent. */
function askAgain(state: State): Move {
  if (state.phase === 'confirming') return state.attempt !== null && inquire(state, state.attempt);
  if (isSent(state)) return state.attempt.retryAtMs !== null && bar(state);
  if (!isPosting(state)) return false;
  return to({ ...state, attempt: { ...state.attempt, retryAtMs: null } }, askForInvoice(state));
}

/** Looks up at once, in place of a look-up in flight, then quickly (see polling.ts). */
function lookUpNow({ state, commands }: Outcome, { nowMs }: Given): Outcome {
  const watch = watchOf(state);
  return to(watch ? withWatch(state, afterReturn(watch, nowMs)) : state, ...commands);
}

function afterPaused(state: State): Move {
  const watch = watchOf(state);
  if (!watch || isPaused(watch)) return false;
  const inFlight = watch.sinceMs === null ? [] : [{ type: 'abort', what: 'look_up' } as const];
  return to(withWatch(state, pause(watch)), ...inFlight);
}
