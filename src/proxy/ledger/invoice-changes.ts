/** What an invoice becomes when more is known of it. Pure; the same for every ledger. */

import type { AttemptProgress, IssuedInvoice, RememberedInvoice } from './ledger.js';

/**
 * A candidate as an invoice of its order: nothing is known of it but what was asked for.
 * @param externalId the order whose card it may be, whatever the candidate says
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

/** A known invoice that a look-up found paid. What was paid counts, not what was asked for once. */
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
    // A candidate has none.
    orderCode: invoice.orderCode || orderCode,
    code: invoice.code || code,
  };
}

/** The invoice an attempt is known by; null while there is none. */
export function toInvoiceId(progress: AttemptProgress): string | null {
  if (progress.state === 'created') return progress.invoiceId;
  return progress.state === 'unknown' ? (progress.candidate?.invoiceId ?? null) : null;
}
