/**
 * The states of the checkout: one union keyed by `phase`, each phase with just the data it has, and the questions that
 * other files ask of it. Times are monotonic milliseconds. Over 300 lines with what is said of each: a phase and the questions
 * that it answers are read together.
 */

import type { ErrorCode } from '../../contract/codes.js';
import type { Method } from '../../contract/types.js';

/** Every code a `pix-error` event may carry: the contract's, and what only the element can find out. */
export type CheckoutErrorCode =
  | ErrorCode
  | 'configuration'
  | 'invalid_code'
  | 'code_amount_differs'
  | 'invalid_answer'
  | 'network'
  | 'reference_mismatch'
  | 'unsupported_method'
  | 'tokenization_failed'
  | 'card_unavailable'
  | 'personal_data_leak';

/** Something that went wrong, as the payer's view and the `pix-error` event need it. */
export interface CheckoutError {
  readonly code: CheckoutErrorCode;
  /** Whether the same step may be tried again by the payer. */
  readonly retryable: boolean;
  /** Before then the proxy turns the step away again, monotonic milliseconds. */
  readonly retryAtMs?: number;
}

/** A Pix code that was read and found good: what QR and clipboard hold, and whom it names. */
export interface PixCode {
  readonly text: string;
  /** The receiver as the code spells it; empty where the code could not be read (`allow-unverified-code`). */
  readonly receiverName: string;
  /** The code comes from a test environment: it must be marked, and cannot be paid with real money. */
  readonly test: boolean;
}

/** An invoice that this page follows. */
export interface TrackedInvoice {
  readonly invoiceId: string;
  /** Empty until an answer names it. */
  readonly orderCode: string;
  /** `null`: not known, and not compared. */
  readonly externalId: string | null;
  readonly method: Method;
  /** Integer cents; `null` until a look-up of an invoice that the page named has told it. */
  readonly totalCents: number | null;
  readonly code: PixCode | null;
  readonly lookupToken: string | null;
  /** The service's last word; anything but `paid` waits. */
  readonly status: string;
  /** When the code was made, as far as this page can tell. */
  readonly createdAtMs: number;
  /** When the merchant's deadline passes; `null`: there is none. */
  readonly deadlineMs: number | null;
  /** False for an invoice the page handed in until a look-up has named the same code, reference and total. */
  readonly verified: boolean;
}

/** One whose total an answer has named. */
export type PricedInvoice = TrackedInvoice & { readonly totalCents: number };

/** How often the newest invoice is looked up, and whether the proxy may hold the answer until there is news. */
export type Pace =
  /** The payer came back: a few look-ups follow each other quickly. These are the pauses before those still to come. */
  | { readonly kind: 'quick'; readonly delaysMs: readonly number[] }
  /** The proxy holds its answers, so each look-up follows the answer to the one before. */
  | { readonly kind: 'held' }
  /** A look-up that the proxy held has failed. One more is held; if that fails too, the schedule takes over. */
  | { readonly kind: 'cut' }
  /** The proxy answers at once, or something between us cuts what it holds: look-ups come at fixed times. */
  | { readonly kind: 'scheduled' };

/** When the invoices that are followed are looked up (see polling.ts). */
export interface Polling {
  /** Where the schedule counts from. */
  readonly startedAtMs: number;
  readonly pace: Pace;
  /** Counts look-ups. At an even number the newest invoice is asked for next, at an odd one a former invoice. */
  readonly turn: number;
  /** How many look-ups of the newest invoice have failed in a row. */
  readonly failures: number;
  /** How often in a row the newest invoice's token was refused. The first time it is renewed, and no more after that. */
  readonly refusals: number;
  /** When its token was last asked for anew. */
  readonly renewedAtMs: number;
  /** When the next look-up is due; `null` while one is in flight, or all is paused. */
  readonly dueMs: number | null;
  /** When the look-up in flight was sent; `null`: there is none. */
  readonly sinceMs: number | null;
}

/** The invoices that are followed, newest first, and their look-ups. All of them may still be paid. */
export interface Watch extends Polling {
  readonly invoices: readonly [TrackedInvoice, ...TrackedInvoice[]];
  /** The attempt key that made the newest invoice; `null` when the page handed it in. */
  readonly attemptKey: string | null;
}

/** What is known of an attempt beyond the request that this page has made. */
type Standing =
  /** Nothing: this page has made the request, or will. */
  | 'own'
  /** The request that charges it is in flight. `not_found` in its answer bars nothing: a repeat of it may still arrive. */
  | 'sent'
  /** It asked for a Pix code, and the order has a card whose outcome is open. */
  | 'contended_pix'
  /** The proxy has named an invoice for this card. A later `not_found` proves nothing. */
  | 'reached';

/** A payment that is asked for by a key of its own. A Pix creation is made again with it; a card is sent once. */
export interface Attempt {
  readonly attemptKey: string;
  /** What the page said is owed when it was made, integer cents; `null`: nothing is compared. */
  readonly totalCents: number | null;
  /** How often its request has failed. */
  readonly tries: number;
  /** When the request is made again by itself; `null` while it is in flight. */
  readonly retryAtMs: number | null;
  readonly standing: Standing;
  /** Why the proxy turned its request away. That is said once `not_found` has barred the key, which it does not. */
  readonly turnedAway: CheckoutError | null;
}

export interface FormState {
  readonly phase: 'form';
  readonly error: CheckoutError | null;
  /** An invoice whose code could not be shown: the next attempt asks for another in its place. */
  readonly replaces: string | null;
  /** Pix codes that are still followed while the card form is shown. */
  readonly watch: Watch | null;
}

/** A Pix invoice is being created (`posting`), or asked for after a reload, by its key (`recovering`). */
export interface PostingState {
  readonly phase: 'creating';
  readonly task: 'posting' | 'recovering';
  readonly attempt: Attempt;
  readonly replaces: string | null;
  /** Codes of before, still followed. */
  readonly watch: Watch | null;
  /** The newest of those codes had expired: it does not come back on the screen if no other can be had. */
  readonly expired: boolean;
}

/**
 * A card is being charged: its provider makes a token, then an open Pix code is looked up a last time, then the request
 * is sent, once; if it is turned away, its key is barred. Former Pix codes are followed and not shown.
 */
export interface ChargingState {
  readonly phase: 'creating';
  readonly task: 'tokenizing' | 'checking' | 'sending' | 'barring';
  readonly attempt: Attempt;
  readonly watch: Watch | null;
}

/** An invoice known by its id is looked up before anything is shown. */
interface FollowingState {
  readonly phase: 'creating';
  readonly task: 'following';
  readonly watch: Watch;
}

/** The page promised an invoice. */
interface PromisedState {
  readonly phase: 'creating';
  readonly task: 'promised';
  /** When the payer is told that the invoice did not come. */
  readonly untilMs: number;
}

type CreatingState = PostingState | ChargingState | FollowingState | PromisedState;

/** A Pix code is on the screen. */
export interface AwaitingState {
  readonly phase: 'awaiting';
  readonly watch: Watch;
  /** The deadline has passed and a last look-up is asked for. */
  readonly closing: boolean;
  readonly error: CheckoutError | null;
}

/**
 * The proxy's answer to a creation said paid and no look-up has confirmed it, or a look-up said paid and something
 * disagrees, or a card's outcome is open. Nothing may be paid here.
 */
export interface ConfirmingState {
  readonly phase: 'confirming';
  /** `null`: a card attempt of which no invoice is known yet. */
  readonly watch: Watch | null;
  /** A card attempt whose outcome was lost: the proxy is asked for it by its key, and the card is never sent again. */
  readonly attempt: Attempt | null;
  readonly error: CheckoutError | null;
}

/** The merchant's deadline passed, and a look-up after it said not paid. The code is hidden and still followed. */
export interface ExpiredState {
  readonly phase: 'expired';
  readonly watch: Watch;
  readonly error: CheckoutError | null;
}

/** A look-up said paid, and everything agreed. Nothing is in flight or due: only the page leaves this phase. */
export interface PaidState {
  readonly phase: 'paid';
  readonly invoice: PricedInvoice;
  /** The service's `updated_at`, ISO 8601; empty where it gave none. */
  readonly paidAt: string;
  /** The payment went back since. */
  readonly returned?: true;
}

/** Nothing can be done here without the merchant. */
export interface FailedState {
  readonly phase: 'failed';
  readonly error: CheckoutError;
  readonly invoiceId: string | null;
  /** What the order costs now, integer cents, where an unpaid invoice said so and the page says otherwise. */
  readonly totalCents?: number;
}

export type State =
  | FormState
  | CreatingState
  | AwaitingState
  | ConfirmingState
  | ExpiredState
  | PaidState
  | FailedState;

/** The seven phases; each is also a custom state of the element, `:state(paid)`. */
export type Phase = State['phase'];

/** What the element's attributes say about the order, as the machine needs it. */
export interface Terms {
  readonly externalId: string | null;
  /** What the page says is owed by Pix, whichever method is shown, integer cents; `null`: nothing is compared. */
  readonly pixCents: number | null;
  /** What it says is owed by card, with the instalments chosen, integer cents; `null`: nothing is compared. */
  readonly cardCents: number | null;
  /** Seconds a code is offered by the page's own deadline; `null`: none. The answer's `expires_in` wins. */
  readonly expiresInSeconds: number | null;
  readonly pollIntervalMs: number;
  readonly allowUnverifiedCode: boolean;
}

/** What a transition is given besides the event. */
export interface Given {
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  /** From 0 to 1, for jitter. */
  readonly random: number;
  readonly terms: Terms;
  /** A key of no attempt so far, always the same for this order: where its invoice came without one. */
  readonly freshKey?: string;
  /** The browser says that there is no connection. */
  readonly offline?: boolean;
}

export const emptyForm: FormState = { phase: 'form', error: null, replaces: null, watch: null };

/** Whether this is being done. */
export function isAt<T extends CreatingState['task']>(
  state: State,
  task: T,
): state is CreatingState & { readonly task: T } {
  return 'task' in state && state.task === task;
}

/** A code is on the screen, or was until its deadline. */
export function isOfCode(state: State): state is AwaitingState | ExpiredState {
  return state.phase === 'awaiting' || state.phase === 'expired';
}

/** A request for a Pix invoice is in flight, or is due again. */
export function isPosting(state: State): state is PostingState {
  return isAt(state, 'posting') || isAt(state, 'recovering');
}

/** What is followed in this phase, if anything. */
export function watchOf(state: State): Watch | null {
  return 'watch' in state ? state.watch : null;
}

/** The attempt in flight in this phase, if there is one. */
export function attemptOf(state: State): Attempt | null {
  return 'attempt' in state ? state.attempt : null;
}

/** The card attempt whose request is in flight, or whose outcome is asked for; `null`: there is none. */
export function unresolvedCharge(state: State): Attempt | null {
  return state.phase === 'confirming' || isSent(state) ? state.attempt : null;
}

/** A card has been sent, and its answer has not bound its key. */
export function isSent(state: State): state is ChargingState {
  return isAt(state, 'sending') || isAt(state, 'barring');
}

/** Whether a payment was made, or may have been: what the order costs now, or whether it is for sale, changes nothing. */
export function isFinal(state: State): boolean {
  return state.phase === 'paid' || state.phase === 'confirming' || isSent(state);
}

/** Whether a card's outcome is open: nothing may be forgotten, and no other payment of the order be started. */
export function isCharging(state: State): boolean {
  if (state.phase === 'creating') return attemptOf(state) !== null && !isPosting(state);
  if (state.phase !== 'confirming') return false;
  return state.attempt !== null || state.watch?.invoices[0].method === 'credit_card';
}

/** The invoice this phase is about, if one is known. */
export function currentInvoice(state: State): TrackedInvoice | null {
  if (state.phase === 'paid') return state.invoice;
  const newest = watchOf(state)?.invoices[0] ?? null;
  // Former Pix codes, followed behind the card form or a charge, are not what the screen is about.
  const isBehind = state.phase === 'form' || (isCharging(state) && newest?.method === 'pix');
  return isBehind || isAt(state, 'following') ? null : newest;
}
