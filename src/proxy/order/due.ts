/**
 * The look-ups of an order that fall due: of its open invoices, of ids that postbacks named, and of paid invoices that may be
 * returned. A process takes a look-up for itself; if it does not finish in time, the look-up is due again. At the end stand
 * the entries by which a store finds an order, and the rules by which it may delete one.
 */

import {
  findInvoice,
  isIdOfPaidInvoice,
  isCard,
  isIdOf,
  isBlocking,
  toInvoiceId,
  findInvoiceOfAttempt,
  isUnresolved,
  hasOpenMismatch,
  replaceInvoice,
} from './order.js';
import { isWithin, isNear, dayMs, toDayMs } from '../../domain/spans.js';
import { times, isWatchedClosely } from './times.js';
import type { Given, KeptInvoice, NamedId, Order, Step, DeliveryKind } from './order.js';
import { isAboutMoney, isUntold } from './told/outbox.js';

/** Most named ids that one order keeps, so that a stranger who knows its postback address cannot fill the store. */
export const maxNamed = 20;

/**
 * Queues the look-up of an id (see `NamedId`), due in `forMs`. An id that waits already begins its tries anew. If the queue
 * is full, the id with the most tries makes room.
 * @returns null if none can make room
 */
export function queueNamedId(
  order: Order,
  { lookUpId, forMs }: { readonly lookUpId: string; readonly forMs: number },
  { nowMs }: Given,
): Step<NamedId | null> {
  const others = order.named.filter((one) => one.lookUpId !== lookUpId);
  const isFull = others.length === order.named.length && others.length >= maxNamed;
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
 * Takes a due named id, so that no other process looks it up for `forMs`. The id with the fewest tries goes first, so that
 * many wrong ids do not keep the right one waiting. If the order reached its limit of look-ups, all due ids wait until it
 * allows one.
 * @param arePaid whether to take an id of a paid invoice, or any other
 * @returns null if none may be looked up now
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

/** When the limit of the order allows the next look-up of a named id, milliseconds since 1970. */
function toNamedLookUpMs(order: Order, nowMs: number): number {
  const { most, withinMs } = times.named.limit;
  const lookedUpAtMs = findRecentLookUps(order, nowMs);
  const [first = nowMs] = lookedUpAtMs;
  return lookedUpAtMs.length < most ? nowMs : first + withinMs;
}

function findRecentLookUps({ namesAskedAtMs = [] }: Order, nowMs: number): readonly number[] {
  return namesAskedAtMs.filter((atMs) => isWithin(atMs, times.named.limit.withinMs, nowMs));
}

/** Finds the named id that waits for a look-up by this id. */
function findNamed({ named }: Order, id: string): NamedId | undefined {
  return named.find(({ lookUpId }) => lookUpId === id);
}

/**
 * Ends a taken id: it is due again at `atMs`, with its tries counted, or dropped if `atMs` is null. Changes nothing if the id
 * was named again meanwhile.
 */
export function endTakenNamedId(
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

/** An invoice that this process looks up now. */
export interface TakenLookUp extends KeptInvoice {
  readonly dueAtMs: number;
  readonly takenUntilMs: number;
}

/**
 * Takes the due look-up of an invoice, so that no other process makes it for `forMs`.
 * @returns null if it is not due any more
 */
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

/**
 * Ends a taken look-up: the next one is due at `atMs`. Changes nothing if the look-ups of the invoice ended, or if it became
 * due sooner meanwhile.
 */
export function endTakenLookUp(
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

// Postbacks
//
// A postback is only a hint, and names at most one invoice. The first one makes look-ups due at once, further ones at a
// limited pace. If everything is due already, nothing is written.

/**
 * The result of a postback. `due`: what it announced will be looked up. `unknown`: the store has nothing of the order.
 * `full`: too many ids of the order wait, so the service has to send the postback again.
 */
export type PostbackOutcome = 'due' | 'unknown' | 'full';

/**
 * Hastens the look-ups of the order's open invoices after a postback to the order's own address, and queues the id that it
 * names if it is none of these.
 * @param lookUpId the id that it names; null if it names none
 */
export function recordPostback(
  order: Order,
  { lookUpId }: { readonly lookUpId: string | null },
  given: Given,
): Step<PostbackOutcome> {
  if (isUnknownOrder(order)) return [order, 'unknown'];
  const open = order.invoices.filter((one) => mayEndingChange(order, one));
  const next = open.reduce((before, one) => hastenByPostback(before, one, given), order);
  if (lookUpId === null || open.some((one) => isIdOf(lookUpId, one))) return [next, 'due'];
  return queueNamedIdInPace(next, lookUpId, given);
}

/** Queues a named id for the time at which the order's limit allows a look-up, unless it is due by then. */
function queueNamedIdInPace(order: Order, lookUpId: string, given: Given): Step<PostbackOutcome> {
  const { nowMs } = given;
  const known = findNamed(order, lookUpId);
  const dueAtMs = toNamedLookUpMs(order, nowMs);
  if (known && known.dueAtMs <= dueAtMs) return [order, 'due'];
  const [next, namedId] = queueNamedId(order, { lookUpId, forMs: dueAtMs - nowMs }, given);
  return [next, namedId ? 'due' : 'full'];
}

/**
 * Makes an invoice's look-up due now, or two seconds after the last one that postbacks caused, and records when, so that the
 * look-ups after it come sooner as well.
 */
function hastenByPostback(order: Order, invoice: KeptInvoice, { nowMs }: Given): Order {
  const { hintPaceMs: paceMs } = times.open;
  const { hintedAtMs = -Infinity, lookUpAtMs } = invoice;
  // A postback in this same millisecond may have put the hint a whole pace ahead. That hint counts as well, or this
  // postback would make the look-up due at once.
  const isPaced = isNear(hintedAtMs, paceMs + 1, nowMs);
  const dueAtMs = isPaced ? hintedAtMs + paceMs : nowMs;
  const nextMs = Math.min(lookUpAtMs ?? Infinity, dueAtMs);
  if (isPaced && nextMs === lookUpAtMs) return order;
  return replaceInvoice(order, { ...invoice, lookUpAtMs: nextMs, hintedAtMs: dueAtMs });
}

/** Whether a look-up may still find the invoice paid. That includes a released card, because the person may be wrong. */
function mayBePaid({ settledAtMs, isReleased }: KeptInvoice): boolean {
  return settledAtMs === null || isReleased === true;
}

/**
 * Whether a look-up may still change how this invoice ends. A card's invoice has ended when its attempt is refused, unless a
 * person released it.
 */
function mayEndingChange({ attempts }: Order, invoice: KeptInvoice): boolean {
  if (!mayBePaid(invoice)) return false;
  if (!isCard(invoice) || invoice.isReleased) return true;
  return attempts.some((one) => isBlocking(one) && toInvoiceId(one.progress) === invoice.invoiceId);
}

/** Whether the store has no creation, attempt or invoice of the order. It may have lost them. */
function isUnknownOrder({ invoices, attempts, sentAs }: Order): boolean {
  return [invoices, attempts, sentAs].every(({ length }) => length === 0);
}

// Entries and retention
//
// A store indexes an order by its entries and deletes it when its time has come. Both are computed from the order, which
// keeps neither.

/** How long an order is kept after its last event, milliseconds. */
const livesMs = {
  /** A payer may contest a Pix for 80 days (Banco Central, MED 2.0). */
  sent: 90 * dayMs,
  /** An event without a hook is kept, because the merchant may add the hook. */
  untold: 90 * dayMs,
  /** Due work is done long before this, unless no process ran. */
  due: 7 * dayMs,
  /** An order for which nothing was sent only answers repeated requests. */
  unsent: 30 * dayMs,
};

/**
 * What an entry stands for.
 *
 * - `sent`: a sent card; its answer is awaited until the entry's time.
 * - `unknown`: a card whose outcome is unknown.
 * - `look_up`: an invoice to look up.
 * - `settled`: an invoice that was found paid or refused.
 * - `named`: an id that a postback named; `named_paid`: the id of a paid invoice.
 * - `event …`: an event for the merchant's server.
 */
export type EntryKind =
  'sent' | 'unknown' | 'look_up' | 'settled' | 'named' | 'named_paid' | `event ${DeliveryKind}`;

/** A line in a store's index. Its `kind` and `id` are unique within its order. */
export interface Entry {
  readonly kind: EntryKind;
  readonly id: string;
  /** When the entry falls due, or when it happened, milliseconds since 1970. */
  readonly atMs: number;
  /** Sorts entries: a safe integer, thousandths of a millisecond since 1970. */
  readonly rank: number;
}

/** Computes the entries of an order, by which a store finds its due work and its settled invoices, in no particular order. */
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
      // Events of the same millisecond keep their order.
      const rank = toRank(queuedAtMs) + Math.min(at, 999);
      return [{ kind: `event ${kind}` as const, id: deliveryId, atMs: dueAtMs, rank }];
    }),
  ];
}

/**
 * Computes when a store may delete an order: never while it waits for an outcome (`isAwaitingOutcome`); otherwise once its
 * last use, its undelivered events of money and its due work lie as far back as `livesMs` says.
 * @returns the end of a day, milliseconds since 1970, so that most changes leave it as it is; null while the order has to
 * stay
 */
export function toForgetAtMs(order: Order): number | null {
  if (isAwaitingOutcome(order)) return null;
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
  // The weekly look-ups of an open invoice do not extend the life of its order.
  const lookUpsMs = invoices.map(({ lookUpAtMs }) => lookUpAtMs ?? -Infinity);
  const dueMs = [...named.map(({ dueAtMs }) => dueAtMs), ...lookUpsMs.filter((ms) => ms <= keptMs)];
  return toDayMs(Math.max(keptMs, ...dueMs.map((atMs) => atMs + livesMs.due)));
}

/** Finds the events of money that have not come through. Reminders do not count. */
function findUntoldEvents({ events }: Order): Order['events'] {
  return events.filter((one) => one.outcome === null && isAboutMoney(one));
}

/**
 * Whether the order waits for an outcome, however long that takes: a card may be charged, a payment differs, or the
 * merchant's server fails to take an event.
 */
function isAwaitingOutcome(order: Order): boolean {
  const { attempts, invoices, events } = order;
  const isCharging = attempts.some((one) => {
    const isPending = one.progress.state === 'created' && isCard(one);
    return isUnresolved(one) || (isPending && !findInvoiceOfAttempt(order, one)?.isPaid);
  });
  const isTried = events.some((one) => one.tries > 0 && isUntold(one) && isAboutMoney(one));
  return isCharging || isTried || invoices.some(hasOpenMismatch);
}

/** Makes an entry that sorts by its time. Entries of events have a rank of their own. */
function toEntry(kind: EntryKind, id: string, atMs: number): Entry {
  return { kind, id, atMs, rank: toRank(atMs) };
}

function toRank(atMs: number): number {
  return Math.round(atMs * 1_000);
}

// Deletion on request
//
// A person may ask that an order be deleted (LGPD, art. 18). The order stays while some of its work is due.

/** How long a page may still pay its order, milliseconds: as long as its look-up token is valid. */
const pagesLiveMs = 7 * dayMs;

/**
 * Why an order cannot be forgotten now.
 *
 * - `unknown_outcome`: one of its cards may be charged.
 * - `untold`: an event of money has not come through to your server.
 * - `open`: one of its codes, or an id that a postback named, may still turn out paid.
 * - `watched`: it is paid, and is still looked up for a return.
 * - `in_use`: a page used it within a week, and could pay it again.
 */
export type KeptBecause = 'unknown_outcome' | 'untold' | 'open' | 'watched' | 'in_use';

/** Whether the order was forgotten. `unknown_order`: the store has nothing under this reference. */
export type ForgetAnswer =
  | { readonly forgotten: true }
  | { readonly forgotten: false; readonly reason: KeptBecause | 'unknown_order' };

/**
 * Deletes an order because a person asked for that, unless it has to stay.
 * @returns null in place of the order if it is to be deleted; otherwise the same order and the reason
 */
export function tryForget(
  order: Order,
  { nowMs }: Given,
): readonly [order: Order | null, answer: ForgetAnswer] {
  const reason = findReasonToKeep(order, nowMs);
  return reason === null ? [null, { forgotten: true }] : [order, { forgotten: false, reason }];
}

/** Finds out why an order has to stay. @returns null if it can be forgotten */
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
