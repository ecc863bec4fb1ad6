/**
 * Events for the merchant's server. The change that causes an event queues it, once. One process at a time takes it and calls
 * its hook, until a call succeeds; no age ends it. Events of money leave one after another.
 */

import { dayMs, secondMs } from '../../../domain/spans.js';
import type {
  Given,
  KeptEvent,
  Order,
  Step,
  DeliveryKind,
  OutboxEvent,
  KeptInvoice,
  Alerted,
  IssuedInvoice,
  KeptAttempt,
  MadeInvoice,
  InvoiceNotice,
  MismatchField,
  PaidNotice,
  ReturnedNotice,
} from '../order.js';
import {
  findInvoice,
  findPayableCode,
  findInvoiceOfAttempt,
  isHandedOut,
  toDeliveryId,
} from '../order.js';

/** How long an event that is through is remembered, milliseconds. */
const rememberedMs = 90 * dayMs;

/** How a try ended: told, or to be tried again then, milliseconds since 1970. */
export type OutboxOutcome =
  | 'delivered'
  | {
      readonly retryAtMs: number;
      /** A person was warned, or could not be. */
      readonly warning?: 'heard' | 'failed';
    };

/** The order with this event, once for each id. The same order: it was queued before. One that was dropped untold is due again. */
export function queueEvent(order: Order, event: OutboxEvent, { nowMs }: Given): Order {
  const { deliveryId } = event.notice;
  const known = findEvent(order, deliveryId);
  const isWanted =
    event.kind === 'outcome_unknown' || (event.kind === 'waiting' && known?.tries === 0);
  if (known?.outcome === 'dropped' && isWanted)
    return replaceEvent(order, toDueEvent(known, nowMs));
  if (known) return order;
  const queued: KeptEvent = {
    ...event,
    queuedAtMs: nowMs,
    dueAtMs: nowMs,
    tries: 0,
    endedAtMs: null,
    outcome: null,
  };
  const isRemembered = ({ endedAtMs }: KeptEvent) =>
    endedAtMs === null || nowMs - endedAtMs < rememberedMs;
  return { ...order, events: [...order.events.filter(isRemembered), queued] };
}

/** Ends those of a kind that are not through. @returns whether one was tried, or is being tried */
export function dropEvents(order: Order, kind: DeliveryKind, { nowMs }: Given): Step<boolean> {
  const wasTried = order.events.some((one) => one.kind === kind && one.tries > 0);
  const isOpen = (one: KeptEvent) => one.kind === kind && one.outcome === null;
  return [changeEvents(order, isOpen, (one) => toEndedEvent(one, 'dropped', nowMs)), wasTried];
}

/**
 * Takes an event that is due, and counts the try. One of money waits until those before it are through.
 * @param what `hooked`: the kinds that have a hook, as others wait for one and hold nothing back; absent: all
 * @returns the event as it is told now, this try counted; null: it is not to be told now
 */
export function takeEvent(
  order: Order,
  {
    deliveryId,
    forMs,
    hooked,
  }: {
    readonly deliveryId: string;
    readonly forMs: number;
    readonly hooked?: readonly DeliveryKind[];
  },
  { nowMs }: Given,
): Step<KeptEvent | null> {
  const event = findEvent(order, deliveryId);
  if (!event || event.outcome !== null || event.dueAtMs > nowMs) return [order, null];
  if (isOutOfDate(order, event, nowMs)) {
    return [
      hastenNextEvent(replaceEvent(order, toEndedEvent(event, 'dropped', nowMs)), event, nowMs),
      null,
    ];
  }
  const former = isAboutMoney(event) ? findEventBefore(order, event, hooked) : undefined;
  if (former) {
    const dueAtMs = Math.max(former.dueAtMs, nowMs + secondMs);
    return [replaceEvent(order, { ...event, dueAtMs }), null];
  }
  const tries = event.tries + 1;
  const taken = { ...toCurrentEvent(order, event), tries };
  return [replaceEvent(order, { ...event, tries, dueAtMs: nowMs + forMs }), taken];
}

/** The merchant's server was told, or could not be. One that ended meanwhile stays so. */
export function recordDelivery(
  order: Order,
  { deliveryId, outcome }: { readonly deliveryId: string; readonly outcome: OutboxOutcome },
  { nowMs }: Given,
): Order {
  const event = findEvent(order, deliveryId);
  if (!event || event.outcome !== null) return order;
  if (outcome === 'delivered') {
    return hastenNextEvent(
      replaceEvent(order, toEndedEvent(event, 'delivered', nowMs)),
      event,
      nowMs,
    );
  }
  const { retryAtMs, warning } = outcome;
  const warned = warning && { warnedAtMs: nowMs, isWarningHeard: warning === 'heard' };
  return replaceEvent(order, { ...event, ...warned, dueAtMs: retryAtMs });
}

/** A person wants what the merchant's server was not told to be told now. @returns whether there is anything */
export function requeueUntold(order: Order, _what: null, { nowMs }: Given): Step<boolean> {
  const next = changeEvents(order, isUntold, (one) => toDueEvent(one, nowMs));
  return [next, next !== order];
}

/** The first event of money before this one that is not through. */
function findEventBefore(
  { events }: Order,
  event: KeptEvent,
  hooked: readonly DeliveryKind[] | undefined,
): KeptEvent | undefined {
  const isWaitedFor = (one: KeptEvent) =>
    isAboutMoney(one) && isUntold(one) && (hooked?.includes(one.kind) ?? true);
  return events.slice(0, events.indexOf(event)).find(isWaitedFor);
}

/** What waited behind an event of money that is through now. */
function hastenNextEvent(order: Order, { kind, notice }: KeptEvent, nowMs: number): Order {
  if (!isAboutMoney({ kind })) return order;
  const at = order.events.findIndex((one) => one.notice.deliveryId === notice.deliveryId);
  const isBehind = (one: KeptEvent, index: number) =>
    index > at && isAboutMoney(one) && one.outcome === null && one.dueAtMs > nowMs;
  return changeEvents(order, isBehind, (one) => ({ ...one, dueAtMs: nowMs }));
}

function findEvent({ events }: Order, deliveryId: string): KeptEvent | undefined {
  return events.find(({ notice }) => notice.deliveryId === deliveryId);
}

function replaceEvent(order: Order, event: KeptEvent): Order {
  const isIt = ({ notice }: KeptEvent) => notice.deliveryId === event.notice.deliveryId;
  return changeEvents(order, isIt, () => event);
}

/** The order with a change of each of these events. The same order: it has none. */
function changeEvents(
  order: Order,
  isOne: (event: KeptEvent, index: number) => boolean,
  change: (event: KeptEvent) => KeptEvent,
): Order {
  if (!order.events.some(isOne)) return order;
  return { ...order, events: order.events.map((one, at) => (isOne(one, at) ? change(one) : one)) };
}

function toEndedEvent(event: KeptEvent, outcome: KeptEvent['outcome'], nowMs: number): KeptEvent {
  return { ...event, outcome, endedAtMs: nowMs };
}

function toDueEvent(event: KeptEvent, dueAtMs: number): KeptEvent {
  return { ...event, dueAtMs, endedAtMs: null, outcome: null };
}

// What an event means now: whether the merchant's server must still hear it, and what its notice says if it comes late.

/** Whether it tells of money. The others are reminders. */
export function isAboutMoney({ kind }: { readonly kind: DeliveryKind }): boolean {
  return kind !== 'waiting' && kind !== 'lapsed';
}

/** Whether the merchant's server has still to hear of it. */
export function isUntold({ outcome }: KeptEvent): boolean {
  return outcome === null;
}

/** Whether a look-up said since that what was paid went back. A word that no list has is no such word. */
export function isReturned({ events }: Pick<Order, 'events'>, invoiceId: string): boolean {
  const last = events.findLast(
    (one) => one.kind === 'returned' && one.notice.invoiceId === invoiceId,
  );
  return last?.kind === 'returned' && last.notice.isListed && !last.notice.isPaidAgain;
}

/** The event as it is told now. */
function toCurrentEvent(order: Order, event: KeptEvent): KeptEvent {
  if (event.kind !== 'paid' || !isReturned(order, event.notice.invoiceId)) return event;
  return { ...event, notice: { ...event.notice, returned: true } };
}

/** Whether there is nothing left that the merchant's server could do about it. A payment, and a return, never are. */
function isOutOfDate(order: Order, event: KeptEvent, nowMs: number): boolean {
  switch (event.kind) {
    case 'paid':
    case 'returned':
      return false;
    case 'waiting':
      // If it can be paid once more, its page gets it again, and it is queued anew.
      return !findPayableCode(order, event.notice.invoiceId, nowMs);
    case 'lapsed':
      return order.paidId !== null || isReservedByNewerCode(order, event.notice.invoiceId, nowMs);
    case 'outcome_unknown':
      return !isOutcomeOpen(order, event.notice.deliveryId);
    case 'mismatch':
      return isMismatchDecided(findInvoice(order, event.notice.invoiceId), event.notice.deliveryId);
    default:
      return event satisfies never;
  }
}

/** Whether a newer code of the order may be paid before its deadline: the goods are reserved. */
export function isReservedByNewerCode(
  { invoices }: Order,
  invoiceId: string,
  nowMs: number,
): boolean {
  const at = invoices.findIndex((one) => one.invoiceId === invoiceId);
  return invoices
    .slice(at + 1)
    .some((one) => isHandedOut(one) && !one.isOver && (one.deadlineMs ?? Infinity) > nowMs);
}

/** Whether the card that an alert is about may be charged, and no later alert is about it. */
function isOutcomeOpen(order: Order, deliveryId: string): boolean {
  const card = order.attempts.find((one) => isAlertOfCard(one, deliveryId));
  const presentId = card && toOutcomeUnknownId(card);
  const isFormer = deliveryId !== presentId;
  if (isFormer && order.events.some(({ notice }) => notice.deliveryId === presentId)) return false;
  if (card?.progress.state === 'created')
    return findInvoiceOfAttempt(order, card)?.settledAtMs === null;
  return card?.progress.state === 'unknown' || card?.progress.state === 'sent';
}

/** A person said what is to come of a payment that differs. */
function isMismatchDecided(invoice: KeptInvoice | undefined, deliveryId: string): boolean {
  if (invoice?.isPaid === true || invoice?.isReleased === true) return true;
  return invoice !== undefined && toMismatchId(invoice) !== deliveryId;
}

// What each notice for the merchant's server says.

/** The fields that every event about an invoice has. */
function toInvoiceNotice(kind: DeliveryKind, invoice: MadeInvoice): InvoiceNotice {
  const { externalId, invoiceId, orderCode, totalCents, method } = invoice;
  const deliveryId = toDeliveryId(kind, externalId, invoiceId);
  return { externalId, invoiceId, orderCode, totalCents, method, deliveryId };
}

/** The event for a payment. @param endToEndId null: the service gave none */
export function toPaidEvent(
  invoice: MadeInvoice,
  said: Pick<PaidNotice, 'late' | 'duplicate'>,
  endToEndId: string | null,
): OutboxEvent {
  const found = endToEndId !== null && { endToEndId };
  return { kind: 'paid', notice: { ...toInvoiceNotice('paid', invoice), ...found, ...said } };
}

/** The event for a payment that is not what was created. */
export function toMismatchEvent(
  issued: IssuedInvoice & Alerted,
  field: MismatchField,
): OutboxEvent {
  const { externalId, invoiceId, totalCents } = issued;
  const deliveryId = toMismatchId(issued);
  return { kind: 'mismatch', notice: { externalId, invoiceId, totalCents, field, deliveryId } };
}

/** The event for a Pix code. */
export function toWaitingEvent(invoice: MadeInvoice): OutboxEvent {
  const { code, deadlineMs } = invoice;
  const expiry = deadlineMs !== null && { expiresAt: new Date(deadlineMs).toISOString() };
  return { kind: 'waiting', notice: { ...toInvoiceNotice('waiting', invoice), code, ...expiry } };
}

/** The event for a code whose deadline passed unpaid. */
export function toLapsedEvent(invoice: MadeInvoice): OutboxEvent {
  return { kind: 'lapsed', notice: toInvoiceNotice('lapsed', invoice) };
}

/**
 * The event for a card that may have been charged.
 * @param invoiceId null: none is known
 */
export function toOutcomeUnknownEvent(card: KeptAttempt, invoiceId: string | null): OutboxEvent {
  const { externalId, totalCents, claimedAtMs } = card;
  const attemptedAt = new Date(claimedAtMs).toISOString();
  const found = invoiceId !== null && { invoiceId };
  const deliveryId = toOutcomeUnknownId(card);
  const notice = { externalId, totalCents, ...found, attemptedAt, deliveryId };
  return { kind: 'outcome_unknown', notice };
}

/**
 * The event for a paid invoice that the service calls otherwise than before.
 * @param change which change of its word it is, from 1
 */
export function toReturnedEvent(
  invoice: MadeInvoice,
  said: Pick<ReturnedNotice, 'status' | 'isListed' | 'duplicate' | 'isPaidAgain'>,
  endToEndId: string | null,
  change: number,
): OutboxEvent {
  const { externalId, invoiceId } = invoice;
  const subject = [invoiceId, said.status, ...(change > 1 ? [change] : [])].join('~');
  const deliveryId = toDeliveryId('returned', externalId, subject);
  const found = endToEndId !== null && { endToEndId };
  const notice = { ...toInvoiceNotice('returned', invoice), ...found, ...said, deliveryId };
  return { kind: 'returned', notice };
}

// Alerts ask a person. A card, and a payment that differs, may need one more than once: each time has an id of its own, so that it
// is told although a former one was, and so that a word about a former one answers no later one.

type AlertedCard = Pick<KeptAttempt, 'externalId' | 'holder'> & Alerted;

/** The id of the alert about a card. @param alert which one, from 1 */
export function toOutcomeUnknownId({ externalId, holder, alert = 1 }: AlertedCard): string {
  return toDeliveryId('outcome_unknown', externalId, toSubject(holder, alert));
}

/** The id of the alert about an invoice that is paid and differs. */
export function toMismatchId(invoice: IssuedInvoice & Alerted): string {
  const { externalId, invoiceId, alert = 1 } = invoice;
  return toDeliveryId('mismatch', externalId, toSubject(invoiceId, alert));
}

/** Whether an alert is, or was, about this card. @param after only a later one than this counts */
export function isAlertOfCard(card: AlertedCard, deliveryId: string, after = 0): boolean {
  const { alert: last = 1 } = card;
  for (let alert = after + 1; alert <= last; alert += 1)
    if (toOutcomeUnknownId({ ...card, alert }) === deliveryId) return true;
  return false;
}

/** Whether an alert is about this card as it stands: a word has answered none of the same or a later one. */
export function isUnansweredAlert(card: AlertedCard, deliveryId: string): boolean {
  return isAlertOfCard(card, deliveryId, card.answered);
}

/** A card that needed a person may need one again: it is told anew. */
export function countAlert({ alert = 1 }: Alerted): Alerted {
  return { alert: alert + 1 };
}

/** The same, and what was said of it until now counts no more. @param former absent: only its alerts may be known */
export function reopenAlerts(order: Order, card: AlertedCard, former?: Alerted): Alerted {
  let answered = former ? (former.alert ?? 1) : 0;
  const isTold = (alert: number) =>
    order.events.some(({ notice }) => notice.deliveryId === toOutcomeUnknownId({ ...card, alert }));
  while (isTold(answered + 1)) answered += 1;
  return answered === 0 ? {} : { alert: answered + 1, answered };
}

/** The first has none: as it was before alerts were counted. */
function toSubject(of: string, alert: number): string {
  return alert === 1 ? of : `${of}~${alert}`;
}
