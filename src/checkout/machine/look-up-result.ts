/**
 * What a look-up changes.
 *
 * Keeps of DESIGN.md, section 7: `paid` is a fact that is fetched, never one that is told, and it counts only if invoice,
 * reference and total agree with what was created (2). Silence, errors and unknown words change nothing but the time of
 * the next look-up.
 */

import type { InvoiceStatus } from '../../contract/types.js';
import { afterRefused, resumeAttempt, send } from './charge.js';
import { startPosting, toPosting } from './creation.js';
import type { Answer, Command, Failure } from './events-and-commands.js';
import {
  abortAll,
  announce,
  backOff,
  failureOf,
  fatal,
  forget,
  isRefusal,
  request,
  show,
  tell,
  to,
  toConfirming,
  toFailed,
  toForm,
  withWatch,
} from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { afterAnswer, pausePolling, startLookUp } from './polling.js';
import { emptyForm, isAtStep, isFollowing, openCard, watchOf } from './state.js';
import type { FollowingState, State, TrackedInvoice, Watch } from './state.js';
import { checkLookUp, isPayment, readCode, sooner, toDeadline } from './tracked-invoice.js';

/** Starts the look-up that is due, if one is. */
export function lookUpIfDue({ state, commands }: Outcome, { nowMs }: Given): Outcome {
  const watch = watchOf(state);
  const dueMs = watch?.polling.dueMs ?? Infinity;
  if (!watch || dueMs > nowMs) return { state, commands };
  const { invoices } = watch;
  const polling = startLookUp(watch.polling, nowMs, invoices.length);
  const { index = 0, waitSeconds = 0, timeoutMs = 0 } = polling.lookUp ?? {};
  const { invoiceId, lookupToken } = invoices[index] ?? invoices[0];
  const look: Command = { type: 'look_up', invoiceId, lookupToken, waitSeconds, timeoutMs };
  return to(withWatch(state, { ...watch, polling }), ...commands, look);
}

/** The proxy answered a look-up, or did not. Only what was asked, and not given up since, is answered. */
export function afterLookUp(
  state: State,
  invoiceId: string,
  answer: Answer<InvoiceStatus>,
  given: Given,
): Outcome {
  const watch = watchOf(state);
  const tracked = watch?.polling.lookUp && watch.invoices[watch.polling.lookUp.index];
  if (!watch || tracked?.invoiceId !== invoiceId) return to(state);
  if ('failure' in answer) return afterLookUpFailed(state, watch, tracked, answer.failure, given);
  const status = answer.invoice;
  if (status.invoice_id !== invoiceId) {
    return afterLookUpFailed(state, watch, tracked, failureOf('invalid_answer'), given);
  }
  if (isFollowing(state)) return afterFirstLookUp(state, tracked, status, given);
  const disagreement = checkLookUp(status, tracked);
  if (isPayment(status)) {
    return disagreement
      ? toConfirming(
          state,
          answered(watch, { ...tracked, status: status.status }, given),
          disagreement,
          invoiceId,
        )
      : toPaid(tracked, status, watch);
  }
  if (disagreement) {
    const isShown = state.phase === 'awaiting' && tracked === watch.invoices[0];
    return tracked.verified || !isShown
      ? afterLookUpFailed(state, watch, tracked, failureOf(disagreement), given)
      : // What the page handed in is not what the proxy knows: its code is hidden.
        toFailed(fatal(disagreement), invoiceId);
  }
  return stillWaiting(state, watch, tracked, status, given);
}

/** Not paid yet: notes what the answer says, and asks again in time. */
function stillWaiting(
  state: State,
  watch: Watch,
  tracked: TrackedInvoice,
  answer: InvoiceStatus,
  given: Given,
): Outcome {
  const noted: TrackedInvoice = {
    ...tracked,
    status: answer.status,
    orderCode: answer.order_code || tracked.orderCode,
    verified: tracked.verified || Boolean(answer.qr_code_pix),
    deadlineMs: sooner(tracked.deadlineMs, answer.expires_in, given.nowMs),
  };
  const next = answered(watch, noted, given);
  if (isAtStep(state, 'checking')) return send({ ...state, watch: next });
  if (state.phase === 'awaiting' && state.closing && tracked === watch.invoices[0]) {
    const { invoiceId } = tracked;
    return to(show(next, null, true), {
      type: 'emit',
      event: { name: 'expired', invoiceId },
    });
  }
  return to(withWatch(state, next));
}

/** A look-up failed. What is on the screen stays. */
function afterLookUpFailed(
  state: State,
  watch: Watch,
  tracked: TrackedInvoice,
  failure: Failure,
  given: Given,
): Outcome {
  if (isFollowing(state)) return afterFirstLookUpFailed(state, failure, given);
  const { attemptKey } = watch;
  const isNewest = tracked === watch.invoices[0];
  const isCard = isNewest && tracked.method === 'credit_card';
  if (isCard && state.phase === 'confirming' && isRefusal(failure)) {
    return afterRefused(state, watch, failure);
  }
  const next = backOff(watch, given, failure.retryAfterSeconds);
  if (isAtStep(state, 'checking')) {
    // Nothing has been sent, and without knowing that the Pix code is unpaid nothing is.
    return toForm({ code: failure.code, retryable: true }, null, { watch: next });
  }
  // A renewal would take the place of the request that is in flight.
  const mayRenew = state.phase !== 'creating' && openCard(state) === null;
  if (failure.code === 'unauthorized' && isNewest && mayRenew && attemptKey !== null) {
    // The token has run out or its key was rotated: the same order is asked for again, and brings a new one. A card is
    // never sent again: its attempt is asked for.
    const polling = pausePolling(next.polling);
    const action = isCard ? 'recover' : 'create';
    return to(withWatch(state, { ...next, polling }), request(action, 'renewal', attemptKey));
  }
  return to(withWatch(state, next), ...loudError(watch, failure));
}

/** The first look-up of an invoice known by its id. */
function afterFirstLookUp(
  state: FollowingState,
  known: TrackedInvoice,
  answer: InvoiceStatus,
  given: Given,
): Outcome {
  const { attemptKey } = state.watch;
  const { terms } = given;
  const disagreement = checkLookUp(answer, known);
  const tracked = toFound(known, answer, attemptKey, given);
  const watch = answered(state.watch, tracked, given);
  const { invoiceId, method } = tracked;
  // A card that was charged stays open, even where the answer says otherwise.
  const isOpen = isPayment(answer) || (method === 'credit_card' && attemptKey !== null);
  if (disagreement && isOpen) return toConfirming(state, watch, disagreement, invoiceId);
  if (answer.status === 'paid') return toPaid(tracked, answer, watch);
  if (disagreement) {
    // A stored invoice of another price is not resumed; one that the page names is the page's affair.
    return attemptKey === null
      ? toFailed(fatal(disagreement), invoiceId)
      : to(emptyForm, forget(attemptKey));
  }
  if (method === 'credit_card') {
    return to({ phase: 'confirming', watch, attempt: null, error: null });
  }
  // A look-up need not carry the code; the order, asked for with the same key, does.
  const code = answer.qr_code_pix ?? '';
  if (code === '' && attemptKey !== null) return startPosting(toPosting(attemptKey, given));
  const read = readCode(code, answer.total_cents, terms);
  if ('code' in read) {
    return to(show({ ...watch, invoices: [{ ...tracked, code: read.code }] }));
  }
  return attemptKey === null
    ? toFailed(fatal(read.refused), invoiceId)
    : toForm(
        { code: read.refused, retryable: true },
        invoiceId,
        { replaces: invoiceId },
        forget(attemptKey),
      );
}

/** The invoice is not to be had. A stored one is asked for anew; one that the page named is the page's affair. */
function afterFirstLookUpFailed(state: FollowingState, failure: Failure, given: Given): Outcome {
  const { watch } = state;
  const { attemptKey } = watch;
  const { invoiceId, method, totalCents } = watch.invoices[0];
  const { code } = failure;
  if (isRefusal(failure)) {
    return attemptKey === null
      ? toFailed(failure, invoiceId)
      : toForm(failure, invoiceId, {}, forget(attemptKey));
  }
  if (code === 'unauthorized' || code === 'not_found') {
    if (attemptKey === null) return toFailed(fatal(code), invoiceId);
    if (method === 'credit_card') return resumeAttempt(attemptKey, totalCents, 'reached');
    return code === 'unauthorized'
      ? startPosting(toPosting(attemptKey, given))
      : to(emptyForm, forget(attemptKey));
  }
  const next = backOff(watch, given, failure.retryAfterSeconds);
  return to({ ...state, watch: next }, ...loudError(watch, failure));
}

/** What was known before counts: an answer that differs stays one that disagrees. */
function toFound(
  known: TrackedInvoice,
  answer: InvoiceStatus,
  attemptKey: string | null,
  { nowMs, terms }: Given,
): TrackedInvoice {
  // Of an invoice that the page named no more is known than when it is first shown.
  const createdAtMs = attemptKey === null ? nowMs : known.createdAtMs;
  return {
    ...known,
    createdAtMs,
    orderCode: answer.order_code,
    externalId: known.externalId ?? answer.external_id,
    method: answer.is_pix ? known.method : 'credit_card',
    totalCents: known.totalCents ?? answer.total_cents,
    status: answer.status,
    deadlineMs: toDeadline(answer.expires_in, terms, createdAtMs, nowMs),
  };
}

/** What is followed, after an answer about one of the invoices that is not final. */
function answered(watch: Watch, noted: TrackedInvoice, { nowMs, terms }: Given): Watch {
  const [newest, ...former] = watch.invoices;
  const note = (one: TrackedInvoice) => (one.invoiceId === noted.invoiceId ? noted : one);
  const { polling, invoices } = watch;
  return {
    ...watch,
    invoices: [note(newest), ...former.map(note)],
    polling: afterAnswer(polling, nowMs, invoices.length, terms.pollIntervalMs),
  };
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
function loudError({ polling, invoices }: Watch, failure: Failure): readonly Command[] {
  const isFirst = polling.failures === 0 && polling.lookUp?.index === 0;
  return isFirst && loud.has(failure.code) ? [tell(failure, invoices[0].invoiceId)] : [];
}

/** A look-up said paid, and everything agrees. */
function toPaid(tracked: TrackedInvoice, answer: InvoiceStatus, { attemptKey }: Watch): Outcome {
  const invoice = {
    ...tracked,
    orderCode: answer.order_code || tracked.orderCode,
    // An order may turn out to be paid by another method than this page asked for.
    method: answer.is_pix ? tracked.method : 'credit_card',
    totalCents: answer.total_cents,
    status: 'paid',
  } as const;
  return to(
    { phase: 'paid', invoice, paidAt: answer.updated_at },
    abortAll,
    forget(attemptKey),
    announce('paid', invoice),
  );
}
