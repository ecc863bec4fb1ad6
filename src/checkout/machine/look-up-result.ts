/**
 * What a look-up changes. Part of the machine; pure.
 *
 * `paid` is a fact that is fetched, never one that is told, and it counts only if invoice, reference and total agree
 * with what was created. Silence, errors and unknown words change nothing but the time of the next look-up.
 */

import type { InvoiceStatus, Method } from '../../contract/types.js';
import { afterRefused, backToForm, resumeAttempt, send } from './charge.js';
import { startPosting, toAwaiting } from './creation.js';
import type { Failure } from './events-and-commands.js';
import { checkLookUp, isPayment, readCode, sooner, toDeadline } from './tracked-invoice.js';
import type { Disagreement } from './tracked-invoice.js';
import {
  abortAll,
  lookedUpId,
  emitError,
  failureOf,
  enterPolling,
  fatal,
  forget,
  settle,
  stay,
  to,
  toConfirming,
  toDetail,
  toFailed,
  withCommands,
  withPolling,
  withWatch,
} from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { afterAnswer, afterFailure, pausePolling } from './polling.js';
import { inquiryOf, emptyForm, pollingOf, watchOf } from './state.js';
import type { FollowingState, TrackedInvoice, PendingLookUp, State, Watch } from './state.js';

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
  if ('pendingLookUp' in state) return found(state, answer, given);
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
  const polling = pollingOf(state);
  if (!polling || lookedUpId(state) !== invoiceId) return stay(state);
  const { nowMs, random, terms } = given;
  const first = polling.failures === 0 && polling.turn === 0;
  const told = first && loud.has(failure.code) ? [emitError(failure, invoiceId)] : [];
  const refused = failure.code === 'unauthorized' || failure.code === 'not_found';

  if (refused && 'pendingLookUp' in state) {
    // A stored invoice the proxy no longer knows: ask for the order anew. One that the page named is the page's affair.
    const { attemptKey } = state;
    if (attemptKey === null) {
      return to({ phase: 'failed', error: fatal(failure.code), invoiceId }, told);
    }
    if (state.method === 'credit_card') {
      return resumeAttempt({
        attemptKey,
        totalCents: state.pendingLookUp.totalCents,
        reached: true,
      });
    }
    return failure.code === 'unauthorized'
      ? startPosting({ attemptKey }, given)
      : to(emptyForm, [forget]);
  }
  const watch = watchOf(state);
  const asksCard = polling.turn === 0 && watch?.invoices[0].method === 'credit_card';
  if (failure.told && failure.code === 'payment_refused') {
    if ('pendingLookUp' in state) return pendingRefused(state, failure);
    if (state.phase === 'confirming' && asksCard) return afterRefused(state, failure);
  }
  const next = afterFailure(polling, nowMs, watch?.invoices.length ?? 1, terms.pollIntervalMs, {
    random,
    retryAfterSeconds: failure.retryAfterSeconds,
  });
  if (state.phase === 'creating' && state.task === 'charging' && state.step === 'checking') {
    // Nothing has been sent, and without knowing that the Pix code is unpaid nothing is.
    const { code } = failure;
    return backToForm(watch && { ...watch, polling: next }, { code, retryable: true });
  }
  // While a card attempt is open, the answer to a creation would be taken for its own.
  const renews = state.phase !== 'creating' && inquiryOf(state) === null;
  const attemptKey = renews ? (watch?.attemptKey ?? null) : null;
  if (failure.code === 'unauthorized' && polling.turn === 0 && attemptKey !== null) {
    // The token has run out or its key was rotated: the same order is asked for again, and brings a new one. A card is
    // never sent again: its attempt is asked for.
    return to(withPolling(state, pausePolling(next)), [
      asksCard ? { type: 'recover', attemptKey } : { type: 'create', attemptKey, replaces: null },
    ]);
  }
  return to(withPolling(state, next), told);
}

/** The card of before the reload was refused. An invoice that the page named is the page's affair. */
function pendingRefused({ pendingLookUp, attemptKey }: FollowingState, failure: Failure): Outcome {
  const { invoiceId } = pendingLookUp;
  if (attemptKey === null) return toFailed(failure, invoiceId);
  const { code, retryable } = failure;
  const error = { code, retryable };
  return to({ ...emptyForm, error }, [settle({ attemptKey }), forget, emitError(error, invoiceId)]);
}

/** The first answer about an invoice of which only the id was known. */
function found(state: FollowingState, answer: InvoiceStatus, given: Given): Outcome {
  const { pendingLookUp, attemptKey } = state;
  const { nowMs, terms } = given;
  const disagreement = checkLookUp(answer, pendingLookUp);
  const method = answer.is_pix ? state.method : 'credit_card';
  const tracked = toFound(pendingLookUp, method, answer, given);
  const watch: Watch = { invoices: [tracked], polling: state.polling, attemptKey };
  // A card that was charged stays open, whatever the answer says.
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
    return to({ ...emptyForm, error, replaces: invoiceId }, [forget, emitError(error, invoiceId)]);
  }
  const shown: Watch = { ...watch, invoices: [{ ...tracked, code: read.code }], polling };
  return enterPolling(toAwaiting(shown), given);
}

/** What is sought is what counts: an answer that differs stays one that disagrees. */
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
  if (state.phase === 'creating' && state.task === 'charging' && state.step === 'checking') {
    return send({ ...state, watch: next });
  }
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

/** Someone paid, and something does not agree: nothing is shown as paid, nothing may be paid again. */
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
