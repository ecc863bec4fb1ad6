/**
 * The states of the checkout: one union keyed by `phase`, in which each phase has only its own data. Below them are the
 * events, the commands, and the moves that the machine's files share. Times are monotonic milliseconds.
 */

import type { ErrorCode } from '../../contract/codes.js';
import type { Method, CreatedInvoice, InvoiceStatus } from '../../contract/types.js';

/** The code of an error that a screen shows: one of the contract's, or one that only the element can find. */
export type ShownErrorCode =
  | ErrorCode
  | 'configuration'
  | 'invalid_code'
  | 'code_amount_differs'
  | 'invalid_answer'
  | 'network'
  | 'reference_mismatch'
  | 'unsupported_method'
  | 'tokenization_failed';

/** Every code that a `pix-error` event may have. Those that no screen shows concern only the merchant. */
export type CheckoutErrorCode = ShownErrorCode | 'card_unavailable' | 'personal_data_leak';

/** An error, as the payer's screen and the `pix-error` event need it. */
export interface CheckoutError {
  readonly code: ShownErrorCode;
  /** Whether the payer may try the same step again. */
  readonly retryable: boolean;
  /** When the payer may try again, monotonic milliseconds: until then the proxy turns the step away. */
  readonly retryAtMs?: number;
}

/** A Pix code that was read and is valid: the text for QR and clipboard, and the receiver. */
export interface PixCode {
  readonly text: string;
  /** The receiver as the code spells it; empty if the code could not be read (`allow-unverified-code`). */
  readonly receiverName: string;
  /** Whether the code comes from a test environment. It must be marked, because real money cannot pay it. */
  readonly test: boolean;
}

/** An invoice that this page follows. */
export interface TrackedInvoice {
  readonly invoiceId: string;
  /** Empty until an answer contains it. */
  readonly orderCode: string;
  /** `null` if it is not known, and so not compared. */
  readonly externalId: string | null;
  readonly method: Method;
  /** Integer cents; `null` until an answer names it, if the page named an invoice and no total. */
  readonly totalCents: number | null;
  readonly code: PixCode | null;
  readonly lookupToken: string | null;
  /** The status in the last answer. With any but `paid` the page keeps looking up. */
  readonly status: string;
  /** When the code was created, as far as this page can tell. */
  readonly createdAtMs: number;
  /** When the merchant's deadline passes; `null` if there is none. */
  readonly deadlineMs: number | null;
  /** False for an invoice that the page handed in, until a look-up has named the same code, reference and total. */
  readonly verified: boolean;
}

/** An invoice whose total is known from an answer. */
export type PricedInvoice = TrackedInvoice & { readonly totalCents: number };

/**
 * How often the newest invoice is looked up, and whether the proxy may hold the answer until there is news (long polling).
 */
export type Pace =
  /** The payer came back, so a few look-ups follow each other quickly. `delaysMs` are the pauses before each of them. */
  | { readonly kind: 'quick'; readonly delaysMs: readonly number[] }
  /** The proxy holds its answers, so each look-up follows the answer to the one before. */
  | { readonly kind: 'held' }
  /** A look-up failed while the proxy held it. One more is held; if that fails too, the schedule takes over. */
  | { readonly kind: 'cut' }
  /** The proxy answers at once, or a gateway in between ends what it holds, so look-ups come at fixed times. */
  | { readonly kind: 'scheduled' };

/** When the followed invoices are looked up (planned in tracked-invoice.ts). */
export interface Polling {
  /** The time from which the schedule counts. */
  readonly startedAtMs: number;
  readonly pace: Pace;
  /** Counts look-ups. At an even number the newest invoice is next, at an odd one a former invoice. */
  readonly turn: number;
  /** How many look-ups of the newest invoice have failed in a row. */
  readonly failures: number;
  /**
   * How often in a row the proxy refused the newest invoice's token. The page renews the token after the first refusal only.
   */
  readonly refusals: number;
  /** When the newest invoice's token was last renewed. */
  readonly renewedAtMs: number;
  /** When the next look-up is due; `null` while one is in flight, or while look-ups are paused. */
  readonly dueMs: number | null;
  /** When the look-up in flight was sent; `null` if there is none. */
  readonly sinceMs: number | null;
}

/** The followed invoices, newest first, and their look-ups. All of them may still be paid. */
export interface Watch extends Polling {
  readonly invoices: readonly [TrackedInvoice, ...TrackedInvoice[]];
  /** The attempt key that created the newest invoice; `null` if the page handed it in. */
  readonly attemptKey: string | null;
}

/** What the page knows about an attempt beside its own request. */
type Standing =
  /** Nothing: the page has made the request, or will make it. */
  | 'own'
  /**
   * The request that charges the card is in flight. `not_found` in its answer bars nothing, because a repeat of the request
   * may still arrive.
   */
  | 'sent'
  /** The attempt asked for a Pix code while a card of the order was open. */
  | 'contended_pix'
  /** The proxy has named an invoice for this card, so a later `not_found` proves nothing. */
  | 'reached';

/** A payment with a key of its own. A Pix creation is repeated with this key; a card is sent once. */
export interface Attempt {
  readonly attemptKey: string;
  /** The total that the page named when the attempt began, integer cents; `null` if none, so that nothing is compared. */
  readonly totalCents: number | null;
  /** How often its request has failed. */
  readonly tries: number;
  /** When the request is repeated automatically; `null` while it is in flight. */
  readonly retryAtMs: number | null;
  readonly standing: Standing;
  /** Why the proxy turned the request away. The payer sees the reason only once it is certain that nothing was charged. */
  readonly turnedAway: CheckoutError | null;
}

export interface FormState {
  readonly phase: 'form';
  readonly error: CheckoutError | null;
  /** An invoice whose code could not be shown. The next attempt asks for another one in its place. */
  readonly replaces: string | null;
  /** Pix codes that are still followed while the card form is shown. */
  readonly watch: Watch | null;
}

/** A Pix invoice is being created (`posting`), or recovered by its key after a reload (`recovering`). */
export interface PostingState {
  readonly phase: 'creating';
  readonly task: 'posting' | 'recovering';
  readonly attempt: Attempt;
  readonly replaces: string | null;
  /** Former codes, which are still followed. */
  readonly watch: Watch | null;
  /** Whether the newest former code had expired. Then it does not come back to the screen if no new code comes. */
  readonly expired: boolean;
}

/**
 * A card is being charged: its provider makes a token, an open Pix code is looked up a last time, then the request is sent
 * once; if the proxy turns it away, its key is barred. Former Pix codes are followed but not shown.
 */
export interface ChargingState {
  readonly phase: 'creating';
  readonly task: 'tokenizing' | 'checking' | 'sending' | 'barring';
  readonly attempt: Attempt;
  readonly watch: Watch | null;
}

/** The page knows only the id of an invoice, so it looks the invoice up before it shows anything. */
interface FollowingState {
  readonly phase: 'creating';
  readonly task: 'following';
  readonly watch: Watch;
}

/** The page promised an invoice. */
interface PromisedState {
  readonly phase: 'creating';
  readonly task: 'promised';
  /** Until when the invoice may come. After that the payer sees an error. */
  readonly untilMs: number;
}

type CreatingState = PostingState | ChargingState | FollowingState | PromisedState;

/** A Pix code is on the screen. */
export interface AwaitingState {
  readonly phase: 'awaiting';
  readonly watch: Watch;
  /** Whether the deadline has passed and a last look-up is in flight. */
  readonly closing: boolean;
  readonly error: CheckoutError | null;
}

/**
 * A creation's answer said paid and no look-up has confirmed it, or a look-up said paid and something disagrees, or a card's
 * outcome is unknown. Nothing may be paid here.
 */
export interface ConfirmingState {
  readonly phase: 'confirming';
  /** `null` for a card attempt whose invoice is not known yet. */
  readonly watch: Watch | null;
  /**
   * A card attempt whose outcome was lost. The element asks the proxy for it by the attempt's key, and never sends the card
   * again.
   */
  readonly attempt: Attempt | null;
  readonly error: CheckoutError | null;
}

/** The merchant's deadline passed, and a look-up after it said not paid. The code is hidden but still followed. */
export interface ExpiredState {
  readonly phase: 'expired';
  readonly watch: Watch;
  readonly error: CheckoutError | null;
}

/** A look-up said paid, and everything agreed. Nothing is in flight or due; only the page can leave this phase. */
export interface PaidState {
  readonly phase: 'paid';
  readonly invoice: PricedInvoice;
  /** The service's `updated_at`, ISO 8601; empty if the answer has none. */
  readonly paidAt: string;
  /** Whether the payment went back since. */
  readonly returned?: true;
}

/** Nothing more can be done here without the merchant. */
export interface FailedState {
  readonly phase: 'failed';
  readonly error: CheckoutError;
  /** The order's new total, integer cents, if an unpaid invoice names another total than the page. */
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

/** The values of the element's attributes that the machine needs. */
export interface Terms {
  readonly externalId: string | null;
  /** The Pix price that the page names, whichever method it shows, integer cents; `null` if it names none to compare. */
  readonly pixCents: number | null;
  /** The card price with the chosen instalments that the page names, integer cents; `null` if it names none to compare. */
  readonly cardCents: number | null;
  /**
   * Seconds until the page's own deadline for a code; `null` if there is none. An answer's `expires_in` is used before it.
   */
  readonly expiresInSeconds: number | null;
  readonly pollIntervalMs: number;
  readonly allowUnverifiedCode: boolean;
}

/** The values that a transition gets beside the event. */
export interface Given {
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  /** From 0 to 1, for jitter. */
  readonly random: number;
  readonly terms: Terms;
  /** An unused key, the same throughout this order. It gets a new look-up token for an invoice that came without a key. */
  readonly freshKey?: string;
  /** Whether the browser says that there is no connection. */
  readonly offline?: boolean;
}

export const emptyForm: FormState = { phase: 'form', error: null, replaces: null, watch: null };

/** Whether the checkout is in this task. */
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

/** Whether the deadline of the code on the screen has passed and a last look-up is in flight. */
export function isClosing(state: State): boolean {
  return state.phase === 'awaiting' && state.closing;
}

/** Whether a request for a Pix invoice is in flight, or will be repeated. */
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

/** The card attempt whose request is in flight, or whose outcome is asked for; `null` if there is none. */
export function findUnresolvedCharge(state: State): Attempt | null {
  return state.phase === 'confirming' || isCardSent(state) ? state.attempt : null;
}

/** Whether a card was sent, and no answer has bound its key. */
export function isCardSent(state: State): state is ChargingState {
  return isAt(state, 'sending') || isAt(state, 'barring');
}

/** Whether the order is paid, or may be. Then a new price, or a closed order, changes nothing. */
export function mayBePaid(state: State): boolean {
  return state.phase === 'paid' || state.phase === 'confirming' || isCardSent(state);
}

/** Whether a card is being charged, from its preparation on, or its outcome is unknown. Then no other payment may begin. */
export function isCardPending(state: State): boolean {
  if (state.phase === 'creating') return findAttempt(state) !== null && !isPosting(state);
  if (state.phase !== 'confirming') return false;
  return state.attempt !== null || state.watch?.invoices[0].method === 'credit_card';
}

/** The invoice that the screen is about. */
export function findCurrentInvoice(state: State): TrackedInvoice | null {
  if (state.phase === 'paid') return state.invoice;
  const newest = findWatch(state)?.invoices[0] ?? null;
  // Behind the card form, or during a charge, former Pix codes are followed but not shown.
  const isBehind = state.phase === 'form' || (isCardPending(state) && newest?.method === 'pix');
  return isBehind || isAt(state, 'following') ? null : newest;
}

// Events and commands, and the functions that make commands.

/** Why a request failed, as far as the answer shows it. */
export interface Failure extends CheckoutError {
  /** Whether the proxy's answer named the code. Otherwise the code stands for the HTTP status, or for a missing answer. */
  readonly told: boolean;
  readonly retryAfterSeconds: number | null;
  /** With `order_paid`: the invoice that paid the order. */
  readonly invoice: CreatedInvoice | null;
}

/** The result of a request. */
export type Answer<T> = { readonly invoice: T } | { readonly failure: Failure };

/**
 * The purpose of a request for an invoice, which its answer repeats. `invoice`: a Pix invoice, new or by its key; `charge`: a
 * card's charge, or its outcome after a lost answer; `renewal`: a new look-up token.
 */
export type Purpose = 'invoice' | 'charge' | 'renewal';

/** Everything that can happen to a checkout. */
export type CheckoutEvent =
  /** The payer (or `auto-start`) pays, and the page did not cancel it. */
  | { readonly type: 'submitted'; readonly method: Method; readonly attemptKey: string }
  | { readonly type: 'method_chosen'; readonly method: Method }
  | { readonly type: 'new_code_asked'; readonly attemptKey: string }
  /** The payer pressed "Já paguei", or says that the code does not work: look up now. */
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
  /**
   * The card is ready to be sent: as a token, or raw if the merchant allows it. Or preparing it failed, and nothing has been
   * sent.
   */
  | { readonly type: 'card_prepared'; readonly ready: boolean }
  /** The next step is due (see `findNextDueMs`). */
  | { readonly type: 'ticked' }
  /** The payer is back on the page, or the connection works again. */
  | { readonly type: 'returned' }
  /** The page goes away (`pagehide`), or the element leaves the page. */
  | { readonly type: 'paused' }
  /** A stored attempt, an invoice that the page names, or both are continued. */
  | ({ readonly type: 'resumed' } & Former)
  /** The page promised an invoice. */
  | { readonly type: 'promised' }
  /** The page handed an invoice in; with a key if our own request for it began before the element was defined. */
  | {
      readonly type: 'given';
      readonly invoice: CreatedInvoice;
      readonly attemptKey?: string | undefined;
    }
  /** The page's set-up makes a checkout impossible, or the page broke its promise of an invoice. */
  | { readonly type: 'failed'; readonly code: ShownErrorCode }
  /** The merchant's page asks to start again. Refused while a creation is in flight. */
  | { readonly type: 'reset' }
  /** The page now shows another order, or another price. The former order's record stays, in case the page shows it again. */
  | { readonly type: 'order_changed' };

/** The payer pressed the button that pays. */
export type Submitted = Extract<CheckoutEvent, { type: 'submitted' }>;

/** An attempt as the storage keeps it. */
export interface KeptAttempt {
  readonly attemptKey: string;
  readonly method: Method;
  /** Integer cents; `null` if neither page nor answer has named a total, so that none is compared. */
  readonly totalCents: number | null;
  /** `null` while the request has no answer. Then the attempt is recovered by its key. */
  readonly invoiceId: string | null;
  readonly lookupToken: string | null;
}

/** A former attempt or invoice, as far as it is known. */
export interface Former extends Omit<KeptAttempt, 'attemptKey'> {
  /** `null` if the page named an invoice, so that there is no attempt to recover. */
  readonly attemptKey: string | null;
  /** When it was created, monotonic milliseconds; `null` if unknown, so that its age counts from its first showing. */
  readonly createdAtMs: number | null;
}

/**
 * What the controller has to do. At most one look-up and one request for an invoice are in flight: a new request replaces the
 * former one of its kind, whose answer then changes nothing.
 */
export type Command =
  | InvoiceRequest
  /** Prepares the card; answered by `card_prepared`. */
  | { readonly type: 'tokenize' }
  | LookUp
  /** Gives up requests in flight, whose answers then change nothing. */
  | { readonly type: 'abort'; readonly what: 'look_up' | 'all' }
  /** Stores the attempt for a reload or a second tab. It never replaces a card whose outcome is unknown. */
  | ({ readonly type: 'remember' } & KeptAttempt)
  /**
   * Drops the record of an attempt that is over; of a card only once the proxy has told its outcome. The record stays if it
   * is of another card whose outcome is unknown, or with `keepsKey`, because another try is the same attempt.
   */
  | { readonly type: 'forget'; readonly attemptKey: string | null; readonly keepsKey: boolean }
  | { readonly type: 'emit'; readonly event: Emission };

/** Requests an invoice; answered by `answered` with the same purpose. */
export interface InvoiceRequest {
  readonly type: 'request';
  /** `create` a Pix invoice, `charge` the card (once, which removes it from memory), or `recover` by the key. */
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
  /** How long the proxy may hold the answer; 0 if not at all. */
  readonly waitSeconds: number;
  readonly timeoutMs: number;
}

/** A DOM event that the element has to dispatch. `pix-status` is not listed, because it follows from the state. */
export type Emission =
  | { readonly name: 'created' | 'paid'; readonly invoice: InvoiceDetail }
  | { readonly name: 'expired'; readonly invoiceId: string }
  | {
      readonly name: 'error';
      readonly code: ShownErrorCode;
      readonly retryable: boolean;
      readonly invoiceId: string | null;
    };

/** The detail of `pix-created` and `pix-paid`. */
export interface InvoiceDetail {
  readonly invoiceId: string;
  readonly orderCode: string;
  /** Empty if the invoice has no reference. */
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

/** The result of an event: the next state and the commands. The same state object means that the event did not apply. */
export interface Outcome {
  readonly state: State;
  readonly commands: readonly Command[];
}

export function toOutcome(state: State, ...commands: readonly Command[]): Outcome {
  return { state, commands };
}

/**
 * What may follow a request that failed with this code. After a code that is not listed, only the merchant can help.
 *
 * - `passing`: the connection or the proxy may work again next time, and the same attempt can be repeated.
 * - `repeat`: the payer may repeat the same attempt.
 * - `renew`: the payer may try again as another attempt, with a new key.
 */
export const exits: Readonly<Partial<Record<ShownErrorCode, 'passing' | 'repeat' | 'renew'>>> = {
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

/** The longest pause that the proxy may ask for without the payer seeing an error, seconds. */
export const silentPauseSeconds = 5;

/** An error after which trying again does not help. */
export function toFatal(code: ShownErrorCode): CheckoutError {
  return { code, retryable: false };
}

/** A failure that no answer of the proxy explains. It may pass. */
export function toFailure(code: ShownErrorCode): Failure {
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

/** Shows an error, and tells the page of it. */
export function failWith(
  state: Before,
  { code, retryable, retryAtMs }: CheckoutError,
  invoiceId: string | null,
  ...commands: readonly Command[]
): Outcome {
  const error = { code, retryable, ...(retryAtMs && { retryAtMs }) };
  return toOutcome({ ...state, error }, ...commands, tell(error, invoiceId));
}

/** Ends the checkout, because nothing more can be done here without the merchant. */
export function toFailed(
  error: CheckoutError,
  invoiceId: string | null,
  ...commands: readonly Command[]
): Outcome {
  return failWith({ phase: 'failed' }, error, invoiceId, ...commands);
}

/**
 * Goes to `confirming` with an error, because a payment may have been made: nothing may be paid here any more. The page gets
 * no second `pix-error` while the code stays the same.
 * @param attempt a card attempt whose outcome is still unknown
 */
export function confirmWithError(
  before: State,
  watch: Watch,
  code: ShownErrorCode,
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

/** Shows the newest code, or that its deadline has passed. */
export function toCodeState(watch: Watch, expired = false): AwaitingState | ExpiredState {
  const base = { watch, error: null };
  return expired ? { phase: 'expired', ...base } : { phase: 'awaiting', closing: false, ...base };
}

/** Shows that a payment may have been made and is being confirmed. */
export function toConfirmingState(
  watch: Watch | null,
  attempt: Attempt | null = null,
  error: CheckoutError | null = null,
): ConfirmingState {
  return { phase: 'confirming', watch, attempt, error };
}

/** Keeps the phase, but follows other invoices. */
export function replaceWatch(state: State, watch: Watch): State {
  return 'watch' in state ? { ...state, watch } : state;
}

/** Puts a new invoice before the former ones. */
export function putInFront(tracked: TrackedInvoice, before: Watch | null): Watch['invoices'] {
  const others = before?.invoices.filter(({ invoiceId }) => invoiceId !== tracked.invoiceId);
  return [tracked, ...(others ?? [])];
}
