/** Counts the charges, so that a test can prove that money moved once. Pure: it computes them from the invoices each time. */

import type { SandboxInvoice } from './invoice.js';

/** An invoice that moved money, or may, without personal data. */
export interface Charge {
  readonly invoice_id: string;
  readonly external_id: string | null;
  readonly method: string;
  readonly status: string;
  readonly total_cents: number;
}

/** All charges. */
export interface Charges {
  /** A card counts from its creation, unless it is refused; Pix counts once it is paid. */
  readonly count: number;
  /** Sum of the charges, integer cents. */
  readonly total_cents: number;
  /** How many cards were sent, also refused ones. */
  readonly attempts: number;
  /** In order of creation. */
  readonly charges: readonly Charge[];
}

/** Assumed: these words say that no money moves (service spec shows `pending` and `paid` only). */
const statusWithoutMoney = /^(?:refused|failed|cancell?ed|expired|blocked|processing_error)$/;

/** Counts the charges. @param externalId only the charges of this reference; absent: all */
export function countCharges(invoices: readonly SandboxInvoice[], externalId?: string): Charges {
  const wanted =
    externalId === undefined
      ? invoices
      : invoices.filter(({ request }) => request.external_id === externalId);
  const charges = wanted.filter(mayMoveMoney).map(toCharge);
  return {
    count: charges.length,
    total_cents: charges.reduce((sum, { total_cents: cents }) => sum + cents, 0),
    attempts: wanted.filter(({ isPix }) => !isPix).length,
    charges,
  };
}

/** Whether the invoice counts as a charge. Once it was paid it stays a charge, whatever its status says later. */
function mayMoveMoney({ isPix, paidAtMs, status }: SandboxInvoice): boolean {
  return paidAtMs !== null || (!isPix && !statusWithoutMoney.test(status));
}

function toCharge({ invoiceId, request, status }: SandboxInvoice): Charge {
  return {
    invoice_id: invoiceId,
    external_id: request.external_id ?? null,
    method: request.method,
    status,
    total_cents: request.total_price_cents,
  };
}
