/**
 * What is asked of the service for one priced order, whatever it is paid with, and what makes the answer be about it.
 *
 * Pure. Knows no call and no outcome: what a wrong answer means is decided by whoever sent the request.
 */

import { formatPayerField, normalizePayerField, payerFields } from '../../domain/payer.js';
import type { Payer } from '../../domain/payer.js';
import { invoiceIdPattern } from '../../contract/types.js';
import type { Method } from '../../contract/types.js';
import type { CreatedWireInvoice, CreationRequest, ServiceClient } from '../../service.js';
import type { Log } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import type { RememberedInvoice } from '../ledger/ledger.js';
import { toOrderCode, toStatusWord } from './passed-on.js';
import type { FieldFormat, PayableOrder } from '../config/options.js';
import type { Sandbox } from './sandbox-mark.js';
import type { ServiceErrors } from './service-errors.js';

/** What making invoices needs, by Pix and by card. */
export interface CreationParts {
  readonly settings: Settings;
  readonly service: ServiceClient;
  readonly faults: ServiceErrors;
  readonly sandbox: Sandbox;
  readonly log: Log;
  readonly toPostbackUrl: (externalId: string) => Promise<string>;
}

/** A priced order, ready to be invoiced. */
export interface PricedPayment {
  readonly externalId: string;
  /** What the merchant's code answered. */
  readonly order: PayableOrder;
  /** What the payer typed. */
  readonly typedPayer: Partial<Payer>;
  /** The payer's IP address, if known. */
  readonly clientAddress: string | null;
  readonly idempotencyKey: string;
}

/** The creation request, without a card. */
export function toCreationRequest(
  { externalId, order, typedPayer, clientAddress }: PricedPayment,
  method: Method,
  { methodNames, formats }: Settings,
  postbackUrl: string,
): CreationRequest {
  const payer = { ...toWritten(typedPayer, formats), ...toWritten(order.payer ?? {}, formats) };
  return {
    method: methodNames[method],
    total_price_cents: order.total_price_cents,
    external_id: externalId,
    postback_url: postbackUrl,
    ...(clientAddress === null ? {} : { ip_payer: clientAddress }),
    ...(order.product_fisical === undefined ? {} : { product_fisical: order.product_fisical }),
    ...(Object.keys(payer).length === 0 ? {} : { payer }),
    ...(order.items === undefined ? {} : { items: order.items }),
  };
}

/** The fields that say something, as the service wants them written. An empty one says nothing. */
function toWritten(
  payer: Partial<Payer>,
  formats: Readonly<Record<'cpf_cnpj' | 'phone' | 'address_zip', FieldFormat>>,
): Partial<Payer> {
  const maskable: Partial<Record<keyof Payer, FieldFormat>> = formats;
  const written: Partial<Payer> = {};
  for (const field of payerFields) {
    const bare = normalizePayerField(field, payer[field] ?? '');
    const isMasked = maskable[field] === 'masked';
    if (bare !== '') written[field] = isMasked ? formatPayerField(field, bare) : bare;
  }
  return written;
}

/** The service's answer as it is remembered. Only Pix has a code, and a deadline for it. */
export function toRememberedInvoice(
  wire: CreatedWireInvoice,
  { externalId, order }: PricedPayment,
  method: Method,
  { lookUpBy, statuses, now }: Settings,
): RememberedInvoice {
  const createdAtMs = now();
  const isPix = method === 'pix';
  const deadlineMs = order.expires_in === undefined ? null : createdAtMs + order.expires_in * 1_000;
  return {
    invoiceId: wire.invoice_id,
    lookUpId: lookUpBy === 'order_code' ? (wire.order_code ?? '') : wire.invoice_id,
    externalId,
    totalCents: order.total_price_cents,
    method,
    deadlineMs: isPix ? deadlineMs : null,
    orderCode: toOrderCode(wire.order_code),
    code: isPix ? (wire.qr_code_pix ?? '') : '',
    status: toStatusWord(wire.status, statuses.refused),
    createdAtMs,
  };
}

/** In what the invoice is not the one we asked for, or could not be looked up; null: it is the one. */
export function findWrongField(
  { lookUpId, method }: RememberedInvoice,
  wire: CreatedWireInvoice,
  request: CreationRequest,
  { cardLookUpTotal }: Pick<Settings, 'cardLookUpTotal'>,
): string | null {
  const isCompared = method !== 'credit_card' || cardLookUpTotal === 'sent';
  if (isCompared && wire.total_cents !== request.total_price_cents) return 'data.total_cents';
  // Null contradicts the echo that is specified, but names no other order; the first look-up compares again.
  const isForeign = wire.external_id !== null && wire.external_id !== request.external_id;
  if (isForeign) return 'data.external_id';
  return invoiceIdPattern.test(lookUpId) ? null : 'data.order_code';
}
