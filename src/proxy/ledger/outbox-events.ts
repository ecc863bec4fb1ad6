/**
 * What the merchant's server is told, as the ledger keeps it until it was told. Types, and what each kind says.
 *
 * Holds no personal data. `outbox/outbox.ts` delivers them.
 */

import type { Method } from '../../contract/types.js';

/** `waiting`: a Pix code exists. `lapsed`: its deadline passed unpaid. `outcome_unknown`: the outcome of a charge is unknown. */
export type DeliveryKind = 'paid' | 'waiting' | 'lapsed' | 'outcome_unknown' | 'mismatch';

/** In what a paid invoice may not be the one that was created. */
export const mismatchFields = ['external_id', 'total_cents', 'is_pix'] as const;

/** One of them. */
export type MismatchField = (typeof mismatchFields)[number];

/** What every delivery about an invoice says. Amounts are integer cents. */
export interface InvoiceNotice {
  /** The merchant's reference of the order. */
  readonly externalId: string;
  readonly invoiceId: string;
  readonly orderCode: string;
  readonly totalCents: number;
  readonly method: Method;
  /** The same for every try: a receiver that has seen it does nothing. */
  readonly deliveryId: string;
}

/** An invoice is paid. */
export interface PaidNotice extends InvoiceNotice {
  /** The Pix end-to-end id, where the service gave one. */
  readonly endToEndId?: string;
  /** `onLapsed` was told of the order before: the goods may be gone. */
  readonly late: boolean;
  /** Another invoice of the order was paid before: the payer paid twice. */
  readonly duplicate: boolean;
}

/** A Pix code was handed out. */
export interface PixWaitingNotice extends InvoiceNotice {
  /** The Pix code. */
  readonly code: string;
  /** When the merchant's deadline ends, ISO 8601; absent: none. */
  readonly expiresAt?: string;
}

/** A deadline passed, and a look-up after it said not paid. */
export type LapsedNotice = InvoiceNotice;

/** A paid invoice is not what was created. Nothing is fulfilled for it. */
export interface MismatchNotice {
  readonly externalId: string;
  readonly invoiceId: string;
  /** What was created, integer cents. */
  readonly totalCents: number;
  readonly field: MismatchField;
  readonly deliveryId: string;
}

/** A card may have been charged: the answer is unknown. */
export interface OutcomeUnknownNotice {
  readonly externalId: string;
  /** Integer cents. */
  readonly totalCents: number;
  /** The invoice, where one is known: the card is still open, or the answer named one that may be it. */
  readonly invoiceId?: string;
  /** When the card was sent, or claimed if that is all that is known, ISO 8601. */
  readonly attemptedAt: string;
  readonly deliveryId: string;
}

/** A delivery by its kind. */
export type OutboxEvent =
  | { readonly kind: 'paid'; readonly notice: PaidNotice }
  | { readonly kind: 'waiting'; readonly notice: PixWaitingNotice }
  | { readonly kind: 'lapsed'; readonly notice: LapsedNotice }
  | { readonly kind: 'outcome_unknown'; readonly notice: OutcomeUnknownNotice }
  | { readonly kind: 'mismatch'; readonly notice: MismatchNotice };

/** A delivery that is this process's to try now. */
export type ClaimedEvent = OutboxEvent & {
  /** How often it was tried, this time included. */
  readonly tries: number;
  /** Milliseconds since 1970. */
  readonly queuedAtMs: number;
};

/**
 * The delivery's id: derived, so that it is the same after a ledger was lost. The reference is part of it, for a wrong
 * answer of the service can name an invoice of another order.
 * @param subject the invoice's id, or the holder of an attempt
 */
export function toDeliveryId(kind: DeliveryKind, externalId: string, subject: string): string {
  return [kind, externalId, subject].join('~');
}

/** The fields that every event about an invoice has. */
export function toInvoiceNotice(
  kind: DeliveryKind,
  invoice: Omit<InvoiceNotice, 'deliveryId'>,
): InvoiceNotice {
  const { externalId, invoiceId, orderCode, totalCents, method } = invoice;
  const deliveryId = toDeliveryId(kind, externalId, invoiceId);
  return { externalId, invoiceId, orderCode, totalCents, method, deliveryId };
}

/** The event for a Pix code. @param deadlineMs milliseconds since 1970; null: none */
export function toWaitingNotice({
  code,
  deadlineMs,
  ...invoice
}: Omit<InvoiceNotice, 'deliveryId'> & {
  readonly code: string;
  readonly deadlineMs: number | null;
}): PixWaitingNotice {
  const expiry = deadlineMs === null ? {} : { expiresAt: new Date(deadlineMs).toISOString() };
  return { ...toInvoiceNotice('waiting', invoice), code, ...expiry };
}

/**
 * The event for a card that may have been charged.
 * @param invoiceId null: none is known
 */
export function toOutcomeUnknownNotice(
  {
    externalId,
    totalCents,
    holder,
  }: { readonly externalId: string; readonly totalCents: number; readonly holder: string },
  claimedAtMs: number,
  invoiceId: string | null,
): OutcomeUnknownNotice {
  return {
    externalId,
    totalCents,
    ...(invoiceId === null ? {} : { invoiceId }),
    attemptedAt: new Date(claimedAtMs).toISOString(),
    deliveryId: toDeliveryId('outcome_unknown', externalId, holder),
  };
}
