/**
 * How an invoice comes to be: asked for, answered, refused, paid already, handed in by the page.
 *
 * A Pix creation may be asked for again with the same key: an invoice whose code was not shown does no harm, and the proxy
 * answers a known key or an open order with the invoice there is.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import type { Command, Failure } from './events-and-commands.js';
import { checkCreated, readCode, toTracked } from './tracked-invoice.js';
import {
  emitError,
  enterPolling,
  fatal,
  forget,
  settle,
  to,
  toConfirming,
  toDetail,
  toError,
  toFailed,
  toForm,
  withCommands,
} from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { afterFailure, startPolling } from './polling.js';
import { emptyForm, inquiryOf, isExpired, watchOf } from './state.js';
import type {
  AwaitingState,
  CheckoutError,
  TrackedInvoice,
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

/**
 * Asks for an invoice. The attempt is stored first: a reload must find its key. Only where a code is followed already,
 * its record stays until there is another: a reload must find the code.
 */
export function startPosting(attempt: Attempt, given: Given): Outcome {
  const posting = toPosting(attempt);
  const { attemptKey, replaces, watch } = posting;
  const answer = { invoiceId: null, lookupToken: null, totalCents: given.terms.pixCents };
  const create = { type: 'create', purpose: 'invoice', attemptKey, replaces } as const;
  if (watch) return to(posting, [create]);
  return to(posting, [{ type: 'remember', attemptKey, method: 'pix', ...answer }, create]);
}

/** Asks again with the same key. */
export function askAgain(state: PostingState | RecoveringState): Outcome {
  const { attemptKey } = state;
  const purpose = 'invoice';
  return to({ ...state, retryAtMs: null }, [
    state.task === 'posting'
      ? { type: 'create', purpose, attemptKey, replaces: state.replaces }
      : { type: 'recover', purpose, attemptKey },
  ]);
}

/** An attempt as it begins; what is not named was not there before. */
type Attempt = Pick<PostingState, 'attemptKey'> &
  Partial<Pick<PostingState, 'replaces' | 'watch' | 'expired'>>;

/** The phase of an attempt that has just begun. */
export function toPosting(attempt: Attempt): PostingState {
  const before = { replaces: null, watch: null, expired: false };
  return { phase: 'creating', task: 'posting', ...before, ...attempt, tries: 0, retryAtMs: null };
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

/** The proxy answered a creation or a recovery: its invoice becomes the newest that is followed. */
export function afterInvoiceCreated(
  state: PostingState | RecoveringState,
  invoice: CreatedInvoice,
  given: Given,
): Outcome {
  const { attemptKey } = state;
  const { invoice_id: id, total_cents: totalCents } = invoice;
  const mismatch = checkCreated(invoice, given.terms);
  if (mismatch) return refuse(state, fatal(mismatch), id, given);

  const watch = watchOf(state);
  const read = readShownCode(invoice, given);
  const code = read && 'code' in read ? read.code : null;
  const made = toTracked(invoice, code, given.terms, given.nowMs, true);
  const announced: readonly Command[] =
    state.task === 'posting'
      ? [{ type: 'emit', event: { name: 'created', invoice: toDetail(made) } }]
      : [];
  if (read && 'refused' in read) {
    const error = { code: read.refused, retryable: true };
    const refused = watch
      ? goBack(watch, isExpired(state), error, given)
      : to({ ...emptyForm, error, replaces: id }, [forget]);
    return withCommands(refused, ...announced, emitError(error, id));
  }
  const tracked = asKnown(made, watch);
  const { lookupToken } = tracked;
  const invoices = [tracked, ...without(watch, id)] as const;
  const entered = follow(code ? 'awaiting' : 'confirming', invoices, attemptKey, given);
  return to(entered.state, [
    { type: 'remember', attemptKey, method: 'pix', invoiceId: id, lookupToken, totalCents },
    ...announced,
    ...(read?.warning ? [emitError(fatal(read.warning), id)] : []),
    ...entered.commands,
  ]);
}

/** An invoice that the page handed in. It is shown at once, and the first look-up has to vouch for it. */
export function afterGiven(state: State, invoice: CreatedInvoice, given: Given): Outcome {
  const id = invoice.invoice_id;
  const mismatch = checkCreated(invoice, given.terms);
  if (mismatch) return refuse(state, fatal(mismatch), id, given);
  const read = readShownCode(invoice, given);
  if (read && 'refused' in read) return refuse(state, fatal(read.refused), id, given);
  const tracked = toTracked(invoice, read?.code ?? null, given.terms, given.nowMs, false);
  const entered = follow(read ? 'awaiting' : 'confirming', [tracked], null, given);
  return read?.warning ? withCommands(entered, emitError(fatal(read.warning), id)) : entered;
}

/** A creation or a recovery failed. */
export function afterCreationFailed(
  state: PostingState | RecoveringState,
  failure: Failure,
  given: Given,
): Outcome {
  const pause = failure.retryAfterSeconds ?? 0;
  const again = transient.has(failure.code) && state.tries < retriesAllowed;
  if (again && pause <= longestSilentPauseSeconds) {
    const delay = Math.max(given.random * retrySpanMs * 2 ** state.tries, pause * 1_000);
    return to({ ...state, tries: state.tries + 1, retryAtMs: given.nowMs + delay });
  }
  return state.task === 'posting'
    ? postingFailed(state, failure, given)
    : recoveringFailed(failure);
}

function postingFailed(state: PostingState, failure: Failure, given: Given): Outcome {
  const { watch, replaces } = state;
  if (watch || !formCodes.has(failure.code)) return refuse(state, toError(failure), null, given);
  return toForm(failure, null, endsAttempt.has(failure.code) ? [forget] : [], { replaces });
}

/** An attempt that the proxy does not know is none; its key stays stored for the next press of the button. */
function recoveringFailed(failure: Failure): Outcome {
  return transient.has(failure.code) ? toForm(failure, null) : to(emptyForm);
}

/**
 * The order is paid already: the invoice that paid it is looked up, and shown as receipt if it agrees. Where the proxy
 * does not name it, no code of this order is offered any more all the same.
 */
export function afterOrderPaid(state: State, failure: Failure, given: Given): Outcome {
  const attempt = inquiryOf(state);
  const { state: next, commands } = followPaid(state, failure, given);
  // Asked for by its key, a card is answered so for good.
  return to(next, attempt ? [settle(attempt), ...commands] : commands);
}

function followPaid(state: State, { invoice }: Failure, given: Given): Outcome {
  const watch = watchOf(state);
  const { externalId } = given.terms;
  if (invoice && (externalId === null || invoice.external_id === externalId)) {
    const paid = toTracked(invoice, null, given.terms, given.nowMs, true);
    return follow('confirming', [paid, ...without(watch, paid.invoiceId)], null, given);
  }
  const code = invoice ? 'reference_mismatch' : 'order_paid';
  const id = invoice?.invoice_id ?? null;
  if (!watch) return refuse(state, fatal(code), id, given);
  return toConfirming(state, goOn(watch, given), code, id, null);
}

/**
 * Look-ups that stood still go on, each time later: a proxy that refuses every token it gives is not asked in a loop.
 * What is in flight or waits for its time is left alone.
 */
export function goOn(
  watch: Watch,
  { nowMs, random, terms }: Given,
  retryAfterSeconds: number | null = null,
): Watch {
  if (watch.polling.activity.kind !== 'paused') return watch;
  // The newest's turn again: it may have a new token now.
  const newest = { ...watch.polling, turn: 0 };
  const how = { random, retryAfterSeconds };
  return { ...watch, polling: afterFailure(newest, nowMs, 1, terms.pollIntervalMs, how) };
}

/** Nothing can be offered: back to the code of before, else the merchant has to help. */
function refuse(
  state: State,
  error: CheckoutError,
  invoiceId: string | null,
  given: Given,
): Outcome {
  const watch = watchOf(state);
  return watch
    ? withCommands(goBack(watch, isExpired(state), error, given), emitError(error, invoiceId))
    : toFailed(error, invoiceId, [forget]);
}

/** Back to the code that was on the screen before a new one was asked for. */
function goBack(watch: Watch, expired: boolean, error: CheckoutError, given: Given): Outcome {
  const followed = goOn(watch, given);
  return to(
    expired ? { phase: 'expired', watch: followed, error } : { ...toAwaiting(followed), error },
  );
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

function follow(
  phase: 'awaiting' | 'confirming',
  invoices: readonly [TrackedInvoice, ...TrackedInvoice[]],
  attemptKey: string | null,
  given: Given,
): Outcome {
  const first = invoices[0].verified ? 'held' : 'plain';
  const watch: Watch = { invoices, polling: startPolling(given.nowMs, first), attemptKey };
  return enterPolling(
    phase === 'awaiting' ? toAwaiting(watch) : { phase, watch, inquiry: null, error: null },
    given,
  );
}

/** The invoices that are followed, but for one. */
export function without(watch: Watch | null, invoiceId: string): readonly TrackedInvoice[] {
  return watch ? watch.invoices.filter((tracked) => tracked.invoiceId !== invoiceId) : [];
}
