/**
 * The checkout's state machine: (state, event) → state and commands. Every rule of what a payer may see next is here or
 * in the files beside it. An event that does not apply returns the same object.
 *
 * Pure: no DOM, clock, network or random; the time, a random number and the page's terms come in as `Given`.
 */

import type { Method } from '../../contract/types.js';
import { afterCreated, afterCreateFailed } from './creation-answer.js';
import { afterCardReady, inquire, backToForm, resumeAttempt, startCharging } from './charge.js';
import { afterGiven, startPosting, toAwaiting } from './creation.js';
import {
  enterPolling,
  abortAll,
  fatal,
  forget,
  stay,
  to,
  toFailed,
  withCommands,
  withPolling,
} from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { afterLookUp, afterLookUpFailed } from './look-up-result.js';
import type { CheckoutEvent } from './events-and-commands.js';
import { afterReturn, lookUpDueMs, pausePolling, startPolling } from './polling.js';
import { emptyForm, isCharging, pollingOf } from './state.js';
import type {
  AwaitingState,
  PostingState,
  PromisedState,
  RecoveringState,
  State,
} from './state.js';

/** How long "Conferindo…" may stand. */
const checkForMs = 10_000;

/** How long the page may take to keep its promise of an invoice before the payer is told. */
const promiseForMs = 30_000;

/** Applies one event. */
export function transition(state: State, event: CheckoutEvent, given: Given): Outcome {
  // `paid` is absorbing: only the merchant's page leaves it.
  const leaves = event.type === 'reset' || event.type === 'order_changed';
  if (state.phase === 'paid' && !leaves) return stay(state);
  switch (event.type) {
    case 'submitted':
      if (state.phase !== 'form') return stay(state);
      // A Pix code that is followed behind the form is the one there is.
      return state.watch
        ? to(toAwaiting(state.watch))
        : startPosting({ attemptKey: event.attemptKey, replaces: state.replaces }, given);
    case 'new_code_asked':
      return afterNewCodeAsked(state, event.attemptKey, given);
    case 'card_submitted':
      return state.phase === 'form' ? startCharging(event, state.watch, given) : stay(state);
    case 'card_ready':
      return state.phase === 'creating' && state.task === 'charging' && state.step === 'tokenizing'
        ? afterCardReady(state, given)
        : stay(state);
    case 'card_failed':
      return state.phase === 'creating' && state.task === 'charging' && state.step === 'tokenizing'
        ? backToForm(state.watch, { code: 'tokenization_failed', retryable: true })
        : stay(state);
    case 'method_chosen':
      return afterMethodChosen(state, event.method);
    case 'recovering':
      if (state.phase !== 'form') return stay(state);
      return event.method === 'credit_card'
        ? resumeAttempt({ ...event, reached: false })
        : to({ phase: 'creating', task: 'recovering', ...noTries, attemptKey: event.attemptKey }, [
            { type: 'recover', attemptKey: event.attemptKey },
          ]);
    case 'following':
      return state.phase === 'form'
        ? enterPolling(
            {
              phase: 'creating',
              task: 'following',
              pendingLookUp: event.pendingLookUp,
              method: event.method,
              attemptKey: event.attemptKey,
              // A reload or a second tab: the payer may have paid meanwhile, and sees nothing until the answer.
              polling: afterReturn(startPolling(given.nowMs), given.nowMs),
            },
            given,
          )
        : stay(state);
    case 'promised':
      return state.phase === 'form'
        ? to({ phase: 'creating', task: 'promised', untilMs: given.nowMs + promiseForMs })
        : stay(state);
    case 'given':
      return state.phase === 'form' || isPromised(state) || isPromiseLate(state)
        ? afterGiven(state, event.invoice, given)
        : stay(state);
    case 'created':
      return afterCreated(state, event.invoice, given);
    case 'create_failed':
      return afterCreateFailed(state, event.failure, given);
    case 'looked_up':
      return afterLookUp(state, event.invoiceId, event.invoice, given);
    case 'look_up_failed':
      return afterLookUpFailed(state, event.invoiceId, event.failure, given);
    case 'ticked':
      return afterTick(state, given);
    case 'returned':
      return afterReturned(state, given);
    case 'paused':
      return afterPaused(state);
    case 'copied':
      return state.phase === 'awaiting' ? afterCopied(state, event.copied) : stay(state);
    case 'check_asked':
      return state.phase === 'confirming' && state.inquiry
        ? afterReturned(state, given)
        : lookNow(state, given);
    case 'trouble_reported':
      return state.phase === 'awaiting' && state.trouble === 'none'
        ? lookNow({ ...state, trouble: 'checking' }, given)
        : stay(state);
    case 'failed':
      return state.phase === 'form' || state.phase === 'creating'
        ? toFailed(event.error, null, [abortAll])
        : stay(state);
    case 'reset':
      // Refused while a creation is under way, or a card's outcome open: it would be lost.
      return state.phase === 'creating' || isCharging(state)
        ? stay(state)
        : to(emptyForm, [abortAll, forget]);
    case 'order_changed':
      // A Pix creation given up here harms nobody: its code was never seen.
      return to(emptyForm, [abortAll]);
    default:
      return event satisfies never;
  }
}

/** When the next event `ticked` is due, monotonic milliseconds; `null`: nothing is waited for. */
export function nextDueMs(state: State): number | null {
  const polling = pollingOf(state);
  const dues = [polling && lookUpDueMs(polling)];
  if ('retryAtMs' in state) dues.push(state.retryAtMs);
  if (state.phase === 'confirming' && state.inquiry) dues.push(state.inquiry.retryAtMs);
  if (isPromised(state)) dues.push(state.untilMs);
  if (state.phase === 'awaiting') {
    if (state.check === 'checking') dues.push(state.checkUntilMs);
    if (!state.closing) dues.push(state.watch.invoices[0].deadlineMs);
  }
  const due = dues.filter((at) => at !== null);
  return due.length === 0 ? null : Math.min(...due);
}

const noTries = { tries: 0, retryAtMs: null } as const;

/** An open Pix code stays followed while the card form shows; back to Pix, it is there again. */
function afterMethodChosen(state: State, method: Method): Outcome {
  const shown = state.phase === 'awaiting' || state.phase === 'expired';
  if (method === 'credit_card' && shown) return to({ ...emptyForm, watch: state.watch });
  if (method === 'pix' && state.phase === 'form' && state.watch) {
    return to(toAwaiting(state.watch));
  }
  return state.phase === 'form' && state.error ? to({ ...state, error: null }) : stay(state);
}

function afterNewCodeAsked(state: State, attemptKey: string, given: Given): Outcome {
  const offered = state.phase === 'awaiting' && state.trouble === 'offered';
  if (state.phase !== 'expired' && !offered) return stay(state);
  const { watch } = state;
  const replaces = watch.invoices[0].invoiceId;
  const expired = state.phase === 'expired';
  return startPosting({ attemptKey, replaces, watch, expired }, given);
}

function isPromised(state: State): state is PromisedState {
  return state.phase === 'creating' && state.task === 'promised';
}

/** A promise that is kept after all is as good as one kept in time. */
function isPromiseLate(state: State): boolean {
  return state.phase === 'failed' && state.error.code === 'network';
}

function afterTick(state: State, given: Given): Outcome {
  const { nowMs } = given;
  if (isPromised(state) && state.untilMs <= nowMs) return toFailed(fatal('network'), null);
  if ('retryAtMs' in state && state.retryAtMs !== null && state.retryAtMs <= nowMs) {
    return askAgain(state);
  }
  if (state.phase === 'confirming' && state.inquiry) {
    const { inquiry } = state;
    if (inquiry.retryAtMs !== null && inquiry.retryAtMs <= nowMs) {
      return inquire(state, inquiry);
    }
  }
  if (state.phase === 'awaiting') {
    const { deadlineMs } = state.watch.invoices[0];
    if (!state.closing && deadlineMs !== null && deadlineMs <= nowMs) {
      return lookNow({ ...state, closing: true }, given);
    }
    if (state.check === 'checking' && state.checkUntilMs <= nowMs) {
      // Trouble that no look-up has answered may be reported again.
      const trouble = state.trouble === 'checking' ? 'none' : state.trouble;
      return to({ ...state, check: afterCheck(state), trouble });
    }
  }
  return enterPolling(state, given);
}

/** The page is told; to the payer the news is the copy now, and no longer that nothing has come. */
function afterCopied(state: AwaitingState, copied: boolean): Outcome {
  const check = copied && state.check === 'not_yet' ? 'none' : state.check;
  return to({ ...state, check, copy: copied ? 'copied' : 'failed' }, [
    { type: 'emit', event: { name: 'copy', copied } },
  ]);
}

/** After a return that was no answer to "Já paguei", only a payer who copied the code is told "not yet". */
function afterCheck(state: AwaitingState): AwaitingState['check'] {
  return state.checkAsked || state.copy === 'copied' ? 'not_yet' : 'none';
}

function afterReturned(state: State, given: Given): Outcome {
  if (state.phase === 'confirming' && state.inquiry) {
    const asked = inquire(state, state.inquiry);
    return withCommands(lookNow(asked.state, given, false), ...asked.commands);
  }
  if (!('retryAtMs' in state)) return lookNow(state, given, false);
  // The socket may have slept with the phone; the same key makes asking again harmless for Pix.
  const again = askAgain(state);
  return withCommands(lookNow(again.state, given, false), ...again.commands);
}

function askAgain(state: PostingState | RecoveringState): Outcome {
  const { attemptKey } = state;
  return to({ ...state, retryAtMs: null }, [
    state.task === 'posting'
      ? { type: 'create', attemptKey, replaces: state.replaces }
      : { type: 'recover', attemptKey },
  ]);
}

function afterPaused(state: State): Outcome {
  const polling = pollingOf(state);
  if (!polling || polling.activity.kind === 'paused') return stay(state);
  const inquiry = polling.activity.kind === 'in_flight';
  return to(
    withPolling(state, pausePolling(polling)),
    inquiry ? [{ type: 'abort', what: 'look_up' }] : [],
  );
}

/** Asks at once, in place of a look-up in flight, then quickly (see polling.ts). */
function lookNow(state: State, given: Given, asked = true): Outcome {
  const polling = pollingOf(state);
  if (!polling) return stay(state);
  const checking: State =
    state.phase === 'awaiting'
      ? {
          ...state,
          check: 'checking',
          checkAsked: asked,
          checkUntilMs: given.nowMs + checkForMs,
        }
      : state;
  return enterPolling(withPolling(checking, afterReturn(polling, given.nowMs)), given);
}
