/**
 * How the checkout gets an invoice: the proxy makes it, finds it, refuses it or calls the order paid, or the page hands it in.
 *
 * Promise kept here: one open Pix code per order and price. A creation is made again with its own key alone, and the
 * proxy answers a known key, or an open order, with the invoice there is. Former codes stay followed.
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
} from './state.js';
import {
  goOnIfPaused,
  toPauseMs,
  plainPace,
  startWatch,
  checkCreated,
  isPayment,
  readCode,
  toTracked,
} from './tracked-invoice.js';

/** A failed creation is made again this many times before the payer is asked. */
const retriesAllowed = 2;

/** First span of the jitter before a creation is made again, milliseconds. */
const retrySpanMs = 1_500;

/** A creation that is about to begin. `before` holds what the page had on the screen or followed until now. */
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
 * Asks for an invoice. The attempt is stored first, because a reload must find its key. Where a code is followed already,
 * that code's record stays until there is another code, because a reload must find it.
 */
export function startPosting(posting: PostingState): Outcome {
  const { attemptKey, totalCents } = posting.attempt;
  const stored = posting.watch ? [] : [remember(attemptKey, { method: 'pix', totalCents })];
  return toOutcome(posting, ...stored, toInvoiceRequest(posting));
}

/** The request that this state is waiting for. */
export function toInvoiceRequest({ task, attempt, replaces }: PostingState): InvoiceRequest {
  const action = task === 'posting' ? 'create' : 'recover';
  return request(action, 'invoice', attempt.attemptKey, replaces);
}

/**
 * Takes in an invoice that the proxy made or found, or that the page handed in: it becomes the newest that is followed.
 * One that the page handed in is shown at once, and counts as unverified until a look-up names the same code.
 */
export function applyInvoice(state: State, invoice: CreatedInvoice, given: Given): Outcome {
  const { nowMs, terms } = given;
  const posting = isPosting(state) ? state : null;
  const attemptKey = posting && posting.attempt.attemptKey;
  const watch = posting && posting.watch;
  const made = toTracked(invoice, terms, nowMs, posting !== null);
  const { invoiceId, totalCents } = made;
  const mismatch = checkCreated(invoice, terms);
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

/** A creation or a recovery failed. */
export function applyCreationFailure(state: PostingState, failure: Failure, given: Given): Outcome {
  const { attempt, watch, replaces } = state;
  const { nowMs, random, offline } = given;
  const { code, told, retryAfterSeconds } = failure;
  const { attemptKey, tries } = attempt;
  const exit = exits[code];
  const isSilent = tries < retriesAllowed && (retryAfterSeconds ?? 0) <= silentPauseSeconds;
  // The payer is told that there is no line, and the creation waits for it. The browser may be wrong about the line, so
  // the creation is made again all the same, and any answer shows that there is one.
  const isTimed = code !== 'too_many_requests' || retryAfterSeconds !== null;
  const waits = isSilent ? isTimed : offline && code === 'network';
  if (exit === 'passing' && waits) {
    const retryAtMs = nowMs + toPauseMs(random, retrySpanMs, tries, retryAfterSeconds);
    return toOutcome({ ...state, attempt: { ...attempt, tries: tries + 1, retryAtMs } });
  }
  if (told && code === 'in_progress' && !watch) {
    // A card of this order is open. The payer waits for its outcome, and the proxy tells it by this key.
    const retryAtMs = nowMs + (retryAfterSeconds ?? 0) * 1_000;
    const turnedAway = { code, retryable: true } as const;
    const standing = 'contended_pix';
    return toOutcome(
      toConfirmingState(null, { ...attempt, standing, turnedAway, tries: 0, retryAtMs }),
    );
  }
  if (state.task === 'recovering') {
    // The proxy has barred a key that it does not know. Any other key is taken again by the next press.
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
 * The proxy says that the order is paid already. The invoice that paid it is looked up, and shown as the receipt if it
 * agrees. If the proxy does not name that invoice, the page still offers no code of this order any more.
 */
export function applyOrderPaid(state: State, { invoice }: Failure, given: Given): Outcome {
  const { terms, nowMs } = given;
  const card = findUnresolvedCharge(state);
  // For a card that was asked for by its key, this answer is final.
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

/** No new code comes. The former code comes back to the screen; without one only the merchant can help. */
function endWithoutCode(
  state: State,
  error: CheckoutError,
  invoiceId: string | null,
  given: Given,
  commands: readonly Command[] = [],
  newTotal: { readonly totalCents?: number } = {},
): Outcome {
  const watch = findWatch(state);
  if (!watch)
    return failWith({ phase: 'failed', invoiceId, ...newTotal }, error, invoiceId, forget());
  const isExpired = state.phase === 'expired' || ('expired' in state && state.expired);
  return failWith(
    toCodeState(goOnIfPaused(watch, given), isExpired),
    error,
    invoiceId,
    ...commands,
  );
}

/** Takes only the token of an invoice that is followed already: its code and deadline must not change on the screen. */
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
  // Kept, so that a proxy that refuses each of its own tokens is not asked in a loop.
  const { refusals, renewedAtMs } = before ?? begun;
  const watch = { ...begun, refusals, renewedAtMs };
  return isShown ? toCodeState(watch) : toConfirmingState(watch);
}

/** The key to ask for an order again with, to get a new look-up token; `null`: the page named no order. */
export function findRenewalKey(
  { attemptKey, invoices }: Watch,
  { terms, freshKey }: Given,
): string | null {
  // A card is only found by its own key. Another key would ask for a Pix code.
  const mayAsk = terms.externalId !== null && invoices[0].method === 'pix';
  return attemptKey ?? ((mayAsk && freshKey) || null);
}

/** The watch whose look-up token can be renewed now; `null` also while another request for an invoice is open. */
export function findRenewableWatch(state: State): Watch | null {
  const isOther =
    isPosting(state) || isAt(state, 'following') || findUnresolvedCharge(state) !== null;
  return isOther ? null : findWatch(state);
}

/** The order was asked for again to get a new look-up token. The answer usually names the same invoice. */
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
    // While a payment may have been made, or a card is being asked for, no other code is offered.
    return isCodePhase(state)
      ? applyInvoice(toPosting(attemptKey, given, { watch, expired }), invoice, given)
      : applyRenewalFailure(state, watch, toFailure('invalid_answer'), given);
  }
  const renewed = { ...newest, lookupToken: invoice.lookup_token ?? newest.lookupToken };
  const next: Watch = { ...goOnIfPaused(watch, given), invoices: [renewed, ...former], attemptKey };
  return toOutcome(replaceWatch(state, next), remember(attemptKey, renewed));
}

/** Look-ups go on, and the token is asked for again when they are refused again, unless the order itself is refused. */
export function applyRenewalFailure(
  state: State,
  watch: Watch,
  failure: Failure,
  given: Given,
): Outcome {
  const exit = exits[failure.code];
  const goingOn = goOnIfPaused(watch, given, failure.retryAfterSeconds);
  if (goingOn === watch) return toOutcome(state);
  // No other token came, so it may be asked for again.
  const resumed = { ...goingOn, refusals: 0 };
  if (!exit || failure.code === 'invalid_request') return applyLockout(state, resumed);
  // The look-up that was refused is counted as the first failure already.
  const isNews = watch.failures === 1 && exit !== 'passing';
  const told = isNews ? [tell(failure, watch.invoices[0].invoiceId)] : [];
  return toOutcome(replaceWatch(state, resumed), ...told);
}

/**
 * The proxy refuses the look-up token, and gives no other: the page is out of date. The merchant's page is told once, even
 * if the screen shows something else.
 */
export function applyLockout(state: State, watch: Watch): Outcome {
  const [{ invoiceId }] = watch.invoices;
  // A request for another token may be in flight still.
  if (isCodePhase(state)) return toFailed(toFatal('unauthorized'), invoiceId, abortAll);
  if (state.phase === 'confirming' && !state.error) {
    return confirmWithError(state, watch, 'unauthorized', invoiceId);
  }
  const told = watch.refusals === 2 ? [tell(toFatal('unauthorized'), invoiceId)] : [];
  return toOutcome(replaceWatch(state, watch), ...told);
}
