/**
 * One invoice of the sandbox: how it is made, changed, and written as the service writes it. Pure, and it never keeps a card.
 */

import { hourMs } from '../domain/spans.js';
import type { ReceivedCreation } from '../service/wire.js';
import { writeBrCode } from './br-code-writer.js';
import type { TestCard, TestOutcome } from './test-cards.js';

/** An invoice as the sandbox remembers it. Amounts are integer cents, times milliseconds since 1970. */
export interface SandboxInvoice {
  readonly invoiceId: string;
  readonly orderCode: string;
  /** The running number behind `order_code`, `InvoiceID` and `client.id`. */
  readonly number: number;
  readonly isPix: boolean;
  readonly installments: number;
  readonly qrCodePix: string;
  /** The creation request without the card. */
  readonly request: Omit<ReceivedCreation, 'card'>;
  /** The paths of all received fields, such as `payer.email`, without values. */
  readonly receivedFields: readonly string[];
  readonly status: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When it was first paid, whatever its status says now. */
  readonly paidAtMs: number | null;
  /** Set when a Pix invoice was settled. */
  readonly endToEndId: string | null;
  /** The status in which a pending card ends by itself after more look-ups; null if it does not. */
  readonly verdict: { readonly status: 'paid' | 'refused'; readonly lookUpsLeft: number } | null;
}

/** A valid creation request. */
export interface Creation {
  readonly request: ReceivedCreation;
  readonly isPix: boolean;
  /** Undefined: Pix, or a card that is not in the list. */
  readonly testCard: TestCard | undefined;
}

export interface InvoiceTools {
  readonly now: () => number;
  readonly randomUuid: () => string;
  /** For how many look-ups a test card stays pending before it ends by itself. */
  readonly pendingLookUps: number;
}

/**
 * The payer of every settled invoice. It is another person than the buyer, so that a test can tell which of the two leaked.
 */
export const sandboxPayer = { cpf: '12345678909', name: 'Pagador de Teste' } as const;

/** No bank has this number. */
const sandboxIspb = '99999999';

/** Brazil has had no summer time since 2019. */
const brasiliaOffsetMs = -3 * hourMs;

/** Makes an invoice. A test card says how it begins; any other payment begins as `pending`. */
export function createInvoice(
  { request: { card, ...request }, isPix, testCard }: Creation,
  number: number,
  { now, randomUuid, pendingLookUps }: InvoiceTools,
): SandboxInvoice {
  const nowMs = now();
  // Assumed: a card that is not in the list waits for a settlement by hand, as Pix does.
  const { status, endsAs }: TestOutcome = testCard ?? { status: 'pending' };
  return {
    invoiceId: randomUuid(),
    // Assumed: any text that an id may be (service spec does not show its form).
    orderCode: `SBX-${String(number).padStart(6, '0')}`,
    number,
    isPix,
    installments: card?.installment ?? 1,
    // Assumed: there is no code for a card (service spec does not show what stands there).
    qrCodePix: isPix ? writeBrCode(request.total_price_cents, dropDashes(randomUuid())) : '',
    request,
    receivedFields: toFieldNames(card === undefined ? request : { ...request, card }),
    status,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    paidAtMs: status === 'paid' ? nowMs : null,
    endToEndId: null,
    verdict: endsAs === undefined ? null : { status: endsAs, lookUpsLeft: pendingLookUps },
  };
}

/** Pays an invoice. Assumed: a second payment changes nothing (service spec does not show it). */
export function settleInvoice(
  invoice: SandboxInvoice,
  nowMs: number,
  uuid: string,
): SandboxInvoice {
  if (invoice.paidAtMs !== null) return invoice;
  // Assumed: a card has no end-to-end id, which is a word of Pix (service spec does not show a paid card).
  const endToEndId = invoice.isPix ? toEndToEndId(nowMs, uuid) : null;
  return { ...setStatus(invoice, 'paid', nowMs), endToEndId };
}

/** Sets any status, known or not. */
export function setStatus(invoice: SandboxInvoice, status: string, nowMs: number): SandboxInvoice {
  const paidAtMs = invoice.paidAtMs ?? (status === 'paid' ? nowMs : null);
  return { ...invoice, status, updatedAtMs: nowMs, paidAtMs };
}

/** Counts a look-up. After a number of them, a test card with a verdict ends. */
export function recordLookUp(invoice: SandboxInvoice, nowMs: number): SandboxInvoice {
  const { verdict } = invoice;
  if (verdict === null || invoice.status !== 'pending') return invoice;
  if (verdict.lookUpsLeft <= 0) return setStatus(invoice, verdict.status, nowMs);
  return { ...invoice, verdict: { ...verdict, lookUpsLeft: verdict.lookUpsLeft - 1 } };
}

/** `data` of the creation answer. */
export function toCreationData(invoice: SandboxInvoice) {
  return {
    external_id: invoice.request.external_id ?? null,
    invoice_id: invoice.invoiceId,
    order_code: invoice.orderCode,
    qr_code_pix: invoice.qrCodePix,
    status: invoice.status,
    total_cents: invoice.request.total_price_cents,
  };
}

/** `data` of the look-up answer, with every field of the specification. */
export function toLookUpData(invoice: SandboxInvoice) {
  const { request, endToEndId } = invoice;
  return {
    ...toCreationData(invoice),
    // Assumed: the client is the payer of the creation (service spec does not show where it comes from).
    client: {
      cpf_cnpj: request.payer?.cpf_cnpj ?? null,
      email: request.payer?.email ?? null,
      id: invoice.number,
      name: request.payer?.name ?? null,
      phone: request.payer?.phone ?? null,
    },
    created_at: toTimestamp(invoice.createdAtMs),
    updated_at: toTimestamp(invoice.updatedAtMs),
    // Assumed: null until it is paid (service spec does not show a pending look-up).
    end_to_end_id: endToEndId,
    payer: endToEndId === null ? null : { ...sandboxPayer, end_to_end_id: endToEndId },
    installments: invoice.installments,
    is_pix: invoice.isPix,
    items: (request.items ?? []).map((item, index) => ({
      ID: invoice.number * 100 + index,
      InvoiceID: invoice.number,
      Title: item.name ?? '',
      Description: item.description ?? '',
      Quantity: item.quantity ?? 1,
      // Assumed: cents (service spec does not show the unit).
      UnitPrice: item.unit_price ?? 0,
      // Assumed: from the order's kind of product (service spec does not show the values).
      Tangible: (request.product_fisical ?? 'digital') !== 'digital',
      ExternalRef: null,
    })),
  };
}

/** An invoice as the control surface shows it, without personal data. */
export function toSummary(invoice: SandboxInvoice) {
  return {
    ...toCreationData(invoice),
    method: invoice.request.method,
    end_to_end_id: invoice.endToEndId,
    created_at: toTimestamp(invoice.createdAtMs),
    updated_at: toTimestamp(invoice.updatedAtMs),
    received: invoice.receivedFields,
  };
}

/** Body of the postback. Assumed: these fields, amounts in cents (service spec does not show it). */
export function toPostback(invoice: SandboxInvoice) {
  return {
    id: invoice.invoiceId,
    status: invoice.status,
    amount: invoice.request.total_price_cents,
    total: invoice.request.total_price_cents,
    method: invoice.request.method,
    end_to_end_id: invoice.endToEndId,
    external_id: invoice.request.external_id ?? null,
  };
}

/** ISO 8601 with offset and fractional seconds. Assumed: Brasília's offset, six digits (the spec shows neither). */
function toTimestamp(ms: number): string {
  return new Date(ms + brasiliaOffsetMs).toISOString().replace('Z', '000-03:00');
}

/** `E`, the bank's number, the minute in UTC, eleven characters (Banco Central, API Pix 2.9, EndToEndId). */
function toEndToEndId(ms: number, uuid: string): string {
  const minute = new Date(ms).toISOString().replaceAll(/\D/g, '').slice(0, 12);
  return `E${sandboxIspb}${minute}${dropDashes(uuid).slice(0, 11)}`;
}

function dropDashes(uuid: string): string {
  return uuid.replaceAll('-', '');
}

/** Lists the paths of all fields, such as `payer.email`. A list counts as one field. */
function toFieldNames(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, field]: [string, unknown]) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? toFieldNames(field, `${prefix}${key}.`)
      : [prefix + key],
  );
}
