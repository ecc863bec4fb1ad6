/**
 * What the browser gets to see of an invoice, built field by field: a field that is not named here never leaves. No
 * client, no payer, no end-to-end id.
 */

import type { CreatedInvoice, InvoiceStatus, MismatchStatus } from '../../contract/types.js';
import type { WireInvoice } from '../../service.js';
import type { Settings } from '../config/read-options.js';
import type { MismatchField } from '../ledger/outbox-events.js';
import type { IssuedInvoice, RememberedInvoice } from '../ledger/ledger.js';
import {
  isPassableCode,
  toInstallments,
  toMoment,
  toOrderCode,
  toStatusWord,
} from './passed-on.js';

/** `data` of the create answer. @param lookUpToken made anew for each answer */
export function toCreatedInvoice(
  invoice: RememberedInvoice,
  lookUpToken: string,
  nowMs: number,
): CreatedInvoice {
  return {
    invoice_id: invoice.invoiceId,
    order_code: invoice.orderCode,
    external_id: invoice.externalId,
    qr_code_pix: invoice.code,
    status: invoice.status,
    total_cents: invoice.totalCents,
    lookup_token: lookUpToken,
    ...toDeadline(invoice, nowMs),
  };
}

/**
 * `data` of the look-up answer, but for `expires_in`, which depends on when it is asked. Another order's reference is not
 * told: the page hears that it is not its own.
 */
export function toInvoiceStatus(
  wire: WireInvoice,
  issued: IssuedInvoice,
  { statuses, allowUnverifiedCodes }: Pick<Settings, 'statuses' | 'allowUnverifiedCodes'>,
): InvoiceStatus {
  const code = wire.qr_code_pix ?? '';
  return {
    invoice_id: wire.invoice_id,
    order_code: toOrderCode(wire.order_code),
    external_id: wire.external_id === issued.externalId ? issued.externalId : null,
    status: toStatusWord(wire.status, statuses.refused),
    is_pix: wire.is_pix ?? issued.method === 'pix',
    total_cents: wire.total_cents,
    installments: toInstallments(wire.installments),
    ...(isPassableCode(code, allowUnverifiedCodes) ? { qr_code_pix: code } : {}),
    created_at: toMoment(wire.created_at),
    updated_at: toMoment(wire.updated_at),
  };
}

/** A payment that is not of what was created is told as what was created, under a word that is not `paid`. */
export function toMismatchStatus(
  found: InvoiceStatus,
  { externalId, totalCents, method }: IssuedInvoice,
  field: MismatchField,
): InvoiceStatus {
  const isAmount = field === 'total_cents';
  const status: MismatchStatus = isAmount ? 'amount_mismatch' : 'reference_mismatch';
  const created = { external_id: externalId, total_cents: totalCents, is_pix: method === 'pix' };
  return { ...found, ...created, status };
}

/** Whole seconds left of the merchant's deadline, rounded up: a page must not be early. */
export function toDeadline({ deadlineMs }: IssuedInvoice, nowMs: number): { expires_in?: number } {
  if (deadlineMs === null) return {};
  return { expires_in: Math.max(0, Math.ceil((deadlineMs - nowMs) / 1_000)) };
}

/** An invoice as a look-up shows it, for an order that this process has not seen, or no longer remembers. */
export function toFoundInvoice(
  issued: IssuedInvoice,
  { order_code: orderCode, qr_code_pix: code = '', status }: InvoiceStatus,
  nowMs: number,
): RememberedInvoice {
  return { ...issued, orderCode, code, status, createdAtMs: nowMs };
}
