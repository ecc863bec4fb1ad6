/**
 * What the merchant's server is told, as the order keeps it until it was told: what each kind says. Holds no personal data.
 * `notices.ts` makes the notices, `run/due/hook-calls.ts` tells them.
 */

import type { Method } from '../../../contract/types.js';

/**
 * `waiting`: a Pix code exists. `lapsed`: its deadline passed unpaid. `outcome_unknown`: the outcome of a charge is unknown.
 * `returned`: an invoice that was paid is not any more.
 */
export type DeliveryKind =
  'paid' | 'waiting' | 'lapsed' | 'outcome_unknown' | 'mismatch' | 'returned';

/**
 * The event's id: derived, so that it is the same after a store was lost. The reference is part of it, for a wrong
 * answer of the service can name an invoice of another order.
 * @param subject the invoice's id, or the holder of an attempt
 */
export function toDeliveryId(kind: DeliveryKind, externalId: string, subject: string): string {
  return [kind, externalId, subject].join('~');
}

/** The hook that hears of each kind. */
export const hookNames = {
  paid: 'onPaid',
  waiting: 'onPixWaiting',
  lapsed: 'onLapsed',
  outcome_unknown: 'onOutcomeUnknown',
  mismatch: 'onMismatch',
  returned: 'onReturned',
} as const satisfies Record<DeliveryKind, string>;

/** In what a paid invoice may not be the one that was created. */
export const mismatchFields = ['external_id', 'total_cents', 'is_pix'] as const;

export type MismatchField = (typeof mismatchFields)[number];

/** What every event about an invoice says. Amounts are integer cents. */
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
  /** This is told late, and the payment went back since: do not ship. `onReturned` comes next. */
  readonly returned?: true;
}

/** A Pix code was handed out. */
export interface PixWaitingNotice extends InvoiceNotice {
  readonly code: string;
  /** When the merchant's deadline ends, ISO 8601; absent: none. */
  readonly expiresAt?: string;
  /** The code as a PNG, for e-mails; absent where the package `qrcode` is not installed. After payment or expiry it says so. */
  readonly qrImageUrl?: string;
  /** A link to the payment page, a day long; absent without `paymentPage`. */
  readonly paymentUrl?: string;
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

/** The service no longer calls an invoice paid that was. One notice for each status. */
export interface ReturnedNotice extends InvoiceNotice {
  /** The service's word, such as `refunded`; `unknown` where it is no plain word. */
  readonly status: string;
  /** False: `statuses` does not list the word, so that it may mean something else. Let a person look before you act. */
  readonly isListed: boolean;
  /** The way of the change. `true`: the service calls it paid once more, as after a contest that the shop won. */
  readonly isPaidAgain: boolean;
  /** It is not the invoice that paid the order, but one that was paid beside it. */
  readonly duplicate: boolean;
  /** The Pix end-to-end id of the payment, where the service gave one. */
  readonly endToEndId?: string;
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

/** An event by its kind. */
export type OutboxEvent =
  | { readonly kind: 'paid'; readonly notice: PaidNotice }
  | { readonly kind: 'waiting'; readonly notice: PixWaitingNotice }
  | { readonly kind: 'lapsed'; readonly notice: LapsedNotice }
  | { readonly kind: 'outcome_unknown'; readonly notice: OutcomeUnknownNotice }
  | { readonly kind: 'mismatch'; readonly notice: MismatchNotice }
  | { readonly kind: 'returned'; readonly notice: ReturnedNotice };
