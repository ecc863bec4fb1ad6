/**
 * What a look-up changes.
 *
 * `paid` is a fact that is fetched, never one that is told, and it counts only if invoice, reference and total agree
 * with what was created. Silence, errors and unknown words change nothing but the time of the next look-up.
 */

import type { InvoiceStatus, Method } from '../../contract/types.js';
import { afterRefused, backToForm, resumeAttempt, send } from './charge.js';
import { startPosting, toAwaiting } from './creation.js';
import type { Command, Failure } from './events-and-commands.js';
import {
  abortAll,
  emitError,
  enterPolling,
  failureOf,
  fatal,
  forget,
  isRefusal,
  lookedUpId,
  settle,
  stay,
  to,
  toConfirming,
  toDetail,
  toFailed,
  toForm,
  withCommands,
  withWatch,
} from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { afterAnswer, afterFailure, pausePolling } from './polling.js';
import type { Polling } from './polling.js';
import { emptyForm, inquiryOf, isAtStep, isFollowing, watchOf } from './state.js';
import type { FollowingState, PendingLookUp, State, TrackedInvoice, Watch } from './state.js';
import { checkLookUp, isPayment, readCode, sooner, toDeadline } from './tracked-invoice.js';
import type { Disagreement } from './tracked-invoice.js';

/** The proxy answered a look-up. */
export function afterLookUp(
  state: State,
  invoiceId: string,
  answer: InvoiceStatus,
  given: Given,
): Outcome {
  // Only what was asked, and not given up since, is answered.
  if (lookedUpId(state) !== invoiceId) return stay(state);
  if (answer.invoice_id !== invoiceId) {
    return afterLookUpFailed(state, invoiceId, failureOf('invalid_answer'), given);
  }
  if (isFollowing(state)) return afterFirstLookUp(state, answer, given);
  const watch = watchOf(state);
  const tracked = watch?.invoices.find((one) => one.invoiceId === invoiceId);
  if (!watch || !tracked) return stay(state);

  const disagreement = checkLookUp(answer, tracked);
  if (isPayment(answer)) {
    return disagreement
      ? confirmLater(state, watch, disagreement, tracked, answer, given)
      : toPaid(tracked, answer, watch);
  }
  if (disagreement) {
    const shown = state.phase === 'awaiting' && tracked === watch.invoices[0];
    if (tracked.verified || !shown) {
      return afterLookUpFailed(state, invoiceId, failureOf(disagreement), given);
    }
    // What the page handed in is not what the proxy knows: its code is hidden.
    return toFailed(fatal(disagreement), invoiceId);
  }
  return stillWaiting(state, watch, tracked, answer, given);
}

/** A look-up failed. What is on the screen stays. */
export function afterLookUpFailed(
  state: State,
  invoiceId: string,
  failure: Failure,
  given: Given,
): Outcome {
  if (lookedUpId(state) !== invoiceId) return stay(state);
  if (isFollowing(state)) return afterFirstLookUpFailed(state, failure, given);
  const watch = watchOf(state);
  if (!watch) return stay(state);
  const { polling, attemptKey } = watch;
  const isNewest = polling.turn === 0;
  const isCard = isNewest && watch.invoices[0].method === 'credit_card';
  if (isCard && state.phase === 'confirming' && isRefusal(failure)) {
    return afterRefused(state, failure);
  }
  const next = { ...watch, polling: nextPolling(polling, failure, watch.invoices.length, given) };
  if (isAtStep(state, 'checking')) {
    // Nothing has been sent, and without knowing that the Pix code is unpaid nothing is.
    return backToForm(next, { code: failure.code, retryable: true });
  }
  // A renewal would take the place of the request that is in flight.
  const mayRenew = state.phase !== 'creating' && inquiryOf(state) === null;
  if (failure.code === 'unauthorized' && isNewest && mayRenew && attemptKey !== null) {
    return renew(state, next, attemptKey, isCard);
  }
  return to(withWatch(state, next), loudError(polling, failure, invoiceId));
}

/**
 * The token has run out or its key was rotated: the same order is asked for again, and brings a new one. A card is never
 * sent again: its attempt is asked for.
 */
function renew(state: State, watch: Watch, attemptKey: string, isCard: boolean): Outcome {
  const purpose = 'renewal';
  const polling = pausePolling(watch.polling);
  return to(withWatch(state, { ...watch, polling }), [
    isCard
      ? { type: 'recover', purpose, attemptKey }
      : { type: 'create', purpose, attemptKey, replaces: null },
  ]);
}

/** Not paid yet: notes what the answer says, and asks again in time. */
function stillWaiting(
  state: State,
  watch: Watch,
  tracked: TrackedInvoice,
  answer: InvoiceStatus,
  given: Given,
): Outcome {
  const { nowMs, terms } = given;
  const noted: TrackedInvoice = {
    ...tracked,
    status: answer.status,
    orderCode: answer.order_code || tracked.orderCode,
    verified: tracked.verified || Boolean(answer.qr_code_pix),
    deadlineMs: sooner(tracked.deadlineMs, answer.expires_in, nowMs),
  };
  const polling = afterAnswer(watch.polling, nowMs, watch.invoices.length, terms.pollIntervalMs);
  const next: Watch = { ...withTracked(watch, noted), polling };
  const isNewest = watch.invoices[0] === tracked;
  if (isAtStep(state, 'checking')) return send({ ...state, watch: next });
  if (state.phase === 'awaiting' && state.closing && isNewest) {
    return withCommands(enterPolling({ phase: 'expired', watch: next, error: null }, given), {
      type: 'emit',
      event: { name: 'expired', invoiceId: tracked.invoiceId },
    });
  }
  if (state.phase === 'awaiting') {
    const trouble = state.trouble === 'checking' && isNewest ? 'offered' : state.trouble;
    return enterPolling({ ...state, watch: next, trouble }, given);
  }
  return enterPolling(withWatch(state, next), given);
}

/** A payment was made, and something does not agree: nothing is shown as paid, nothing may be paid again. */
function confirmLater(
  state: State,
  watch: Watch,
  disagreement: Disagreement,
  tracked: TrackedInvoice,
  { status }: InvoiceStatus,
  { nowMs, terms }: Given,
): Outcome {
  const polling = afterAnswer(watch.polling, nowMs, watch.invoices.length, terms.pollIntervalMs);
  const next: Watch = { ...withTracked(watch, { ...tracked, status }), polling };
  return toConfirming(state, next, disagreement, tracked.invoiceId);
}

/** What is followed, with a later word about one of the invoices. */
function withTracked(watch: Watch, noted: TrackedInvoice): Watch {
  const [newest, ...former] = watch.invoices;
  const note = (one: TrackedInvoice) => (one.invoiceId === noted.invoiceId ? noted : one);
  return { ...watch, invoices: [note(newest), ...former.map(note)] };
}

/** The invoice is not to be had. A stored one is asked for anew; one that the page named is the page's affair. */
function afterFirstLookUpFailed(state: FollowingState, failure: Failure, given: Given): Outcome {
  const { attemptKey, method, pendingLookUp, polling } = state;
  const { invoiceId, totalCents } = pendingLookUp;
  const { code } = failure;
  const told = loudError(polling, failure, invoiceId);
  if (code === 'unauthorized' || code === 'not_found') {
    if (attemptKey === null) return to({ phase: 'failed', error: fatal(code), invoiceId }, told);
    if (method === 'credit_card') return resumeAttempt({ attemptKey, totalCents, reached: true });
    return code === 'unauthorized' ? startPosting({ attemptKey }, given) : to(emptyForm, [forget]);
  }
  if (isRefusal(failure)) {
    if (attemptKey === null) return toFailed(failure, invoiceId);
    return toForm(failure, invoiceId, [settle({ attemptKey }), forget]);
  }
  return to({ ...state, polling: nextPolling(polling, failure, 1, given) }, told);
}

/** The proxy answered. */
function afterFirstLookUp(state: FollowingState, answer: InvoiceStatus, given: Given): Outcome {
  const { pendingLookUp, attemptKey } = state;
  const { nowMs, terms } = given;
  const disagreement = checkLookUp(answer, pendingLookUp);
  const method = answer.is_pix ? state.method : 'credit_card';
  const tracked = toFound(pendingLookUp, method, answer, given);
  const watch: Watch = { invoices: [tracked], polling: state.polling, attemptKey };
  // A card that was charged stays open, even where the answer says otherwise.
  const isOpen = isPayment(answer) || (method === 'credit_card' && attemptKey !== null);
  if (disagreement && isOpen) {
    return confirmLater(state, watch, disagreement, tracked, answer, given);
  }
  if (answer.status === 'paid') return toPaid(tracked, answer, watch);
  if (disagreement) {
    // A stored invoice of another price is not resumed; one that the page names is the page's affair.
    if (attemptKey !== null) return to(emptyForm, [forget]);
    return toFailed(fatal(disagreement), pendingLookUp.invoiceId);
  }
  const polling = afterAnswer(state.polling, nowMs, 1, terms.pollIntervalMs);
  if (method === 'credit_card') {
    return to({ phase: 'confirming', watch: { ...watch, polling }, inquiry: null, error: null });
  }
  // A look-up need not carry the code; the order, asked for with the same key, does.
  const code = answer.qr_code_pix ?? '';
  if (code === '' && attemptKey !== null) return startPosting({ attemptKey }, given);
  const read = readCode(code, answer.total_cents, terms);
  if ('refused' in read) {
    const { invoiceId } = tracked;
    if (attemptKey === null) return toFailed(fatal(read.refused), invoiceId);
    const error = { code: read.refused, retryable: true };
    return toForm(error, invoiceId, [forget], { replaces: invoiceId });
  }
  const shown: Watch = { ...watch, invoices: [{ ...tracked, code: read.code }], polling };
  return enterPolling(toAwaiting(shown), given);
}

/** What was known before counts: an answer that differs stays one that disagrees. */
function toFound(
  pendingLookUp: PendingLookUp,
  method: Method,
  answer: InvoiceStatus,
  { nowMs, terms }: Given,
): TrackedInvoice {
  const createdAtMs = pendingLookUp.createdAtMs ?? nowMs;
  return {
    invoiceId: pendingLookUp.invoiceId,
    orderCode: answer.order_code,
    externalId: pendingLookUp.externalId ?? answer.external_id,
    method,
    totalCents: pendingLookUp.totalCents ?? answer.total_cents,
    code: null,
    lookupToken: pendingLookUp.lookupToken,
    status: answer.status,
    createdAtMs,
    deadlineMs: toDeadline(answer.expires_in, terms, createdAtMs, nowMs),
    verified: true,
  };
}

/** The look-ups after one that failed. */
function nextPolling(
  polling: Polling,
  { retryAfterSeconds }: Failure,
  invoices: number,
  { nowMs, random, terms }: Given,
): Polling {
  return afterFailure(polling, nowMs, invoices, terms.pollIntervalMs, {
    random,
    retryAfterSeconds,
  });
}

/** Failures of a look-up that the merchant has to know of; a bad line or a busy service is no news. */
const loud: ReadonlySet<string> = new Set([
  'unauthorized',
  'not_found',
  'invalid_answer',
  'invalid_request',
  'configuration',
  'reference_mismatch',
  'amount_mismatch',
]);

/** Tells the page of the first of such failures in a row. */
function loudError(polling: Polling, failure: Failure, invoiceId: string): Command[] {
  const first = polling.failures === 0 && polling.turn === 0;
  return first && loud.has(failure.code) ? [emitError(failure, invoiceId)] : [];
}

/** A look-up said paid, and everything agrees. */
function toPaid(tracked: TrackedInvoice, answer: InvoiceStatus, watch: Watch): Outcome {
  const orderCode = answer.order_code || tracked.orderCode;
  // An order may turn out to be paid by another method than this page asked for.
  const method = answer.is_pix ? tracked.method : 'credit_card';
  const paid: TrackedInvoice = { ...tracked, orderCode, method, status: 'paid' };
  return to({ phase: 'paid', invoice: paid, paidAt: answer.updated_at }, [
    abortAll,
    settle(watch),
    forget,
    { type: 'emit', event: { name: 'paid', invoice: toDetail(paid) } },
  ]);
}
