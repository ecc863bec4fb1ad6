/** A ledger to be tested, and what is put into it. Knows no store. */
import type { ClaimedEvent, DeliveryKind } from '../../../../src/proxy/ledger/outbox-events.js';
import type { Attempt, Ledger, RememberedInvoice } from '../../../../src/proxy/ledger/ledger.js';

/** One empty store, open. */
export interface Bench {
  readonly ledger: Ledger;
  /** Another handle on the same store, as another process has it; the same one, where there is only one. */
  readonly other: Ledger;
  /** What both handles take for the time. */
  readonly clock: { nowMs: number };
}

/** Runs with an empty store, and clears it away afterwards. */
export type WithBench = (run: (bench: Bench) => Promise<void>) => Promise<void>;

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

/** Claims whatever is due, for no time at all: it is due again at once. */
export function peekDeliveries(ledger: Ledger): Promise<readonly ClaimedEvent[]> {
  return ledger.claimEvents(allKinds, 100, 0);
}

/** The kinds of what is due, oldest first. */
export async function peekKinds(ledger: Ledger): Promise<DeliveryKind[]> {
  return (await peekDeliveries(ledger)).map(({ kind }) => kind);
}
