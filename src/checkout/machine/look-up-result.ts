/**
 * How the answer to a look-up changes the checkout.
 *
 * Promise kept here: `paid` is shown and told only after a look-up said so, and invoice, reference and total agree with
 * what was created. Silence, errors and unknown words change nothing but the time of the next look-up.
 */

import type { InvoiceStatus } from '../../contract/types.js';
import { applyRefusal, resumeCard, sendCard, toCardForm } from './charge.js';
import {
  applyLockout,
  findRenewalKey,
  findRenewableWatch,
  startPosting,
  toPosting,
} from './creation.js';
import {
  abortAll,
  announce,
  forget,
  request,
  tell,
  toConfirmingState,
  exits,
  failWith,
  toFailure,
  toFatal,
  isRefusal,
  toCodeState,
  toOutcome,
  confirmWithError,
  toFailed,
  replaceWatch,
  emptyForm,
  isAt,
  findWatch,
} from './state.js';
import type {
  Answer,
  Failure,
  Outcome,
  CheckoutError,
  Given,
  State,
  TrackedInvoice,
  Watch,
} from './state.js';
import {
  planAfterAnswer,
  planAfterFailure,
  findAskedInvoice,
  pauseLookUps,
  startLookUp,
  checkLookUp,
  isPayment,
  readCode,
  toSoonerDeadline,
  toDeadline,
} from './tracked-invoice.js';
import type { Disagreement } from './tracked-invoice.js';

/** Milliseconds in which a look-up token is asked for once at most. */
const renewedForMs = 60_000;

/** A look-up that was answered, or failed. */
interface Look {
  readonly state: State;
  readonly watch: Watch;
  /** The invoice that was asked for. */
  readonly tracked: TrackedInvoice;
  readonly given: Given;
}

/** Starts the look-up that is due, if one is. */
export function lookUpIfDue(outcome: Outcome, { nowMs }: Given): Outcome {
  const { state, commands } = outcome;
  const due = findWatch(state);
  if (!due || (due.dueMs ?? Infinity) > nowMs) return outcome;
  const { watch, lookUp } = startLookUp(due, nowMs);
  return toOutcome(replaceWatch(state, watch), ...commands, lookUp);
}

/** The proxy answered a look-up, or did not. An answer to a look-up that was given up changes nothing. */
export function applyLookUp(
  state: State,
  invoiceId: string,
  answer: Answer<InvoiceStatus>,
  given: Given,
): Outcome {
  const watch = findWatch(state);
  const tracked = watch && findAskedInvoice(watch);
  if (!watch || tracked?.invoiceId !== invoiceId) return toOutcome(state);
  const look = { state, watch, tracked, given };
  if ('failure' in answer) return applyLookUpFailure(look, answer.failure);
  return answer.invoice.invoice_id === invoiceId
    ? applyAnswer(look, answer.invoice)
    : applyLookUpFailure(look, toFailure('invalid_answer'));
}

function applyAnswer(look: Look, answer: InvoiceStatus): Outcome {
  const { state, watch, tracked, given } = look;
  const disagreement = checkLookUp(answer, tracked);
  const isFirst = isAt(state, 'following');
  if (isPayment(answer)) {
    const known = isFirst ? toFound(look, answer) : tracked;
    if (!disagreement) return toPaid(known, answer, watch);
    const noted = noteAnswer(look, { ...known, status: answer.status });
    return confirmWithError(state, noted, disagreement, tracked.invoiceId);
  }
  if (isFirst) return showFound(look, answer, disagreement);
  if (disagreement) {
    const isShown = state.phase === 'awaiting' && tracked === watch.invoices[0];
    // The page handed this code in, and the proxy does not confirm it: hide it.
    if (isShown && !tracked.verified) {
      return toFailed(toFatal(disagreement), tracked.invoiceId, abortAll);
    }
    return applyLookUpFailure(look, toFailure(disagreement));
  }
  const noted = noteAnswer(look, {
    ...tracked,
    status: answer.status,
    orderCode: answer.order_code || tracked.orderCode,
    verified: tracked.verified || Boolean(answer.qr_code_pix),
    deadlineMs: toSoonerDeadline(tracked.deadlineMs, answer.expires_in, given.nowMs),
  });
  return keepWaiting(state, noted, tracked.invoiceId);
}

/** Not paid yet. */
function keepWaiting(state: State, watch: Watch, invoiceId: string): Outcome {
  if (isAt(state, 'checking')) return sendCard({ ...state, watch });
  const isNewest = invoiceId === watch.invoices[0].invoiceId;
  return state.phase === 'awaiting' && state.closing && isNewest
    ? toOutcome(toCodeState(watch, true), { type: 'emit', event: { name: 'expired', invoiceId } })
    : toOutcome(replaceWatch(state, watch));
}

/** A look-up failed. What is on the screen stays. */
function applyLookUpFailure(look: Look, failure: Failure): Outcome {
  const { state, watch, tracked, given } = look;
  const { code } = failure;
  const isNewest = tracked === watch.invoices[0];
  const isRefused = isRefusal(failure) && isNewest && tracked.method === 'credit_card';
  if (isRefused && state.phase === 'confirming') return applyRefusal(state, watch, failure);
  const isGone = code === 'unauthorized' || code === 'not_found' || isRefusal(failure);
  if (isAt(state, 'following') && isGone) return applyNotFound(look, failure);
  let next = planAfterFailure(watch, given, failure.retryAfterSeconds);
  // Nothing has been sent, and without knowing that the Pix code is unpaid nothing is.
  if (isAt(state, 'checking')) return toCardForm(next, { code, retryable: true });
  // A proxy that refuses each other token is not asked for one after the other.
  const mayRenew = watch.refusals > 0 || given.nowMs - watch.renewedAtMs >= renewedForMs;
  if (code === 'unauthorized' && isNewest && mayRenew && findRenewableWatch(state)) {
    next = { ...next, refusals: watch.refusals + 1 };
    // One of several machines may know a new signing key before the others: the first refusal is not final.
    if (watch.refusals > 0) return applyLockout(state, next);
    const attemptKey = findRenewalKey(watch, given);
    // The token has run out or its key was rotated: the same order is asked for again, and brings a new one. A card is
    // never sent again: its attempt is asked for.
    const action = tracked.method === 'credit_card' ? 'recover' : 'create';
    if (attemptKey !== null) {
      const paused = { ...pauseLookUps(next), renewedAtMs: given.nowMs };
      return toOutcome(replaceWatch(state, paused), request(action, 'renewal', attemptKey));
    }
  }
  // The page hears of the first failure in a row, but not of a bad line or a busy service. `payment_refused` from a
  // gateway's status says nothing about a card.
  const isNoNews = exits[code] === 'passing' || code === 'payment_refused';
  const isNews = isNewest && watch.failures === 0 && !isNoNews;
  return toOutcome(
    replaceWatch(state, next),
    ...(isNews ? [tell(failure, tracked.invoiceId)] : []),
  );
}

/** An invoice known by its id was found, and is not paid. */
function showFound(look: Look, answer: InvoiceStatus, disagreement: Disagreement | null): Outcome {
  const { given } = look;
  const { attemptKey } = look.watch;
  const found = toFound(look, answer);
  const watch = noteAnswer(look, found);
  if (found.method === 'credit_card' && (attemptKey !== null || !disagreement)) {
    // A card that was charged stays open, even where the answer says otherwise.
    return disagreement
      ? confirmWithError(look.state, watch, disagreement, found.invoiceId)
      : toOutcome(toConfirmingState(watch));
  }
  if (disagreement) return dismissInvoice(look, toFatal(disagreement), null);
  // A look-up need not carry the code; the order, asked for with the same key, does.
  const code = answer.qr_code_pix ?? '';
  if (code === '' && attemptKey !== null) return startPosting(toPosting(attemptKey, given));
  const read = readCode(code, answer.total_cents, given.terms);
  return 'refused' in read
    ? dismissInvoice(
        look,
        toFatal(read.refused),
        { code: read.refused, retryable: true },
        found.invoiceId,
      )
    : toOutcome(toCodeState({ ...watch, invoices: [{ ...found, code: read.code }] }));
}

/** The proxy does not give out an invoice known by its id. A stored attempt is asked for by its key. */
function applyNotFound(look: Look, failure: Failure): Outcome {
  const { attemptKey } = look.watch;
  const { method, totalCents } = look.tracked;
  if (isRefusal(failure)) return dismissInvoice(look, failure, failure);
  if (attemptKey !== null && method === 'credit_card') {
    return resumeCard(attemptKey, totalCents, 'reached');
  }
  const renewalKey = findRenewalKey(look.watch, look.given);
  return renewalKey !== null && failure.code === 'unauthorized'
    ? startPosting(toPosting(renewalKey, look.given))
    : dismissInvoice(look, toFatal(failure.code), null);
}

/**
 * Does not resume an invoice known by its id. If the page named it, the page is told.
 * @param told the error that the payer sees if it was stored; `null`: the empty form
 */
function dismissInvoice(
  { watch, tracked }: Look,
  error: CheckoutError,
  told: CheckoutError | null,
  replaces: string | null = null,
): Outcome {
  const { attemptKey } = watch;
  const { invoiceId } = tracked;
  if (attemptKey === null) return toFailed(error, invoiceId);
  const over = forget(attemptKey);
  return told
    ? failWith({ ...emptyForm, replaces }, told, invoiceId, over)
    : toOutcome(emptyForm, over);
}

/** The invoice that a first look-up describes. Known fields stay, so that later answers are compared with them. */
function toFound({ watch, tracked, given }: Look, answer: InvoiceStatus): TrackedInvoice {
  const { nowMs, terms } = given;
  // An invoice that the page named has no known time of creation: it counts from its first showing.
  const createdAtMs = watch.attemptKey === null ? nowMs : tracked.createdAtMs;
  return {
    ...tracked,
    createdAtMs,
    orderCode: answer.order_code,
    externalId: tracked.externalId ?? answer.external_id,
    method: answer.is_pix ? tracked.method : 'credit_card',
    totalCents: tracked.totalCents ?? answer.total_cents,
    status: answer.status,
    deadlineMs: toDeadline(answer.expires_in, terms, createdAtMs, nowMs),
  };
}

/** Notes an answer that is not final, and plans the next look-up. */
function noteAnswer({ watch, given }: Look, noted: TrackedInvoice): Watch {
  const [newest, ...former] = watch.invoices;
  const note = (one: TrackedInvoice) => (one.invoiceId === noted.invoiceId ? noted : one);
  return { ...planAfterAnswer(watch, given), invoices: [note(newest), ...former.map(note)] };
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
  const paid = { phase: 'paid', invoice, paidAt: answer.updated_at } as const;
  const ended = [abortAll, forget(attemptKey)];
  // A payment that went back is not told to the page, which would thank the payer for it.
  if (answer.returned) return toOutcome({ ...paid, returned: true }, ...ended);
  return toOutcome(paid, ...ended, announce('paid', invoice));
}
