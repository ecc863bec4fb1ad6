/** What a transition returns, and the moves that its files share. */

import { tell } from './events-and-commands.js';
import type { Command, Failure } from './events-and-commands.js';
import { afterFailure, isPaused } from './polling.js';
import type { Polling } from './polling.js';
import { emptyForm, openCard } from './state.js';
import type {
  Attempt,
  CheckoutError,
  CheckoutErrorCode,
  FormState,
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
  /** The browser says that there is no connection. */
  readonly offline?: boolean;
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

/** An error that trying again does not help. */
export function fatal(code: CheckoutErrorCode): CheckoutError {
  return { code, retryable: false };
}

/** A failure of which no answer told more, and that may pass. */
export function failureOf(code: CheckoutErrorCode): Failure {
  return { code, retryable: true, retryAfterSeconds: null, invoice: null, told: false };
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
  const isKnown = before.phase === 'confirming' && before.error?.code === code;
  if (isKnown && before.watch === watch && before.attempt === attempt) return to(before);
  const error = fatal(code);
  const told = isKnown ? [] : [tell(error, invoiceId)];
  return to({ phase: 'confirming', watch, attempt, error }, ...told);
}

/** The screen of the newest code. */
export function show(watch: Watch, error: CheckoutError | null = null, expired = false): State {
  return expired
    ? { phase: 'expired', watch, error }
    : { phase: 'awaiting', watch, closing: false, error };
}

/** The same phase, what it follows changed. */
export function withWatch(state: State, watch: Watch): State {
  return 'watch' in state ? { ...state, watch } : state;
}

/** The same phase, its look-ups changed. */
export function withPolling(state: State, watch: Watch, polling: Polling): State {
  return withWatch(state, { ...watch, polling });
}

/** A new invoice in front of those of before. */
export function inFront(
  tracked: TrackedInvoice,
  before: Watch | null,
): readonly [TrackedInvoice, ...TrackedInvoice[]] {
  const others = before?.invoices.filter(({ invoiceId }) => invoiceId !== tracked.invoiceId);
  return [tracked, ...(others ?? [])];
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
export function goOn(watch: Watch, given: Given, retryAfterSeconds?: number | null): Watch {
  return isPaused(watch.polling) ? backOff(watch, given, retryAfterSeconds) : watch;
}
