/**
 * How an invoice comes to be: asked for, answered, refused, handed in by the page. Part of the machine; pure.
 *
 * A Pix creation may be asked for again with the same key: an invoice whose code nobody saw harms nobody, and the proxy
 * answers a known key or an open order with the invoice there is.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import type { Failure } from './messages.js';
import { checkCreated, readCode, toOffer } from './offers.js';
import {
  emitError,
  emitFailure,
  enterPolling,
  stay,
  then,
  to,
  toDetail,
  withPolling,
} from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { afterFailure, startPolling } from './polling.js';
import { emptyForm } from './state.js';
import type {
  AwaitingState,
  CheckoutError,
  ConfirmingState,
  ExpiredState,
  Offer,
  PostingState,
  RecoveringState,
  State,
  Watch,
} from './state.js';

/** So often a creation is made again by itself before the payer is asked. */
const retriesAllowed = 2;

/** First span of the jitter before a creation is made again, milliseconds. */
const retrySpanMs = 1_500;

/** A proxy that wants a longer pause is not waited for in silence. */
const longestSilentPauseSeconds = 10;

/** Codes of a proxy that may well answer next time. */
const transient: ReadonlySet<string> = new Set(['network', 'service_unavailable', 'in_progress']);

/** Codes that bring the payer back to the form; all others need the merchant. */
const formCodes: ReadonlySet<string> = new Set([
  'network',
  'service_unavailable',
  'in_progress',
  'too_many_requests',
  'invalid_answer',
  'invalid_request',
  'key_reused',
  'payment_refused',
  'outcome_unknown',
]);

/** After these the stored attempt is of no more use: the next one takes a new key. */
const endsAttempt: ReadonlySet<string> = new Set(['key_reused', 'payment_refused']);

/** Asks for an invoice. The attempt is stored first: a reload must find its key. */
export function startPosting(
  attemptKey: string,
  replaces: string | null,
  watch: Watch | null,
  given: Given,
): Outcome {
  const totalCents = given.terms.expectedCents;
  return to(
    { phase: 'creating', task: 'posting', attemptKey, replaces, watch, tries: 0, retryAtMs: null },
    [
      { type: 'remember', attemptKey, invoiceId: null, lookupToken: null, totalCents },
      { type: 'create', attemptKey, replaces },
    ],
  );
}

/** The phase of a code that is on the screen. */
export function toAwaiting(watch: Watch): AwaitingState {
  return {
    phase: 'awaiting',
    watch,
    copy: 'none',
    check: 'none',
    checkUntilMs: 0,
    checkAsked: false,
    trouble: 'none',
    closing: false,
    error: null,
  };
}

/** The proxy answered a creation, a recovery, or (while a code is shown) the renewal of its look-up token. */
export function afterCreated(state: State, invoice: CreatedInvoice, given: Given): Outcome {
  switch (state.phase) {
    case 'creating':
      return state.task === 'posting' || state.task === 'recovering'
        ? offerCreated(state, invoice, given)
        : stay(state);
    case 'awaiting':
    case 'expired':
    case 'confirming':
      return renewed(state, invoice, given);
    case 'form':
    case 'paid':
    case 'failed':
      return stay(state);
    default:
      return state satisfies never;
  }
}

function offerCreated(
  state: PostingState | RecoveringState,
  invoice: CreatedInvoice,
  given: Given,
): Outcome {
  const { attemptKey } = state;
  const posted = state.task === 'posting';
  const watch = posted ? state.watch : null;
  const id = invoice.invoice_id;
  const mismatch = checkCreated(invoice, given.terms);
  if (mismatch) return refuse({ code: mismatch, retryable: false }, id, watch, given);

  const read =
    invoice.status === 'paid'
      ? null
      : readCode(invoice.qr_code_pix, invoice.total_cents, given.terms);
  const created = toOffer(
    invoice,
    read && 'code' in read ? read.code : null,
    given.terms,
    given.nowMs,
    true,
  );
  const announced = posted
    ? [{ type: 'emit', event: { name: 'created', invoice: toDetail(created) } } as const]
    : [];
  if (read && 'refused' in read) {
    const error = { code: read.refused, retryable: true };
    const refused: Outcome = watch
      ? goBack(watch, error, given)
      : to({ ...emptyForm, error, replaces: id }, [{ type: 'forget' }]);
    return then(refused, ...announced, emitError(read.refused, true, id));
  }

  const offers = [created, ...without(watch, id)] as const;
  const entered = enterPolling(
    withOffers(read ? 'awaiting' : 'confirming', offers, attemptKey, given),
    given,
  );
  return then(
    to(entered.state, [
      {
        type: 'remember',
        attemptKey,
        invoiceId: id,
        lookupToken: created.lookupToken,
        totalCents: created.totalCents,
      },
    ]),
    ...announced,
    ...(read && 'code' in read && read.warning ? [emitError(read.warning, false, id)] : []),
    ...entered.commands,
  );
}

/** An invoice that the page handed in. It is shown at once, and the first look-up has to vouch for it. */
export function afterGiven(invoice: CreatedInvoice, given: Given): Outcome {
  const id = invoice.invoice_id;
  const mismatch = checkCreated(invoice, given.terms);
  if (mismatch) return refuse({ code: mismatch, retryable: false }, id, null, given);
  const read =
    invoice.status === 'paid'
      ? null
      : readCode(invoice.qr_code_pix, invoice.total_cents, given.terms);
  if (read && 'refused' in read) {
    return refuse({ code: read.refused, retryable: false }, id, null, given);
  }
  const offer = toOffer(invoice, read?.code ?? null, given.terms, given.nowMs, false);
  const entered = enterPolling(
    withOffers(read ? 'awaiting' : 'confirming', [offer], null, given),
    given,
  );
  return read?.warning ? then(entered, emitError(read.warning, false, id)) : entered;
}

/** A creation, a recovery or a renewal failed. */
export function afterCreateFailed(state: State, failure: Failure, given: Given): Outcome {
  if (failure.code === 'order_paid' && failure.invoice && state.phase !== 'form') {
    return followPaidOrder(state, failure.invoice, given);
  }
  if (state.phase === 'creating' && 'retryAtMs' in state) {
    const pause = failure.retryAfterSeconds ?? 0;
    if (
      transient.has(failure.code) &&
      state.tries < retriesAllowed &&
      pause <= longestSilentPauseSeconds
    ) {
      const delay = Math.max(given.random * retrySpanMs * 2 ** state.tries, pause * 1_000);
      return to({ ...state, tries: state.tries + 1, retryAtMs: given.nowMs + delay });
    }
    return state.task === 'posting'
      ? postingFailed(state, failure, given)
      : recoveringFailed(failure);
  }
  if (state.phase === 'awaiting' || state.phase === 'expired' || state.phase === 'confirming') {
    return renewalFailed(state, failure, given);
  }
  return stay(state);
}

function postingFailed(state: PostingState, failure: Failure, given: Given): Outcome {
  const error = { code: failure.code, retryable: failure.retryable };
  const told = emitFailure(failure, null);
  if (state.watch) return then(goBack(state.watch, error, given), told);
  const forgets = endsAttempt.has(failure.code) ? [{ type: 'forget' } as const] : [];
  if (!formCodes.has(failure.code)) {
    return to({ phase: 'failed', error, invoiceId: null }, [{ type: 'forget' }, told]);
  }
  return to({ ...emptyForm, error, replaces: state.replaces }, [...forgets, told]);
}

/** An attempt nobody knows is no attempt; its key stays stored for the next press of the button. */
function recoveringFailed(failure: Failure): Outcome {
  if (!transient.has(failure.code)) return to(emptyForm);
  const error = { code: failure.code, retryable: failure.retryable };
  return to({ ...emptyForm, error }, [emitFailure(failure, null)]);
}

function renewalFailed(
  state: AwaitingState | ExpiredState | ConfirmingState,
  failure: Failure,
  given: Given,
): Outcome {
  const { nowMs, random, terms } = given;
  const polling = afterFailure(
    state.watch.polling,
    nowMs,
    random,
    failure.retryAfterSeconds,
    terms.pollIntervalMs,
  );
  const loud = transient.has(failure.code)
    ? []
    : [emitFailure(failure, state.watch.offers[0].invoiceId)];
  return to(withPolling(state, polling), loud);
}

/** The look-up token was renewed by asking for the order again. Usually it is the same invoice. */
function renewed(
  state: AwaitingState | ExpiredState | ConfirmingState,
  invoice: CreatedInvoice,
  given: Given,
): Outcome {
  const [newest, ...former] = state.watch.offers;
  const { attemptKey } = state.watch;
  if (invoice.invoice_id !== newest.invoiceId && attemptKey !== null) {
    const posting: PostingState = {
      phase: 'creating',
      task: 'posting',
      attemptKey,
      replaces: null,
      watch: state.watch,
      tries: 0,
      retryAtMs: null,
    };
    return offerCreated(posting, invoice, given);
  }
  const lookupToken = invoice.lookup_token ?? newest.lookupToken;
  const { nowMs, random, terms } = given;
  // The failure counts on until a look-up succeeds: a proxy that refuses each token it gives is not asked in a loop.
  const polling = afterFailure(state.watch.polling, nowMs, random, null, terms.pollIntervalMs);
  return to(
    {
      ...state,
      watch: { ...state.watch, offers: [{ ...newest, lookupToken }, ...former], polling },
    },
    attemptKey === null
      ? []
      : [
          {
            type: 'remember',
            attemptKey,
            invoiceId: newest.invoiceId,
            lookupToken,
            totalCents: newest.totalCents,
          },
        ],
  );
}

/** The order is paid already: the invoice that paid it is looked up, and shown as receipt if it agrees. */
function followPaidOrder(state: State, invoice: CreatedInvoice, given: Given): Outcome {
  const watch = 'watch' in state ? state.watch : null;
  const { externalId } = given.terms;
  if (externalId !== null && invoice.external_id !== externalId) {
    return refuse(
      { code: 'reference_mismatch', retryable: false },
      invoice.invoice_id,
      watch,
      given,
    );
  }
  const paid = toOffer(invoice, null, given.terms, given.nowMs, true);
  const offers = [paid, ...without(watch, paid.invoiceId)] as const;
  return enterPolling(withOffers('confirming', offers, null, given), given);
}

function refuse(
  error: CheckoutError,
  invoiceId: string,
  watch: Watch | null,
  given: Given,
): Outcome {
  const told = emitError(error.code, error.retryable, invoiceId);
  if (watch) return then(goBack(watch, error, given), told);
  return to({ phase: 'failed', error, invoiceId }, [{ type: 'forget' }, told]);
}

/** Back to the code that was on the screen before a new one was asked for. */
function goBack(watch: Watch, error: CheckoutError, given: Given): Outcome {
  const { deadlineMs } = watch.offers[0];
  const over = deadlineMs !== null && deadlineMs <= given.nowMs;
  return to(over ? { phase: 'expired', watch, error } : { ...toAwaiting(watch), error });
}

function withOffers(
  phase: 'awaiting' | 'confirming',
  offers: readonly [Offer, ...Offer[]],
  attemptKey: string | null,
  given: Given,
): State {
  const watch: Watch = { offers, polling: startPolling(given.nowMs), attemptKey };
  return phase === 'awaiting' ? toAwaiting(watch) : { phase, watch, error: null };
}

function without(watch: Watch | null, invoiceId: string): readonly Offer[] {
  return watch ? watch.offers.filter((offer) => offer.invoiceId !== invoiceId) : [];
}
