/**
 * What falls due of an order: look-ups of its invoices, and of ids that postbacks named and that none of its open invoices has.
 * A paid invoice is such an id, too, for as long as it may be returned. One process takes each at a time; if it does not finish
 * in time, the look-up is due again.
 */

import { replaceInvoice, mayBePaid, hasOpenMismatch } from './invoices.js';
import {
  findInvoice,
  isIdOfPaidInvoice,
  isCard,
  isIdOf,
  isBlocking,
  toInvoiceId,
  findInvoiceOfAttempt,
  isUnresolved,
} from './order.js';
import { isWithin, isNear, dayMs, toDayMs } from '../../domain/spans.js';
import { times, isWatchedClosely } from './times.js';
import type { Given, KeptInvoice, NamedId, Order, Step, DeliveryKind } from './order.js';
import { isAboutMoney, isUntold } from './told/outbox.js';

/** Most named ids of one order that wait: who knows its postback address cannot fill the store. */
export const maxNamed = 20;

function findNamed({ named }: Order, id: string): NamedId | undefined {
  return named.find(({ lookUpId }) => lookUpId === id);
}

/** A postback named an id: it falls due then. One that waits already begins anew. @returns null: the order has too many */
export function queueNamedId(
  order: Order,
  { lookUpId, forMs }: { readonly lookUpId: string; readonly forMs: number },
  { nowMs }: Given,
): Step<NamedId | null> {
  const others = order.named.filter((one) => one.lookUpId !== lookUpId);
  const isFull = others.length === order.named.length && others.length >= maxNamed;
  // One that was looked up makes room for another.
  const [most] = others.toSorted(
    (a, b) => b.tries - a.tries || a.lookUpId.localeCompare(b.lookUpId),
  );
  if (isFull && most?.tries === 0) return [order, null];
  const known = findNamed(order, lookUpId);
  const since = known && { sinceMs: known.sinceMs ?? known.namedAtMs };
  const fresh = { lookUpId, tries: 0, namedAtMs: nowMs, ...since, dueAtMs: nowMs + forMs };
  return [{ ...order, named: [...others.filter((one) => !isFull || one !== most), fresh] }, fresh];
}

/**
 * Takes a named id that is due, for so long: of the order's, that which was looked up least, so that a crowd of wrong ones does
 * not keep the right one waiting. Where many were looked up just now, they fall due later.
 * @param arePaid of paid invoices, or of none that is known to be paid
 * @returns null: none is to be looked up now
 */
export function takeNamedId(
  order: Order,
  { arePaid, forMs }: { readonly arePaid: boolean; readonly forMs: number },
  { nowMs }: Given,
): Step<NamedId | null> {
  const due = order.named.filter(
    (one) => one.dueAtMs <= nowMs && isIdOfPaidInvoice(order, one) === arePaid,
  );
  const [known] = due.toSorted((a, b) => a.tries - b.tries || a.namedAtMs - b.namedAtMs);
  if (!known) return [order, null];
  const dueAtMs = toNamedLookUpMs(order, nowMs);
  if (dueAtMs > nowMs) {
    const later = order.named.map((one) => (due.includes(one) ? { ...one, dueAtMs } : one));
    return [{ ...order, named: later }, null];
  }
  const taken = { ...known, dueAtMs: nowMs + forMs };
  const named = order.named.map((one) => (one === known ? taken : one));
  return [{ ...order, named, namesAskedAtMs: [...findRecentLookUps(order, nowMs), nowMs] }, taken];
}

/** When a named id of the order may be looked up, milliseconds since 1970. */
function toNamedLookUpMs(order: Order, nowMs: number): number {
  const { most, withinMs } = times.named.limit;
  const lookedUpAtMs = findRecentLookUps(order, nowMs);
  const [first = nowMs] = lookedUpAtMs;
  return lookedUpAtMs.length < most ? nowMs : first + withinMs;
}

function findRecentLookUps({ namesAskedAtMs = [] }: Order, nowMs: number): readonly number[] {
  return namesAskedAtMs.filter((atMs) => isWithin(atMs, times.named.limit.withinMs, nowMs));
}

/**
 * When a taken id is looked up next, and how often it was; null: it is forgotten. Changes nothing if it was named again since it
 * was taken.
 */
export function postponeNamedId(
  order: Order,
  { namedId, atMs }: { readonly namedId: NamedId; readonly atMs: number | null },
): Order {
  const known = findNamed(order, namedId.lookUpId);
  if (known?.dueAtMs !== namedId.dueAtMs) return order;
  const next = order.named.flatMap((one) => {
    if (one !== known) return [one];
    return atMs === null ? [] : [{ ...one, tries: namedId.tries, dueAtMs: atMs }];
  });
  return { ...order, named: next };
}

/** An invoice whose look-up is this process's to make now. */
export interface TakenLookUp extends KeptInvoice {
  readonly dueAtMs: number;
  readonly takenUntilMs: number;
}

/** Takes an invoice whose look-up is due, for so long. @returns null: it is not due any more */
export function takeLookUp(
  order: Order,
  { invoiceId, forMs }: { readonly invoiceId: string; readonly forMs: number },
  { nowMs }: Given,
): Step<TakenLookUp | null> {
  const known = findInvoice(order, invoiceId);
  if (!known || known.lookUpAtMs === null || known.lookUpAtMs > nowMs) return [order, null];
  const takenUntilMs = nowMs + forMs;
  const taken = { ...known, lookUpAtMs: takenUntilMs };
  return [replaceInvoice(order, taken), { ...taken, dueAtMs: known.lookUpAtMs, takenUntilMs }];
}

/** When a taken look-up is repeated. Changes nothing for an invoice whose look-ups ended, or one that was hastened since. */
export function postponeLookUp(
  order: Order,
  {
    invoiceId,
    takenUntilMs,
    atMs,
  }: { readonly invoiceId: string; readonly takenUntilMs: number; readonly atMs: number },
): Order {
  const known = findInvoice(order, invoiceId);
  if (known?.lookUpAtMs !== takenUntilMs) return order;
  return replaceInvoice(order, { ...known, lookUpAtMs: atMs });
}

// What a postback makes due. It is only a hint, and names at most one invoice. The first one makes look-ups due at once,
// further ones at a limited pace; if all is due already, nothing is written.

/**
 * What became of a postback. `unknown`: nothing is known of its order. `full`: too many ids of the order wait, and the service
 * has to tell it again.
 */
export type PostbackOutcome = 'due' | 'unknown' | 'full';

/** A postback came to the order's own address. @param lookUpId the id that it names; null: none */
export function recordPostback(
  order: Order,
  { lookUpId }: { readonly lookUpId: string | null },
  given: Given,
): Step<PostbackOutcome> {
  if (isUnknownOrder(order)) return [order, 'unknown'];
  const open = order.invoices.filter((one) => isUndecided(order, one));
  const next = open.reduce((before, one) => hastenByPostback(before, one, given), order);
  if (lookUpId === null || open.some((one) => isIdOf(lookUpId, one))) return [next, 'due'];
  return queueNamedIdInPace(next, lookUpId, given);
}

/** As soon as so many may be looked up. One that is due by then stays as it is. */
function queueNamedIdInPace(order: Order, lookUpId: string, given: Given): Step<PostbackOutcome> {
  const { nowMs } = given;
  const known = findNamed(order, lookUpId);
  const dueAtMs = toNamedLookUpMs(order, nowMs);
  if (known && known.dueAtMs <= dueAtMs) return [order, 'due'];
  const [next, namedId] = queueNamedId(order, { lookUpId, forMs: dueAtMs - nowMs }, given);
  return [next, namedId ? 'due' : 'full'];
}

function hastenByPostback(order: Order, invoice: KeptInvoice, { nowMs }: Given): Order {
  const { hintPaceMs: paceMs } = times.open;
  const { hintedAtMs = -Infinity, lookUpAtMs } = invoice;
  // The second of two in one millisecond made it due a whole pace ahead.
  const isPaced = isNear(hintedAtMs, paceMs + 1, nowMs);
  const dueAtMs = isPaced ? hintedAtMs + paceMs : nowMs;
  const nextMs = Math.min(lookUpAtMs ?? Infinity, dueAtMs);
  if (isPaced && nextMs === lookUpAtMs) return order;
  return replaceInvoice(order, { ...invoice, lookUpAtMs: nextMs, hintedAtMs: dueAtMs });
}

/** Whether a look-up may still end it. A card's has ended once its attempt is refused, unless a person said so. */
function isUndecided({ attempts }: Order, invoice: KeptInvoice): boolean {
  if (!mayBePaid(invoice)) return false;
  if (!isCard(invoice) || invoice.isReleased) return true;
  return attempts.some((one) => isBlocking(one) && toInvoiceId(one.progress) === invoice.invoiceId);
}

/** Whether no creation, attempt or invoice of the order is known: the store may have lost it. */
function isUnknownOrder({ invoices, attempts, sentAs }: Order): boolean {
  return [invoices, attempts, sentAs].every(({ length }) => length === 0);
}

// Computes from an order the entries by which a store finds it and its due work, and when a store may delete it. An order keeps
// none of this.

/** How long an order lives after the last that happened to it, milliseconds. */
const livesMs = {
  /** A payer may contest a Pix for 80 days (Banco Central, MED 2.0). */
  sent: 90 * dayMs,
  /** An event without a hook waits for one that the merchant may add. */
  untold: 90 * dayMs,
  /** What has fallen due is done long before, unless nothing ran. */
  due: 7 * dayMs,
  /** Nothing left for it: it only answers repeated requests. */
  unsent: 30 * dayMs,
};

/**
 * `sent`: a card whose answer is awaited until then. `unknown`: one whose outcome is unknown.
 * `look_up`: an invoice to look up. `settled`: one that was found paid or refused. `named`: an id that a postback named;
 * `named_paid`: that of a paid invoice. `event …`: one that is due.
 */
export type EntryKind =
  'sent' | 'unknown' | 'look_up' | 'settled' | 'named' | 'named_paid' | `event ${DeliveryKind}`;

/** A line in the index of a store. Unique in its order by `kind` and `id`. */
export interface Entry {
  readonly kind: EntryKind;
  readonly id: string;
  /** When it falls due, or when it happened; milliseconds since 1970. */
  readonly atMs: number;
  /** What comes first: a safe integer, in thousandths of a millisecond since 1970. */
  readonly rank: number;
}

/** All entries of an order, in no order. */
export function toEntries(order: Order): readonly Entry[] {
  return [
    ...order.attempts.flatMap(({ key, scope, progress: { state }, untilMs }) =>
      state === 'sent' || state === 'unknown' ? [toEntry(state, `${scope} ${key}`, untilMs)] : [],
    ),
    ...order.invoices.flatMap(({ invoiceId, lookUpAtMs, settledAtMs }) => [
      ...(lookUpAtMs === null ? [] : [toEntry('look_up', invoiceId, lookUpAtMs)]),
      ...(settledAtMs === null ? [] : [toEntry('settled', invoiceId, settledAtMs)]),
    ]),
    ...order.named.map((one) =>
      toEntry(isIdOfPaidInvoice(order, one) ? 'named_paid' : 'named', one.lookUpId, one.dueAtMs),
    ),
    ...order.events.flatMap(({ kind, notice, dueAtMs, queuedAtMs, outcome }, at) => {
      const { deliveryId } = notice;
      if (outcome !== null) return [];
      // Of one moment: in the order in which they came.
      const rank = toRank(queuedAtMs) + Math.min(at, 999);
      return [{ kind: `event ${kind}` as const, id: deliveryId, atMs: dueAtMs, rank }];
    }),
  ];
}

/**
 * After what time a store may delete an order: not while a person, or the merchant's server, still has to hear of money, nor
 * before what fell due of it was looked up.
 * @returns the end of a day, milliseconds since 1970, so that most changes of an order leave it as it is; null: not yet
 */
export function toForgetAtMs(order: Order): number | null {
  if (isWaitedFor(order)) return null;
  const { aliveAtMs, sentAs, invoices, named } = order;
  const hasLeft = sentAs.length > 0 || invoices.length > 0;
  const keptMs = Math.max(
    (aliveAtMs ?? 0) + (hasLeft ? livesMs.sent : livesMs.unsent),
    ...findUntoldEvents(order).map(({ queuedAtMs }) => queuedAtMs + livesMs.untold),
    ...invoices.flatMap(({ deadlineMs, hintedAtMs }) => [
      (deadlineMs ?? -Infinity) + livesMs.due,
      (hintedAtMs ?? -Infinity) + livesMs.due,
    ]),
  );
  // An invoice is looked up weekly until then, and that keeps its order no longer.
  const lookUpsMs = invoices.map(({ lookUpAtMs }) => lookUpAtMs ?? -Infinity);
  const dueMs = [...named.map(({ dueAtMs }) => dueAtMs), ...lookUpsMs.filter((ms) => ms <= keptMs)];
  return toDayMs(Math.max(keptMs, ...dueMs.map((atMs) => atMs + livesMs.due)));
}

/** What the merchant's server still has to hear: of a code that waits, or whose time is over, it need not. */
function findUntoldEvents({ events }: Order): Order['events'] {
  return events.filter((one) => one.outcome === null && isAboutMoney(one));
}

/** Whether it waits for an outcome, however long that takes: a card may be charged, a payment differs, or the merchant's server fails to hear. */
function isWaitedFor(order: Order): boolean {
  const { attempts, invoices, events } = order;
  const isCharging = attempts.some((one) => {
    const isPending = one.progress.state === 'created' && isCard(one);
    return isUnresolved(one) || (isPending && !findInvoiceOfAttempt(order, one)?.isPaid);
  });
  const isTried = events.some((one) => one.tries > 0 && isUntold(one) && isAboutMoney(one));
  return isCharging || isTried || invoices.some(hasOpenMismatch);
}

function toEntry(kind: EntryKind, id: string, atMs: number): Entry {
  return { kind, id, atMs, rank: toRank(atMs) };
}

function toRank(atMs: number): number {
  return Math.round(atMs * 1_000);
}

// Whether an order may be deleted because a person asked for it (LGPD, art. 18): not while something of it is still due.

/** How long pages of an order may still pay it, milliseconds: a token to look it up lives as long. */
const pagesLiveMs = 7 * dayMs;

/**
 * Why an order may not be forgotten now, although a person asked for it. `unknown_outcome`: a card of it may have been charged.
 * `untold`: your server was not told all of it. `open`: a code of it, or an id that was named, may still turn out paid.
 * `watched`: it is paid, and asked about for a return. `in_use`: a page used it within a week, and could pay it anew.
 */
export type KeptBecause = 'unknown_outcome' | 'untold' | 'open' | 'watched' | 'in_use';

/** What became of the order. `unknown_order`: nothing is kept under this reference. */
export type ForgetAnswer =
  | { readonly forgotten: true }
  | { readonly forgotten: false; readonly reason: KeptBecause | 'unknown_order' };

/** A person asked that the order be forgotten. @returns null for the order: it is to be deleted */
export function tryForget(
  order: Order,
  { nowMs }: Given,
): readonly [order: Order | null, answer: ForgetAnswer] {
  const reason = findReasonToKeep(order, nowMs);
  return reason === null ? [null, { forgotten: true }] : [order, { forgotten: false, reason }];
}

/** @returns null: nothing of it is due */
function findReasonToKeep(order: Order, nowMs: number): KeptBecause | null {
  const kinds = toEntries(order).map(({ kind }) => kind);
  if (kinds.some((kind) => kind === 'sent' || kind === 'unknown')) return 'unknown_outcome';
  if (findUntoldEvents(order).length > 0) return 'untold';
  const isOpen = order.invoices.some(
    (one) => one.lookUpAtMs !== null && isWatchedClosely(one, nowMs),
  );
  if (isOpen || kinds.includes('named')) return 'open';
  if (kinds.includes('named_paid')) return 'watched';
  return isNear(order.aliveAtMs ?? -Infinity, pagesLiveMs, nowMs) ? 'in_use' : null;
}
