/**
 * Events for the merchant's server. The change that causes an event queues it, once. One process at a time takes it and calls
 * its hook until a call succeeds, however long that takes. Events of money are delivered one after the other.
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
import { findInvoice, findPayableCode, findInvoiceOfAttempt, hasCode } from '../order.js';

/** How long an event is remembered after it ended, milliseconds. */
const rememberedMs = 90 * dayMs;

/** How a try of a delivery ended: delivered, or to be tried again at this time, milliseconds since 1970. */
export type OutboxOutcome =
  | 'delivered'
  | {
      readonly retryAtMs: number;
      /** Whether a person got the warning, if one was due. */
      readonly warning?: 'heard' | 'failed';
    };

/**
 * Queues an event, unless the order has one with its id. If that one was dropped, it becomes due again if it is
 * `outcome_unknown`, or `waiting` and was never tried. A new event makes the order forget events that ended long ago.
 */
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

/**
 * Drops the events of a kind that have not come through.
 * @returns whether any event of the kind was tried, so that the merchant's server may have got it
 */
export function dropEvents(order: Order, kind: DeliveryKind, { nowMs }: Given): Step<boolean> {
  const wasTried = order.events.some((one) => one.kind === kind && one.tries > 0);
  const isOpen = (one: KeptEvent) => one.kind === kind && one.outcome === null;
  return [changeEvents(order, isOpen, (one) => toEndedEvent(one, 'dropped', nowMs)), wasTried];
}

/**
 * Takes a due event, so that no other process delivers it for `forMs`, and counts the try. An event of money waits until
 * the ones before it came through. An event that is out of date is dropped.
 * @param what `hooked`: the kinds that have a hook; absent means all. An event without a hook waits, and holds nothing back
 * @returns the event with its newest state; null if it may not be delivered now
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
      hastenLaterEvents(replaceEvent(order, toEndedEvent(event, 'dropped', nowMs)), event, nowMs),
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

/**
 * Records how one try ended. If the event came through, later events of money of the order are due now; if not, it is due
 * again at `retryAtMs`. An event that ended meanwhile stays ended.
 */
export function recordTry(
  order: Order,
  { deliveryId, outcome }: { readonly deliveryId: string; readonly outcome: OutboxOutcome },
  { nowMs }: Given,
): Order {
  const event = findEvent(order, deliveryId);
  if (!event || event.outcome !== null) return order;
  if (outcome === 'delivered') {
    return hastenLaterEvents(
      replaceEvent(order, toEndedEvent(event, 'delivered', nowMs)),
      event,
      nowMs,
    );
  }
  const { retryAtMs, warning } = outcome;
  const warned = warning && { warnedAtMs: nowMs, isWarningHeard: warning === 'heard' };
  return replaceEvent(order, { ...event, ...warned, dueAtMs: retryAtMs });
}

/**
 * Makes every event that has not come through due now, because a person asked for it.
 * @returns whether there is any
 */
export function requeueUntold(order: Order, _what: null, { nowMs }: Given): Step<boolean> {
  const next = changeEvents(order, isUntold, (one) => toDueEvent(one, nowMs));
  return [next, next !== order];
}

/** Finds the first event of money before this one that has not come through and has a hook. */
function findEventBefore(
  { events }: Order,
  event: KeptEvent,
  hooked: readonly DeliveryKind[] | undefined,
): KeptEvent | undefined {
  const isWaitedFor = (one: KeptEvent) =>
    isAboutMoney(one) && isUntold(one) && (hooked?.includes(one.kind) ?? true);
  return events.slice(0, events.indexOf(event)).find(isWaitedFor);
}

/** Makes all later events of money of the order due now, because this one has ended. Changes nothing after a reminder. */
function hastenLaterEvents(order: Order, { kind, notice }: KeptEvent, nowMs: number): Order {
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

/** Changes the events that match. Returns the same order if there is none. */
function changeEvents(
  order: Order,
  matches: (event: KeptEvent, index: number) => boolean,
  change: (event: KeptEvent) => KeptEvent,
): Order {
  if (!order.events.some(matches)) return order;
  return {
    ...order,
    events: order.events.map((one, at) => (matches(one, at) ? change(one) : one)),
  };
}

function toEndedEvent(event: KeptEvent, outcome: KeptEvent['outcome'], nowMs: number): KeptEvent {
  return { ...event, outcome, endedAtMs: nowMs };
}

function toDueEvent(event: KeptEvent, dueAtMs: number): KeptEvent {
  return { ...event, dueAtMs, endedAtMs: null, outcome: null };
}

// What an event means now
//
// An event that is delivered late may be out of date, or need a newer notice.

/** Whether the event is about money. The other kinds are reminders. */
export function isAboutMoney({ kind }: { readonly kind: DeliveryKind }): boolean {
  return kind !== 'waiting' && kind !== 'lapsed';
}

/** Whether the event still has to be delivered: it neither came through nor was dropped. */
export function isUntold({ outcome }: KeptEvent): boolean {
  return outcome === null;
}

/**
 * Whether this payment went back, by the last `returned` event. A status that the option `statuses` does not list does not
 * count.
 */
export function isReturned({ events }: Pick<Order, 'events'>, invoiceId: string): boolean {
  const last = events.findLast(
    (one) => one.kind === 'returned' && one.notice.invoiceId === invoiceId,
  );
  return last?.kind === 'returned' && last.notice.isListed && !last.notice.isPaidAgain;
}

/** Adds to a `paid` event that the payment was returned meanwhile. */
function toCurrentEvent(order: Order, event: KeptEvent): KeptEvent {
  if (event.kind !== 'paid' || !isReturned(order, event.notice.invoiceId)) return event;
  return { ...event, notice: { ...event.notice, returned: true } };
}

/** Whether the event need not be delivered any more. A payment or a return always has to be. */
function isOutOfDate(order: Order, event: KeptEvent, nowMs: number): boolean {
  switch (event.kind) {
    case 'paid':
    case 'returned':
      return false;
    case 'waiting':
      // If the code can be paid again later, a page gets it again, and that queues the reminder anew.
      return !findPayableCode(order, event.notice.invoiceId, nowMs);
    case 'lapsed':
      return order.paidId !== null || isReservedByNewerCode(order, event.notice.invoiceId, nowMs);
    case 'outcome_unknown':
      return !isOutcomeAlertOpen(order, event.notice.deliveryId);
    case 'mismatch':
      return isMismatchDecided(findInvoice(order, event.notice.invoiceId), event.notice.deliveryId);
    default:
      return event satisfies never;
  }
}

/** Whether a newer code of the order may be paid before its deadline, so that the goods stay reserved. */
export function isReservedByNewerCode(
  { invoices }: Order,
  invoiceId: string,
  nowMs: number,
): boolean {
  const at = invoices.findIndex((one) => one.invoiceId === invoiceId);
  return invoices
    .slice(at + 1)
    .some((one) => hasCode(one) && !one.isOver && (one.deadlineMs ?? Infinity) > nowMs);
}

/** Whether the alert still asks for an answer: its card is sent, unknown or pending, and no newer alert about it is queued. */
function isOutcomeAlertOpen(order: Order, deliveryId: string): boolean {
  const card = order.attempts.find((one) => isAlertOfCard(one, deliveryId));
  const presentId = card && toOutcomeUnknownId(card);
  const isFormer = deliveryId !== presentId;
  if (isFormer && order.events.some(({ notice }) => notice.deliveryId === presentId)) return false;
  if (card?.progress.state === 'created')
    return findInvoiceOfAttempt(order, card)?.settledAtMs === null;
  return card?.progress.state === 'unknown' || card?.progress.state === 'sent';
}

/**
 * Whether a payment that differs needs no answer to this alert: it is decided, or a newer alert took the place of this one.
 */
function isMismatchDecided(invoice: KeptInvoice | undefined, deliveryId: string): boolean {
  if (invoice?.isPaid === true || invoice?.isReleased === true) return true;
  return invoice !== undefined && toMismatchId(invoice) !== deliveryId;
}

// Notices

/** The fields that every event about an invoice has. */
function toInvoiceNotice(kind: DeliveryKind, invoice: MadeInvoice): InvoiceNotice {
  const { externalId, invoiceId, orderCode, totalCents, method } = invoice;
  const deliveryId = toDeliveryId(kind, externalId, invoiceId);
  return { externalId, invoiceId, orderCode, totalCents, method, deliveryId };
}

/** Makes the event of a payment. @param endToEndId null if the service gave none */
export function toPaidEvent(
  invoice: MadeInvoice,
  said: Pick<PaidNotice, 'late' | 'duplicate'>,
  endToEndId: string | null,
): OutboxEvent {
  const found = endToEndId !== null && { endToEndId };
  return { kind: 'paid', notice: { ...toInvoiceNotice('paid', invoice), ...found, ...said } };
}

/** Makes the alert about a payment that differs in this field. */
export function toMismatchEvent(
  issued: IssuedInvoice & Alerted,
  field: MismatchField,
): OutboxEvent {
  const { externalId, invoiceId, totalCents } = issued;
  const deliveryId = toMismatchId(issued);
  return { kind: 'mismatch', notice: { externalId, invoiceId, totalCents, field, deliveryId } };
}

/** Makes the event that a payer got a code (`onPixWaiting`), with which the shop may remind the payer. */
export function toWaitingEvent(invoice: MadeInvoice): OutboxEvent {
  const { code, deadlineMs } = invoice;
  const expiry = deadlineMs !== null && { expiresAt: new Date(deadlineMs).toISOString() };
  return { kind: 'waiting', notice: { ...toInvoiceNotice('waiting', invoice), code, ...expiry } };
}

/** Makes the event of a deadline that passed unpaid. */
export function toLapsedEvent(invoice: MadeInvoice): OutboxEvent {
  return { kind: 'lapsed', notice: toInvoiceNotice('lapsed', invoice) };
}

/**
 * Makes the alert that a card may have been charged. The same alert always has the same id.
 * @param invoiceId null if none is known
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
 * Makes the event of a paid invoice whose status changed.
 * @param change counts the changes of its status, from 1, so that each has an event of its own
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

// Alerts
//
// An alert asks a person. A card, or a payment that differs, may need several. Each has an id of its own, so that it is
// delivered although an earlier one was. Once a card has opened again, answers to its former alerts no longer count.

type AlertedCard = Pick<KeptAttempt, 'externalId' | 'holder'> & Alerted;

/** The id of the present alert about a card that may be charged. */
export function toOutcomeUnknownId({ externalId, holder, alert = 1 }: AlertedCard): string {
  return toDeliveryId('outcome_unknown', externalId, toSubject(holder, alert));
}

/** The id of the present alert about a payment that differs. */
export function toMismatchId(invoice: IssuedInvoice & Alerted): string {
  const { externalId, invoiceId, alert = 1 } = invoice;
  return toDeliveryId('mismatch', externalId, toSubject(invoiceId, alert));
}

/** Whether the id is that of an alert about this card. @param after only alerts after this number count */
export function isAlertOfCard(card: AlertedCard, deliveryId: string, after = 0): boolean {
  const { alert: last = 1 } = card;
  for (let alert = after + 1; alert <= last; alert += 1)
    if (toOutcomeUnknownId({ ...card, alert }) === deliveryId) return true;
  return false;
}

/** Whether an answer to this alert counts: it is about this card, and no older than the card's last reopening. */
export function isAnswerableAlert(card: AlertedCard, deliveryId: string): boolean {
  return isAlertOfCard(card, deliveryId, card.answered);
}

/** Numbers the next alert about a card or payment, because it needs a person again. */
export function toNextAlert({ alert = 1 }: Alerted): Alerted {
  return { alert: alert + 1 };
}

/**
 * Numbers a new alert about a card that is open again, so that answers to all former alerts no longer count.
 * @param former absent if the order has dropped the attempt, so that only the events tell of former alerts
 */
export function toReopenedAlert(order: Order, card: AlertedCard, former?: Alerted): Alerted {
  let answered = former ? (former.alert ?? 1) : 0;
  const isTold = (alert: number) =>
    order.events.some(({ notice }) => notice.deliveryId === toOutcomeUnknownId({ ...card, alert }));
  while (isTold(answered + 1)) answered += 1;
  return answered === 0 ? {} : { alert: answered + 1, answered };
}

/** The first alert has no number in its id. */
function toSubject(of: string, alert: number): string {
  return alert === 1 ? of : `${of}~${alert}`;
}

/**
 * Makes the id of an event from its kind and subject, so that it is the same after a store was lost. It contains the
 * reference, because a wrong answer of the service can name an invoice of another order.
 * @param subject the invoice's id, or the holder of an attempt
 */
function toDeliveryId(kind: DeliveryKind, externalId: string, subject: string): string {
  return [kind, externalId, subject].join('~');
}
