/**
 * How an invoice comes to be: asked for, answered, refused, paid already, handed in by the page.
 *
 * Keeps of DESIGN.md, section 7: one open Pix code per order and price (1), since a creation is repeated with its key
 * alone, and the proxy answers a known key or an open order with the invoice there is.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import type { Failure, InvoiceRequest } from './events-and-commands.js';
import {
  announce,
  fatal,
  forget,
  goOn,
  remember,
  request,
  show,
  tell,
  to,
  toAttempt,
  toConfirming,
  toFailed,
  toForm,
  without,
} from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { plain, startPolling } from './polling.js';
import { emptyForm, openCard, watchOf } from './state.js';
import type { CheckoutError, PostingState, State, TrackedInvoice, Watch } from './state.js';
import { checkCreated, readCode, toTracked } from './tracked-invoice.js';

/** So often a creation is made again by itself before the payer is asked. */
const retriesAllowed = 2;

/** First span of the jitter before a creation is made again, milliseconds. */
const retrySpanMs = 1_500;

/** A proxy that wants a longer pause is not waited for in silence. */
const longestSilentPauseSeconds = 10;

/** Codes of a proxy that may well answer next time. */
export const transient: ReadonlySet<string> = new Set([
  'network',
  'service_unavailable',
  'in_progress',
]);

/** Codes that bring the payer back to the form; all others need the merchant. */
const formCodes: ReadonlySet<string> = new Set([
  ...transient,
  'too_many_requests',
  'invalid_answer',
  'invalid_request',
  'key_reused',
  'payment_refused',
  'outcome_unknown',
]);

/** After these the stored attempt is of no more use: the next one takes a new key. */
const endsAttempt: ReadonlySet<string> = new Set(['key_reused', 'payment_refused']);

/** A creation that is about to begin; what is not named was not there before. */
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
 * Asks for an invoice. The attempt is stored first: a reload must find its key. Only where a code is followed already,
 * its record stays until there is another: a reload must find the code.
 */
export function startPosting(posting: PostingState): Outcome {
  const { attemptKey, totalCents } = posting.attempt;
  const asked = askForInvoice(posting);
  return posting.watch
    ? to(posting, asked)
    : to(posting, remember(attemptKey, { method: 'pix', totalCents }), asked);
}

/** The request of a creation, or of a recovery. */
export function askForInvoice({ task, attempt, replaces }: PostingState): InvoiceRequest {
  const action = task === 'posting' ? 'create' : 'recover';
  return request(action, 'invoice', attempt.attemptKey, replaces);
}

/** The proxy answered a creation or a recovery: its invoice becomes the newest that is followed. */
export function afterInvoiceCreated(
  state: PostingState,
  invoice: CreatedInvoice,
  given: Given,
): Outcome {
  const { attempt, watch, expired, task } = state;
  const { invoice_id: id } = invoice;
  const mismatch = checkCreated(invoice, given.terms);
  if (mismatch) return refuse(state, fatal(mismatch), id, given);

  const read = readShownCode(invoice, given);
  const code = read && 'code' in read ? read.code : null;
  const made = toTracked(invoice, code, given.terms, given.nowMs, true);
  const announced = task === 'posting' ? [announce('created', made)] : [];
  if (read && 'refused' in read) {
    const error = { code: read.refused, retryable: true };
    if (!watch) return toForm(error, id, { replaces: id }, forget(), ...announced);
    return to(show(goOn(watch, given), error, expired), ...announced, tell(error, id));
  }
  const tracked = asKnown(made, watch);
  const followed = follow(tracked, watch, attempt.attemptKey, code !== null, given);
  const warned = read?.warning ? [tell(fatal(read.warning), id)] : [];
  return to(followed, remember(attempt.attemptKey, tracked), ...announced, ...warned);
}

/** An invoice that the page handed in. It is shown at once, and the first look-up has to vouch for it. */
export function afterGiven(state: State, invoice: CreatedInvoice, given: Given): Outcome {
  const id = invoice.invoice_id;
  const mismatch = checkCreated(invoice, given.terms);
  if (mismatch) return refuse(state, fatal(mismatch), id, given);
  const read = readShownCode(invoice, given);
  if (read && 'refused' in read) return refuse(state, fatal(read.refused), id, given);
  const tracked = toTracked(invoice, read?.code ?? null, given.terms, given.nowMs, false);
  const warned = read?.warning ? [tell(fatal(read.warning), id)] : [];
  return to(follow(tracked, null, null, read !== null, given), ...warned);
}

/** A creation or a recovery failed. */
export function afterCreationFailed(state: PostingState, failure: Failure, given: Given): Outcome {
  const { attempt, watch, replaces } = state;
  const { code } = failure;
  const pause = failure.retryAfterSeconds ?? 0;
  const again = transient.has(code) && attempt.tries < retriesAllowed;
  if (again && pause <= longestSilentPauseSeconds) {
    const delay = Math.max(given.random * retrySpanMs * 2 ** attempt.tries, pause * 1_000);
    const retryAtMs = given.nowMs + delay;
    return to({ ...state, attempt: { ...attempt, tries: attempt.tries + 1, retryAtMs } });
  }
  if (state.task === 'recovering') {
    // An attempt that the proxy does not know is none; its key stays stored for the next press of the button.
    return transient.has(code) ? toForm(failure, null) : to(emptyForm);
  }
  if (watch || !formCodes.has(code)) return refuse(state, failure, null, given);
  return toForm(failure, null, { replaces }, ...(endsAttempt.has(code) ? [forget()] : []));
}

/**
 * The order is paid already: the invoice that paid it is looked up, and shown as receipt if it agrees. Where the proxy
 * does not name it, no code of this order is offered any more all the same.
 */
export function afterOrderPaid(state: State, failure: Failure, given: Given): Outcome {
  const card = openCard(state);
  const { state: next, commands } = followPaid(state, failure, given);
  // Asked for by its key, a card is answered so for good.
  return to(next, ...(card ? [forget(card.attemptKey, true)] : []), ...commands);
}

function followPaid(state: State, { invoice }: Failure, given: Given): Outcome {
  const watch = watchOf(state);
  const { externalId } = given.terms;
  if (invoice && (externalId === null || invoice.external_id === externalId)) {
    const paid = toTracked(invoice, null, given.terms, given.nowMs, true);
    return to(follow(paid, watch, null, false, given));
  }
  const code = invoice ? 'reference_mismatch' : 'order_paid';
  const id = invoice?.invoice_id ?? null;
  if (!watch) return refuse(state, fatal(code), id, given);
  return toConfirming(state, goOn(watch, given), code, id, null);
}

/** Nothing can be offered: back to the code of before, else the merchant has to help. */
function refuse(
  state: State,
  { code, retryable }: CheckoutError,
  invoiceId: string | null,
  given: Given,
): Outcome {
  const watch = watchOf(state);
  const error = { code, retryable };
  if (!watch) return toFailed(error, invoiceId, forget());
  const isExpired = state.phase === 'expired' || ('expired' in state && state.expired);
  return to(show(goOn(watch, given), error, isExpired), tell(error, invoiceId));
}

/** `null`: the answer says paid, there is nothing to show. */
function readShownCode(invoice: CreatedInvoice, { terms }: Given) {
  if (invoice.status === 'paid') return null;
  return readCode(invoice.qr_code_pix, invoice.total_cents, terms);
}

/** An answer that names an invoice again renews its token only: neither code nor deadline change under a payer's eyes. */
function asKnown(made: TrackedInvoice, watch: Watch | null): TrackedInvoice {
  const known = watch?.invoices.find(({ invoiceId }) => invoiceId === made.invoiceId);
  return known?.code ? { ...known, lookupToken: made.lookupToken ?? known.lookupToken } : made;
}

/** A new invoice in front of those of before. @param isShown its code may be paid */
function follow(
  tracked: TrackedInvoice,
  before: Watch | null,
  attemptKey: string | null,
  isShown: boolean,
  { nowMs }: Given,
): State {
  const watch: Watch = {
    invoices: [tracked, ...without(before, tracked.invoiceId)],
    polling: startPolling(nowMs, tracked.verified ? 'held' : plain),
    attemptKey,
  };
  return isShown ? show(watch) : { phase: 'confirming', watch, attempt: null, error: null };
}
