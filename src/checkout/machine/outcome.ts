/** What a transition returns, and the moves that its files share. */

import { tell } from './events-and-commands.js';
import type { Command, Failure } from './events-and-commands.js';
import { unresolvedCharge } from './state.js';
import type { Attempt, AwaitingState, CheckoutError, CheckoutErrorCode } from './state.js';
import type { ConfirmingState, ExpiredState, State, TrackedInvoice, Watch } from './state.js';

/** The state after an event, and what is to be done. The same object as before: the event did not apply. */
export interface Outcome {
  readonly state: State;
  readonly commands: readonly Command[];
}

/** A state, and what is to be done. */
export function to(state: State, ...commands: readonly Command[]): Outcome {
  return { state, commands };
}

/**
 * What may follow a request that failed with this code. Only the merchant can help after a code that is not listed.
 *
 * - `passing`: the line or the proxy may be well again next time, and the same attempt can be made again.
 * - `repeat`: the payer may make the same attempt again.
 * - `renew`: the payer may try again as another attempt, with a new key.
 */
export const exits: Readonly<Partial<Record<CheckoutErrorCode, 'passing' | 'repeat' | 'renew'>>> = {
  network: 'passing',
  service_unavailable: 'passing',
  in_progress: 'passing',
  too_many_requests: 'passing',
  invalid_answer: 'repeat',
  outcome_unknown: 'repeat',
  payment_refused: 'renew',
  invalid_request: 'renew',
  key_reused: 'renew',
};

/** A pause that the proxy asks for is waited out, up to this many seconds; of a longer one the payer is told. */
export const silentPauseSeconds = 5;

/** An error that trying again does not help. */
export function fatal(code: CheckoutErrorCode): CheckoutError {
  return { code, retryable: false };
}

/** A failure without an answer of the proxy. It may pass. */
export function failureOf(code: CheckoutErrorCode): Failure {
  return { code, retryable: true, retryAfterSeconds: null, invoice: null, told: false };
}

/** Whether the proxy itself said that the card was refused. A gateway's status does not count. */
export function isRefusal({ code, told }: Failure): boolean {
  return told && code === 'payment_refused';
}

/** An attempt whose request has just been made. */
export function toAttempt(
  attemptKey: string,
  totalCents: number | null,
  standing: Attempt['standing'] = 'own',
): Attempt {
  return { attemptKey, totalCents, tries: 0, retryAtMs: null, standing, turnedAway: null };
}

/** A state without its error. */
type Before<S = State> = S extends { readonly error: unknown } ? Omit<S, 'error'> : never;

/** A state that shows what went wrong, of which the page is told. */
export function fail(
  state: Before,
  { code, retryable, retryAtMs }: CheckoutError,
  invoiceId: string | null,
  ...commands: readonly Command[]
): Outcome {
  const error = { code, retryable, ...(retryAtMs && { retryAtMs }) };
  return to({ ...state, error }, ...commands, tell(error, invoiceId));
}

/** Nothing can be done here without the merchant. */
export function toFailed(
  error: CheckoutError,
  invoiceId: string | null,
  ...commands: readonly Command[]
): Outcome {
  return fail({ phase: 'failed', invoiceId }, error, invoiceId, ...commands);
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
  attempt: Attempt | null = unresolvedCharge(before),
): Outcome {
  const next = { phase: 'confirming', watch, attempt } as const;
  if (before.phase !== 'confirming' || before.error?.code !== code) {
    return fail(next, fatal(code), invoiceId);
  }
  const isSame = before.watch === watch && before.attempt === attempt;
  return to(isSame ? before : { ...next, error: before.error });
}

/** The screen of the newest code. */
export function show(watch: Watch, expired = false): AwaitingState | ExpiredState {
  const base = { watch, error: null };
  return expired ? { phase: 'expired', ...base } : { phase: 'awaiting', closing: false, ...base };
}

/** The screen of a payment that may have been made. */
export function confirm(
  watch: Watch | null,
  attempt: Attempt | null = null,
  error: CheckoutError | null = null,
): ConfirmingState {
  return { phase: 'confirming', watch, attempt, error };
}

/** The same phase, what it follows changed. */
export function withWatch(state: State, watch: Watch): State {
  return 'watch' in state ? { ...state, watch } : state;
}

/** A new invoice in front of those of before. */
export function inFront(tracked: TrackedInvoice, before: Watch | null): Watch['invoices'] {
  const others = before?.invoices.filter(({ invoiceId }) => invoiceId !== tracked.invoiceId);
  return [tracked, ...(others ?? [])];
}
