/**
 * The checkout's state machine: (state, event) → state and commands. Every rule about what a payer may see next is here or in
 * the files beside it. Pure: the time, a random number and the page's terms come in as `Given`.
 *
 * Promises kept here: `paid` is final, and nothing is followed or requested in it. An open payment is never reset. An event
 * that does not apply returns the same object.
 */

import type { CreatedInvoice, Method, InvoiceStatus } from '../../contract/types.js';
import {
  applyCardPrepared,
  barKey,
  askForOutcome,
  resumeCard,
  startCharging,
  applyCharge,
  applyChargeFailure,
  applyInquiryFailure,
  applyRefusal,
  applyCreationFailure,
  applyInvoice,
  applyOrderPaid,
  applyRenewalFailure,
  applyRenewal,
  findRenewableWatch,
  toInvoiceRequest,
  startPosting,
  toPosting,
  sendCard,
  toCardForm,
  applyLockout,
  findRenewalKey,
} from './creation.js';
import {
  abortAll,
  forget,
  toConfirmingState,
  toFatal,
  isRefusal,
  toCodeState,
  toOutcome,
  toFailed,
  replaceWatch,
  findAttempt,
  emptyForm,
  isAt,
  isCardPending,
  isClosing,
  isCodePhase,
  isPosting,
  isCardSent,
  findUnresolvedCharge,
  findWatch,
  announce,
  request,
  tell,
  exits,
  failWith,
  toFailure,
  confirmWithError,
} from './state.js';
import type {
  Answer,
  CheckoutEvent,
  Former,
  Purpose,
  Submitted,
  Outcome,
  AwaitingState,
  ExpiredState,
  FormState,
  Given,
  State,
  Failure,
  CheckoutError,
  TrackedInvoice,
  Watch,
} from './state.js';
import {
  planAfterReturn,
  goOnIfPaused,
  isPaused,
  pauseLookUps,
  quickPace,
  startWatch,
  planAfterAnswer,
  planAfterFailure,
  findAskedInvoice,
  startLookUp,
  checkLookUp,
  isPayment,
  readCode,
  toSoonerDeadline,
  toDeadline,
} from './tracked-invoice.js';
import type { Disagreement } from './tracked-invoice.js';

/** How long the page may take to deliver an invoice that it promised. After that the payer sees an error. */
const promiseForMs = 30_000;

/** Applies one event. */
export function transition(state: State, event: CheckoutEvent, given: Given): Outcome {
  const outcome = applyEvent(state, event, given) || toOutcome(state);
  const isIgnored = outcome.state === state && event.type !== 'ticked';
  return isIgnored ? outcome : lookUpIfDue(outcome, given);
}

/** The result of applying an event; null or false if the event does not apply. */
type Move = Outcome | null | false;

function applyEvent(state: State, event: CheckoutEvent, given: Given): Move {
  const isForm = state.phase === 'form';
  switch (event.type) {
    case 'submitted':
      return isForm && submit(state, event, given);
    case 'method_chosen':
      return chooseMethod(state, event.method);
    case 'new_code_asked':
      return isCodePhase(state) && replaceCode(state, event.attemptKey, given);
    case 'check_asked':
      return lookUpNow(
        (state.phase === 'confirming' && askAgain(state)) || toOutcome(state),
        given,
      );
    case 'answered':
      return applyAnswered(state, event.purpose, event.answer, given);
    case 'looked_up':
      return applyLookUp(state, event.invoiceId, event.answer, given);
    case 'card_prepared':
      return isAt(state, 'tokenizing') && applyCardPrepared(state, event.ready, given);
    case 'ticked':
      return applyTick(state, given);
    case 'returned':
      return lookUpNow(askAgain(state) || toOutcome(state), given);
    case 'paused':
      return applyPause(state);
    case 'resumed':
      return isForm && resume(event, given);
    case 'promised':
      return (
        isForm &&
        toOutcome({ phase: 'creating', task: 'promised', untilMs: given.nowMs + promiseForMs })
      );
    case 'given': {
      // With a key, it is the answer to a request that began before the element was defined.
      const { attemptKey, invoice } = event;
      const before = attemptKey === undefined ? state : toPosting(attemptKey, given);
      return mayTakeInvoice(state) && applyInvoice(before, invoice, given);
    }
    case 'failed':
      return mayPageFail(state) && toFailed(toFatal(event.code), null, abortAll);
    case 'reset':
      // A reset is refused while a creation is in flight or a card's outcome is unknown, because that payment would be lost.
      return (
        state.phase !== 'creating' &&
        !isCardPending(state) &&
        toOutcome(emptyForm, abortAll, forget())
      );
    case 'order_changed':
      // A Pix creation may be given up here, because its code was never shown.
      return toOutcome(emptyForm, abortAll);
    default:
      return event satisfies never;
  }
}

/** Applies the answer to a request for an invoice, or its failure. A request that was given up since changes nothing. */
function applyAnswered(
  state: State,
  purpose: Purpose,
  answer: Answer<CreatedInvoice>,
  given: Given,
): Move {
  const posting = purpose === 'invoice' && isPosting(state) && state;
  const card = purpose === 'charge' && findUnresolvedCharge(state);
  const renewed = purpose === 'renewal' && findRenewableWatch(state);
  if ('invoice' in answer) {
    const { invoice } = answer;
    if (posting) return applyInvoice(posting, invoice, given);
    if (card) {
      return card.standing === 'contended_pix'
        ? applyInvoice(toPosting(card.attemptKey, given, { task: 'recovering' }), invoice, given)
        : applyCharge(state, card, invoice, given);
    }
    return renewed && applyRenewal(state, renewed, invoice, given);
  }
  const { failure } = answer;
  if (failure.code === 'order_paid' && (posting || card || renewed)) {
    return applyOrderPaid(state, failure, given);
  }
  if (posting) return applyCreationFailure(posting, failure, given);
  if (isAt(state, 'sending')) return card && applyChargeFailure(state, failure, given);
  if (renewed) {
    return isRefusal(failure) && state.phase === 'confirming' && isCardPending(state)
      ? applyRefusal(state, renewed, failure)
      : applyRenewalFailure(state, renewed, failure, given);
  }
  // Here an outcome inquiry failed, or the charge itself, if a look-up moved it to `confirming` meanwhile.
  const asking =
    state.phase === 'confirming' ? state : card && toConfirmingState(findWatch(state), card);
  return card && asking && applyInquiryFailure(asking, card, failure, given);
}

/** Begins a payment, because the payer pressed the button or the page starts by itself. */
function submit({ watch, replaces }: FormState, event: Submitted, given: Given): Outcome {
  if (event.method === 'credit_card') return startCharging(event, watch, given);
  // A Pix code that is followed behind the form is shown again, so that no second one is created.
  return watch
    ? toOutcome(toCodeState(watch))
    : startPosting(toPosting(event.attemptKey, given, { replaces }));
}

/**
 * Changes the method. An open Pix code is followed while the card form shows, and appears again when the payer returns to
 * Pix.
 */
function chooseMethod(state: State, method: Method): Move {
  if (isCodePhase(state)) {
    return method === 'credit_card' && toOutcome({ ...emptyForm, watch: state.watch });
  }
  if (state.phase !== 'form') return false;
  if (method === 'pix' && state.watch) return toOutcome(toCodeState(state.watch));
  return state.error !== null && toOutcome({ ...state, error: null });
}

/** Requests a new code to replace the newest one, which may have expired. */
function replaceCode(state: AwaitingState | ExpiredState, attemptKey: string, given: Given) {
  const { watch, phase } = state;
  const replaces = watch.invoices[0].invoiceId;
  // This request replaces one for a new look-up token, during which look-ups pause.
  const before = { watch: goOnIfPaused(watch, given), expired: phase === 'expired' };
  return startPosting(toPosting(attemptKey, given, { replaces, ...before }));
}

/**
 * Continues a stored attempt, or an invoice that the page named: looks the invoice up, or recovers the attempt by its key.
 */
function resume(former: Former, given: Given): Outcome {
  const { nowMs, terms } = given;
  const { attemptKey, method, totalCents, invoiceId, lookupToken, createdAtMs } = former;
  if (invoiceId !== null) {
    const invoice = {
      invoiceId,
      orderCode: '',
      externalId: terms.externalId,
      method,
      totalCents,
      code: null,
      lookupToken,
      status: '',
      createdAtMs: createdAtMs ?? nowMs,
      deadlineMs: null,
      verified: true,
    };
    const watch = startWatch([invoice], attemptKey, nowMs, quickPace);
    return toOutcome({ phase: 'creating', task: 'following', watch });
  }
  if (attemptKey === null) return toOutcome(emptyForm);
  if (method === 'credit_card') return resumeCard(attemptKey, totalCents, 'own');
  const posting = toPosting(attemptKey, given, { task: 'recovering' });
  return toOutcome(posting, toInvoiceRequest(posting));
}

/**
 * Whether a mistake in the page may end the checkout: a wrong set-up, or a promised invoice that did not come. It must not
 * hide a card that was sent since.
 */
function mayPageFail(state: State): boolean {
  return state.phase === 'form' || (state.phase === 'creating' && !isCardSent(state));
}

/** Whether an invoice from the page is still wanted. It is, even if it comes after its promise has timed out. */
function mayTakeInvoice(state: State): boolean {
  const late = state.phase === 'failed' && state.error.code === 'network';
  return state.phase === 'form' || isAt(state, 'promised') || late;
}

/** When the next event `ticked` is due, monotonic milliseconds; `Infinity` if nothing is due. */
export function findNextDueMs(state: State): number {
  const dues = [findWatch(state)?.dueMs, findAttempt(state)?.retryAtMs, findDeadline(state)];
  return Math.min(...dues.map((atMs) => atMs ?? Infinity));
}

/** When the time of the page's promise, or of the newest code, ends. */
function findDeadline(state: State): number | null {
  if (isAt(state, 'promised')) return state.untilMs;
  const isOpen = state.phase === 'awaiting' && !state.closing;
  return isOpen ? state.watch.invoices[0].deadlineMs : null;
}

/**
 * Does what is due: fails if a promised invoice did not come, looks up once more at a code's deadline, or repeats a request.
 */
function applyTick(state: State, given: Given): Move {
  const isDue = (atMs: number | null | undefined) => (atMs ?? Infinity) <= given.nowMs;
  if (isDue(findDeadline(state))) {
    return state.phase === 'awaiting'
      ? lookUpNow(toOutcome({ ...state, closing: true }), given)
      : toFailed(toFatal('network'), null);
  }
  return isDue(findAttempt(state)?.retryAtMs) && askAgain(state);
}

/**
 * Repeats a request that may have been lost with the connection. The same key makes that harmless; a card is not sent again.
 */
function askAgain(state: State): Move {
  if (state.phase === 'confirming')
    return state.attempt !== null && askForOutcome(state, state.attempt);
  if (isCardSent(state)) return state.attempt.retryAtMs !== null && barKey(state);
  if (!isPosting(state)) return false;
  return toOutcome(
    { ...state, attempt: { ...state.attempt, retryAtMs: null } },
    toInvoiceRequest(state),
  );
}

/** Looks up at once, in place of a look-up in flight, and then quickly. */
function lookUpNow({ state, commands }: Outcome, { nowMs }: Given): Outcome {
  const watch = findWatch(state);
  return toOutcome(watch ? replaceWatch(state, planAfterReturn(watch, nowMs)) : state, ...commands);
}

/** Stops look-ups until the payer returns, and gives up the one in flight. */
function applyPause(state: State): Move {
  const watch = findWatch(state);
  if (!watch || isPaused(watch)) return false;
  const inFlight = watch.sinceMs === null ? [] : [{ type: 'abort', what: 'look_up' } as const];
  return toOutcome(replaceWatch(state, pauseLookUps(watch)), ...inFlight);
}

// How the answer to a look-up changes the checkout.
//
// Promise kept here: `paid` is shown and dispatched only after a look-up said so and invoice, reference and total agree with
// what was created. Silence, errors and unknown statuses change only the time of the next look-up.

/** Shortest time between two renewals of a look-up token, milliseconds. */
const renewedForMs = 60_000;

/** A look-up that was answered, or that failed. */
interface Look {
  readonly state: State;
  readonly watch: Watch;
  /** The invoice that was looked up. */
  readonly tracked: TrackedInvoice;
  readonly given: Given;
}

/** Starts the look-up that is due, if one is. */
function lookUpIfDue(outcome: Outcome, { nowMs }: Given): Outcome {
  const { state, commands } = outcome;
  const due = findWatch(state);
  if (!due || (due.dueMs ?? Infinity) > nowMs) return outcome;
  const { watch, lookUp } = startLookUp(due, nowMs);
  return toOutcome(replaceWatch(state, watch), ...commands, lookUp);
}

/** Applies the answer to a look-up, or its failure. The answer to a look-up that was given up changes nothing. */
function applyLookUp(
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

/** Applies the answer about the right invoice: it is paid, found for the first time, in disagreement, or not paid yet. */
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
    // The page handed this code in and the proxy does not confirm it, so the code is hidden.
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

/**
 * The invoice is not paid yet: sends the card that waited for this answer, ends a code whose deadline has passed, or keeps
 * waiting.
 */
function keepWaiting(state: State, watch: Watch, invoiceId: string): Outcome {
  if (isAt(state, 'checking')) return sendCard({ ...state, watch });
  const isNewest = invoiceId === watch.invoices[0].invoiceId;
  return isClosing(state) && isNewest
    ? toOutcome(toCodeState(watch, true), { type: 'emit', event: { name: 'expired', invoiceId } })
    : toOutcome(replaceWatch(state, watch));
}

/**
 * A look-up failed: plans the next one, and renews a refused token. The screen stays, unless the card was refused, a card
 * waited for this answer, or the invoice or a new token cannot be had.
 */
function applyLookUpFailure(look: Look, failure: Failure): Outcome {
  const { state, watch, tracked, given } = look;
  const { code } = failure;
  const isNewest = tracked === watch.invoices[0];
  const isRefused = isRefusal(failure) && isNewest && tracked.method === 'credit_card';
  if (isRefused && state.phase === 'confirming') return applyRefusal(state, watch, failure);
  const isGone = code === 'unauthorized' || code === 'not_found' || isRefusal(failure);
  if (isAt(state, 'following') && isGone) return applyNotFound(look, failure);
  let next = planAfterFailure(watch, given, failure.retryAfterSeconds);
  // The card was not sent yet, and is not sent while it is unknown whether the Pix code was paid.
  if (isAt(state, 'checking')) return toCardForm(next, { code, retryable: true });
  // If the proxy refuses even a token that it has just issued, the page does not keep asking for new ones.
  const mayRenew = watch.refusals > 0 || given.nowMs - watch.renewedAtMs >= renewedForMs;
  if (code === 'unauthorized' && isNewest && mayRenew && findRenewableWatch(state)) {
    next = { ...next, refusals: watch.refusals + 1 };
    // One of several servers may know a new signing key before the others, so the first refusal is not final.
    if (watch.refusals > 0) return applyLockout(state, next);
    const attemptKey = findRenewalKey(watch, given);
    // The token has expired or its key was rotated, so the same order is requested again, which brings a new token. A card is
    // never sent again; its attempt is recovered instead.
    const action = tracked.method === 'credit_card' ? 'recover' : 'create';
    if (attemptKey !== null) {
      const paused = { ...pauseLookUps(next), renewedAtMs: given.nowMs };
      return toOutcome(replaceWatch(state, paused), request(action, 'renewal', attemptKey));
    }
  }
  // The page gets a `pix-error` for the first failure in a row, but none for a bad connection or a busy service.
  // `payment_refused` from a gateway's status says nothing about a card.
  const isNoNews = exits[code] === 'passing' || code === 'payment_refused';
  const isNews = isNewest && watch.failures === 0 && !isNoNews;
  return toOutcome(
    replaceWatch(state, next),
    ...(isNews ? [tell(failure, tracked.invoiceId)] : []),
  );
}

/** An invoice that was only known by its id was found, and is not paid: shows it. */
function showFound(look: Look, answer: InvoiceStatus, disagreement: Disagreement | null): Outcome {
  const { given } = look;
  const { attemptKey } = look.watch;
  const found = toFound(look, answer);
  const watch = noteAnswer(look, found);
  if (found.method === 'credit_card' && (attemptKey !== null || !disagreement)) {
    // A card that was charged is never given up, even if the answer disagrees.
    return disagreement
      ? confirmWithError(look.state, watch, disagreement, found.invoiceId)
      : toOutcome(toConfirmingState(watch));
  }
  if (disagreement) return dismissInvoice(look, toFatal(disagreement), null);
  // A look-up may lack the code. The answer to a creation has it, so the order is requested again with the same key.
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

/**
 * The proxy does not show an invoice that was only known by its id: recovers a stored card, requests a Pix invoice again if
 * only its token was refused, or else gives the invoice up.
 */
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
 * Gives up an invoice that was only known by its id. If the page named the invoice, the checkout fails.
 * @param told the error that the payer sees if the invoice was stored; `null` shows the empty form
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

/** Fills in the invoice from a first look-up. Known fields stay, so that later answers are compared with them. */
function toFound({ watch, tracked, given }: Look, answer: InvoiceStatus): TrackedInvoice {
  const { nowMs, terms } = given;
  // An invoice that the page named has no known time of creation, so its age counts from now.
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

/** Ends the checkout as paid: a look-up said so, and everything agrees. */
function toPaid(tracked: TrackedInvoice, answer: InvoiceStatus, { attemptKey }: Watch): Outcome {
  const invoice = {
    ...tracked,
    orderCode: answer.order_code || tracked.orderCode,
    // Another page may have paid the order by another method than this one asked for.
    method: answer.is_pix ? tracked.method : 'credit_card',
    totalCents: answer.total_cents,
    status: 'paid',
  } as const;
  const paid = { phase: 'paid', invoice, paidAt: answer.updated_at } as const;
  const ended = [abortAll, forget(attemptKey)];
  // The page gets no `pix-paid` for a payment that went back, because it would thank the payer for it.
  if (answer.returned) return toOutcome({ ...paid, returned: true }, ...ended);
  return toOutcome(paid, ...ended, announce('paid', invoice));
}
