/**
 * An order as one value, and the questions and searches that other files need. It is plain JSON, which a store keeps without
 * reading it. Nothing in it is changed in place; the functions that make the next value stand beside this file, by topic.
 *
 * Lists have the oldest first; times are milliseconds since 1970, amounts are integer cents. An order holds no card data, no
 * personal data and no token.
 */

import type { Method } from '../../contract/types.js';
import { dayMs, isNear } from '../../domain/spans.js';

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
  /** The service's status. `paid` without `isPaid` comes from a creation's answer, and no page hears it. */
  readonly status: string;
  /** A person released the card: it was not charged and no longer blocks the order. */
  readonly isReleased?: true;
  /** A look-up found it paid. It stays paid. */
  readonly isPaid?: true;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** The method and total of a creation that was sent. An invoice that only a postback names is compared with these. */
export type SentAs = Pick<IssuedInvoice, 'method' | 'totalCents'>;

/** A request with an idempotency key. */
export interface Attempt {
  readonly key: string;
  /** Digest of order, order token and method. A key is valid only within its scope. */
  readonly scope: string;
  readonly externalId: string;
  readonly method: Method;
  /** Integer cents. With the scope and the instalments, the fingerprint of the request. */
  readonly totalCents: number;
  readonly installment: number;
  /** A random id of the request that holds the claim. A request that lost its claim can neither send nor withdraw. */
  readonly holder: string;
}

/**
 * How far an attempt has come. A Pix attempt is `claimed` or `created`.
 *
 * - `claimed`: nothing was sent.
 * - `sent`: the service may have received the card.
 * - `unknown`: the card may be charged; `candidate` is the invoice that an unclear answer named, which may be its own.
 * - `created`: it has an invoice.
 * - `refused`: it ended, and nothing was charged.
 */
export type AttemptProgress =
  | { readonly state: 'claimed' | 'sent' | 'refused' }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null }
  | { readonly state: 'created'; readonly invoiceId: string };

export type KnownAttempt = Attempt & { readonly progress: AttemptProgress };

/** An attempt or invoice that a person was alerted about, perhaps several times (`told/outbox.ts`). */
export interface Alerted {
  /** The number of the present alert, from 1. Absent means the first. */
  readonly alert?: number;
  /** The last alert that a person answered. Absent means none. */
  readonly answered?: number;
}

/** An attempt with its times. */
export type KeptAttempt = KnownAttempt &
  Alerted & {
    readonly claimedAtMs: number;
    readonly changedAtMs: number;
    /** When its claim, or the time for recording its outcome, runs out. */
    readonly untilMs: number;
    /** A person said that this card was not charged, after seeing this invoice. The service did not refuse it. */
    readonly released?: { readonly invoiceId: string | null };
  };

/** How old a word of the service is. An older one undoes no newer one (`isOlder` in `times.ts`). */
export interface WordTime {
  /** When its look-up began, milliseconds since 1970. */
  readonly beganMs: number;
  /** When the invoice changed last, by the service's clock; null if the service did not say. */
  readonly updatedAtMs: number | null;
}

/** An invoice with what happened to it and when it is looked up. */
export interface KeptInvoice extends MadeInvoice, Pick<Alerted, 'alert'> {
  /** When it was found paid or refused, or was released; null while it is open. */
  readonly settledAtMs: number | null;
  /** When it is looked up next; null if never. */
  readonly lookUpAtMs: number | null;
  /** When the merchant was told that its deadline passed unpaid; null if not. */
  readonly lapsedAtMs: number | null;
  /** When its code was shown again; null if it was not. */
  readonly shownAtMs: number | null;
  /** When postbacks made it due last. This may be ahead of now. */
  readonly hintedAtMs?: number;
  /** The service called it expired or canceled, so no page gets its code any more. */
  readonly isOver?: true;
  /** The field in which it differs from what was created, although it is paid. */
  readonly differsIn?: MismatchField;
  /** The last word of the service since it was paid. Absent means paid. */
  readonly word?: string;
  /** How often that word changed. */
  readonly words?: number;
  /** How old that word, or the payment, is. */
  readonly wordOf?: WordTime;
}

/** An id that a postback named, or the id of a paid invoice that is looked up again. */
export interface NamedId {
  /** The id that the service takes in a look-up. */
  readonly lookUpId: string;
  /** How often it was looked up since it was last named. */
  readonly tries: number;
  readonly namedAtMs: number;
  /** When it was first named while it waits. Absent means `namedAtMs`. */
  readonly sinceMs?: number;
  readonly dueAtMs: number;
}

/**
 * What a named id turned out to be.
 *
 * - `recorded`: an invoice of the order that needs no further look-up.
 * - `of_card`: the invoice of the order's card, whose own answer may still call it refused.
 * - `open`: undecided, or paid and for a person to look at.
 * - `busy`: a charge that will block the order as soon as another card has ended.
 * - `none`: no invoice of this order.
 */
export type NamedOutcome = 'recorded' | 'of_card' | 'open' | 'busy' | 'none';

/** An event for the merchant's server, and how its delivery stands. */
export type KeptEvent = OutboxEvent & {
  readonly queuedAtMs: number;
  readonly dueAtMs: number;
  readonly tries: number;
  readonly endedAtMs: number | null;
  /** `dropped`: it was out of date before the merchant's server heard it. */
  readonly outcome: 'delivered' | 'dropped' | null;
  /** When a person was last warned that it fails. Absent means not yet. */
  readonly warnedAtMs?: number;
  /** Whether that warning came through. Then it is the last one. */
  readonly isWarningHeard?: boolean;
};

/** Something that no other part of the order tells, such as a barred key. */
interface HistoryEntry {
  readonly atMs: number;
  readonly what: string;
  readonly [detail: string]: string | number | boolean | null;
}

/** Everything that is kept of one order. */
export interface Order {
  readonly externalId: string;
  /** The invoice that paid it; null while it is not paid. It is never taken back. */
  readonly paidId: string | null;
  /** When a request, a sending, a showing or a payment came last; null if none did. */
  readonly aliveAtMs: number | null;
  /** The request that creates a code now, for which others wait; null if none does. */
  readonly making: { readonly holder: string; readonly untilMs: number } | null;
  /** The code that a page got last; null if none did. */
  readonly offeredId: string | null;
  readonly sends: readonly { readonly method: Method; readonly atMs: number }[];
  readonly sentAs: readonly SentAs[];
  readonly attempts: readonly KeptAttempt[];
  /** Keys that ended, each as a letter and a digest. Nothing is ever sent with one. */
  readonly keys: readonly string[];
  /** When the keys of the last days ended. They are not dropped to make room. */
  readonly youngKeys?: Readonly<Record<string, number>>;
  readonly invoices: readonly KeptInvoice[];
  /** Ids that postbacks named and that no look-up has explained yet, or of paid invoices that may be returned. */
  readonly named: readonly NamedId[];
  /** When such ids were looked up within the last minute, which limits how often. */
  readonly namesAskedAtMs?: readonly number[];
  readonly events: readonly KeptEvent[];
  readonly history: readonly HistoryEntry[];
}

/** What each fact is given besides its own data. */
export interface Given {
  /** The store's clock. */
  readonly nowMs: number;
}

/**
 * What a fact returns: the next order (the same object if nothing changed) and an answer. A fact without an answer returns the
 * order alone.
 */
export type Step<T> = readonly [order: Order, answer: T];

type AnswerOf<After> = After extends Step<infer Answer> ? Answer : undefined;

/** Makes a step of what any fact returned. */
export function toStep<After extends Order | Step<unknown>>(after: After): Step<AnswerOf<After>> {
  return ('externalId' in after ? [after, undefined] : after) as Step<AnswerOf<After>>;
}

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

// Events for the merchant's server
//
// An order keeps each event until the merchant's server has heard it. Events hold no personal data. `told/outbox.ts` makes the
// notices, `run/due/hook-calls.ts` delivers them.

/**
 * `waiting`: there is a Pix code to pay. `lapsed`: its deadline passed unpaid. `outcome_unknown`: a card may be charged.
 * `returned`: the service no longer calls a paid invoice paid.
 */
export type DeliveryKind =
  'paid' | 'waiting' | 'lapsed' | 'outcome_unknown' | 'mismatch' | 'returned';

/**
 * Makes the id of an event. It is derived, so that it is the same after a store was lost. It contains the reference, because a
 * wrong answer of the service can name an invoice of another order.
 * @param subject the invoice's id, or the holder of an attempt
 */
export function toDeliveryId(kind: DeliveryKind, externalId: string, subject: string): string {
  return [kind, externalId, subject].join('~');
}

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
   * The code as a PNG, for e-mails; absent where the package `qrcode` is not installed. After payment or expiry the image says
   * so.
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
  /** When the card was sent, or claimed if only that is known, ISO 8601. */
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

/** Whether nothing else of the order may be paid because of this card attempt: it was not refused. */
export function isBlocking({ progress }: Pick<KnownAttempt, 'progress'>): boolean {
  return progress.state !== 'refused';
}

/** Whether it was sent and its outcome is not known. */
export function isUnresolved({ progress: { state } }: Pick<KnownAttempt, 'progress'>): boolean {
  return state === 'sent' || state === 'unknown';
}

/** Whether the attempt has an invoice or a refusal. */
export function hasEnded({ progress }: Pick<KnownAttempt, 'progress'>): boolean {
  return progress.state === 'created' || progress.state === 'refused';
}

/** Whether payers were shown this Pix code. An invoice that only a postback named has no code. */
export function isHandedOut({ method, code }: Pick<MadeInvoice, 'method' | 'code'>): boolean {
  return method === 'pix' && code !== '';
}

/** Whether the id is this invoice's. A postback may name either of its ids. */
export function isIdOf(id: string, { invoiceId, lookUpId }: IssuedInvoice): boolean {
  return id === invoiceId || id === lookUpId;
}

/** Whether a named id belongs to a paid invoice. Such look-ups may wait. */
export function isIdOfPaidInvoice(
  { invoices }: Order,
  { lookUpId }: Pick<NamedId, 'lookUpId'>,
): boolean {
  return invoices.some((one) => one.isPaid && isIdOf(lookUpId, one));
}

/** Whether a page may get this code: it is not expired, and nothing was paid for it in any way. */
function isPayable(invoice: KeptInvoice, nowMs: number): boolean {
  const { code, deadlineMs, isPaid, isOver, differsIn, word } = invoice;
  if (code === '' || isPaid || isOver || differsIn !== undefined || word !== undefined)
    return false;
  return deadlineMs === null || deadlineMs > nowMs;
}

/**
 * Finds the code for a page of this price: the newest code of that price, unless it expired or the payer wants it replaced.
 * Newer codes of other prices do not count, because a price may come back while its code is open.
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

/** Counts the invoices that requests have recorded. An invoice that only a postback named does not count. */
export function countRecordedInvoices(invoices: readonly MadeInvoice[]): number {
  return invoices.filter((one) => isCard(one) || isHandedOut(one)).length;
}

/** The invoice of an attempt: its own, or its candidate; null if it has none. */
export function toInvoiceId(progress: AttemptProgress): string | null {
  if (progress.state === 'created') return progress.invoiceId;
  return progress.state === 'unknown' ? (progress.candidate?.invoiceId ?? null) : null;
}

/** Whether both stand for the same request. A key is valid only in its scope. */
export function isSameRequest(one: Attempt, other: Attempt): boolean {
  return one.key === other.key && one.scope === other.scope;
}

export function findInvoice({ invoices }: Order, id: string | null): KeptInvoice | undefined {
  return invoices.find(({ invoiceId }) => invoiceId === id);
}

export function findInvoiceOfAttempt(
  order: Order,
  { progress }: KnownAttempt,
): KeptInvoice | undefined {
  return findInvoice(order, toInvoiceId(progress));
}

/** Finds the card that has this invoice, or may have it. */
export function findCardOfInvoice({ attempts }: Order, invoiceId: string): KeptAttempt | undefined {
  return attempts.find((one) => isCard(one) && toInvoiceId(one.progress) === invoiceId);
}

/** Finds the attempts that stand. A claim that ran out before anything was sent does not. */
export function findStandingAttempts({ attempts }: Order, nowMs: number): readonly KeptAttempt[] {
  return attempts.filter(
    ({ progress: { state }, untilMs }) => state !== 'claimed' || untilMs > nowMs,
  );
}

/** Finds the cards that block the order and those refused within a day, oldest first. */
export function findRecentCards(order: Order, nowMs: number): readonly KeptAttempt[] {
  return findStandingAttempts(order, nowMs)
    .filter(isCard)
    .filter((one) => isBlocking(one) || nowMs - one.changedAtMs < dayMs);
}

/** Finds the card that keeps other payments out: it is claimed, sent, pending, unknown or paid. */
export function findBlockingCard(order: Order, nowMs: number): KeptAttempt | undefined {
  return findStandingAttempts(order, nowMs).find((one) => isCard(one) && isBlocking(one));
}

/**
 * Finds a code by its invoice if a payer may pay it now: no card blocks the order, and the code was neither replaced nor paid
 * in any way.
 */
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

export function findPaidInvoice(order: Order): KeptInvoice | null {
  return findInvoice(order, order.paidId) ?? null;
}

/** Keeps what an invoice was created as, without the fields of the creation's answer. */
export function toIssued(invoice: IssuedInvoice): IssuedInvoice {
  const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
  return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs };
}

// Keys of requests that ended
//
// The order keeps a digest of each. Nothing is sent with such a key, however late its request comes again.

/** Most keys of one order. Above this, the oldest of Pix codes go first, then the oldest that are not young. */
export const maxKeys = 400;

/** How long a key is not dropped, milliseconds: a service worker repeats a request for a week. */
const youngForMs = 8 * dayMs;

/**
 * How a key ended. `barred`: its page was told that no attempt with it exists, before one came. `given_up`: the same, after
 * the attempt's claim ran out. `refused`: its card was not charged. `made`: it got a Pix code.
 */
export type KeyEnding = 'barred' | 'given_up' | 'refused' | 'made';

/** Sorted by which keys are dropped first. */
const keyLetters: Readonly<Record<KeyEnding, string>> = {
  made: 'm',
  barred: 'b',
  given_up: 'g',
  refused: 'r',
};

const endings = Object.keys(keyLetters) as readonly KeyEnding[];

/** Finds how a key of this order ended. @returns null if it did not end, or nothing is known of it */
export function findKeyEnding({ keys }: Pick<Order, 'keys'>, key: string): KeyEnding | null {
  const digest = toDigest(key);
  return endings.findLast((one) => keys.includes(`${keyLetters[one]}${digest}`)) ?? null;
}

/** Whether a page was told that no attempt with this key exists. Then none can come. */
export function isKeyBarred(order: Pick<Order, 'keys'>, key: string): boolean {
  const ending = findKeyEnding(order, key);
  return ending === 'barred' || ending === 'given_up';
}

/** Adds a key that ended. Bars no key while all others are young, and returns the order unchanged. */
export function addEndedKey(order: Order, key: string, ending: KeyEnding, { nowMs }: Given): Order {
  const digest = toDigest(key);
  const ended = `${keyLetters[ending]}${digest}`;
  if (digest === '' || order.keys.includes(ended)) return order;
  const youngKeys = { ...findYoungKeys(order, nowMs), [ended]: nowMs };
  const next = dropExcessKeys({ ...order, keys: [...order.keys, ended], youngKeys });
  const isBar = ending === 'barred' || ending === 'given_up';
  return isBar && next.keys.length > maxKeys ? order : next;
}

/** Keeps only the keys of these attempts. */
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
 * Takes the random half of a UUID, 62 bits, which do not repeat among the pages of one order. @returns an empty text for a key
 * that the proxy made itself, because no request comes with it
 */
function toDigest(key: string): string {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(key)) return key.slice(19).replace('-', '');
  return key.includes(' ') ? '' : key;
}
