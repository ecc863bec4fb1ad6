/**
 * What is known of an order, as one value. Plain JSON: a store keeps it whole, and knows none of it. Nothing in it is ever
 * changed in place; the facts that make the next value stand in the files beside this one, each in that of its topic.
 *
 * Lists have the oldest first; times are milliseconds since 1970, amounts integer cents. It holds no card data, no personal
 * data and no token.
 */

import type { Method } from '../../contract/types.js';
import { dayMs, isNear } from '../../domain/spans.js';

/** What an invoice was created as. Every look-up is compared with this. */
export interface IssuedInvoice {
  readonly invoiceId: string;
  /** The id the service takes in a look-up. */
  readonly lookUpId: string;
  readonly externalId: string;
  /** Integer cents. */
  readonly totalCents: number;
  readonly method: Method;
  /** When the merchant's deadline for the code ends, milliseconds since 1970; null: no deadline. */
  readonly deadlineMs: number | null;
}

/** An invoice with the fields of its create answer. */
export interface MadeInvoice extends IssuedInvoice {
  readonly orderCode: string;
  readonly code: string;
  /** The service's word. `paid` without `isPaid` is what a creation's own answer said: no page hears it. */
  readonly status: string;
  /** A person found out that this card was not charged: it no longer blocks the order. */
  readonly isReleased?: true;
  /** A look-up found it paid. Never taken back. */
  readonly isPaid?: true;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** What a creation was sent as. An id that only a postback names is compared with these. */
export type SentAs = Pick<IssuedInvoice, 'method' | 'totalCents'>;

/** A request with an idempotency key. */
export interface Attempt {
  readonly key: string;
  /** Digest of order, order token and method: the key is valid only for these. */
  readonly scope: string;
  readonly externalId: string;
  readonly method: Method;
  /** With the scope, the fingerprint of the request: the total, integer cents, and the instalments. */
  readonly totalCents: number;
  readonly installment: number;
  /** The request that claims it, a random id: a request that lost its claim can neither send nor release. */
  readonly holder: string;
}

/**
 * How far an attempt has come. Pix knows `claimed` and `created` only.
 *
 * `claimed`: nothing has left. `sent`: the service may hear of it. `unknown`: the card may have been charged;
 * `candidate` is an unverified match, an invoice that may be its. `created`: there is an invoice. `refused`: it ended, and nothing was charged.
 */
export type AttemptProgress =
  | { readonly state: 'claimed' | 'sent' | 'refused' }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null }
  | { readonly state: 'created'; readonly invoiceId: string };

/** An attempt and how far it has come. */
export type KnownAttempt = Attempt & { readonly progress: AttemptProgress };

/** What needs a person, and may need one again (`told/outbox.ts`). */
export interface Alerted {
  /** Which alert about it is the present one, from 1. Absent: the first. */
  readonly alert?: number;
  /** The last one that a word has answered. Absent: none. */
  readonly answered?: number;
}

/** An attempt with its times. */
export type KeptAttempt = KnownAttempt &
  Alerted & {
    readonly claimedAtMs: number;
    readonly changedAtMs: number;
    /** When its claim, or the time in which its outcome is recorded, runs out. */
    readonly untilMs: number;
    /** It was not refused by the service: a person said that it was not charged, who saw this invoice of it. */
    readonly released?: { readonly invoiceId: string | null };
  };

/** Of when a word of the service is. An older one undoes no newer one (`isOlder` in `times.ts`). */
export interface WordTime {
  /** When its look-up began, milliseconds since 1970. */
  readonly beganMs: number;
  /** When the invoice changed last, by the clock of the service; null: it did not say. */
  readonly updatedAtMs: number | null;
}

/** An invoice with what becomes of it. */
export interface KeptInvoice extends MadeInvoice, Pick<Alerted, 'alert'> {
  /** Found paid or refused, or released; null: it is open. */
  readonly settledAtMs: number | null;
  /** When it is looked up next; null: never. */
  readonly lookUpAtMs: number | null;
  /** When the merchant was told that its deadline passed unpaid; null: not. */
  readonly lapsedAtMs: number | null;
  /** When its code was shown again; null: it was not. */
  readonly shownAtMs: number | null;
  /** When postbacks made it due last: it may lie ahead. */
  readonly hintedAtMs?: number;
  /** The service called it expired or canceled: its code is offered no more. */
  readonly isOver?: true;
  /** In what it differs from what was created, although it is paid. */
  readonly differsIn?: MismatchField;
  /** What the service called it last, since it was paid. Absent: paid. */
  readonly word?: string;
  /** How often that word changed since. */
  readonly words?: number;
  /** Of when that word, or the payment, is. */
  readonly wordOf?: WordTime;
}

/** An id that a postback named, or a paid invoice that is asked about again. */
export interface NamedId {
  /** The id the service takes in a look-up. */
  readonly lookUpId: string;
  /** How often it was looked up since it was named last. */
  readonly tries: number;
  readonly namedAtMs: number;
  /** When it was named first since it waits. Absent: the same. */
  readonly sinceMs?: number;
  readonly dueAtMs: number;
}

/**
 * What a named id was found to be. `recorded`: an invoice of the order, and no further look-up is needed. `of_card`: that of the
 * order's card, whose own answer may still come and call it refused. `open`: undecided, or paid and for a person. `busy`: a charge that is
 * to block the order, but another card of it has to end first. `none`: no invoice of this order.
 */
export type NamedOutcome = 'recorded' | 'of_card' | 'open' | 'busy' | 'none';

/** An event for the merchant's server, with what became of it. */
export type KeptEvent = OutboxEvent & {
  readonly queuedAtMs: number;
  readonly dueAtMs: number;
  readonly tries: number;
  readonly endedAtMs: number | null;
  /** `dropped`: it was out of date before the merchant's server was told. */
  readonly outcome: 'delivered' | 'dropped' | null;
  /** When a person was warned last that it fails. Absent: not yet. */
  readonly warnedAtMs?: number;
  /** That warning came through, and was the last one. */
  readonly isWarningHeard?: boolean;
};

/** One thing that happened, which the other parts of the order do not tell: a key was barred. */
interface HistoryEntry {
  readonly atMs: number;
  readonly what: string;
  readonly [detail: string]: string | number | boolean | null;
}

/** All that is known of one order. */
export interface Order {
  readonly externalId: string;
  /** The invoice that paid it; null: it is not paid. Never taken back. */
  readonly paidId: string | null;
  /** When a request, a sending, a showing or a payment came last; null: none did. */
  readonly aliveAtMs: number | null;
  /** The request that makes a code now: others wait for it. Null: none does. */
  readonly making: { readonly holder: string; readonly untilMs: number } | null;
  /** The code that a page got last; null: none did. */
  readonly offeredId: string | null;
  readonly sends: readonly { readonly method: Method; readonly atMs: number }[];
  readonly sentAs: readonly SentAs[];
  readonly attempts: readonly KeptAttempt[];
  /** Keys that ended, each as a letter and a digest (`keys.ts`). Nothing is ever sent for one. */
  readonly keys: readonly string[];
  /** When those of the last days ended: they give way to no other. */
  readonly youngKeys?: Readonly<Record<string, number>>;
  readonly invoices: readonly KeptInvoice[];
  readonly named: readonly NamedId[];
  /** When named ids were looked up last, within a minute. */
  readonly namesAskedAtMs?: readonly number[];
  readonly events: readonly KeptEvent[];
  readonly history: readonly HistoryEntry[];
}

/** What a fact is told beside itself. */
export interface Given {
  /** The store's clock. */
  readonly nowMs: number;
}

/** The order after a fact, the same object if nothing changed; and the fact's answer. A fact without an answer gives the order alone. */
export type Step<T> = readonly [order: Order, answer: T];

type AnswerOf<After> = After extends Step<infer Answer> ? Answer : undefined;

/** @param after what any fact gave */
export function toStep<After extends Order | Step<unknown>>(after: After): Step<AnswerOf<After>> {
  return ('externalId' in after ? [after, undefined] : after) as Step<AnswerOf<After>>;
}

/** An order of which nothing is known. */
export function emptyOrder(externalId: string): Order {
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

// What the merchant's server is told, as the order keeps it until it was told: what each kind says. Holds no personal data.
// `notices.ts` makes the notices, `run/due/hook-calls.ts` tells them.

/**
 * `waiting`: a Pix code exists. `lapsed`: its deadline passed unpaid. `outcome_unknown`: the outcome of a charge is unknown.
 * `returned`: an invoice that was paid is not any more.
 */
export type DeliveryKind =
  'paid' | 'waiting' | 'lapsed' | 'outcome_unknown' | 'mismatch' | 'returned';

/**
 * The event's id: derived, so that it is the same after a store was lost. The reference is part of it, for a wrong
 * answer of the service can name an invoice of another order.
 * @param subject the invoice's id, or the holder of an attempt
 */
export function toDeliveryId(kind: DeliveryKind, externalId: string, subject: string): string {
  return [kind, externalId, subject].join('~');
}

/** The hook that hears of each kind. */
export const hookNames = {
  paid: 'onPaid',
  waiting: 'onPixWaiting',
  lapsed: 'onLapsed',
  outcome_unknown: 'onOutcomeUnknown',
  mismatch: 'onMismatch',
  returned: 'onReturned',
} as const satisfies Record<DeliveryKind, string>;

/** In what a paid invoice may not be the one that was created. */
export const mismatchFields = ['external_id', 'total_cents', 'is_pix'] as const;

export type MismatchField = (typeof mismatchFields)[number];

/** What every event about an invoice says. Amounts are integer cents. */
export interface InvoiceNotice {
  /** The merchant's reference of the order. */
  readonly externalId: string;
  readonly invoiceId: string;
  readonly orderCode: string;
  readonly totalCents: number;
  readonly method: Method;
  /** The same for every try: a receiver that has seen it does nothing. */
  readonly deliveryId: string;
}

/** An invoice is paid. */
export interface PaidNotice extends InvoiceNotice {
  /** The Pix end-to-end id, where the service gave one. */
  readonly endToEndId?: string;
  /** `onLapsed` was told of the order before: the goods may be gone. */
  readonly late: boolean;
  /** Another invoice of the order was paid before: the payer paid twice. */
  readonly duplicate: boolean;
  /** This is told late, and the payment went back since: do not ship. `onReturned` comes next. */
  readonly returned?: true;
}

/** A Pix code was handed out. */
export interface PixWaitingNotice extends InvoiceNotice {
  readonly code: string;
  /** When the merchant's deadline ends, ISO 8601; absent: none. */
  readonly expiresAt?: string;
  /** The code as a PNG, for e-mails; absent where the package `qrcode` is not installed. After payment or expiry it says so. */
  readonly qrImageUrl?: string;
  /** A link to the payment page, a day long; absent without `paymentPage`. */
  readonly paymentUrl?: string;
}

/** A deadline passed, and a look-up after it said not paid. */
export type LapsedNotice = InvoiceNotice;

/** A paid invoice is not what was created. Nothing is fulfilled for it. */
export interface MismatchNotice {
  readonly externalId: string;
  readonly invoiceId: string;
  /** What was created, integer cents. */
  readonly totalCents: number;
  readonly field: MismatchField;
  readonly deliveryId: string;
}

/** The service no longer calls an invoice paid that was. One notice for each status. */
export interface ReturnedNotice extends InvoiceNotice {
  /** The service's word, such as `refunded`; `unknown` where it is no plain word. */
  readonly status: string;
  /** False: `statuses` does not list the word, so that it may mean something else. Let a person look before you act. */
  readonly isListed: boolean;
  /** The way of the change. `true`: the service calls it paid once more, as after a contest that the shop won. */
  readonly isPaidAgain: boolean;
  /** It is not the invoice that paid the order, but one that was paid beside it. */
  readonly duplicate: boolean;
  /** The Pix end-to-end id of the payment, where the service gave one. */
  readonly endToEndId?: string;
}

/** A card may have been charged: the answer is unknown. */
export interface OutcomeUnknownNotice {
  readonly externalId: string;
  /** Integer cents. */
  readonly totalCents: number;
  /** The invoice, where one is known: the card is still open, or the answer named one that may be it. */
  readonly invoiceId?: string;
  /** When the card was sent, or claimed if that is all that is known, ISO 8601. */
  readonly attemptedAt: string;
  readonly deliveryId: string;
}

/** An event by its kind. */
export type OutboxEvent =
  | { readonly kind: 'paid'; readonly notice: PaidNotice }
  | { readonly kind: 'waiting'; readonly notice: PixWaitingNotice }
  | { readonly kind: 'lapsed'; readonly notice: LapsedNotice }
  | { readonly kind: 'outcome_unknown'; readonly notice: OutcomeUnknownNotice }
  | { readonly kind: 'mismatch'; readonly notice: MismatchNotice }
  | { readonly kind: 'returned'; readonly notice: ReturnedNotice };

// Named questions asked of an order and of what it holds.

export function isCard({ method }: Pick<IssuedInvoice, 'method'>): boolean {
  return method === 'credit_card';
}

/** Whether nothing else of the order may be paid while this card attempt stands. */
export function isBlocking({ progress }: Pick<KnownAttempt, 'progress'>): boolean {
  return progress.state !== 'refused';
}

/** Whether it has left, and nothing is known of it. */
export function isUnresolved({ progress: { state } }: Pick<KnownAttempt, 'progress'>): boolean {
  return state === 'sent' || state === 'unknown';
}

/** Whether an attempt has ended with an invoice or a refusal. */
export function hasEnded({ progress }: Pick<KnownAttempt, 'progress'>): boolean {
  return progress.state === 'created' || progress.state === 'refused';
}

/** Whether payers were shown this Pix code. One that only a postback named was shown to none, and has no code here. */
export function isHandedOut({ method, code }: Pick<MadeInvoice, 'method' | 'code'>): boolean {
  return method === 'pix' && code !== '';
}

/** Whether an id is this invoice's. A postback may name either id. */
export function isIdOf(id: string, { invoiceId, lookUpId }: IssuedInvoice): boolean {
  return id === invoiceId || id === lookUpId;
}

/** Whether a named id is that of a paid invoice, which may wait. */
export function isIdOfPaidInvoice(
  { invoices }: Order,
  { lookUpId }: Pick<NamedId, 'lookUpId'>,
): boolean {
  return invoices.some((one) => one.isPaid && isIdOf(lookUpId, one));
}

/** Whether a code may be handed out: it is not expired, and nothing was paid for it, in whatever way. */
function isPayable(invoice: KeptInvoice, nowMs: number): boolean {
  const { code, deadlineMs, isPaid, isOver, differsIn, word } = invoice;
  if (code === '' || isPaid || isOver || differsIn !== undefined || word !== undefined)
    return false;
  return deadlineMs === null || deadlineMs > nowMs;
}

/**
 * The code that a page of this price gets: the newest that is not expired, and that the payer does not want replaced. Not the
 * newest of all: a price may come back, and its code is still open.
 */
export function findOpenCode(
  { invoices }: Pick<Order, 'invoices'>,
  { totalCents, replaces }: { readonly totalCents: number; readonly replaces: string | null },
  nowMs: number,
): KeptInvoice | null {
  const newest = invoices.filter(isHandedOut).findLast((one) => one.totalCents === totalCents);
  if (!newest || newest.invoiceId === replaces || !isPayable(newest, nowMs)) return null;
  return newest;
}

/** How many invoices of an order requests have recorded: one that only a postback named does not count. */
export function countRecordedInvoices(invoices: readonly MadeInvoice[]): number {
  return invoices.filter((one) => isCard(one) || isHandedOut(one)).length;
}

/** The invoice an attempt is known by; null while there is none. */
export function toInvoiceId(progress: AttemptProgress): string | null {
  if (progress.state === 'created') return progress.invoiceId;
  return progress.state === 'unknown' ? (progress.candidate?.invoiceId ?? null) : null;
}

/** Whether both are of the same request: a key is valid only in its scope. */
export function isSameRequest(one: Attempt, other: Attempt): boolean {
  return one.key === other.key && one.scope === other.scope;
}

export function findInvoice({ invoices }: Order, id: string | null): KeptInvoice | undefined {
  return invoices.find(({ invoiceId }) => invoiceId === id);
}

/** The invoice of an attempt, if the order has it. */
export function findInvoiceOfAttempt(
  order: Order,
  { progress }: KnownAttempt,
): KeptInvoice | undefined {
  return findInvoice(order, toInvoiceId(progress));
}

/** The card whose invoice this is, or may be. */
export function findCardOfInvoice({ attempts }: Order, invoiceId: string): KeptAttempt | undefined {
  return attempts.find((one) => isCard(one) && toInvoiceId(one.progress) === invoiceId);
}

/** The attempts that stand: a claim that ran out before anything was sent is none. */
export function findStandingAttempts({ attempts }: Order, nowMs: number): readonly KeptAttempt[] {
  return attempts.filter(
    ({ progress: { state }, untilMs }) => state !== 'claimed' || untilMs > nowMs,
  );
}

/** The card attempts, oldest first: those that are open, and those that were refused within a day. */
export function findRecentCards(order: Order, nowMs: number): readonly KeptAttempt[] {
  return findStandingAttempts(order, nowMs)
    .filter(isCard)
    .filter((one) => isBlocking(one) || nowMs - one.changedAtMs < dayMs);
}

/** The one card that is in flight, pending, unknown or paid. */
export function findBlockingCard(order: Order, nowMs: number): KeptAttempt | undefined {
  return findStandingAttempts(order, nowMs).find((one) => isCard(one) && isBlocking(one));
}

/** The code, while a payer may pay it: not beside a blocking card, and not one that was replaced or paid in whatever way. */
export function findPayableCode(
  order: Order,
  invoiceId: string,
  nowMs: number,
): KeptInvoice | null {
  if (order.paidId !== null || order.offeredId !== invoiceId || findBlockingCard(order, nowMs))
    return null;
  const invoice = findInvoice(order, invoiceId);
  return invoice && isPayable(invoice, nowMs) ? invoice : null;
}

/** The invoice that paid the order. */
export function findPaidInvoice(order: Order): KeptInvoice | null {
  return findInvoice(order, order.paidId) ?? null;
}

/** What an invoice was created as, without the fields of its create answer. */
export function toIssued(invoice: IssuedInvoice): IssuedInvoice {
  const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
  return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs };
}

// The keys of requests that ended, for as long as the order is known: nothing is ever sent for one, however late its request
// comes again (a service worker repeats one for a week). Only a digest of each is kept.

/** Most keys of one order. Above, the oldest of Pix go first, then the oldest that are not young. */
export const maxKeys = 400;

/** How long a key gives way to no other, milliseconds: a service worker repeats a request for a week. */
const youngForMs = 8 * dayMs;

/**
 * How a key ended. `barred`: its page was told that there is no attempt with it, before one came. `given_up`: the same, after
 * its claim had run out. `refused`: its card was not charged. `made`: it got a Pix code.
 */
export type KeyEnding = 'barred' | 'given_up' | 'refused' | 'made';

/** In the order in which they go. */
const keyLetters: Readonly<Record<KeyEnding, string>> = {
  made: 'm',
  barred: 'b',
  given_up: 'g',
  refused: 'r',
};

const endings = Object.keys(keyLetters) as readonly KeyEnding[];

/** How a key of this order ended; null: it did not, or nothing is known of it. */
export function findKeyEnding({ keys }: Pick<Order, 'keys'>, key: string): KeyEnding | null {
  const digest = toDigest(key);
  return endings.findLast((one) => keys.includes(`${keyLetters[one]}${digest}`)) ?? null;
}

/** Whether a page was told that there is no attempt with this key: there will be none. */
export function isKeyBarred(order: Pick<Order, 'keys'>, key: string): boolean {
  const ending = findKeyEnding(order, key);
  return ending === 'barred' || ending === 'given_up';
}

/** The order with this key ended. Where all others are young, none is barred: the order is as it was. */
export function addEndedKey(order: Order, key: string, ending: KeyEnding, { nowMs }: Given): Order {
  const digest = toDigest(key);
  const ended = `${keyLetters[ending]}${digest}`;
  if (digest === '' || order.keys.includes(ended)) return order;
  const youngKeys = { ...findYoungKeys(order, nowMs), [ended]: nowMs };
  const next = dropExcessKeys({ ...order, keys: [...order.keys, ended], youngKeys });
  const isBar = ending === 'barred' || ending === 'given_up';
  return isBar && next.keys.length > maxKeys ? order : next;
}

/** The order with the keys of these attempts, which it forgets, ended. */
export function retireKeys(order: Order, retired: readonly KeptAttempt[], given: Given): Order {
  return retired
    .filter(hasEnded)
    .reduce(
      (before, one) => addEndedKey(before, one.key, isCard(one) ? 'refused' : 'made', given),
      order,
    );
}

function dropExcessKeys(order: Order): Order {
  const { keys, youngKeys = {} } = order;
  if (keys.length <= maxKeys) return order;
  const mayGo = (one: string) => one.startsWith('m') || !Object.hasOwn(youngKeys, one);
  for (const letter of Object.values(keyLetters)) {
    const at = keys.findIndex((one) => one.startsWith(letter) && mayGo(one));
    if (at >= 0) return { ...order, keys: keys.filter((_, index) => index !== at) };
  }
  return order;
}

function findYoungKeys(
  { keys, youngKeys = {} }: Order,
  nowMs: number,
): Readonly<Record<string, number>> {
  const young = Object.entries(youngKeys).filter(
    ([one, atMs]) => keys.includes(one) && isNear(atMs, youngForMs, nowMs),
  );
  return Object.fromEntries(young);
}

/**
 * The random half of a UUID: 62 bits, of which the pages of one order never make two alike. Empty: the proxy made the key itself,
 * and no request comes with it.
 */
function toDigest(key: string): string {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(key)) return key.slice(19).replace('-', '');
  return key.includes(' ') ? '' : key;
}
