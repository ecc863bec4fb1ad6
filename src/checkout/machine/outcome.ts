/** What a transition returns, and the moves and commands that its files share. */

import type {
  Answer,
  Command,
  Failure,
  InvoiceDetail,
  InvoiceRequest,
} from './events-and-commands.js';
import { afterFailure, isPaused } from './polling.js';
import { emptyForm, openCard } from './state.js';
import type {
  Attempt,
  AwaitingState,
  CheckoutError,
  CheckoutErrorCode,
  ExpiredState,
  FormState,
  PricedInvoice,
  State,
  Terms,
  TrackedInvoice,
  Watch,
} from './state.js';

/** What a transition is given besides the event. */
export interface Given {
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  /** From 0 to 1, for jitter. */
  readonly random: number;
  readonly terms: Terms;
}

/** The state after an event, and what is to be done. The same object as before: the event did not apply. */
export interface Outcome {
  readonly state: State;
  readonly commands: readonly Command[];
}

/** A state, and what is to be done. */
export function to(state: State, ...commands: readonly Command[]): Outcome {
  return { state, commands };
}

/** The command that gives up all that is in flight. */
export const abortAll: Command = { type: 'abort', what: 'all' };

/** The command that ends an attempt, and drops its record. */
export function forget(attemptKey: string | null = null, keepsKey = false): Command {
  return { type: 'forget', attemptKey, keepsKey };
}

/** The command that stores an attempt, with its invoice once there is one. */
export function remember(
  attemptKey: string,
  {
    method,
    totalCents,
    invoiceId = null,
    lookupToken = null,
  }: Pick<TrackedInvoice, 'method' | 'totalCents'> & {
    readonly invoiceId?: string | null;
    readonly lookupToken?: string | null;
  },
): Command {
  return { type: 'remember', attemptKey, method, invoiceId, lookupToken, totalCents };
}

/** The command that asks for an invoice. */
export function request(
  action: InvoiceRequest['action'],
  purpose: InvoiceRequest['purpose'],
  attemptKey: string,
  replaces: string | null = null,
): InvoiceRequest {
  return { type: 'request', action, purpose, attemptKey, replaces };
}

/** The command that tells the page of an invoice. */
export function announce(name: 'created' | 'paid', invoice: PricedInvoice): Command {
  const { invoiceId, orderCode, externalId, method, totalCents } = invoice;
  const detail: InvoiceDetail = {
    invoiceId,
    orderCode,
    externalId: externalId ?? '',
    method,
    totalCents,
  };
  return { type: 'emit', event: { name, invoice: detail } };
}

/** The command that tells the page of something it should know. */
export function tell({ code, retryable }: CheckoutError, invoiceId: string | null): Command {
  return { type: 'emit', event: { name: 'error', code, retryable, invoiceId } };
}

/** An error that trying again does not help. */
export function fatal(code: CheckoutErrorCode): CheckoutError {
  return { code, retryable: false };
}

/** A failure of which no answer told more, and that may pass. */
export function failureOf(code: CheckoutErrorCode): Failure {
  return { code, retryable: true, retryAfterSeconds: null, invoice: null, told: false };
}

/** The failure in an answer, if it is one. */
export function failureIn(answer: Answer<unknown>): Failure | null {
  return 'failure' in answer ? answer.failure : null;
}

/** The proxy's own word that the card was refused. */
export function isRefusal({ code, told }: Failure): boolean {
  return told && code === 'payment_refused';
}

/** An attempt whose request has just been made. */
export function toAttempt(
  attemptKey: string,
  totalCents: number | null,
  standing: Attempt['standing'] = 'own',
): Attempt {
  return { attemptKey, totalCents, tries: 0, retryAtMs: null, standing };
}

/** Nothing can be done here without the merchant, who is told. */
export function toFailed(
  { code, retryable }: CheckoutError,
  invoiceId: string | null,
  ...commands: readonly Command[]
): Outcome {
  const error = { code, retryable };
  return to({ phase: 'failed', error, invoiceId }, ...commands, tell(error, invoiceId));
}

/** Back to the form with what went wrong, of which the page is told. */
export function toForm(
  { code, retryable }: CheckoutError,
  invoiceId: string | null,
  kept: Partial<FormState> = {},
  ...commands: readonly Command[]
): Outcome {
  const error = { code, retryable };
  return to({ ...emptyForm, ...kept, error }, ...commands, tell(error, invoiceId));
}

/**
 * A payment may have been made: nothing may be paid here any more. The page is told once of each error.
 * @param attempt a card attempt whose outcome is open all the same
 */
export function toConfirming(
  before: State,
  watch: Watch,
  code: CheckoutErrorCode,
  invoiceId: string | null,
  attempt: Attempt | null = openCard(before),
): Outcome {
  const isConfirming = before.phase === 'confirming';
  const isKnown = isConfirming && before.error?.code === code;
  if (isKnown && before.watch === watch && before.attempt === attempt) return to(before);
  const error = fatal(code);
  const told = isKnown ? [] : [tell(error, invoiceId)];
  return to({ phase: 'confirming', watch, attempt, error }, ...told);
}

/** The screen of the newest code. */
export function show(
  watch: Watch,
  error: CheckoutError | null = null,
  expired = false,
): AwaitingState | ExpiredState {
  return expired
    ? { phase: 'expired', watch, error }
    : { phase: 'awaiting', watch, closing: false, error };
}

/** The same phase, what it follows changed. */
export function withWatch(state: State, watch: Watch): State {
  return 'watch' in state ? { ...state, watch } : state;
}

/** The invoices that are followed, but for one. */
export function without(watch: Watch | null, invoiceId: string): readonly TrackedInvoice[] {
  return watch?.invoices.filter((tracked) => tracked.invoiceId !== invoiceId) ?? [];
}

/** The same invoices, after a look-up that failed. */
export function backOff(
  watch: Watch,
  { nowMs, random, terms }: Given,
  retryAfterSeconds: number | null = null,
): Watch {
  const { invoices, polling } = watch;
  const how = { random, retryAfterSeconds };
  const next = afterFailure(polling, nowMs, invoices.length, terms.pollIntervalMs, how);
  return { ...watch, polling: next };
}

/**
 * Look-ups that stood still go on, each time later: a proxy that refuses every token it gives is not asked in a loop.
 * What is in flight or waits for its time is left alone.
 */
export function goOn(watch: Watch, given: Given, retryAfterSeconds: number | null = null): Watch {
  return isPaused(watch.polling) ? backOff(watch, given, retryAfterSeconds) : watch;
}
