/**
 * Alerts ask a person. A card, and a payment that differs, may need one more than once: each time has an id of its own, so that it
 * is told although a former one was, and so that a word about a former one answers no later one.
 */

import type { Alerted, IssuedInvoice, KeptAttempt, Order } from '../order.js';
import { toDeliveryId } from './outbox-events.js';

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
export function isOfCard(card: AlertedCard, deliveryId: string, after = 0): boolean {
  const { alert: last = 1 } = card;
  for (let alert = after + 1; alert <= last; alert += 1)
    if (toOutcomeUnknownId({ ...card, alert }) === deliveryId) return true;
  return false;
}

/** Whether an alert is about this card as it stands: a word has answered none of the same or a later one. */
export function isUnanswered(card: AlertedCard, deliveryId: string): boolean {
  return isOfCard(card, deliveryId, card.answered);
}

/** A card that needed a person may need one again: it is told anew. */
export function alertedAnew({ alert = 1 }: Alerted): Alerted {
  return { alert: alert + 1 };
}

/** The same, and what was said of it until now counts no more. @param former absent: only its alerts may be known */
export function openedAnew(order: Order, card: AlertedCard, former?: Alerted): Alerted {
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
