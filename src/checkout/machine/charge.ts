/**
 * How a card is charged: made ready, sent once, and never sent again by itself.
 *
 * Promises kept here: an attempt charges at most once, and not while another payment may have been made. An unknown
 * outcome is never shown as a failure, and never offers a second charge. A card moves money as soon as the service gets
 * it. So after a lost answer the element asks the proxy for the outcome by the attempt's key, and also after an answer
 * that does not bind the key (contract/codes.ts), because a browser or a proxy on the way may send the request again.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import {
  abortAll,
  announce,
  forget,
  remember,
  request,
  tell,
  toConfirmingState,
  exits,
  failWith,
  toFatal,
  putInFront,
  isRefusal,
  silentPauseSeconds,
  toOutcome,
  toAttempt,
  toFailed,
  emptyForm,
  isAt,
  findWatch,
} from './state.js';
import type {
  Command,
  Failure,
  Submitted,
  Outcome,
  Attempt,
  ChargingState,
  CheckoutError,
  CheckoutErrorCode,
  ConfirmingState,
  Given,
  State,
  TrackedInvoice,
  Watch,
} from './state.js';
import {
  planAfterReturn,
  toPauseMs,
  plainPace,
  startWatch,
  checkLookUp,
  isPayment,
  toTracked,
} from './tracked-invoice.js';

/** First span of the jitter before the outcome is asked for again, milliseconds. */
const askSpanMs = 2_000;

/** The payer asks for the card to be charged. */
export function startCharging(
  { attemptKey }: Submitted,
  watch: Watch | null,
  { terms }: Given,
): Outcome {
  const attempt = toAttempt(attemptKey, terms.cardCents);
  return toOutcome({ phase: 'creating', task: 'tokenizing', attempt, watch }, { type: 'tokenize' });
}

/** The card is ready, and an open Pix code is looked up before it is sent. A card that is not ready was never sent. */
export function applyCardPrepared(state: ChargingState, ready: boolean, { nowMs }: Given): Outcome {
  const { watch } = state;
  if (!ready) return toCardForm(watch, { code: 'tokenization_failed', retryable: true });
  return watch
    ? toOutcome({ ...state, task: 'checking', watch: planAfterReturn(watch, nowMs) })
    : sendCard(state);
}

/** Sends the card. The attempt is stored first, because a reload must find its key. */
export function sendCard(state: ChargingState): Outcome {
  const { attemptKey, totalCents } = state.attempt;
  return toOutcome(
    { ...state, task: 'sending', attempt: { ...state.attempt, standing: 'sent' } },
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
  return failWith({ ...emptyForm, watch }, error, invoiceId, ...commands);
}

/** The proxy has named the card's invoice, in answer to the charge or when it was asked. It is followed from now on. */
export function applyCharge(
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
  const invoices = putInFront(tracked, findWatch(state));
  const watch = startWatch(invoices, attemptKey, nowMs, plainPace);
  const error = disagreement && toFatal(disagreement);
  return toOutcome(
    toConfirmingState(watch, null, error),
    remember(attemptKey, tracked),
    ...(isAt(state, 'sending') ? [announce('created', made)] : []),
    ...(error ? [tell(error, made.invoiceId)] : []),
  );
}

/** The charge failed, or its answer was lost. Only the proxy's own word is an outcome. */
export function applyChargeFailure(
  state: ChargingState,
  failure: Failure,
  { nowMs }: Given,
): Outcome {
  const { watch, attempt } = state;
  const { code, told, retryable, retryAfterSeconds, retryAtMs: atMs } = failure;
  if (isRefusal(failure)) return concludeAttempt(toConfirmingState(watch), attempt, failure);
  const isUnknown = told && code === 'outcome_unknown';
  const turnedAway =
    told && !isUnknown ? { code, retryable, ...(atMs && { retryAtMs: atMs }) } : null;
  // The proxy turned away this request, but perhaps not that of another page with the same key.
  const asked = { ...attempt, turnedAway, standing: 'own' } as const;
  const retryAtMs = nowMs + (retryAfterSeconds ?? 0) * 1_000;
  if (turnedAway && code !== 'in_progress') {
    // A short pause is over before the payer has the form again.
    const waits = retryAtMs > nowMs && retryAtMs <= nowMs + silentPauseSeconds * 1_000;
    const barring = { ...state, task: 'barring', attempt: asked } as const;
    return waits ? toOutcome({ ...barring, attempt: { ...asked, retryAtMs } }) : barKey(barring);
  }
  return keepAsking(toConfirmingState(watch, { ...asked, retryAtMs }), isUnknown ? code : null);
}

/** Bars the key of a card that was turned away. */
export function barKey(state: ChargingState): Outcome {
  const attempt = { ...state.attempt, retryAtMs: null };
  return toOutcome({ ...state, attempt }, toOutcomeRequest(attempt));
}

/** The question for the outcome failed, or the proxy does not know the outcome. */
export function applyInquiryFailure(
  state: ConfirmingState,
  attempt: Attempt,
  failure: Failure,
  { nowMs, random }: Given,
): Outcome {
  const { code, told, retryAfterSeconds } = failure;
  const { tries, turnedAway } = attempt;
  const standing = attempt.standing === 'sent' ? 'own' : attempt.standing;
  const isNone = told && code === 'not_found' && standing !== 'reached';
  if (isNone && standing !== attempt.standing)
    return askForOutcome(state, { ...attempt, standing });
  if (isNone) {
    // The request was lost or turned away, and the proxy has barred its key: it can never arrive.
    return concludeAttempt(state, attempt, turnedAway ?? { code: 'network', retryable: true });
  }
  // The proxy keeps nothing of an order that the shop does not know, and has no card with this key.
  const isUnknownOrder = told && code === 'unknown_order';
  if (isUnknownOrder && turnedAway?.code === code)
    return concludeAttempt(state, attempt, turnedAway);
  if (isRefusal(failure)) return concludeAttempt(state, attempt, failure);
  const retryAtMs = nowMs + toPauseMs(random, askSpanMs, tries, retryAfterSeconds);
  // Without this route, or an answer, the outcome counts as unknown.
  const unknown = exits[code] !== 'passing';
  // A closed order, or an outdated page, says nothing of the card: the element asks on, and tells the payer what to do.
  const isNamed = told && (code === 'order_closed' || code === 'unauthorized');
  const reason = isNamed ? code : unknown ? 'outcome_unknown' : null;
  return keepAsking(
    { ...state, attempt: { ...attempt, standing, tries: tries + 1, retryAtMs } },
    reason,
  );
}

/** The proxy said that the followed card was refused. The payer may try again, or pay the order by Pix. */
export function applyRefusal(state: ConfirmingState, watch: Watch, failure: Failure): Outcome {
  const [refused, first, ...others] = watch.invoices;
  // The key belongs to the card, so no Pix code may be asked for with it.
  const rest = first ? startWatch([first, ...others], null, watch.startedAtMs) : null;
  // Another look-up, or a question for the outcome, may be in flight.
  const over = [abortAll, forget(watch.attemptKey)];
  return reopenForm({ ...state, watch: rest }, failure, refused.invoiceId, ...over);
}

/** Asks for a stored card attempt, after a reload or in a second tab. */
export function resumeCard(
  attemptKey: string,
  totalCents: number | null,
  standing: Attempt['standing'],
): Outcome {
  const attempt = toAttempt(attemptKey, totalCents, standing);
  return askForOutcome(toConfirmingState(null, attempt), attempt);
}

/** Asks the proxy for the outcome now. */
export function askForOutcome(state: ConfirmingState, attempt: Attempt): Outcome {
  const asked = { ...attempt, retryAtMs: null };
  return toOutcome({ ...state, attempt: asked }, toOutcomeRequest(asked));
}

function toOutcomeRequest({ attemptKey }: Attempt): Command {
  return request('recover', 'charge', attemptKey);
}

/** The outcome stays open. The page is told once that it is unknown, and once why it cannot be known. */
function keepAsking(state: ConfirmingState, reason: CheckoutErrorCode | null): Outcome {
  const { error } = state;
  const isNews = !error || (error.code === 'outcome_unknown' && reason !== error.code);
  return reason && isNews ? failWith(state, toFatal(reason), null) : toOutcome(state);
}

/** The proxy has said how the attempt ended: nothing was charged, and nothing with its key will be. */
function concludeAttempt(
  state: ConfirmingState,
  { attemptKey }: Attempt,
  error: CheckoutError,
): Outcome {
  const over = forget(attemptKey);
  // While a Pix code is followed, the payer can go back to it.
  return !exits[error.code] && !state.watch
    ? toFailed(error, null, over)
    : reopenForm(state, error, null, over);
}

/** Nothing was charged, and the form is shown again, unless another invoice of the order was said to be paid. */
function reopenForm(
  state: ConfirmingState,
  error: CheckoutError,
  invoiceId: string | null,
  ...commands: readonly Command[]
): Outcome {
  const { watch } = state;
  return watch?.invoices.some(isPayment)
    ? toOutcome({ ...state, attempt: null }, ...commands, tell(error, invoiceId))
    : toCardForm(watch, error, invoiceId, ...commands);
}
