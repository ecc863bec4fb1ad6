/**
 * The checkout's state machine: (state, event) → state and commands. Every rule of what a payer may see next is here or
 * in the files beside it. Pure: the time, a random number and the page's terms come in as `Given`.
 *
 * An event that does not apply returns the same object.
 */

import {
  afterCardFailed,
  afterCardReady,
  resumeAttempt,
  sendInquiry,
  startCharging,
} from './charge.js';
import { afterCreated, afterCreateFailed } from './creation-answer.js';
import { afterGiven, askAgain, startPosting, toAwaiting } from './creation.js';
import type { CheckoutEvent, PageEvent } from './events-and-commands.js';
import { afterLookUp, afterLookUpFailed } from './look-up-result.js';
import {
  abortAll,
  enterPolling,
  fatal,
  forget,
  stay,
  to,
  toFailed,
  withCommands,
  withPolling,
} from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { afterReturn, lookUpDueMs, pausePolling, startPolling } from './polling.js';
import {
  emptyForm,
  isAtStep,
  isCharging,
  isInquiring,
  isPromised,
  pollingOf,
  requestsInvoice,
} from './state.js';
import type { AwaitingState, ExpiredState, FormState, State } from './state.js';

/** How long "Conferindo…" may stand. */
const checkForMs = 10_000;

/** How long the page may take to keep its promise of an invoice before the payer is told. */
const promiseForMs = 30_000;

/** Applies one event. */
export function transition(state: State, event: CheckoutEvent, given: Given): Outcome {
  switch (event.type) {
    case 'reset':
      // Refused while a creation is in flight, or a card's outcome open: it would be lost.
      return state.phase === 'creating' || isCharging(state)
        ? stay(state)
        : to(emptyForm, [abortAll, forget]);
    case 'order_changed':
      // A Pix creation may be given up here: its code was never shown.
      return to(emptyForm, [abortAll]);
    default:
      // `paid` is absorbing: only the merchant's page leaves it.
      return state.phase === 'paid' ? stay(state) : advance(state, event, given);
  }
}

function advance(
  state: State,
  event: Exclude<CheckoutEvent, { type: 'reset' | 'order_changed' }>,
  given: Given,
): Outcome {
  switch (event.type) {
    case 'created':
      return afterCreated(state, event.purpose, event.invoice, given);
    case 'create_failed':
      return afterCreateFailed(state, event.purpose, event.failure, given);
    case 'looked_up':
      return afterLookUp(state, event.invoiceId, event.invoice, given);
    case 'look_up_failed':
      return afterLookUpFailed(state, event.invoiceId, event.failure, given);
    case 'card_ready':
      return isAtStep(state, 'tokenizing') ? afterCardReady(state, given) : stay(state);
    case 'card_failed':
      return isAtStep(state, 'tokenizing') ? afterCardFailed(state) : stay(state);
    case 'ticked':
      return afterTick(state, given);
    case 'returned':
      return afterReturned(state, given);
    case 'paused':
      return afterPaused(state);
    case 'check_asked':
      return isInquiring(state) ? afterReturned(state, given) : lookNow(state, given);
    case 'given':
      return mayBeGiven(state) ? afterGiven(state, event.invoice, given) : stay(state);
    case 'failed':
      return state.phase === 'form' || state.phase === 'creating'
        ? toFailed(event.error, null, [abortAll])
        : stay(state);
    default:
      return state.phase === 'form' ? leaveForm(state, event, given) : press(state, event, given);
  }
}

/** The payer or the page begins something. */
function leaveForm(state: FormState, event: PageEvent, given: Given): Outcome {
  const { nowMs } = given;
  switch (event.type) {
    case 'submitted':
      // A Pix code that is followed behind the form is the one there is.
      return state.watch
        ? to(toAwaiting(state.watch))
        : startPosting({ attemptKey: event.attemptKey, replaces: state.replaces }, given);
    case 'card_submitted':
      return startCharging(event, state.watch, given);
    case 'method_chosen':
      if (event.method === 'pix' && state.watch) return to(toAwaiting(state.watch));
      return state.error ? to({ ...state, error: null }) : stay(state);
    case 'recovering': {
      const { attemptKey, method } = event;
      if (method === 'credit_card') return resumeAttempt({ ...event, reached: false });
      const notTried = { tries: 0, retryAtMs: null };
      return askAgain({ phase: 'creating', task: 'recovering', attemptKey, ...notTried });
    }
    case 'following': {
      const { pendingLookUp, method, attemptKey } = event;
      // A reload or a second tab: the payer may have paid meanwhile, and sees nothing until the answer.
      const polling = afterReturn(startPolling(nowMs), nowMs);
      const first = { pendingLookUp, method, attemptKey, polling };
      return enterPolling({ phase: 'creating', task: 'following', ...first }, given);
    }
    case 'promised':
      return to({ phase: 'creating', task: 'promised', untilMs: nowMs + promiseForMs });
    default:
      return stay(state);
  }
}

/** The payer presses something on a screen other than the form. */
function press(state: State, event: PageEvent, given: Given): Outcome {
  if (state.phase !== 'awaiting' && state.phase !== 'expired') return stay(state);
  if (event.type === 'new_code_asked') return afterNewCodeAsked(state, event.attemptKey, given);
  // An open Pix code stays followed while the card form shows; back to Pix, it is there again.
  if (event.type === 'method_chosen' && event.method === 'credit_card') {
    return to({ ...emptyForm, watch: state.watch });
  }
  if (state.phase === 'expired') return stay(state);
  if (event.type === 'copied') return afterCopied(state, event.copied);
  return event.type === 'trouble_reported' && state.trouble === 'none'
    ? lookNow({ ...state, trouble: 'checking' }, given)
    : stay(state);
}

function afterNewCodeAsked(
  state: AwaitingState | ExpiredState,
  attemptKey: string,
  given: Given,
): Outcome {
  const expired = state.phase === 'expired';
  if (!expired && state.trouble !== 'offered') return stay(state);
  const { watch } = state;
  const replaces = watch.invoices[0].invoiceId;
  return startPosting({ attemptKey, replaces, watch, expired }, given);
}

/** The page is told; to the payer the news is the copy now, and no longer that nothing has come. */
function afterCopied(state: AwaitingState, copied: boolean): Outcome {
  const check = copied && state.check === 'not_yet' ? 'none' : state.check;
  return to({ ...state, check, copy: copied ? 'copied' : 'failed' }, [
    { type: 'emit', event: { name: 'copy', copied } },
  ]);
}

/** A promise that is kept after all is as good as one kept in time. */
function mayBeGiven(state: State): boolean {
  const late = state.phase === 'failed' && state.error.code === 'network';
  return state.phase === 'form' || isPromised(state) || late;
}

/** When the next event `ticked` is due, monotonic milliseconds; `null`: nothing is waited for. */
export function nextDueMs(state: State): number | null {
  const polling = pollingOf(state);
  const dues = [polling && lookUpDueMs(polling)];
  if (requestsInvoice(state)) dues.push(state.retryAtMs);
  if (isInquiring(state)) dues.push(state.inquiry.retryAtMs);
  if (isPromised(state)) dues.push(state.untilMs);
  if (state.phase === 'awaiting') {
    if (state.check === 'checking') dues.push(state.checkUntilMs);
    if (!state.closing) dues.push(state.watch.invoices[0].deadlineMs);
  }
  const due = dues.filter((at) => at !== null);
  return due.length === 0 ? null : Math.min(...due);
}

function afterTick(state: State, given: Given): Outcome {
  const { nowMs } = given;
  const isDue = (atMs: number | null) => atMs !== null && atMs <= nowMs;
  if (isPromised(state) && isDue(state.untilMs)) return toFailed(fatal('network'), null);
  if (requestsInvoice(state) && isDue(state.retryAtMs)) return askAgain(state);
  if (isInquiring(state) && isDue(state.inquiry.retryAtMs)) {
    return sendInquiry(state, state.inquiry);
  }
  if (state.phase === 'awaiting') {
    if (!state.closing && isDue(state.watch.invoices[0].deadlineMs)) {
      return lookNow({ ...state, closing: true }, given);
    }
    if (state.check === 'checking' && isDue(state.checkUntilMs)) return to(endCheck(state));
  }
  return enterPolling(state, given);
}

/** After a return that was no answer to "Já paguei", only a payer who copied the code is told "not yet". */
function endCheck(state: AwaitingState): AwaitingState {
  const check = state.checkAsked || state.copy === 'copied' ? 'not_yet' : 'none';
  // Trouble that no look-up has answered may be reported again.
  const trouble = state.trouble === 'checking' ? 'none' : state.trouble;
  return { ...state, check, trouble };
}

/** The socket may have slept with the phone: what is in flight is asked again. The same key makes that harmless. */
function afterReturned(state: State, given: Given): Outcome {
  const inquired = isInquiring(state) ? sendInquiry(state, state.inquiry) : to(state);
  const again = requestsInvoice(state) ? askAgain(state) : inquired;
  const looked = lookNow(again.state, given, false);
  return withCommands(looked, ...again.commands);
}

function afterPaused(state: State): Outcome {
  const polling = pollingOf(state);
  if (!polling || polling.activity.kind === 'paused') return stay(state);
  const inFlight = polling.activity.kind === 'in_flight';
  return to(
    withPolling(state, pausePolling(polling)),
    inFlight ? [{ type: 'abort', what: 'look_up' }] : [],
  );
}

/** Looks up at once, in place of a look-up in flight, then quickly (see polling.ts). */
function lookNow(state: State, given: Given, asked = true): Outcome {
  const polling = pollingOf(state);
  if (!polling) return stay(state);
  const checking: State =
    state.phase === 'awaiting'
      ? { ...state, check: 'checking', checkAsked: asked, checkUntilMs: given.nowMs + checkForMs }
      : state;
  return enterPolling(withPolling(checking, afterReturn(polling, given.nowMs)), given);
}
