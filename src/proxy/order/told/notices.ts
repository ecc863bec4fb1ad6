/** What each notice for the merchant's server says. */

import { toDeliveryId } from '../order.js';
import type {
  Alerted,
  IssuedInvoice,
  KeptAttempt,
  MadeInvoice,
  DeliveryKind,
  InvoiceNotice,
  MismatchField,
  OutboxEvent,
  PaidNotice,
  ReturnedNotice,
  Order,
} from '../order.js';

/** The fields that every event about an invoice has. */
function toInvoiceNotice(kind: DeliveryKind, invoice: MadeInvoice): InvoiceNotice {
  const { externalId, invoiceId, orderCode, totalCents, method } = invoice;
  const deliveryId = toDeliveryId(kind, externalId, invoiceId);
  return { externalId, invoiceId, orderCode, totalCents, method, deliveryId };
}

/** The event for a payment. @param endToEndId null: the service gave none */
export function toPaid(
  invoice: MadeInvoice,
  said: Pick<PaidNotice, 'late' | 'duplicate'>,
  endToEndId: string | null,
): OutboxEvent {
  const found = endToEndId !== null && { endToEndId };
  return { kind: 'paid', notice: { ...toInvoiceNotice('paid', invoice), ...found, ...said } };
}

/** The event for a payment that is not what was created. */
export function toMismatch(issued: IssuedInvoice & Alerted, field: MismatchField): OutboxEvent {
  const { externalId, invoiceId, totalCents } = issued;
  const deliveryId = toMismatchId(issued);
  return { kind: 'mismatch', notice: { externalId, invoiceId, totalCents, field, deliveryId } };
}

/** The event for a Pix code. */
export function toWaiting(invoice: MadeInvoice): OutboxEvent {
  const { code, deadlineMs } = invoice;
  const expiry = deadlineMs !== null && { expiresAt: new Date(deadlineMs).toISOString() };
  return { kind: 'waiting', notice: { ...toInvoiceNotice('waiting', invoice), code, ...expiry } };
}

/** The event for a code whose deadline passed unpaid. */
export function toLapsed(invoice: MadeInvoice): OutboxEvent {
  return { kind: 'lapsed', notice: toInvoiceNotice('lapsed', invoice) };
}

/**
 * The event for a card that may have been charged.
 * @param invoiceId null: none is known
 */
export function toOutcomeUnknown(card: KeptAttempt, invoiceId: string | null): OutboxEvent {
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
export function toReturned(
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
