/** What callers of the ledger ask of its records. */

import { toInvoiceId } from '../order/questions.js';
import type { IssuedInvoice, OrderRecord, RememberedAttempt, RememberedInvoice } from './ledger.js';

export { isNamedBy, isOpen, toInvoiceId } from '../order/questions.js';

/** The invoice of a charge: its own, or the unverified match while its outcome is unknown; null: none is known. */
export function findCardInvoice(
  attempt: RememberedAttempt,
  { invoices }: OrderRecord,
): IssuedInvoice | null {
  if (attempt.progress.state === 'unknown') return attempt.progress.candidate;
  return invoices.find(({ invoiceId }) => invoiceId === toInvoiceId(attempt.progress)) ?? null;
}

/** The invoice with this id, if a look-up found it paid; null: none did. The payment may be a second one of its order. */
export function findPaid({ invoices }: OrderRecord, invoiceId: string): RememberedInvoice | null {
  return invoices.find((one) => one.invoiceId === invoiceId && one.isPaid) ?? null;
}

/** What an invoice was created as, without the fields of its create answer. */
export function toIssued(invoice: IssuedInvoice): IssuedInvoice {
  const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
  return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs };
}

type Operation = (...args: unknown[]) => Promise<unknown>;

/** The same operations, each in other hands. A ledger's clock is none. */
export function withEach<T extends object>(
  operations: T,
  toOperation: (run: Operation, name: string) => Operation,
): T {
  const made = Object.entries(operations).map(([name, value]: [string, unknown]) => {
    const isOne = typeof value === 'function' && name !== 'now';
    return [name, isOne ? toOperation(value as Operation, name) : value];
  });
  return Object.fromEntries(made) as T;
}
