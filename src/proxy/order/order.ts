/**
 * An order as one value, with the questions and searches that other files need. It is plain JSON, and a store knows none of
 * its rules. Functions never change an order in place; most of those that make the next value stand in the files beside
 * this one, by topic.
 *
 * Lists have the oldest first; times are milliseconds since 1970, amounts are integer cents. An order holds no card data,
 * no personal data and no token.
 */

import type { Method } from '../../contract/types.js';
import { dayMs } from '../../domain/spans.js';

/** What an invoice was created as. Each look-up is compared with it. */
export interface IssuedInvoice {
  readonly invoiceId: string;
  /** The id that the service takes in a look-up. */
  readonly lookUpId: string;
  readonly externalId: string;
  /** Integer cents. */
  readonly totalCents: number;
  readonly method: Method;
  /** The merchant's deadline for the code, milliseconds since 1970; null if there is none. */
  readonly deadlineMs: number | null;
}

/** An invoice with the fields of its creation's answer. */
export interface MadeInvoice extends IssuedInvoice {
  readonly orderCode: string;
  readonly code: string;
  /** The service's status. `paid` without `isPaid` comes from a creation's answer; pages get `pending` instead. */
  readonly status: string;
  /** A person said that the card was not charged, or gives back a payment that differs. The order can be paid anew. */
  readonly isReleased?: true;
  /** Whether a look-up found the invoice paid, or a person accepted a payment that differs. It stays paid. */
  readonly isPaid?: true;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** The method and total of a creation that was sent. An invoice that only a postback names is compared with these. */
export type SentAs = Pick<IssuedInvoice, 'method' | 'totalCents'>;

/** A request with an idempotency key. */
export interface Attempt {
  readonly key: string;
  /** Digest of order, order token and method. Requests with the same key and scope have one attempt. */
  readonly scope: string;
  readonly externalId: string;
  readonly method: Method;
  /** Integer cents. A request with the same key but another total, or other instalments, is another request. */
  readonly totalCents: number;
  readonly installment: number;
  /** A random id of the request that holds the claim. A request that lost its claim can neither send nor withdraw. */
  readonly holder: string;
}

/**
 * How far an attempt has come. A Pix attempt is only `claimed` or `created`.
 *
 * - `claimed`: nothing was sent.
 * - `sent`: the service may have received the card.
 * - `unknown`: the card may be charged; `candidate` is the invoice that an unclear answer named, which may be the card's.
 * - `created`: it has an invoice.
 * - `refused`: it ended, and nothing was charged.
 */
export type AttemptProgress =
  | { readonly state: 'claimed' | 'sent' | 'refused' }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null }
  | { readonly state: 'created'; readonly invoiceId: string };

export type KnownAttempt = Attempt & { readonly progress: AttemptProgress };

/** An attempt or invoice about which a person was alerted, perhaps several times (`told/outbox.ts`). */
export interface Alerted {
  /** The number of the present alert, from 1. Absent means the first. */
  readonly alert?: number;
  /** The last alert before the card opened again: answers to it and to earlier ones no longer count. Absent means none. */
  readonly answered?: number;
}

/** An attempt with its times. */
export type KeptAttempt = KnownAttempt &
  Alerted & {
    readonly claimedAtMs: number;
    readonly changedAtMs: number;
    /** When the claim runs out. Once the card was sent: when its outcome has to be recorded, or it counts as unknown. */
    readonly untilMs: number;
    /**
     * Set if the card is `refused` only because a person said that it was not charged: the invoice that the person knew of.
     */
    readonly released?: { readonly invoiceId: string | null };
  };

/** The time of an answer of the service. An older answer undoes no newer one (`isOlderAnswer` in `times.ts`). */
export interface AnswerTime {
  /** When its look-up began, milliseconds since 1970. */
  readonly beganMs: number;
  /** When the invoice changed last, by the service's clock; null if the service did not say. */
  readonly updatedAtMs: number | null;
}

/** An invoice with its history and the time of its next look-up. */
export interface KeptInvoice extends MadeInvoice, Pick<Alerted, 'alert'> {
  /** When the invoice was found paid or refused, or was released; null while it is open. */
  readonly settledAtMs: number | null;
  /** When the invoice is looked up next; null if never. */
  readonly lookUpAtMs: number | null;
  /** When `lapsed` was queued, because the deadline passed unpaid; null if it was not. */
  readonly lapsedAtMs: number | null;
  /** When its code was last shown again and its look-ups began anew; null if never. */
  readonly shownAtMs: number | null;
  /** The time for which a postback last made its look-up due, which may be ahead of now. */
  readonly hintedAtMs?: number;
  /** Whether the service called the code expired or canceled, so that no page gets it any more. */
  readonly isOver?: true;
  /** The field in which the invoice differs from what was created, although it is paid. */
  readonly differsIn?: MismatchField;
  /** The service's last status since the payment. Absent means paid. */
  readonly word?: string;
  /** How often that status changed. */
  readonly words?: number;
  /** The time of the answer with that status, or with the payment. */
  readonly wordOf?: AnswerTime;
}

/**
 * An id that waits for a look-up: a postback named it, or its charge waits for another card to end, or its invoice is paid.
 */
export interface NamedId {
  /** The id that the service takes in a look-up. */
  readonly lookUpId: string;
  /** How often it was looked up since it was last named. */
  readonly tries: number;
  readonly namedAtMs: number;
  /** When a postback first named the waiting id. Absent means `namedAtMs`. */
  readonly sinceMs?: number;
  readonly dueAtMs: number;
}

/**
 * What a named id turned out to be.
 *
 * - `recorded`: an invoice of the order that needs no further look-up.
 * - `of_card`: the invoice of a card whose outcome was unknown. The answer to its charge may still come, and refuse it.
 * - `open`: undecided, or paid and for a person to look at.
 * - `busy`: an open charge that blocks the order already, or will do so as soon as another card has ended.
 * - `none`: no invoice of this order.
 */
export type NamedOutcome = 'recorded' | 'of_card' | 'open' | 'busy' | 'none';

/** An event for the merchant's server, and how its delivery stands. */
export type KeptEvent = OutboxEvent & {
  readonly queuedAtMs: number;
  readonly dueAtMs: number;
  readonly tries: number;
  readonly endedAtMs: number | null;
  /** `dropped`: the event was out of date before it was delivered. */
  readonly outcome: 'delivered' | 'dropped' | null;
  /** When a person was last warned that the event fails. Absent means not yet. */
  readonly warnedAtMs?: number;
  /** Whether `onUndelivered` took that warning. Then no other follows. */
  readonly isWarningHeard?: boolean;
};

/** Something that no other part of the order shows, such as a barred key. */
interface HistoryEntry {
  readonly atMs: number;
  readonly what: string;
  readonly [detail: string]: string | number | boolean | null;
}

/** Everything that the proxy keeps of one order. */
export interface Order {
  readonly externalId: string;
  /** The invoice that paid the order; null while it is not paid. It never changes after that. */
  readonly paidId: string | null;
  /** When the order was last used: by a request, a creation, a code shown again or a payment; null if never. */
  readonly aliveAtMs: number | null;
  /** The request that is creating a code, for which others wait; null if none is. */
  readonly making: { readonly holder: string; readonly untilMs: number } | null;
  /** The invoice whose code pages got last; null if no page got one. */
  readonly offeredId: string | null;
  /** The last creation that was sent, and those within a day before it. */
  readonly sends: readonly { readonly method: Method; readonly atMs: number }[];
  /** Each method and total that a creation was ever sent with. */
  readonly sentAs: readonly SentAs[];
  readonly attempts: readonly KeptAttempt[];
  /** Keys that ended, each as a letter and a digest. Nothing is ever sent with one of them. */
  readonly keys: readonly string[];
  /** When each key of the last eight days ended. The order drops such a key only if it got a Pix code. */
  readonly youngKeys?: Readonly<Record<string, number>>;
  readonly invoices: readonly KeptInvoice[];
  /** Ids that postbacks named and no look-up has explained yet, and ids of paid invoices that may be returned. */
  readonly named: readonly NamedId[];
  /** When named ids of the order were looked up within the last minute, because their number is limited. */
  readonly namesAskedAtMs?: readonly number[];
  readonly events: readonly KeptEvent[];
  readonly history: readonly HistoryEntry[];
}

/** What each fact gets in addition to its own data. A fact is a function that says what happened to an order. */
export interface Given {
  /** The time by the store's clock, milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * What a fact returns: the next order (the same object if nothing changed) and an answer. A fact without an answer returns
 * the order alone.
 */
export type Step<T> = readonly [order: Order, answer: T];

type AnswerOf<After> = After extends Step<infer Answer> ? Answer : undefined;

/** Turns the result of any fact into a step. The answer is `undefined` if the fact returned only the order. */
export function toStep<After extends Order | Step<unknown>>(after: After): Step<AnswerOf<After>> {
  return ('externalId' in after ? [after, undefined] : after) as Step<AnswerOf<After>>;
}

/** Creates the order of a reference that the store does not have. */
export function createEmptyOrder(externalId: string): Order {
  return {
    externalId,
    paidId: null,
    aliveAtMs: null,
    making: null,
    offeredId: null,
    sends: [],
    sentAs: [],
    attempts: [],
    keys: [],
    invoices: [],
    named: [],
    events: [],
    history: [],
  };
}

// Events for the merchant's server
//
// An order keeps each event until its hook has taken it, and for ninety days after that. Events contain no personal data.
// `told/outbox.ts` makes the notices, `run/due/hook-calls.ts` delivers them.

/**
 * `waiting`: there is a Pix code to pay. `lapsed`: its deadline passed unpaid. `outcome_unknown`: a card may be charged.
 * `mismatch`: a paid invoice differs from what was created. `returned`: the service no longer calls a paid invoice paid.
 */
export type DeliveryKind =
  'paid' | 'waiting' | 'lapsed' | 'outcome_unknown' | 'mismatch' | 'returned';

/** The hook that is called for each kind. */
export const hookNames = {
  paid: 'onPaid',
  waiting: 'onPixWaiting',
  lapsed: 'onLapsed',
  outcome_unknown: 'onOutcomeUnknown',
  mismatch: 'onMismatch',
  returned: 'onReturned',
} as const satisfies Record<DeliveryKind, string>;

/** The fields in which a paid invoice may differ from what was created. */
export const mismatchFields = ['external_id', 'total_cents', 'is_pix'] as const;

export type MismatchField = (typeof mismatchFields)[number];

/** The fields of every event about an invoice. Amounts are integer cents. */
export interface InvoiceNotice {
  /** The merchant's reference of the order. */
  readonly externalId: string;
  readonly invoiceId: string;
  readonly orderCode: string;
  readonly totalCents: number;
  readonly method: Method;
  /** The same for every try. A receiver that has seen it does nothing. */
  readonly deliveryId: string;
}

/** An invoice is paid. */
export interface PaidNotice extends InvoiceNotice {
  /** The Pix end-to-end id, where the service gave one. */
  readonly endToEndId?: string;
  /** `onLapsed` was called for the order before, so the goods may be gone. */
  readonly late: boolean;
  /** Another invoice of the order was paid before: the payer paid twice. */
  readonly duplicate: boolean;
  /** This event is late, and the payment went back meanwhile: do not ship. `onReturned` comes next. */
  readonly returned?: true;
}

/** A page got a Pix code. */
export interface PixWaitingNotice extends InvoiceNotice {
  readonly code: string;
  /** When the merchant's deadline ends, ISO 8601; absent if there is none. */
  readonly expiresAt?: string;
  /**
   * The code as a PNG, for e-mails; absent where the package `qrcode` is not installed. After payment or expiry the image
   * says so.
   */
  readonly qrImageUrl?: string;
  /** A link to the payment page, valid for a day; absent without `paymentPage`. */
  readonly paymentUrl?: string;
}

/** A deadline passed, and a later look-up found no payment. */
export type LapsedNotice = InvoiceNotice;

/** A paid invoice differs from what was created. Nothing may be fulfilled for it. */
export interface MismatchNotice {
  readonly externalId: string;
  readonly invoiceId: string;
  /** The total that was created, integer cents. */
  readonly totalCents: number;
  readonly field: MismatchField;
  readonly deliveryId: string;
}

/** The service no longer calls a paid invoice paid. Each new status has a notice of its own. */
export interface ReturnedNotice extends InvoiceNotice {
  /** The service's status, such as `refunded`; `unknown` if it does not look like a status word. */
  readonly status: string;
  /**
   * False if the option `statuses` does not list the status, which may then mean something else. Let a person look before you
   * act.
   */
  readonly isListed: boolean;
  /** True if the service calls the invoice paid again, as after a contest that the shop won. */
  readonly isPaidAgain: boolean;
  /** Another invoice paid the order; this one was paid too. */
  readonly duplicate: boolean;
  /** The Pix end-to-end id of the payment, where the service gave one. */
  readonly endToEndId?: string;
}

/** A card may be charged: its outcome is unknown. */
export interface OutcomeUnknownNotice {
  readonly externalId: string;
  /** Integer cents. */
  readonly totalCents: number;
  /** The invoice, where one is known: the card is still open, or an answer named an invoice that may be its own. */
  readonly invoiceId?: string;
  /** When the request came that sent the card, or when a charge without a request was found, ISO 8601. */
  readonly attemptedAt: string;
  readonly deliveryId: string;
}

export type OutboxEvent =
  | { readonly kind: 'paid'; readonly notice: PaidNotice }
  | { readonly kind: 'waiting'; readonly notice: PixWaitingNotice }
  | { readonly kind: 'lapsed'; readonly notice: LapsedNotice }
  | { readonly kind: 'outcome_unknown'; readonly notice: OutcomeUnknownNotice }
  | { readonly kind: 'mismatch'; readonly notice: MismatchNotice }
  | { readonly kind: 'returned'; readonly notice: ReturnedNotice };

// Questions about an order

export function isCard({ method }: Pick<IssuedInvoice, 'method'>): boolean {
  return method === 'credit_card';
}

/** Whether this card attempt keeps other payments of the order out: it was not refused. */
export function isBlocking({ progress }: Pick<KnownAttempt, 'progress'>): boolean {
  return progress.state !== 'refused';
}

/** Whether the card was sent and its outcome is not known. */
export function isUnresolved({ progress: { state } }: Pick<KnownAttempt, 'progress'>): boolean {
  return state === 'sent' || state === 'unknown';
}

/** Whether the attempt has an invoice or was refused. */
export function hasEnded({ progress }: Pick<KnownAttempt, 'progress'>): boolean {
  return progress.state === 'created' || progress.state === 'refused';
}

/** Whether this is a Pix invoice with its code. The code of an invoice that no payer may see is not kept. */
export function hasCode({ method, code }: Pick<MadeInvoice, 'method' | 'code'>): boolean {
  return method === 'pix' && code !== '';
}

/** Whether this id names the invoice. A postback may name either of its two ids. */
export function isIdOf(id: string, { invoiceId, lookUpId }: IssuedInvoice): boolean {
  return id === invoiceId || id === lookUpId;
}

/** Whether a named id is that of a paid invoice of the order. Its look-up may wait. */
export function isIdOfPaidInvoice(
  { invoices }: Order,
  { lookUpId }: Pick<NamedId, 'lookUpId'>,
): boolean {
  return invoices.some((one) => one.isPaid && isIdOf(lookUpId, one));
}

/**
 * Whether pages may get this invoice's code: it did not expire, the service did not cancel it, and no look-up found a
 * payment of it, not even a payment that differs or was returned.
 */
function isPayableCode(invoice: KeptInvoice, nowMs: number): boolean {
  const { code, deadlineMs, isPaid, isOver, differsIn, word } = invoice;
  if (code === '' || isPaid || isOver || differsIn !== undefined || word !== undefined)
    return false;
  return deadlineMs === null || deadlineMs > nowMs;
}

/**
 * Finds the code for a page of this price: the newest of that price, unless it is not payable or the payer wants to replace
 * it. Newer codes of other prices do not count, because a price may come back while its code is open.
 */
export function findOpenCode(
  { invoices }: Pick<Order, 'invoices'>,
  { totalCents, replaces }: { readonly totalCents: number; readonly replaces: string | null },
  nowMs: number,
): KeptInvoice | null {
  const newest = invoices.filter(hasCode).findLast((one) => one.totalCents === totalCents);
  if (!newest || newest.invoiceId === replaces || !isPayableCode(newest, nowMs)) return null;
  return newest;
}

/** The id of an attempt's invoice, or of its candidate; null if it has neither. */
export function toInvoiceId(progress: AttemptProgress): string | null {
  if (progress.state === 'created') return progress.invoiceId;
  return progress.state === 'unknown' ? (progress.candidate?.invoiceId ?? null) : null;
}

export function findInvoice({ invoices }: Order, id: string | null): KeptInvoice | undefined {
  return invoices.find(({ invoiceId }) => invoiceId === id);
}

/** Finds the order's invoice that an attempt has, or has as its candidate. */
export function findInvoiceOfAttempt(
  order: Order,
  { progress }: KnownAttempt,
): KeptInvoice | undefined {
  return findInvoice(order, toInvoiceId(progress));
}

/** Finds the card attempt that has this invoice, or has it as its candidate. */
export function findCardOfInvoice({ attempts }: Order, invoiceId: string): KeptAttempt | undefined {
  return attempts.find((one) => isCard(one) && toInvoiceId(one.progress) === invoiceId);
}

/** Finds all attempts except claims that ran out before anything was sent. */
export function findStandingAttempts({ attempts }: Order, nowMs: number): readonly KeptAttempt[] {
  return attempts.filter(
    ({ progress: { state }, untilMs }) => state !== 'claimed' || untilMs > nowMs,
  );
}

/** Finds the card attempts that block the order and those refused within a day, oldest first. */
export function findRecentCards(order: Order, nowMs: number): readonly KeptAttempt[] {
  return findStandingAttempts(order, nowMs)
    .filter(isCard)
    .filter((one) => isBlocking(one) || nowMs - one.changedAtMs < dayMs);
}

/** Finds the card attempt that keeps other payments out: it is claimed, sent, unknown, or has an invoice, paid or pending. */
export function findBlockingCard(order: Order, nowMs: number): KeptAttempt | undefined {
  return findStandingAttempts(order, nowMs).find((one) => isCard(one) && isBlocking(one));
}

/**
 * Finds a code by its invoice if a payer may pay it now: the order is not paid, no card blocks it, pages got this code
 * last, and it is still payable.
 */
export function findPayableCode(
  order: Order,
  invoiceId: string,
  nowMs: number,
): KeptInvoice | null {
  if (order.paidId !== null || order.offeredId !== invoiceId || findBlockingCard(order, nowMs))
    return null;
  const invoice = findInvoice(order, invoiceId);
  return invoice && isPayableCode(invoice, nowMs) ? invoice : null;
}

/** Finds the invoice that paid the order. */
export function findPaidInvoice(order: Order): KeptInvoice | null {
  return findInvoice(order, order.paidId) ?? null;
}

/** Takes the fields that say what an invoice was created as, without those of the creation's answer. */
export function toIssued(invoice: IssuedInvoice): IssuedInvoice {
  const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
  return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs };
}

/** Whether the invoice is paid but differs from what was created, and no person has decided about it. */
export function hasOpenMismatch({ differsIn, isReleased }: KeptInvoice): boolean {
  return differsIn !== undefined && !isReleased;
}

// Changes that several topics share

/** Records that the order was used now. It is kept for some time after its last use. */
export function recordActivity(order: Order, { nowMs }: Given): Order {
  return order.aliveAtMs !== null && order.aliveAtMs >= nowMs
    ? order
    : { ...order, aliveAtMs: nowMs };
}

/** Replaces the invoice that has the same id. */
export function replaceInvoice(order: Order, invoice: KeptInvoice): Order {
  const invoices = order.invoices.map((one) =>
    one.invoiceId === invoice.invoiceId ? invoice : one,
  );
  return { ...order, invoices };
}
