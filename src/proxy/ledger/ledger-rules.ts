/** What callers of the ledger ask of its records. */

import type { IssuedInvoice } from './ledger.js';

export { isNamedBy, toInvoiceId } from '../order/questions.js';

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
