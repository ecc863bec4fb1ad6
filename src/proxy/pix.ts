/**
 * Makes one Pix invoice at the service and checks what came back before anybody sees it.
 *
 * Owns the creation request and the checks. Knows nothing of other invoices of the order (`debts.ts`), and sends once.
 */

import { BrCodeError, parseBrCode } from '../domain/br-code.js';
import { formatPayerField, normalizePayerField, payerFields } from '../domain/payer.js';
import type { Payer, PayerField } from '../domain/payer.js';
import { invoiceIdPattern } from '../contract/types.js';
import type { CreatedWireInvoice, CreationRequest, ServiceClient } from '../service.js';
import type { Log } from './log.js';
import type { Settings } from './options.js';
import type { RememberedInvoice } from './orders/orders.js';
import { unavailable } from './refusal.js';
import type { Sandbox } from './sandbox-mark.js';
import type { ServiceFaults } from './service-faults.js';
import type { FieldFormat, PayableOrder } from './types.js';

/** A priced order, ready to be invoiced. */
export interface PixOrder {
  readonly externalId: string;
  /** What the merchant's code answered. */
  readonly order: PayableOrder;
  /** What the payer typed. */
  readonly typedPayer: Partial<Payer>;
  /** The payer's IP address, if known. */
  readonly clientAddress: string | null;
  readonly idempotencyKey: string;
}

/** What making invoices needs. */
export interface PixParts {
  readonly settings: Settings;
  readonly service: ServiceClient;
  readonly faults: ServiceFaults;
  readonly sandbox: Sandbox;
  readonly log: Log;
  readonly toPostbackUrl: (externalId: string) => Promise<string>;
}

/** Makes one invoice. @throws Refusal; then nothing was handed out, and a later try may make another */
export type CreatePix = (pixOrder: PixOrder) => Promise<RememberedInvoice>;

/** Makes the function that creates Pix invoices. */
export function createPixCreation(parts: PixParts): CreatePix {
  const { settings, service, faults, sandbox, log, toPostbackUrl } = parts;

  return async function createPix(pixOrder) {
    const { externalId, idempotencyKey } = pixOrder;
    const isPayerTyped = Object.keys(pixOrder.typedPayer).length > 0;
    try {
      const request = toRequest(pixOrder, settings, await toPostbackUrl(externalId));
      const options = settings.forwardIdempotencyKey ? { idempotencyKey } : {};
      const wire = await service.createInvoice(request, options);
      faults.succeeded();
      const invoice = toInvoice(wire, pixOrder, settings);
      refuseIf(externalId, 'invalid_answer', findWrongField(invoice, wire, request));
      refuseIf(externalId, 'invalid_code', findCodeFault(invoice, settings.allowUnverifiedCodes));
      sandbox.noteCreated(invoice.invoiceId, invoice.code, wire.isSandbox);
      return invoice;
    } catch (thrown) {
      throw faults.toRefusal(thrown, { operation: 'create', externalId, isPayerTyped });
    }
  };

  /** The service made something, but nothing that may be shown for this order. Nobody saw it: it harms nobody. */
  function refuseIf(
    externalId: string,
    event: 'invalid_answer' | 'invalid_code',
    field: string | null,
  ): void {
    if (field === null) return;
    log({ level: 'error', event, operation: 'create', externalId, field });
    throw unavailable();
  }
}

function toRequest(
  { externalId, order, typedPayer, clientAddress }: PixOrder,
  { methodNames, formats }: Settings,
  postbackUrl: string,
): CreationRequest {
  const payer = { ...toWritten(typedPayer, formats), ...toWritten(order.payer ?? {}, formats) };
  return {
    method: methodNames.pix,
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
  formats: Partial<Record<PayerField, FieldFormat>>,
): Partial<Payer> {
  const written: Partial<Payer> = {};
  for (const field of payerFields) {
    const bare = normalizePayerField(field, payer[field] ?? '');
    const isMasked = formats[field] === 'masked';
    if (bare !== '') written[field] = isMasked ? formatPayerField(field, bare) : bare;
  }
  return written;
}

function toInvoice(
  wire: CreatedWireInvoice,
  { externalId, order }: PixOrder,
  { lookUpBy, now }: Settings,
): RememberedInvoice {
  const createdAtMs = now();
  return {
    invoiceId: wire.invoice_id,
    lookUpId: lookUpBy === 'order_code' ? (wire.order_code ?? '') : wire.invoice_id,
    externalId,
    totalCents: wire.total_cents,
    method: 'pix',
    deadlineMs: order.expires_in === undefined ? null : createdAtMs + order.expires_in * 1_000,
    orderCode: wire.order_code ?? '',
    code: wire.qr_code_pix ?? '',
    status: wire.status,
    createdAtMs,
  };
}

/** In what the invoice is not the one we asked for, or could not be looked up. */
function findWrongField(
  { lookUpId }: RememberedInvoice,
  wire: CreatedWireInvoice,
  request: CreationRequest,
): string | null {
  if (wire.total_cents !== request.total_price_cents) return 'data.total_cents';
  // Null contradicts the echo that is specified, but names no other order; the first look-up compares again.
  const isForeign = wire.external_id !== null && wire.external_id !== request.external_id;
  if (isForeign) return 'data.external_id';
  return invoiceIdPattern.test(lookUpId) ? null : 'data.order_code';
}

/** Why no bank would pay this code, or would pay another sum; null if one would. */
function findCodeFault(
  { code, totalCents }: RememberedInvoice,
  isUnverified: boolean,
): string | null {
  if (code === '') return 'no-code';
  if (isUnverified) return null;
  try {
    const { kind, amountCents } = parseBrCode(code);
    if (kind === 'recurrence') return 'recurrence';
    // Behind a location the bank asks for the amount again; a key's code is paid as it is written.
    const differs = kind === 'static' && amountCents !== null && amountCents !== totalCents;
    return differs ? 'amount-differs' : null;
  } catch (thrown) {
    return thrown instanceof BrCodeError ? thrown.fault : 'unreadable';
  }
}
