/**
 * How a card is charged: made ready, sent once, and never sent again by itself.
 *
 * Promises kept here: at most one charge per attempt, and none while another payment may have been made. An outcome that
 * is not known is never shown as failed, and never offers a second charge. A card moves money the moment the service
 * hears of it: after a lost answer the proxy is asked for the outcome by the attempt's key.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import { abortAll, announce, forget, remember, request, tell } from './events-and-commands.js';
import type { Command, Failure, Submitted } from './events-and-commands.js';
import {
  confirm,
  exits,
  fail,
  fatal,
  inFront,
  isRefusal,
  to,
  toAttempt,
  toFailed,
} from './outcome.js';
import type { Outcome } from './outcome.js';
import { afterReturn, pauseMs, plain, startWatch } from './polling.js';
import { emptyForm, watchOf } from './state.js';
import type { Attempt, ChargingState, CheckoutError, ConfirmingState, Given } from './state.js';
import type { State, TrackedInvoice, Watch } from './state.js';
import { checkLookUp, isPayment, toTracked } from './tracked-invoice.js';

/** First span of the jitter before an attempt is asked for again, milliseconds. */
const askSpanMs = 2_000;

/** The payer asks for the card to be charged. */
export function startCharging(
  { attemptKey, shared }: Submitted,
  watch: Watch | null,
  { terms }: Given,
): Outcome {
  const attempt = toAttempt(attemptKey, terms.cardCents, shared ? 'shared' : 'own');
  return to({ phase: 'creating', task: 'tokenizing', attempt, watch }, { type: 'tokenize' });
}

/** The card is ready, and an open Pix code is looked up before it is sent. A card that is not ready was never sent. */
export function afterCardPrepared(state: ChargingState, ready: boolean, { nowMs }: Given): Outcome {
  const { watch } = state;
  if (!ready) return toCardForm(watch, { code: 'tokenization_failed', retryable: true });
  return watch ? to({ ...state, task: 'checking', watch: afterReturn(watch, nowMs) }) : send(state);
}

/** Sends the card. The attempt is stored first, because a reload must find its key. */
export function send(state: ChargingState): Outcome {
  const { attemptKey, totalCents } = state.attempt;
  return to(
    { ...state, task: 'sending' },
    remember(attemptKey, { method: 'credit_card', totalCents }),
    request('charge', 'charge', attemptKey),
  );
}

/** Nothing was charged, and the form is shown again. Pix codes stay followed behind it. */
export function toCardForm(
  watch: Watch | null,
  error: CheckoutError,
  invoiceId: string | null = null,
  ...commands: readonly Command[]
): Outcome {
  return fail({ ...emptyForm, watch }, error, invoiceId, ...commands);
}

/** The proxy has named the card's invoice, in answer to the charge or when it was asked. It is followed from now on. */
export function afterCharged(
  state: State,
  { attemptKey, totalCents }: Attempt,
  invoice: CreatedInvoice,
  { terms, nowMs }: Given,
): Outcome {
  const made = toTracked(invoice, terms, nowMs, true, 'credit_card');
  // The page keeps what it asked for, so that later look-ups of something else disagree as well.
  const disagreement = checkLookUp(invoice, { externalId: terms.externalId, totalCents });
  const tracked: TrackedInvoice = {
    ...made,
    externalId: terms.externalId ?? made.externalId,
    totalCents: totalCents ?? made.totalCents,
  };
  const invoices = inFront(tracked, watchOf(state));
  const watch = startWatch(invoices, attemptKey, nowMs, plain);
  const error = disagreement && fatal(disagreement);
  return to(
    confirm(watch, null, error),
    remember(attemptKey, tracked),
    ...(state.phase === 'creating' ? [announce('created', made)] : []),
    ...(error ? [tell(error, made.invoiceId)] : []),
  );
}

/** The charge failed, or its answer was lost. Only the proxy's own word is an outcome. */
export function afterChargeFailed(
  { watch, attempt }: ChargingState,
  failure: Failure,
  { nowMs }: Given,
): Outcome {
  const { code, told, retryAfterSeconds } = failure;
  const standing = told && code === 'in_progress' ? 'contended' : 'own';
  const retryAtMs = nowMs + (retryAfterSeconds ?? 0) * 1_000;
  const open = { ...attempt, standing, retryAtMs } as const;
  const state = confirm(watch, open);
  // Another page may have sent this card, and that one is not over because our request was refused.
  const isShared = attempt.standing === 'shared';
  const isOpen = isShared || code === 'outcome_unknown' || code === 'in_progress';
  return isRefusal(failure) || (told && !isOpen)
    ? conclude(state, attempt, failure)
    : keepInquiring(state, told && code === 'outcome_unknown' ? code : null);
}

/** The attempt was asked for in vain. */
export function afterInquiryFailed(
  state: ConfirmingState,
  attempt: Attempt,
  failure: Failure,
  { nowMs, random }: Given,
): Outcome {
  const { code, told, retryAfterSeconds } = failure;
  const { standing, tries, attemptKey } = attempt;
  if (told && code === 'not_found' && standing !== 'reached') {
    // The request was lost on its way or turned away, and the proxy has barred its key: it can never arrive.
    const lost = standing.startsWith('contended') ? 'in_progress' : 'network';
    const error = { code: lost, retryable: true } as const;
    return reopen(state, error, null, forget(attemptKey));
  }
  if (isRefusal(failure)) return conclude(state, attempt, failure);
  const retryAtMs = nowMs + pauseMs(random, askSpanMs, tries, retryAfterSeconds);
  // Without this route, or an answer, the outcome counts as unknown.
  const unknown = exits[code] !== 'passing';
  // A closed order says nothing of the card, so the card is still asked for. The payer is told whom to ask.
  const reason = told && code === 'order_closed' ? code : unknown ? 'outcome_unknown' : null;
  return keepInquiring({ ...state, attempt: { ...attempt, tries: tries + 1, retryAtMs } }, reason);
}

/** The proxy said that the followed card was refused. The payer may try again, or pay the order by Pix. */
export function afterRefused(state: ConfirmingState, watch: Watch, failure: Failure): Outcome {
  const [refused, first, ...others] = watch.invoices;
  // The key belongs to the card, so no Pix code may be asked for with it.
  const rest = first ? startWatch([first, ...others], null, watch.startedAtMs) : null;
  // A look-up, or the inquiry, may be in flight beside the answer that told.
  const over = [abortAll, forget(watch.attemptKey)];
  return reopen({ ...state, watch: rest }, failure, refused.invoiceId, ...over);
}

/** Asks for a stored card attempt, after a reload or in a second tab. */
export function resumeCard(
  attemptKey: string,
  totalCents: number | null,
  standing: Attempt['standing'],
): Outcome {
  const attempt = toAttempt(attemptKey, totalCents, standing);
  return inquire(confirm(null, attempt), attempt);
}

/** Asks for the attempt now. */
export function inquire(state: ConfirmingState, attempt: Attempt): Outcome {
  const asked = { ...attempt, retryAtMs: null };
  return to({ ...state, attempt: asked }, request('recover', 'charge', attempt.attemptKey));
}

/** The outcome stays open. The page is told once that it is unknown, and once that the order is closed. */
function keepInquiring(
  state: ConfirmingState,
  reason: 'outcome_unknown' | 'order_closed' | null,
): Outcome {
  const { error } = state;
  const isNews = !error || (error.code === 'outcome_unknown' && reason === 'order_closed');
  return reason && isNews ? fail(state, fatal(reason), null) : to(state);
}

/** The proxy has said how the attempt ended, and nothing was charged. */
function conclude(state: ConfirmingState, attempt: Attempt, failure: Failure): Outcome {
  const exit = exits[failure.code];
  const over = forget(attempt.attemptKey, exit === 'passing');
  // Where a Pix code is followed, the way back to it stays.
  return !exit && !state.watch ? toFailed(failure, null, over) : reopen(state, failure, null, over);
}

/** Nothing was charged, and the form is shown again, unless another invoice of the order was said to be paid. */
function reopen(
  state: ConfirmingState,
  error: CheckoutError,
  invoiceId: string | null,
  ...commands: readonly Command[]
): Outcome {
  const { watch } = state;
  return watch?.invoices.some(isPayment)
    ? to({ ...state, attempt: null }, ...commands, tell(error, invoiceId))
    : toCardForm(watch, error, invoiceId, ...commands);
}
