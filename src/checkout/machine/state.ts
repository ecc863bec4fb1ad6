/**
 * The states of the checkout: one union keyed by `phase`, in which each phase has only its own data. Behind them stand the
 * events, the commands, and the moves that the machine's files share. Times are monotonic milliseconds.
 */

import type { ErrorCode } from '../../contract/codes.js';
import type { Method, CreatedInvoice, InvoiceStatus } from '../../contract/types.js';

/** Every code that a `pix-error` event may carry: those of the contract, and those that only the element can find. */
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

/** An invoice whose total an answer has named. */
export type PricedInvoice = TrackedInvoice & { readonly totalCents: number };

/** How often the newest invoice is looked up, and whether the proxy may hold the answer until there is news. */
export type Pace =
  /** The payer came back: a few look-ups follow each other quickly. `delaysMs` are the pauses before each of them. */
  | { readonly kind: 'quick'; readonly delaysMs: readonly number[] }
  /** The proxy holds its answers, so each look-up follows the answer to the one before. */
  | { readonly kind: 'held' }
  /** A look-up that the proxy held has failed. One more is held; if that fails too, the schedule takes over. */
  | { readonly kind: 'cut' }
  /** The proxy answers at once, or something between us cuts what it holds: look-ups come at fixed times. */
  | { readonly kind: 'scheduled' };

/** When the invoices that are followed are looked up (planned in tracked-invoice.ts). */
export interface Polling {
  /** The schedule counts from here. */
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

/** What else is known of an attempt, beside the request of this page. */
type Standing =
  /** Nothing else: this page has made the request, or will. */
  | 'own'
  /** The request that charges it is in flight. `not_found` in its answer bars nothing: a repeat of it may still arrive. */
  | 'sent'
  /** The attempt asked for a Pix code while a card of the order was open. */
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
  /** Why the proxy turned the request away. The payer is told only once `not_found` has barred the key. */
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
  /** Former codes, still followed. */
  readonly watch: Watch | null;
  /** The newest former code had expired: it does not come back on the screen if no new code comes. */
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
  /** The order's new total, integer cents, where an unpaid invoice names another than the page. */
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

/** The element's attributes, as far as the machine needs them. */
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

/** Whether the checkout is at this task. */
export function isAt<T extends CreatingState['task']>(
  state: State,
  task: T,
): state is CreatingState & { readonly task: T } {
  return 'task' in state && state.task === task;
}

/** Whether a code is on the screen, or was until its deadline. */
export function isCodePhase(state: State): state is AwaitingState | ExpiredState {
  return state.phase === 'awaiting' || state.phase === 'expired';
}

/** Whether a request for a Pix invoice is in flight, or due again. */
export function isPosting(state: State): state is PostingState {
  return isAt(state, 'posting') || isAt(state, 'recovering');
}

/** The invoices that this phase follows. */
export function findWatch(state: State): Watch | null {
  return 'watch' in state ? state.watch : null;
}

/** The attempt that this phase waits for. */
export function findAttempt(state: State): Attempt | null {
  return 'attempt' in state ? state.attempt : null;
}

/** The card attempt whose request is in flight, or whose outcome is asked for; `null`: there is none. */
export function findUnresolvedCharge(state: State): Attempt | null {
  return state.phase === 'confirming' || isCardSent(state) ? state.attempt : null;
}

/** Whether a card was sent, and no answer has bound its key. */
export function isCardSent(state: State): state is ChargingState {
  return isAt(state, 'sending') || isAt(state, 'barring');
}

/** Whether the order is paid, or may be: then a new price, or the end of its sale, changes nothing. */
export function mayBePaid(state: State): boolean {
  return state.phase === 'paid' || state.phase === 'confirming' || isCardSent(state);
}

/** Whether a card's outcome is open: then nothing may be forgotten, and no other payment be started. */
export function isCardPending(state: State): boolean {
  if (state.phase === 'creating') return findAttempt(state) !== null && !isPosting(state);
  if (state.phase !== 'confirming') return false;
  return state.attempt !== null || state.watch?.invoices[0].method === 'credit_card';
}

/** The invoice that the screen is about. */
export function findCurrentInvoice(state: State): TrackedInvoice | null {
  if (state.phase === 'paid') return state.invoice;
  const newest = findWatch(state)?.invoices[0] ?? null;
  // Behind the card form, or a charge, former Pix codes are followed and not shown.
  const isBehind = state.phase === 'form' || (isCardPending(state) && newest?.method === 'pix');
  return isBehind || isAt(state, 'following') ? null : newest;
}

// Events and commands, and the functions that make commands.

/** Why a request failed, as far as the answer told. */
export interface Failure extends CheckoutError {
  /** The proxy's answer named the code. Else the HTTP status stood for it, or no answer came. */
  readonly told: boolean;
  readonly retryAfterSeconds: number | null;
  /** With `order_paid`: the invoice that paid the order. */
  readonly invoice: CreatedInvoice | null;
}

/** The result of a request. */
export type Answer<T> = { readonly invoice: T } | { readonly failure: Failure };

/**
 * Why an invoice is asked for; the answer carries the same word. `invoice`: a Pix invoice, new or by its key; `charge`: a
 * card's charge, or its outcome after a lost answer; `renewal`: a new look-up token.
 */
export type Purpose = 'invoice' | 'charge' | 'renewal';

/** Everything that can happen to a checkout. */
export type CheckoutEvent =
  /** The payer (or `auto-start`) pays, and the page did not cancel it. */
  | {
      readonly type: 'submitted';
      readonly method: Method;
      readonly attemptKey: string;
    }
  | { readonly type: 'method_chosen'; readonly method: Method }
  | { readonly type: 'new_code_asked'; readonly attemptKey: string }
  /** "Já paguei", or a code that does not work: look now. */
  | { readonly type: 'check_asked' }
  | {
      readonly type: 'answered';
      readonly purpose: Purpose;
      readonly answer: Answer<CreatedInvoice>;
    }
  | {
      readonly type: 'looked_up';
      readonly invoiceId: string;
      readonly answer: Answer<InvoiceStatus>;
    }
  /** The card can be sent: tokenized, or raw where the merchant lets it travel. Or it cannot; nothing has been sent. */
  | { readonly type: 'card_prepared'; readonly ready: boolean }
  /** The time has come for the next step (see `findNextDueMs`). */
  | { readonly type: 'ticked' }
  /** The payer is back on the page, or the line is up again. */
  | { readonly type: 'returned' }
  /** The browser went offline, or the page is being put away. */
  | { readonly type: 'paused' }
  /** A stored attempt, an invoice that the page names, or both are taken up. */
  | ({ readonly type: 'resumed' } & Former)
  /** The page promised an invoice. */
  | { readonly type: 'promised' }
  /** The page handed an invoice in; with the key of a creation of ours that began before the element was there. */
  | {
      readonly type: 'given';
      readonly invoice: CreatedInvoice;
      readonly attemptKey?: string | undefined;
    }
  /** The page's own set-up makes a checkout impossible, or its promise is broken. */
  | { readonly type: 'failed'; readonly code: CheckoutErrorCode }
  /** The merchant's page asks for a fresh start. Refused while a creation is in flight. */
  | { readonly type: 'reset' }
  /** The page shows another order now, or another price. The former one's record stays for its return. */
  | { readonly type: 'order_changed' };

/** A press that pays. */
export type Submitted = Extract<CheckoutEvent, { type: 'submitted' }>;

/** An attempt as storage keeps it. */
export interface KeptAttempt {
  readonly attemptKey: string;
  readonly method: Method;
  /** Integer cents; `null`: neither page nor answer has named a total, so none is compared. */
  readonly totalCents: number | null;
  /** `null` while the request has not been answered: the attempt is asked for by its key. */
  readonly invoiceId: string | null;
  readonly lookupToken: string | null;
}

/** An attempt or an invoice from before, as far as it is known. */
export interface Former extends Omit<KeptAttempt, 'attemptKey'> {
  /** `null`: the page named an invoice, there is no attempt to ask for again. */
  readonly attemptKey: string | null;
  /** When it was made, monotonic milliseconds; `null`: not known, counted from when it is first shown. */
  readonly createdAtMs: number | null;
}

/**
 * What the controller has to do. At most one look-up and one request for an invoice are in flight: a new request takes the
 * place of the former one of its kind, whose answer then changes nothing.
 */
export type Command =
  | InvoiceRequest
  /** Makes the card ready; answered by `card_prepared`. */
  | { readonly type: 'tokenize' }
  | LookUp
  /** Gives up requests in flight: their answers change nothing any more. */
  | { readonly type: 'abort'; readonly what: 'look_up' | 'all' }
  /** Keeps the attempt for a reload or a second tab. A new one does not replace a card whose outcome is open. */
  | ({ readonly type: 'remember' } & KeptAttempt)
  /**
   * An attempt is over, and if it was a card the proxy has said how it ended. The record goes, unless it is of another
   * card whose outcome is open, or `keepsKey`: another try is the same attempt.
   */
  | { readonly type: 'forget'; readonly attemptKey: string | null; readonly keepsKey: boolean }
  | { readonly type: 'emit'; readonly event: Emission };

/** Asks for an invoice; answered by `answered` of the same purpose. */
export interface InvoiceRequest {
  readonly type: 'request';
  /** `create` a Pix invoice, `charge` the card (once: then it is gone from memory), or `recover` by the key. */
  readonly action: 'create' | 'charge' | 'recover';
  readonly purpose: Purpose;
  readonly attemptKey: string;
  /** The invoice for which the payer wants another code. */
  readonly replaces: string | null;
}

/** Looks one invoice up; answered by `looked_up`. */
export interface LookUp {
  readonly type: 'look_up';
  readonly invoiceId: string;
  readonly lookupToken: string | null;
  /** How long the proxy may hold the answer; 0: not at all. */
  readonly waitSeconds: number;
  readonly timeoutMs: number;
}

/** A DOM event that the element is to dispatch; `pix-status` follows from the state by itself. */
export type Emission =
  | { readonly name: 'created' | 'paid'; readonly invoice: InvoiceDetail }
  | { readonly name: 'expired'; readonly invoiceId: string }
  | {
      readonly name: 'error';
      readonly code: CheckoutErrorCode;
      readonly retryable: boolean;
      readonly invoiceId: string | null;
    };

/** The detail of `pix-created` and `pix-paid`. */
export interface InvoiceDetail {
  readonly invoiceId: string;
  readonly orderCode: string;
  /** Empty where the invoice has no reference. */
  readonly externalId: string;
  readonly method: Method;
  readonly totalCents: number;
}

/** Gives up every request in flight. */
export const abortAll: Command = { type: 'abort', what: 'all' };

/** Ends an attempt, and drops its record. */
export function forget(attemptKey: string | null = null, keepsKey = false): Command {
  return { type: 'forget', attemptKey, keepsKey };
}

/** Stores an attempt, with its invoice once there is one. */
export function remember(
  attemptKey: string,
  { method, totalCents, invoiceId = null, lookupToken = null }: Recordable,
): Command {
  return { type: 'remember', attemptKey, invoiceId, lookupToken, method, totalCents };
}

type Recordable = Pick<KeptAttempt, 'method' | 'totalCents'> & Partial<KeptAttempt>;

/** Asks for an invoice. */
export function request(
  action: InvoiceRequest['action'],
  purpose: Purpose,
  attemptKey: string,
  replaces: string | null = null,
): InvoiceRequest {
  return { type: 'request', action, purpose, attemptKey, replaces };
}

/** Tells the page of an invoice. */
export function announce(name: 'created' | 'paid', priced: PricedInvoice): Command {
  return { type: 'emit', event: { name, invoice: toDetail(priced) } };
}

/** An invoice as the page's events show it. */
export function toDetail(priced: PricedInvoice): InvoiceDetail {
  const { invoiceId, orderCode, method, totalCents } = priced;
  return { invoiceId, orderCode, externalId: priced.externalId ?? '', method, totalCents };
}

/** Tells the page of an error. */
export function tell({ code, retryable }: CheckoutError, invoiceId: string | null): Command {
  return { type: 'emit', event: { name: 'error', code, retryable, invoiceId } };
}

// The result of a transition, and the moves that the machine's files share.

/** The state after an event, and the commands. The same state object as before: the event did not apply. */
export interface Outcome {
  readonly state: State;
  readonly commands: readonly Command[];
}

export function toOutcome(state: State, ...commands: readonly Command[]): Outcome {
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

/** An error after which trying again does not help. */
export function toFatal(code: CheckoutErrorCode): CheckoutError {
  return { code, retryable: false };
}

/** A failure that no answer of the proxy explains. It may pass. */
export function toFailure(code: CheckoutErrorCode): Failure {
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

/** A state that shows an error; the page hears of it, too. */
export function failWith(
  state: Before,
  { code, retryable, retryAtMs }: CheckoutError,
  invoiceId: string | null,
  ...commands: readonly Command[]
): Outcome {
  const error = { code, retryable, ...(retryAtMs && { retryAtMs }) };
  return toOutcome({ ...state, error }, ...commands, tell(error, invoiceId));
}

/** Nothing can be done here without the merchant. */
export function toFailed(
  error: CheckoutError,
  invoiceId: string | null,
  ...commands: readonly Command[]
): Outcome {
  return failWith({ phase: 'failed', invoiceId }, error, invoiceId, ...commands);
}

/**
 * A payment may have been made: nothing may be paid here any more. The page is told once of each error.
 * @param attempt a card attempt whose outcome is open all the same
 */
export function confirmWithError(
  before: State,
  watch: Watch,
  code: CheckoutErrorCode,
  invoiceId: string | null,
  attempt: Attempt | null = findUnresolvedCharge(before),
): Outcome {
  const next = { phase: 'confirming', watch, attempt } as const;
  if (before.phase !== 'confirming' || before.error?.code !== code) {
    return failWith(next, toFatal(code), invoiceId);
  }
  const isSame = before.watch === watch && before.attempt === attempt;
  return toOutcome(isSame ? before : { ...next, error: before.error });
}

/** The screen of the newest code. */
export function toCodeState(watch: Watch, expired = false): AwaitingState | ExpiredState {
  const base = { watch, error: null };
  return expired ? { phase: 'expired', ...base } : { phase: 'awaiting', closing: false, ...base };
}

/** The screen of a payment that may have been made. */
export function toConfirmingState(
  watch: Watch | null,
  attempt: Attempt | null = null,
  error: CheckoutError | null = null,
): ConfirmingState {
  return { phase: 'confirming', watch, attempt, error };
}

/** The same phase with other invoices to follow. */
export function replaceWatch(state: State, watch: Watch): State {
  return 'watch' in state ? { ...state, watch } : state;
}

/** A new invoice in front of the former ones. */
export function putInFront(tracked: TrackedInvoice, before: Watch | null): Watch['invoices'] {
  const others = before?.invoices.filter(({ invoiceId }) => invoiceId !== tracked.invoiceId);
  return [tracked, ...(others ?? [])];
}
