/** What the tests of a ledger put into it. */
import type { DeliveryKind } from '../../../../src/proxy/order/outbox-events.js';
import type {
  Attempt,
  AttemptProgress,
  RememberedInvoice,
} from '../../../../src/proxy/ledger/ledger.js';

/** When the clock starts: above 32 bits, as times are. */
export const startMs = 1_795_000_000_000;

export function toInvoice(fields: Partial<RememberedInvoice> = {}): RememberedInvoice {
  return {
    invoiceId: 'invoice-1',
    lookUpId: 'look-up-1',
    externalId: 'order-1',
    totalCents: 12_345,
    method: 'pix',
    deadlineMs: null,
    orderCode: 'código 1',
    code: '00020126BR',
    status: 'pending',
    createdAtMs: startMs,
    ...fields,
  };
}

export function toPaid(fields: Partial<RememberedInvoice> = {}): RememberedInvoice {
  return toInvoice({ ...fields, status: 'paid' });
}

/** One that is paid, as it is found. */
export function toKnownPaid(fields: Partial<RememberedInvoice> = {}): RememberedInvoice {
  return { ...toPaid(fields), isPaid: true };
}

/** The invoice of a card. */
export function toCharge(fields: Partial<RememberedInvoice> = {}): RememberedInvoice {
  return toInvoice({ method: 'credit_card', ...fields });
}

/** An invoice as it was issued, without the rest. */
export function toIssued(invoice: RememberedInvoice) {
  const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
  return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs };
}

export function toPix(fields: Partial<Attempt> = {}): Attempt {
  return {
    key: 'key-1',
    scope: 'scope-1',
    externalId: 'order-1',
    method: 'pix',
    totalCents: 12_345,
    installment: 1,
    holder: 'holder-1',
    ...fields,
  };
}

export function toCard(fields: Partial<Attempt> = {}): Attempt {
  return toPix({ key: 'card-1', scope: 'card', method: 'credit_card', ...fields });
}

/** How far an attempt may have come. */
export const stages = {
  claimed: { state: 'claimed' },
  sent: { state: 'sent' },
  unknown: { state: 'unknown', candidate: null },
  created: { state: 'created', invoiceId: 'invoice-1' },
  refused: { state: 'refused' },
} as const satisfies Record<string, AttemptProgress>;

/** A payment of which the service gave no end-to-end id. */
export const none = { endToEndId: null };

/** `[1, …, count]` */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

export const allKinds: readonly DeliveryKind[] = [
  'paid',
  'waiting',
  'lapsed',
  'outcome_unknown',
  'mismatch',
];
