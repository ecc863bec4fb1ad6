/**
 * The checkout's state machine: (state, event) → state and commands. Every rule of what a payer may see next is here or
 * in the files beside it. Pure: the time, a random number and the page's terms come in as `Given`.
 *
 * Promises kept here: `paid` absorbs, for nothing is followed or asked for in it. What is open is never reset. An event
 * that does not apply returns the same object.
 */

import type { CreatedInvoice, Method } from '../../contract/types.js';
import {
  applyCardPrepared,
  barKey,
  askForOutcome,
  resumeCard,
  startCharging,
  applyCharge,
  applyChargeFailure,
  applyInquiryFailure,
  applyRefusal,
} from './charge.js';
import {
  applyCreationFailure,
  applyInvoice,
  applyOrderPaid,
  applyRenewalFailure,
  applyRenewal,
  findRenewableWatch,
  toInvoiceRequest,
  startPosting,
  toPosting,
} from './creation.js';
import {
  abortAll,
  forget,
  toConfirmingState,
  toFatal,
  isRefusal,
  toCodeState,
  toOutcome,
  toFailed,
  replaceWatch,
  findAttempt,
  emptyForm,
  isAt,
  isCardPending,
  isCodePhase,
  isPosting,
  isCardSent,
  findUnresolvedCharge,
  findWatch,
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
import { applyLookUp, lookUpIfDue } from './look-up-result.js';
import {
  planAfterReturn,
  goOnIfPaused,
  isPaused,
  pauseLookUps,
  quickPace,
  startWatch,
} from './tracked-invoice.js';

/** How long the page may take to keep its promise of an invoice before the payer is told. */
const promiseForMs = 30_000;

/** Applies one event. */
export function transition(state: State, event: CheckoutEvent, given: Given): Outcome {
  const outcome = applyEvent(state, event, given) || toOutcome(state);
  const isIgnored = outcome.state === state && event.type !== 'ticked';
  return isIgnored ? outcome : lookUpIfDue(outcome, given);
}

/** Without an outcome the event does not apply. */
type Move = Outcome | null | false;

function applyEvent(state: State, event: CheckoutEvent, given: Given): Move {
  const isForm = state.phase === 'form';
  switch (event.type) {
    case 'submitted':
      return isForm && submit(state, event, given);
    case 'method_chosen':
      return chooseMethod(state, event.method);
    case 'new_code_asked':
      return isCodePhase(state) && replaceCode(state, event.attemptKey, given);
    case 'check_asked':
      return lookUpNow(
        (state.phase === 'confirming' && askAgain(state)) || toOutcome(state),
        given,
      );
    case 'answered':
      return applyAnswered(state, event.purpose, event.answer, given);
    case 'looked_up':
      return applyLookUp(state, event.invoiceId, event.answer, given);
    case 'card_prepared':
      return isAt(state, 'tokenizing') && applyCardPrepared(state, event.ready, given);
    case 'ticked':
      return applyTick(state, given);
    case 'returned':
      return lookUpNow(askAgain(state) || toOutcome(state), given);
    case 'paused':
      return applyPause(state);
    case 'resumed':
      return isForm && resume(event, given);
    case 'promised':
      return isForm && awaitPromised(given);
    case 'given':
      return mayPromiseBeKept(state) && takeGiven(state, event, given);
    case 'failed':
      return mayPromiseFail(state) && toFailed(toFatal(event.code), null, abortAll);
    case 'reset':
      // Refused while a creation is in flight, or a card's outcome open: it would be lost.
      return (
        state.phase !== 'creating' &&
        !isCardPending(state) &&
        toOutcome(emptyForm, abortAll, forget())
      );
    case 'order_changed':
      // A Pix creation may be given up here, because its code was never shown.
      return toOutcome(emptyForm, abortAll);
    default:
      return event satisfies never;
  }
}

/** The proxy answered a request for an invoice, or did not. One that was given up since changes nothing. */
function applyAnswered(
  state: State,
  purpose: Purpose,
  answer: Answer<CreatedInvoice>,
  given: Given,
): Move {
  const posting = purpose === 'invoice' && isPosting(state) && state;
  const card = purpose === 'charge' && findUnresolvedCharge(state);
  const renewed = purpose === 'renewal' && findRenewableWatch(state);
  if ('invoice' in answer) {
    const { invoice } = answer;
    if (posting) return applyInvoice(posting, invoice, given);
    if (card) {
      return card.standing === 'contended_pix'
        ? applyInvoice(toPosting(card.attemptKey, given, { task: 'recovering' }), invoice, given)
        : applyCharge(state, card, invoice, given);
    }
    return renewed && applyRenewal(state, renewed, invoice, given);
  }
  const { failure } = answer;
  if (failure.code === 'order_paid' && (posting || card || renewed)) {
    return applyOrderPaid(state, failure, given);
  }
  if (posting) return applyCreationFailure(posting, failure, given);
  if (isAt(state, 'sending')) return card && applyChargeFailure(state, failure, given);
  if (renewed) {
    return isRefusal(failure) && state.phase === 'confirming' && isCardPending(state)
      ? applyRefusal(state, renewed, failure)
      : applyRenewalFailure(state, renewed, failure, given);
  }
  // A look-up may have moved a charge in flight to `confirming`: its failure counts as that of an inquiry there.
  const asking =
    state.phase === 'confirming' ? state : card && toConfirmingState(findWatch(state), card);
  return card && asking && applyInquiryFailure(asking, card, failure, given);
}

/** The payer pays, or the page begins by itself. */
function submit({ watch, replaces }: FormState, event: Submitted, given: Given): Outcome {
  if (event.method === 'credit_card') return startCharging(event, watch, given);
  // A Pix code that is followed behind the form is shown again: no second one is made.
  return watch
    ? toOutcome(toCodeState(watch))
    : startPosting(toPosting(event.attemptKey, given, { replaces }));
}

/** An open Pix code stays followed while the card form shows; back to Pix, it is there again. */
function chooseMethod(state: State, method: Method): Move {
  if (isCodePhase(state)) {
    return method === 'credit_card' && toOutcome({ ...emptyForm, watch: state.watch });
  }
  if (state.phase !== 'form') return false;
  if (method === 'pix' && state.watch) return toOutcome(toCodeState(state.watch));
  return state.error !== null && toOutcome({ ...state, error: null });
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
    const watch = startWatch([invoice], attemptKey, nowMs, quickPace);
    return toOutcome({ phase: 'creating', task: 'following', watch });
  }
  if (attemptKey === null) return toOutcome(emptyForm);
  if (method === 'credit_card') return resumeCard(attemptKey, totalCents, 'own');
  const posting = toPosting(attemptKey, given, { task: 'recovering' });
  return toOutcome(posting, toInvoiceRequest(posting));
}

/** Takes the invoice that the page hands in. With a key it is the answer to a request that began before the element. */
function takeGiven(state: State, event: Extract<CheckoutEvent, { type: 'given' }>, given: Given) {
  const { attemptKey, invoice } = event;
  const before = attemptKey === undefined ? state : toPosting(attemptKey, given);
  return applyInvoice(before, invoice, given);
}

function awaitPromised({ nowMs }: Given): Outcome {
  return toOutcome({ phase: 'creating', task: 'promised', untilMs: nowMs + promiseForMs });
}

/** Whether a broken promise is shown. It must not hide a card that was sent since. */
function mayPromiseFail(state: State): boolean {
  return state.phase === 'form' || (state.phase === 'creating' && !isCardSent(state));
}

/** Whether a promised invoice is still wanted: one that comes late is as good as one that comes in time. */
function mayPromiseBeKept(state: State): boolean {
  const late = state.phase === 'failed' && state.error.code === 'network';
  return state.phase === 'form' || isAt(state, 'promised') || late;
}

/** When the next event `ticked` is due, monotonic milliseconds; `Infinity`: nothing is waited for. */
export function findNextDueMs(state: State): number {
  const dues = [findWatch(state)?.dueMs, findAttempt(state)?.retryAtMs, findDeadline(state)];
  return Math.min(...dues.map((atMs) => atMs ?? Infinity));
}

/** When the page's promise, or the newest code, ends. */
function findDeadline(state: State): number | null {
  if (isAt(state, 'promised')) return state.untilMs;
  const isOpen = state.phase === 'awaiting' && !state.closing;
  return isOpen ? state.watch.invoices[0].deadlineMs : null;
}

function applyTick(state: State, given: Given): Move {
  const isDue = (atMs: number | null | undefined) => (atMs ?? Infinity) <= given.nowMs;
  if (isDue(findDeadline(state))) {
    return state.phase === 'awaiting'
      ? lookUpNow(toOutcome({ ...state, closing: true }), given)
      : toFailed(toFatal('network'), null);
  }
  return isDue(findAttempt(state)?.retryAtMs) && askAgain(state);
}

/** Makes a request again that may have died with the connection. The same key makes that harmless; a card is not sent. */
function askAgain(state: State): Move {
  if (state.phase === 'confirming')
    return state.attempt !== null && askForOutcome(state, state.attempt);
  if (isCardSent(state)) return state.attempt.retryAtMs !== null && barKey(state);
  if (!isPosting(state)) return false;
  return toOutcome(
    { ...state, attempt: { ...state.attempt, retryAtMs: null } },
    toInvoiceRequest(state),
  );
}

/** Looks up at once, in place of a look-up in flight, then quickly. */
function lookUpNow({ state, commands }: Outcome, { nowMs }: Given): Outcome {
  const watch = findWatch(state);
  return toOutcome(watch ? replaceWatch(state, planAfterReturn(watch, nowMs)) : state, ...commands);
}

function applyPause(state: State): Move {
  const watch = findWatch(state);
  if (!watch || isPaused(watch)) return false;
  const inFlight = watch.sinceMs === null ? [] : [{ type: 'abort', what: 'look_up' } as const];
  return toOutcome(replaceWatch(state, pauseLookUps(watch)), ...inFlight);
}
