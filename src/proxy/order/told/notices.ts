/** What each notice for the merchant's server says. */

import { toMismatchId, toOutcomeUnknownId } from './alerts.js';
import { toDeliveryId } from './outbox-events.js';
import type { Alerted, IssuedInvoice, KeptAttempt, MadeInvoice } from '../order.js';
import type {
  DeliveryKind,
  InvoiceNotice,
  MismatchField,
  OutboxEvent,
  PaidNotice,
  ReturnedNotice,
} from './outbox-events.js';

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
