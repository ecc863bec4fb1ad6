/**
 * How the checkout gets an invoice: the proxy creates it, finds it, refuses it or calls the order paid, or the page hands it
 * in.
 *
 * Promise kept here: there is one open Pix code for each order and price. A creation is only repeated with its own key, and
 * to a known key, or for an open order, the proxy answers with the existing invoice. Former codes are still followed.
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
  toFailure,
  toFatal,
  putInFront,
  toCodeState,
  toOutcome,
  toAttempt,
  silentPauseSeconds,
  confirmWithError,
  toFailed,
  replaceWatch,
  emptyForm,
  isAt,
  isCodePhase,
  isPosting,
  findUnresolvedCharge,
  findWatch,
  isRefusal,
} from './state.js';
import type {
  Command,
  Failure,
  InvoiceRequest,
  Outcome,
  CheckoutError,
  Given,
  PostingState,
  State,
  TrackedInvoice,
  Watch,
  Submitted,
  Attempt,
  ChargingState,
  ShownErrorCode,
  ConfirmingState,
} from './state.js';
import {
  goOnIfPaused,
  toPauseMs,
  plainPace,
  startWatch,
  isPayment,
  readCode,
  toTracked,
  planAfterReturn,
  checkLookUp,
} from './tracked-invoice.js';

/** How often a failed creation is repeated before the payer is asked. */
const retriesAllowed = 2;

/** First span of the jitter before a creation is repeated, milliseconds. */
const retrySpanMs = 1_500;

/** Makes the state of a creation that is about to begin. `before` is what the page showed or followed until now. */
export function toPosting(
  attemptKey: string,
  { terms }: Given,
  before: Partial<PostingState> = {},
): PostingState {
  const attempt = toAttempt(attemptKey, terms.pixCents);
  const none = { replaces: null, watch: null, expired: false };
  return { phase: 'creating', task: 'posting', attempt, ...none, ...before };
}

/**
 * Requests an invoice. The attempt is stored first, because a reload must find its key. If a code is already followed, its
 * record stays until there is another code, because a reload must find that code.
 */
export function startPosting(posting: PostingState): Outcome {
  const { attemptKey, totalCents } = posting.attempt;
  const stored = posting.watch ? [] : [remember(attemptKey, { method: 'pix', totalCents })];
  return toOutcome(posting, ...stored, toInvoiceRequest(posting));
}

/** Makes the request that this state waits for. */
export function toInvoiceRequest({ task, attempt, replaces }: PostingState): InvoiceRequest {
  const action = task === 'posting' ? 'create' : 'recover';
  return request(action, 'invoice', attempt.attemptKey, replaces);
}

/**
 * Follows an invoice that the proxy created or found, or that the page handed in, as the newest one. An invoice from the page
 * is shown at once, but counts as unverified until a look-up names the same code.
 */
export function applyInvoice(state: State, invoice: CreatedInvoice, given: Given): Outcome {
  const { nowMs, terms } = given;
  const posting = isPosting(state) ? state : null;
  const attemptKey = posting && posting.attempt.attemptKey;
  const watch = posting && posting.watch;
  const made = toTracked(invoice, terms, nowMs, posting !== null);
  const { invoiceId, totalCents } = made;
  // What the page left out is not compared.
  const { externalId, pixCents } = terms;
  const mismatch = checkLookUp(invoice, { externalId, totalCents: pixCents });
  if (mismatch) {
    // The payer may accept a new total, unless the invoice may have been paid already.
    const isNewTotal = mismatch === 'amount_mismatch' && !isPayment(invoice);
    return endWithoutCode(
      state,
      toFatal(mismatch),
      invoiceId,
      given,
      [],
      isNewTotal ? { totalCents } : {},
    );
  }
  const announced = posting?.task === 'posting' ? [announce('created', made)] : [];
  // An answer that says paid has no code to show.
  const isPaid = invoice.status === 'paid';
  const read = isPaid
    ? { code: null, warning: null }
    : readCode(invoice.qr_code_pix, totalCents, terms);
  if ('refused' in read) {
    const error = { code: read.refused, retryable: posting !== null };
    return posting && !watch
      ? failWith({ ...emptyForm, replaces: invoiceId }, error, invoiceId, forget(), ...announced)
      : endWithoutCode(state, error, invoiceId, given, announced);
  }
  const tracked = keepShownCode({ ...made, code: read.code }, watch);
  return toOutcome(
    followInvoice(tracked, watch, attemptKey, !isPaid, nowMs),
    ...(attemptKey === null ? [] : [remember(attemptKey, tracked)]),
    ...announced,
    ...(read.warning ? [tell(toFatal(read.warning), invoiceId)] : []),
  );
}

/** A creation or a recovery failed: repeats it, waits for the connection, or tells the payer. */
export function applyCreationFailure(state: PostingState, failure: Failure, given: Given): Outcome {
  const { attempt, watch, replaces } = state;
  const { nowMs, random, offline } = given;
  const { code, told, retryAfterSeconds } = failure;
  const { attemptKey, tries } = attempt;
  const exit = exits[code];
  const isSilent = tries < retriesAllowed && (retryAfterSeconds ?? 0) <= silentPauseSeconds;
  // Offline, the screen says so and the creation is repeated until it gets an answer, because the browser may be wrong. Too
  // many requests are repeated only after a time that the proxy named.
  const isTimed = code !== 'too_many_requests' || retryAfterSeconds !== null;
  const waits = isSilent ? isTimed : offline && code === 'network';
  if (exit === 'passing' && waits) {
    const retryAtMs = nowMs + toPauseMs(random, retrySpanMs, tries, retryAfterSeconds);
    return toOutcome({ ...state, attempt: { ...attempt, tries: tries + 1, retryAtMs } });
  }
  if (told && code === 'in_progress' && !watch) {
    // A card of this order is open. The payer waits for its outcome, which the proxy tells by this key.
    const retryAtMs = nowMs + (retryAfterSeconds ?? 0) * 1_000;
    const turnedAway = { code, retryable: true } as const;
    const standing = 'contended_pix';
    return toOutcome(
      toConfirmingState(null, { ...attempt, standing, turnedAway, tries: 0, retryAtMs }),
    );
  }
  if (state.task === 'recovering') {
    // The proxy did not know the key and has barred it, so its record goes. After other failures the next press repeats the
    // key.
    if (told && code === 'not_found') return toOutcome(emptyForm, forget(attemptKey));
    return exit === 'passing' ? failWith(emptyForm, failure, null) : toOutcome(emptyForm);
  }
  if (watch || !exit) return endWithoutCode(state, failure, null, given);
  return failWith(
    { ...emptyForm, replaces },
    failure,
    null,
    ...(exit === 'renew' ? [forget()] : []),
  );
}

/**
 * The proxy says that the order is already paid. The invoice that paid is looked up, and shown as the receipt if it agrees.
 * If the proxy does not name that invoice, the page still stops offering codes of this order.
 */
export function applyOrderPaid(state: State, { invoice }: Failure, given: Given): Outcome {
  const { terms, nowMs } = given;
  const card = findUnresolvedCharge(state);
  // For a card that was recovered by its key, this answer is final.
  const settled = card ? [forget(card.attemptKey, true)] : [];
  const watch = findWatch(state);
  if (invoice && (terms.externalId === null || invoice.external_id === terms.externalId)) {
    const paid = toTracked(invoice, terms, nowMs, true);
    return toOutcome(followInvoice(paid, watch, null, false, nowMs), ...settled);
  }
  const code = invoice ? 'reference_mismatch' : 'order_paid';
  const id = invoice?.invoice_id ?? null;
  const outcome = watch
    ? confirmWithError(state, goOnIfPaused(watch, given), code, id, null)
    : endWithoutCode(state, toFatal(code), id, given);
  return toOutcome(outcome.state, ...settled, ...outcome.commands);
}

/**
 * Ends a creation without a new code. The former code comes back to the screen; without a former code, the checkout fails.
 */
function endWithoutCode(
  state: State,
  error: CheckoutError,
  invoiceId: string | null,
  given: Given,
  commands: readonly Command[] = [],
  newTotal: { readonly totalCents?: number } = {},
): Outcome {
  const watch = findWatch(state);
  if (!watch) return failWith({ phase: 'failed', ...newTotal }, error, invoiceId, forget());
  const isExpired = 'expired' in state && state.expired;
  return failWith(
    toCodeState(goOnIfPaused(watch, given), isExpired),
    error,
    invoiceId,
    ...commands,
  );
}

/**
 * Takes only the new token of an invoice that is already followed, because its code and deadline must not change on the
 * screen.
 */
function keepShownCode(made: TrackedInvoice, watch: Watch | null): TrackedInvoice {
  const known = watch?.invoices.find(({ invoiceId }) => invoiceId === made.invoiceId);
  return known?.code ? { ...known, lookupToken: made.lookupToken ?? known.lookupToken } : made;
}

/** Follows a new invoice beside the former ones. @param isShown whether its code may be paid */
function followInvoice(
  tracked: TrackedInvoice,
  before: Watch | null,
  attemptKey: string | null,
  isShown: boolean,
  nowMs: number,
): State {
  const pace = tracked.verified ? undefined : plainPace;
  const begun = startWatch(putInFront(tracked, before), attemptKey, nowMs, pace);
  // These are kept, so that a proxy that refuses its own tokens is not asked in a loop.
  const { refusals, renewedAtMs } = before ?? begun;
  const watch = { ...begun, refusals, renewedAtMs };
  return isShown ? toCodeState(watch) : toConfirmingState(watch);
}

/** Finds the key with which the order is requested again, to get a new look-up token; `null` if the page named no order. */
export function findRenewalKey(
  { attemptKey, invoices }: Watch,
  { terms, freshKey }: Given,
): string | null {
  // A card is only found by its own key. Another key would create a Pix code.
  const mayAsk = terms.externalId !== null && invoices[0].method === 'pix';
  return attemptKey ?? ((mayAsk && freshKey) || null);
}

/** Finds the watch whose look-up token can be renewed now; `null` also while another request for an invoice is in flight. */
export function findRenewableWatch(state: State): Watch | null {
  const isOther =
    isPosting(state) || isAt(state, 'following') || findUnresolvedCharge(state) !== null;
  return isOther ? null : findWatch(state);
}

/** Takes the new look-up token after the order was requested again. The answer usually names the same invoice. */
export function applyRenewal(
  state: State,
  watch: Watch,
  invoice: CreatedInvoice,
  given: Given,
): Outcome {
  const attemptKey = findRenewalKey(watch, given);
  const [newest, ...former] = watch.invoices;
  if (attemptKey === null) return toOutcome(state);
  if (invoice.invoice_id !== newest.invoiceId) {
    const expired = state.phase === 'expired';
    // While a payment may have been made, or a card is being recovered, no other code is offered.
    return isCodePhase(state)
      ? applyInvoice(toPosting(attemptKey, given, { watch, expired }), invoice, given)
      : applyRenewalFailure(state, watch, toFailure('invalid_answer'), given);
  }
  const renewed = { ...newest, lookupToken: invoice.lookup_token ?? newest.lookupToken };
  const next: Watch = { ...goOnIfPaused(watch, given), invoices: [renewed, ...former], attemptKey };
  return toOutcome(replaceWatch(state, next), remember(attemptKey, renewed));
}

/** The renewal failed. Look-ups go on, and the next refusal renews the token again, unless the order itself is refused. */
export function applyRenewalFailure(
  state: State,
  watch: Watch,
  failure: Failure,
  given: Given,
): Outcome {
  const exit = exits[failure.code];
  const goingOn = goOnIfPaused(watch, given, failure.retryAfterSeconds);
  if (goingOn === watch) return toOutcome(state);
  // No new token came, so it may be requested again.
  const resumed = { ...goingOn, refusals: 0 };
  if (!exit || failure.code === 'invalid_request') return applyLockout(state, resumed);
  // The refused look-up already counts as the first failure.
  const isNews = watch.failures === 1 && exit !== 'passing';
  const told = isNews ? [tell(failure, watch.invoices[0].invoiceId)] : [];
  return toOutcome(replaceWatch(state, resumed), ...told);
}

/**
 * The proxy refuses the look-up token and gives no other, so the page is out of date. The page gets one `pix-error`, even if
 * the screen shows something else.
 */
export function applyLockout(state: State, watch: Watch): Outcome {
  const [{ invoiceId }] = watch.invoices;
  // A request for another token may still be in flight.
  if (isCodePhase(state)) return toFailed(toFatal('unauthorized'), invoiceId, abortAll);
  if (state.phase === 'confirming' && !state.error) {
    return confirmWithError(state, watch, 'unauthorized', invoiceId);
  }
  const told = watch.refusals === 2 ? [tell(toFatal('unauthorized'), invoiceId)] : [];
  return toOutcome(replaceWatch(state, watch), ...told);
}

// How a card is charged: it is prepared, sent once, and never sent again by itself.
//
// Promises kept here: an attempt charges at most once, and not while another payment may have been made. An unknown outcome
// is never shown as a failure, and never offers a second charge. A card moves money as soon as the service receives it. So
// after a lost answer the element asks the proxy for the outcome by the attempt's key. It also asks after an answer that does
// not bind the key (contract/codes.ts), because a browser or a proxy on the way may send the request again.

/** First span of the jitter before the element asks for the outcome again, milliseconds. */
const askSpanMs = 2_000;

/** Begins a charge, because the payer pressed the button: the card is prepared first. */
export function startCharging(
  { attemptKey }: Submitted,
  watch: Watch | null,
  { terms }: Given,
): Outcome {
  const attempt = toAttempt(attemptKey, terms.cardCents);
  return toOutcome({ phase: 'creating', task: 'tokenizing', attempt, watch }, { type: 'tokenize' });
}

/**
 * If the card is prepared, an open Pix code is looked up before the card is sent. If preparing failed, the card was never
 * sent, and the form is shown again.
 */
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

/** Shows the form again, because nothing was charged. Pix codes are still followed. */
export function toCardForm(
  watch: Watch | null,
  error: CheckoutError,
  invoiceId: string | null = null,
  ...commands: readonly Command[]
): Outcome {
  return failWith({ ...emptyForm, watch }, error, invoiceId, ...commands);
}

/** Follows the card's invoice, which the proxy has named, in answer to the charge or to a question for the outcome. */
export function applyCharge(
  state: State,
  { attemptKey, totalCents }: Attempt,
  invoice: CreatedInvoice,
  { terms, nowMs }: Given,
): Outcome {
  const made = toTracked(invoice, terms, nowMs, true, 'credit_card');
  // The invoice keeps the page's own values, so that later look-ups are compared with those.
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

/** The charge failed, or its answer was lost. Only the proxy's own answer tells the outcome. */
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
  // The proxy turned this request away, but perhaps not that of another page with the same key.
  const asked = { ...attempt, turnedAway, standing: 'own' } as const;
  const retryAtMs = nowMs + (retryAfterSeconds ?? 0) * 1_000;
  if (turnedAway && code !== 'in_progress') {
    // A short pause is waited out before the payer sees the form again.
    const waits = retryAtMs > nowMs && retryAtMs <= nowMs + silentPauseSeconds * 1_000;
    const barring = { ...state, task: 'barring', attempt: asked } as const;
    return waits ? toOutcome({ ...barring, attempt: { ...asked, retryAtMs } }) : barKey(barring);
  }
  return keepAsking(toConfirmingState(watch, { ...asked, retryAtMs }), isUnknown ? code : null);
}

/** Has the proxy bar the key of a card that was turned away. */
export function barKey(state: ChargingState): Outcome {
  const attempt = { ...state.attempt, retryAtMs: null };
  return toOutcome({ ...state, attempt }, toOutcomeRequest(attempt));
}

/**
 * The question for the outcome failed, or the proxy does not know the outcome: asks again, or ends the attempt if the proxy
 * has barred its key.
 */
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
  // This `not_found` answers the charge itself and bars nothing, so only the next one counts.
  if (isNone && standing !== attempt.standing)
    return askForOutcome(state, { ...attempt, standing });
  if (isNone) {
    // The request was lost or turned away, and the proxy has barred its key, so the request can never arrive.
    return concludeAttempt(state, attempt, turnedAway ?? { code: 'network', retryable: true });
  }
  // For an order that the shop does not know, the proxy stores nothing, so it has no card with this key.
  const isUnknownOrder = told && code === 'unknown_order';
  if (isUnknownOrder && turnedAway?.code === code)
    return concludeAttempt(state, attempt, turnedAway);
  if (isRefusal(failure)) return concludeAttempt(state, attempt, failure);
  const retryAtMs = nowMs + toPauseMs(random, askSpanMs, tries, retryAfterSeconds);
  // A passing failure says nothing yet. After any other, as from a proxy that lacks this route, the outcome counts as
  // unknown.
  const unknown = exits[code] !== 'passing';
  // A closed order or an outdated page says nothing about the card: the element goes on asking, and tells the payer what to
  // do.
  const isNamed = told && (code === 'order_closed' || code === 'unauthorized');
  const reason = isNamed ? code : unknown ? 'outcome_unknown' : null;
  return keepAsking(
    { ...state, attempt: { ...attempt, standing, tries: tries + 1, retryAtMs } },
    reason,
  );
}

/** Ends a card that the proxy calls refused. The payer may try again, or pay the order by Pix. */
export function applyRefusal(state: ConfirmingState, watch: Watch, failure: Failure): Outcome {
  const [refused, first, ...others] = watch.invoices;
  // The key belongs to the card, so no Pix code may be requested with it.
  const rest = first ? startWatch([first, ...others], null, watch.startedAtMs) : null;
  // Another look-up, or a question for the outcome, may be in flight.
  const over = [abortAll, forget(watch.attemptKey)];
  return reopenForm({ ...state, watch: rest }, failure, refused.invoiceId, ...over);
}

/** Asks for the outcome of a stored card attempt, after a reload or in a second tab. */
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

/**
 * Goes on asking, because the outcome is unknown. The page gets a `pix-error` for that, and another if the proxy names a
 * reason.
 */
function keepAsking(state: ConfirmingState, reason: ShownErrorCode | null): Outcome {
  const { error } = state;
  const isNews = !error || (error.code === 'outcome_unknown' && reason !== error.code);
  return reason && isNews ? failWith(state, toFatal(reason), null) : toOutcome(state);
}

/** Ends an attempt after the proxy said that it charged nothing and will never charge anything with this key. */
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

/** Shows the form again after nothing was charged, unless another invoice of the order was called paid. */
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
