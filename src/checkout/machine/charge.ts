/**
 * How a card is charged: made ready, sent once, and never sent again by itself.
 *
 * A card moves money the moment the service hears of it. So a lost answer is an unknown outcome: the proxy is asked for it
 * by the attempt's key, it is never shown as failed, and nothing else of the order may be paid meanwhile.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import { transient, without } from './creation.js';
import type { Command, Failure } from './events-and-commands.js';
import { checkLookUp, isPayment, toTracked } from './tracked-invoice.js';
import {
  abortAll,
  emitError,
  enterPolling,
  fatal,
  forget,
  isRefusal,
  settle,
  stay,
  to,
  toDetail,
  toFailed,
  toForm,
  withCommands,
} from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { afterReturn, startPolling } from './polling.js';
import { watchOf } from './state.js';
import type {
  OutcomeInquiry,
  ChargingState,
  CheckoutError,
  ConfirmingState,
  TrackedInvoice,
  State,
  Watch,
} from './state.js';

/** First span of the jitter before an attempt is asked for again, milliseconds. */
const askSpanMs = 2_000;

/** Largest span: a person may have to find the outcome out. */
const askCapMs = 30_000;

/** Least pause before an inquiry, milliseconds. */
const leastPauseMs = 250;

/** After these the proxy has certainly charged nothing, and the same attempt may be made again. */
const repeatable: ReadonlySet<string> = new Set(['too_many_requests', 'service_unavailable']);

/** After these the attempt itself is open. */
const unsettled: ReadonlySet<string> = new Set(['outcome_unknown', 'in_progress']);

/** After these the payer may try again at once, as another attempt with a new key. */
const renewable: ReadonlySet<string> = new Set([
  'payment_refused',
  'invalid_request',
  'key_reused',
]);

/** The payer asks for the card to be charged. */
export function startCharging(
  { attemptKey, shared }: Pick<ChargingState, 'attemptKey' | 'shared'>,
  watch: Watch | null,
  { terms }: Given,
): Outcome {
  const attempt = { attemptKey, shared, totalCents: terms.cardCents };
  return to({ phase: 'creating', task: 'charging', step: 'tokenizing', ...attempt, watch }, [
    { type: 'tokenize' },
  ]);
}

/** The card is ready: an open Pix code is looked up first, and `paid` wins. */
export function afterCardReady(state: ChargingState, given: Given): Outcome {
  const { watch } = state;
  if (!watch) return send(state);
  const polling = afterReturn(watch.polling, given.nowMs);
  return enterPolling({ ...state, step: 'checking', watch: { ...watch, polling } }, given);
}

/** The card could not be made ready, and nothing was sent. */
export function afterCardFailed({ watch }: ChargingState): Outcome {
  return backToForm(watch, { code: 'tokenization_failed', retryable: true });
}

/** Sends the card. The attempt is stored first: a reload must find its key. */
export function send(state: ChargingState): Outcome {
  const { attemptKey, totalCents } = state;
  const answer = { invoiceId: null, lookupToken: null };
  return to({ ...state, step: 'sending' }, [
    { type: 'remember', attemptKey, method: 'credit_card', ...answer, totalCents },
    { type: 'charge', purpose: 'charge', attemptKey },
  ]);
}

/** Nothing was sent: the form again, with what was typed. */
export function backToForm(watch: Watch | null, error: CheckoutError): Outcome {
  return toForm(error, null, [], { watch });
}

/** The proxy answered the charge, or told of it when it was asked: from here on the invoice is followed. */
export function afterCharged(
  state: State,
  attempt: OutcomeInquiry,
  invoice: CreatedInvoice,
  given: Given,
): Outcome {
  const { terms, nowMs } = given;
  const made: TrackedInvoice = {
    ...toTracked(invoice, null, terms, nowMs, true),
    method: 'credit_card',
    deadlineMs: null,
  };
  // What was asked for is what counts: an answer about something else stays one that disagrees.
  const asked = { externalId: terms.externalId, totalCents: attempt.totalCents };
  const externalId = asked.externalId ?? made.externalId;
  const totalCents = asked.totalCents ?? made.totalCents;
  const tracked: TrackedInvoice = { ...made, externalId, totalCents };
  const { invoiceId, lookupToken } = tracked;
  const { attemptKey } = attempt;
  const polling = startPolling(nowMs, 'plain');
  const invoices = [tracked, ...without(watchOf(state), invoiceId)] as const;
  const disagreement = checkLookUp(invoice, asked);
  const error = disagreement && fatal(disagreement);
  const watch: Watch = { invoices, polling, attemptKey };
  const entered = enterPolling({ phase: 'confirming', watch, inquiry: null, error }, given);
  return to(entered.state, [
    { type: 'remember', attemptKey, method: 'credit_card', invoiceId, lookupToken, totalCents },
    ...(state.phase === 'creating'
      ? [{ type: 'emit', event: { name: 'created', invoice: toDetail(made) } } as const]
      : []),
    ...(error ? [emitError(error, invoiceId)] : []),
    ...entered.commands,
  ]);
}

/** The charge failed, or its answer was lost. Only the proxy's own word is an outcome. */
export function afterChargeFailed(
  { watch, shared }: ChargingState,
  attempt: OutcomeInquiry,
  failure: Failure,
  given: Given,
): Outcome {
  const state: ConfirmingState = { phase: 'confirming', watch, inquiry: null, error: null };
  const { code, told, retryAfterSeconds } = failure;
  const unknown = told && code === 'outcome_unknown';
  // What another page has sent is not ended by why this request was turned away.
  const ended = code === 'payment_refused' || (!shared && !unsettled.has(code));
  if (told && ended) return concluded(state, attempt, failure);
  const retryAtMs = given.nowMs + (retryAfterSeconds ?? 0) * 1_000;
  const contended = told && code === 'in_progress';
  const inquiry = { ...attempt, contended, retryAtMs };
  return keepInquiring(state, inquiry, unknown ? 'outcome_unknown' : null, given);
}

/** The attempt was asked for in vain. */
export function afterInquiryFailed(
  state: ConfirmingState,
  attempt: OutcomeInquiry,
  failure: Failure,
  given: Given,
): Outcome {
  const { code, told, retryAfterSeconds } = failure;
  // The key stays then: should the request arrive late after all, it is the same attempt.
  if (told && code === 'not_found' && !attempt.reached)
    return reopen(state, state.watch, attempt.contended ? contendedError : lostError, null, [
      settle(attempt),
    ]);
  if (isRefusal(failure)) return concluded(state, attempt, failure);
  const span = Math.min(askCapMs, askSpanMs * 2 ** Math.min(attempt.tries, 16));
  const pause = Math.max(given.random * span, (retryAfterSeconds ?? 0) * 1_000, leastPauseMs);
  const inquiry = { ...attempt, tries: attempt.tries + 1, retryAtMs: given.nowMs + pause };
  // A proxy without this route, or one that will not tell, knows no more than one that does not know itself.
  const unknown = !transient.has(code) && code !== 'too_many_requests';
  // That the merchant closed the order says nothing of the card: it is asked for all the same, and the payer is told
  // whom to ask.
  const closed = told && code === 'order_closed';
  return keepInquiring(
    state,
    inquiry,
    closed ? 'order_closed' : unknown ? 'outcome_unknown' : null,
    given,
  );
}

/** The proxy said that the card which is followed was refused: another try, or Pix, for the same order. */
export function afterRefused(state: ConfirmingState, failure: Failure): Outcome {
  if (!state.watch) return stay(state);
  const { invoices, polling } = state.watch;
  const [refused, first, ...others] = invoices;
  // The key was the card's: no Pix code may be asked for by it.
  const rest: Watch | null = first
    ? { invoices: [first, ...others], polling: startPolling(polling.startedAtMs), attemptKey: null }
    : null;
  // A look-up, or the inquiry, may be in flight beside the answer that told.
  return reopen(state, rest, failure, refused.invoiceId, [abortAll, settle(state.watch), forget]);
}

/** A stored card attempt is asked for: after a reload, in a second tab. */
export function resumeAttempt(
  attempt: Pick<OutcomeInquiry, 'attemptKey' | 'totalCents' | 'reached'>,
): Outcome {
  const { attemptKey, totalCents, reached } = attempt;
  const first = { contended: false, tries: 0, retryAtMs: null };
  const inquiry: OutcomeInquiry = { attemptKey, totalCents, reached, ...first };
  return to({ phase: 'confirming', watch: null, inquiry, error: null }, [
    { type: 'recover', purpose: 'charge', attemptKey },
  ]);
}

/** Asks for the attempt now. */
export function sendInquiry(state: ConfirmingState, inquiry: OutcomeInquiry): Outcome {
  return to({ ...state, inquiry: { ...inquiry, retryAtMs: null } }, [
    { type: 'recover', purpose: 'charge', attemptKey: inquiry.attemptKey },
  ]);
}

/** The outcome stays open. The page is told once of each reason: it is unknown, or the order is closed. */
function keepInquiring(
  state: ConfirmingState,
  inquiry: OutcomeInquiry,
  reason: 'outcome_unknown' | 'order_closed' | null,
  given: Given,
): Outcome {
  const before = state.error;
  const told = before !== null && (before.code !== 'outcome_unknown' || reason !== 'order_closed');
  const error = told || reason === null ? before : fatal(reason);
  const entered = enterPolling({ ...state, inquiry, error }, given);
  return error === before || error === null
    ? entered
    : withCommands(entered, emitError(error, null));
}

/** The proxy has said how the attempt ended, and nothing was charged. */
function concluded(state: ConfirmingState, attempt: OutcomeInquiry, failure: Failure): Outcome {
  const { code } = failure;
  const over = [settle(attempt), ...(repeatable.has(code) ? [] : [forget])];
  const hopeless = !repeatable.has(code) && !renewable.has(code);
  // Where a Pix code is followed, the way back to it stays.
  return hopeless && !state.watch
    ? toFailed(failure, null, over)
    : reopen(state, state.watch, failure, null, over);
}

/** Nothing was charged: the form again. Unless another invoice of the order was said to be paid. */
function reopen(
  state: ConfirmingState,
  watch: Watch | null,
  error: CheckoutError,
  invoiceId: string | null,
  commands: readonly Command[] = [],
): Outcome {
  if (!watch?.invoices.some(isPayment)) return toForm(error, invoiceId, commands, { watch });
  return to({ ...state, watch, inquiry: null }, [...commands, emitError(error, invoiceId)]);
}

/** The request never reached the proxy. */
const lostError: CheckoutError = { code: 'network', retryable: true };

/** It did, and was not taken: another device is paying for the order. */
const contendedError: CheckoutError = { code: 'in_progress', retryable: true };
