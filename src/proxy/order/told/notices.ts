/** What each notice for the merchant's server says. */

import { toMismatchId, toOutcomeUnknownId } from './alerts.js';
import { toDeliveryId } from './outbox-events.js';
import type { Alerted, IssuedInvoice, KeptAttempt, MadeInvoice } from '../order.js';
import type {
  DeliveryKind,
  InvoiceNotice,
  MismatchField,
  MismatchNotice,
  OutcomeUnknownNotice,
  PaidNotice,
  PixWaitingNotice,
  ReturnedNotice,
} from './outbox-events.js';

/** The fields that every event about an invoice has. */
export function toInvoiceNotice(kind: DeliveryKind, invoice: MadeInvoice): InvoiceNotice {
  const { externalId, invoiceId, orderCode, totalCents, method } = invoice;
  const deliveryId = toDeliveryId(kind, externalId, invoiceId);
  return { externalId, invoiceId, orderCode, totalCents, method, deliveryId };
}

/** The event for a payment. @param endToEndId null: the service gave none */
export function toPaidNotice(
  invoice: MadeInvoice,
  said: Pick<PaidNotice, 'late' | 'duplicate'>,
  endToEndId: string | null,
): PaidNotice {
  return {
    ...toInvoiceNotice('paid', invoice),
    ...(endToEndId !== null && { endToEndId }),
    ...said,
  };
}

/** The event for a payment that is not what was created. */
export function toMismatchNotice(
  issued: IssuedInvoice & Alerted,
  field: MismatchField,
): MismatchNotice {
  const { externalId, invoiceId, totalCents } = issued;
  return { externalId, invoiceId, totalCents, field, deliveryId: toMismatchId(issued) };
}

/** The event for a Pix code. */
export function toWaitingNotice(invoice: MadeInvoice): PixWaitingNotice {
  const { code, deadlineMs } = invoice;
  const expiry = deadlineMs === null ? {} : { expiresAt: new Date(deadlineMs).toISOString() };
  return { ...toInvoiceNotice('waiting', invoice), code, ...expiry };
}

/**
 * The event for a card that may have been charged.
 * @param invoiceId null: none is known
 */
export function toOutcomeUnknownNotice(
  card: KeptAttempt,
  invoiceId: string | null,
): OutcomeUnknownNotice {
  const { externalId, totalCents, claimedAtMs } = card;
  const attemptedAt = new Date(claimedAtMs).toISOString();
  const found = invoiceId === null ? {} : { invoiceId };
  return { externalId, totalCents, ...found, attemptedAt, deliveryId: toOutcomeUnknownId(card) };
}

/**
 * The event for a paid invoice that the service calls otherwise than before.
 * @param change which change of its word it is, from 1
 */
export function toReturnedNotice(
  invoice: MadeInvoice,
  said: Pick<ReturnedNotice, 'status' | 'isListed' | 'duplicate' | 'isPaidAgain'>,
  endToEndId: string | null,
  change: number,
): ReturnedNotice {
  const { externalId, invoiceId } = invoice;
  const subject = [invoiceId, said.status, ...(change > 1 ? [change] : [])].join('~');
  const deliveryId = toDeliveryId('returned', externalId, subject);
  const found = endToEndId === null ? {} : { endToEndId };
  return { ...toInvoiceNotice('returned', invoice), ...found, ...said, deliveryId };
}
