/** What an event means now: whether the merchant's server must still hear it, and what its notice says if it comes late. */

import { isOfCard, toMismatchId, toOutcomeUnknownId } from './alerts.js';
import { findInvoice, findPayable, invoiceOf, isHandedOut } from '../questions.js';
import type { KeptEvent, KeptInvoice, Order } from '../order.js';
import type { DeliveryKind } from './outbox-events.js';

/** Whether it tells of money. The others are reminders. */
export function isOfMoney({ kind }: { readonly kind: DeliveryKind }): boolean {
  return kind !== 'waiting' && kind !== 'lapsed';
}

/** Whether it is not through, though a former version may have given it up. */
export function isUntold({ outcome }: KeptEvent): boolean {
  return outcome === null || outcome === 'given_up';
}

/** Whether a look-up said since that what was paid went back. A word that no list has is no such word. */
export function isReturned({ events }: Pick<Order, 'events'>, invoiceId: string): boolean {
  const last = events.findLast(
    (one) => one.kind === 'returned' && one.notice.invoiceId === invoiceId,
  );
  return last?.kind === 'returned' && last.notice.isListed && !last.notice.isPaidAgain;
}

/** The event as it is told now. */
export function toCurrent(order: Order, event: KeptEvent): KeptEvent {
  if (event.kind !== 'paid' || !isReturned(order, event.notice.invoiceId)) return event;
  return { ...event, notice: { ...event.notice, returned: true } };
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
      return !isUndecided(order, event.notice.deliveryId);
    case 'mismatch':
      return isDecided(findInvoice(order, event.notice.invoiceId), event.notice.deliveryId);
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

/** Whether the card that an alert is about may be charged, and no later alert is about it. */
function isUndecided(order: Order, deliveryId: string): boolean {
  const card = order.attempts.find((one) => isOfCard(one, deliveryId));
  const presentId = card && toOutcomeUnknownId(card);
  const isFormer = deliveryId !== presentId;
  if (isFormer && order.events.some(({ notice }) => notice.deliveryId === presentId)) return false;
  if (card?.progress.state === 'created') return invoiceOf(order, card)?.settledAtMs === null;
  return card?.progress.state === 'unknown' || card?.progress.state === 'sent';
}

/** A person said what is to come of a payment that differs. */
function isDecided(invoice: KeptInvoice | undefined, deliveryId: string): boolean {
  if (invoice?.isPaid === true || invoice?.isReleased === true) return true;
  return invoice !== undefined && toMismatchId(invoice) !== deliveryId;
}
