/** What of an event is so now: whether it is still to be told, and what its notice says when it is told late. */

import { isOfCard, toMismatchId, toOutcomeUnknownId } from './alerts.js';
import { findInvoice, findPayable, invoiceOf, isHandedOut } from '../questions.js';
import type { KeptAttempt, KeptEvent, KeptInvoice, Order } from '../order.js';
import type { DeliveryKind, MismatchNotice, OutboxEvent } from './outbox-events.js';

/** Whether it tells of money. The others are reminders. */
export function isOfMoney({ kind }: { readonly kind: DeliveryKind }): boolean {
  return kind !== 'waiting' && kind !== 'lapsed';
}

/** Whether a look-up said since that what was paid went back. A word that no list has is no such word. */
export function isReturned({ events }: Pick<Order, 'events'>, invoiceId: string): boolean {
  const last = events.findLast(
    (one) => one.kind === 'returned' && one.notice.invoiceId === invoiceId,
  );
  return last?.kind === 'returned' && last.notice.isListed && !last.notice.isPaidAgain;
}

/** The event as it is told now. */
export function toCurrent(order: Order, { kind, notice }: KeptEvent): OutboxEvent {
  if (kind !== 'paid' || !isReturned(order, notice.invoiceId))
    return { kind, notice } as OutboxEvent;
  return { kind, notice: { ...notice, returned: true } };
}

/** Whether there is nothing left that the merchant's server could do about it. A payment, and a return, never are. */
export function isOutOfDate(order: Order, event: KeptEvent, nowMs: number): boolean {
  switch (event.kind) {
    case 'paid':
    case 'returned':
      return false;
    case 'waiting':
      // If it can be paid once more, its page gets it again, and it is queued anew.
      return !findPayable(order, event.notice.invoiceId, nowMs);
    case 'lapsed':
      return order.paidId !== null || isReservedAnew(order, event.notice.invoiceId, nowMs);
    case 'outcome_unknown':
      return !isUndecided(order, cardOf(order, event.notice.deliveryId), event);
    case 'mismatch':
      return isDecided(findInvoice(order, event.notice.invoiceId), event.notice);
    default:
      return event satisfies never;
  }
}

/** Whether a newer code of the order may be paid before its deadline: the goods are reserved. */
export function isReservedAnew({ invoices }: Order, invoiceId: string, nowMs: number): boolean {
  const at = invoices.findIndex((one) => one.invoiceId === invoiceId);
  return invoices
    .slice(at + 1)
    .some((one) => isHandedOut(one) && !one.isOver && (one.deadlineMs ?? Infinity) > nowMs);
}

function cardOf({ attempts }: Order, deliveryId: string): KeptAttempt | undefined {
  return attempts.find((one) => isOfCard(one, deliveryId));
}

function isUndecided(
  order: Order,
  card: KeptAttempt | undefined,
  { notice: { deliveryId } }: KeptEvent,
): boolean {
  const presentId = card && toOutcomeUnknownId(card);
  const isFormer = deliveryId !== presentId;
  if (isFormer && order.events.some(({ notice }) => notice.deliveryId === presentId)) return false;
  if (card?.progress.state === 'created') return invoiceOf(order, card)?.settledAtMs === null;
  return card?.progress.state === 'unknown' || card?.progress.state === 'sent';
}

/** A person said what is to come of a payment that differs. */
function isDecided(invoice: KeptInvoice | undefined, { deliveryId }: MismatchNotice): boolean {
  if (invoice?.isPaid === true || invoice?.isReleased === true) return true;
  return invoice !== undefined && toMismatchId(invoice) !== deliveryId;
}
