/** What a transition returns, and the moves that all of its files share. */

import { startLookUp } from './polling.js';
import type { Polling } from './polling.js';
import { emptyForm, inquiryOf, isFollowing, pollingOf, watchOf } from './state.js';
import type { Command, Failure, InvoiceDetail } from './events-and-commands.js';
import type {
  OutcomeInquiry,
  CheckoutError,
  CheckoutErrorCode,
  FormState,
  TrackedInvoice,
  State,
  Terms,
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

/** The state after an event, and what is to be done. */
export interface Outcome {
  readonly state: State;
  readonly commands: readonly Command[];
}

/** A new state. */
export function to(state: State, commands: readonly Command[] = []): Outcome {
  return { state, commands };
}

/** The same state, the same object: the event did not apply. */
export function stay(state: State): Outcome {
  return { state, commands: [] };
}

/** Adds commands behind those of an outcome. */
export function withCommands(outcome: Outcome, ...commands: Command[]): Outcome {
  return { state: outcome.state, commands: [...outcome.commands, ...commands] };
}

/** The command that drops the stored attempt. */
export const forget: Command = { type: 'forget' };

/** The command that says: the outcome of this card attempt is known. */
export function settle({ attemptKey }: Pick<Watch, 'attemptKey'>): Command {
  return { type: 'settle', attemptKey };
}

/** The command that gives up all that is in flight. */
export const abortAll: Command = { type: 'abort', what: 'all' };

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

/** The command that tells the page of something it should know. */
export function emitError({ code, retryable }: CheckoutError, invoiceId: string | null): Command {
  return { type: 'emit', event: { name: 'error', code, retryable, invoiceId } };
}

/** Nothing can be done here without the merchant, who is told. */
export function toFailed(
  failure: CheckoutError,
  invoiceId: string | null,
  commands: readonly Command[] = [],
): Outcome {
  const error = toError(failure);
  return to({ phase: 'failed', error, invoiceId }, [...commands, emitError(error, invoiceId)]);
}

/** Back to the form with what went wrong, of which the page is told. */
export function toForm(
  failure: CheckoutError,
  invoiceId: string | null,
  commands: readonly Command[] = [],
  kept: Partial<FormState> = {},
): Outcome {
  const error = toError(failure);
  return to({ ...emptyForm, ...kept, error }, [...commands, emitError(error, invoiceId)]);
}

/** What the payer's view needs of a failure. */
export function toError({ code, retryable }: CheckoutError): CheckoutError {
  return { code, retryable };
}

/** What `pix-created` and `pix-paid` tell of an invoice. */
export function toDetail(tracked: TrackedInvoice): InvoiceDetail {
  const { invoiceId, orderCode, externalId, method, totalCents } = tracked;
  return { invoiceId, orderCode, externalId: externalId ?? '', method, totalCents };
}

/** The same phase with other look-ups. */
export function withPolling(state: State, polling: Polling): State {
  if (isFollowing(state)) return { ...state, polling };
  const watch = watchOf(state);
  return watch ? withWatch(state, { ...watch, polling }) : state;
}

/** The same phase, what it follows changed. */
export function withWatch(state: State, watch: Watch): State {
  return 'watch' in state && state.watch ? { ...state, watch } : state;
}

/**
 * A payment may have been made: nothing may be paid here any more. The page is told once of each error.
 * @param inquiry a card attempt whose outcome is open all the same
 */
export function toConfirming(
  before: State,
  watch: Watch,
  code: CheckoutErrorCode,
  invoiceId: string | null,
  inquiry: OutcomeInquiry | null = inquiryOf(before),
): Outcome {
  const known = before.phase === 'confirming' && before.error?.code === code;
  if (known && before.watch === watch && before.inquiry === inquiry) return stay(before);
  const error = fatal(code);
  return to(
    { phase: 'confirming', watch, inquiry, error },
    known ? [] : [emitError(error, invoiceId)],
  );
}

/** Starts the look-up of a phase, if it is due. */
export function enterPolling(state: State, given: Given): Outcome {
  const polling = pollingOf(state);
  if (!polling || polling.activity.kind !== 'waiting' || polling.activity.untilMs > given.nowMs) {
    return to(state);
  }
  const begun = startLookUp(polling, given.nowMs);
  const asked = followed(state)[begun.ask.turn];
  if (!asked) return to(state);
  const { waitSeconds, timeoutMs } = begun.ask;
  const { invoiceId, lookupToken } = asked;
  return to(withPolling(state, begun.polling), [
    { type: 'look_up', invoiceId, lookupToken, waitSeconds, timeoutMs },
  ]);
}

/** The invoice whose look-up is in flight; `null`: none is. */
export function lookedUpId(state: State): string | null {
  const polling = pollingOf(state);
  if (polling?.activity.kind !== 'in_flight') return null;
  return followed(state)[polling.turn]?.invoiceId ?? null;
}

function followed(state: State): readonly { invoiceId: string; lookupToken: string | null }[] {
  if (isFollowing(state)) return [state.pendingLookUp];
  return watchOf(state)?.invoices ?? [];
}
