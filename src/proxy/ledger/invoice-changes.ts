/** How an invoice changes when the service tells more of it. Every store of the ledger applies these. */

import type { AttemptProgress, IssuedInvoice, RememberedInvoice } from './ledger.js';

/**
 * An unverified match as an invoice of its order: only the charge it was sent with is known.
 * @param externalId the order whose card it may be, not the one that the match names
 * @param nowMs milliseconds since 1970
 */
export function toUnverifiedMatchInvoice(
  candidate: IssuedInvoice,
  externalId: string,
  nowMs: number,
): RememberedInvoice {
  const { invoiceId, lookUpId, totalCents, method, deadlineMs } = candidate;
  const issued = { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs };
  return { ...issued, orderCode: '', code: '', status: 'pending', createdAtMs: nowMs };
}

/** A known invoice that a look-up found paid. The paid values count, not those of the creation. */
export function toPaidInvoice(
  known: RememberedInvoice,
  { status, totalCents, method, orderCode, code }: RememberedInvoice,
): RememberedInvoice {
  const { isReleased: _wrongly, ...invoice } = known;
  return {
    ...invoice,
    status,
    totalCents,
    method,
    // An unverified match has none.
    orderCode: invoice.orderCode || orderCode,
    code: invoice.code || code,
  };
}

/** The invoice an attempt is known by; null while there is none. */
export function toInvoiceId(progress: AttemptProgress): string | null {
  if (progress.state === 'created') return progress.invoiceId;
  return progress.state === 'unknown' ? (progress.candidate?.invoiceId ?? null) : null;
}
