/**
 * An invoice in three forms: as the proxy requests it from the service, as the store keeps it, and as a browser sees it. Each
 * form is built field by field, so that no other field leaves the proxy. A text that does not look like its field, such as a
 * CPF for an order code, is left out; the payment goes on. Pure.
 */

import { invoiceIdPattern } from '../../contract/types.js';
import type {
  CreatedInvoice,
  InvoiceStatus,
  Method,
  MismatchStatus,
} from '../../contract/types.js';
import { formatPayerField, normalizePayerField, payerFields } from '../../domain/payer.js';
import type { Payer } from '../../domain/payer.js';
import type {
  CreatedWireInvoice,
  CreationRequest,
  SendingOptions,
  TraceContext,
  WireInvoice,
} from '../../service.js';
import type { FieldFormat, PayableOrder } from '../set-up/options/options.js';
import type { Settings } from '../set-up/options/read-options.js';
import type { IssuedInvoice, MadeInvoice, MismatchField, SentAs } from '../order/order.js';
import { mismatchFields } from '../order/order.js';
import type { Moment } from '../runtime/running.js';
import type { Sandbox, ServiceCalls } from './service-calls.js';
import { maxBrCodeLength, parseBrCode } from '../../domain/br-code.js';
import { maxInstallments } from '../../domain/card/installments.js';
import { isCpf } from '../../domain/tax-id.js';
import type { ServiceAnswer, Meaning } from '../order/apply-answer.js';

/** The parts that Pix and card creations share. */
export interface CreationParts {
  readonly settings: Settings;
  readonly service: ServiceCalls;
  readonly sandbox: Sandbox;
  readonly toPostbackUrl: (externalId: string) => Promise<string>;
}

/** A priced order, ready for a creation. */
export interface PricedPayment {
  readonly externalId: string;
  /** The order as the merchant's code priced it. */
  readonly order: PayableOrder;
  /** The payer fields that came from the page. */
  readonly typedPayer: Partial<Payer>;
  /** The payer's IP address; null if not known. */
  readonly clientAddress: string | null;
  readonly idempotencyKey: string;
  /** When the payment was asked for. Only a look-up that began after this can permit it. */
  readonly cameAt: Moment;
  /** The trace of the request that asked for it; null if it had none. */
  readonly trace: TraceContext | null;
  /** Whether the page still waits for the answer. If not, nothing of the payment is sent any more. */
  readonly isAwaited: () => boolean;
}

/** A creation request, with the options that go with it. */
export interface CreationCall {
  readonly request: CreationRequest;
  readonly options: SendingOptions;
}

/** Makes the creation request, without a card. The merchant's payer fields replace those that the payer typed. */
export function toCreation(
  { externalId, order, typedPayer, clientAddress, idempotencyKey, trace }: PricedPayment,
  method: Method,
  { methodNames, formats, forwardIdempotencyKey }: Settings,
  postbackUrl: string,
): CreationCall {
  const payer = {
    ...toServicePayer(typedPayer, formats),
    ...toServicePayer(order.payer ?? {}, formats),
  };
  const request = {
    method: methodNames[method],
    total_price_cents: order.total_price_cents,
    external_id: externalId,
    postback_url: postbackUrl,
    ...(clientAddress === null ? {} : { ip_payer: clientAddress }),
    ...(order.product_fisical === undefined
      ? {}
      : { product_fisical: toSendable(order.product_fisical) }),
    ...(Object.keys(payer).length === 0 ? {} : { payer }),
    ...(order.items === undefined ? {} : { items: order.items.map(toSendableTexts) }),
  };
  const options = { ...(forwardIdempotencyKey && { idempotencyKey }), ...(trace && { trace }) };
  return { request, options };
}

/**
 * Removes NUL and lone halves of a character, which cut texts may have. Some databases refuse the whole invoice because of
 * one.
 */
function toSendable(text: string): string {
  return text.replaceAll(/[\0\p{Cs}]/gu, '');
}

/** Applies {@link toSendable} to all texts of an object. */
export function toSendableTexts<T extends object>(fields: T): T {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? toSendable(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

/** Makes the payer's fields in the service's format. An empty field is left out. */
function toServicePayer(
  payer: Partial<Payer>,
  formats: Readonly<Record<'cpf_cnpj' | 'phone' | 'address_zip', FieldFormat>>,
): Partial<Payer> {
  const maskable: Partial<Record<keyof Payer, FieldFormat>> = formats;
  const written: Partial<Payer> = {};
  for (const field of payerFields) {
    const given = payer[field];
    const bare = given && toServiceText(field, normalizePayerField(field, given));
    const isMasked = maskable[field] === 'masked';
    if (bare) written[field] = isMasked ? formatPayerField(field, bare) : bare;
  }
  return written;
}

// Assumed: the service compares texts as most keyboards write them (service spec does not show what it takes).
/** Composes accents (Unicode's NFC), and replaces the typographic apostrophe in a name by that of keyboards. */
function toServiceText(field: keyof Payer, text: string): string {
  const composed = toSendable(text).normalize('NFC');
  return field === 'name' ? composed.replaceAll('’', "'") : composed;
}

/**
 * Reads the invoice that the service created.
 * @returns it as it is stored, and the field in which it differs from the request; null if all is right
 */
export function readCreated(
  wire: CreatedWireInvoice,
  payment: PricedPayment,
  method: Method,
  settings: Settings,
): { readonly invoice: MadeInvoice; readonly field: string | null } {
  const invoice = toMadeInvoice(wire, payment, method, settings);
  return { invoice, field: findWrongField(invoice, wire, settings) };
}

/** Makes the stored invoice from the service's answer. Only Pix has a code, and a deadline for it. */
function toMadeInvoice(
  wire: CreatedWireInvoice,
  { externalId, order }: PricedPayment,
  method: Method,
  { lookUpBy, statuses, now }: Settings,
): MadeInvoice {
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
    status: toStatusWord(wire.status, statuses),
    createdAtMs,
  };
}

/**
 * Finds the field in which the invoice differs from the request, or which makes a look-up impossible. @returns null if all is
 * right
 */
function findWrongField(
  { lookUpId, method, totalCents, externalId }: MadeInvoice,
  wire: CreatedWireInvoice,
  { cardLookUpTotal }: Pick<Settings, 'cardLookUpTotal'>,
): string | null {
  const isCompared = method !== 'credit_card' || cardLookUpTotal === 'sent';
  if (isCompared && wire.total_cents !== totalCents) return 'data.total_cents';
  // A null reference contradicts the specification, which echoes the reference, but names no other order. The first look-up
  // compares again.
  const isForeign = wire.external_id !== null && wire.external_id !== externalId;
  if (isForeign) return 'data.external_id';
  return invoiceIdPattern.test(lookUpId) ? null : 'data.order_code';
}

/** Makes `data` of the creation's answer. @param lookUpToken new for each answer */
export function toCreatedInvoice(
  invoice: MadeInvoice,
  lookUpToken: string,
  nowMs: number,
): CreatedInvoice {
  return {
    invoice_id: invoice.invoiceId,
    order_code: invoice.orderCode,
    external_id: invoice.externalId,
    qr_code_pix: invoice.code,
    status: toToldStatus(invoice),
    total_cents: invoice.totalCents,
    lookup_token: lookUpToken,
    ...toDeadline(invoice, nowMs),
  };
}

/**
 * Makes the status that a page gets from a creation. If only the creation's answer says paid, it is `pending`: the page keeps
 * looking the invoice up, and a shop does not ship.
 */
function toToldStatus({ status, isPaid }: MadeInvoice): string {
  return status === 'paid' && !isPaid ? 'pending' : status;
}

/**
 * Makes `data` of the look-up's answer, without `expires_in`, which depends on the time of the request. The reference of
 * another order becomes null, so that the page learns only that the invoice is not its own.
 */
function toInvoiceStatus(
  wire: WireInvoice,
  issued: IssuedInvoice,
  { statuses, allowUnverifiedCodes }: Pick<Settings, 'statuses' | 'allowUnverifiedCodes'>,
): InvoiceStatus {
  const code = wire.qr_code_pix ?? '';
  return {
    invoice_id: wire.invoice_id,
    order_code: toOrderCode(wire.order_code),
    external_id: wire.external_id === issued.externalId ? issued.externalId : null,
    status: toStatusWord(wire.status, statuses),
    is_pix: wire.is_pix ?? issued.method === 'pix',
    total_cents: wire.total_cents,
    installments: toInstallments(wire.installments),
    ...(code && isPassableCode(code, allowUnverifiedCodes) ? { qr_code_pix: code } : {}),
    created_at: toTimeText(wire.created_at),
    updated_at: toTimeText(wire.updated_at),
  };
}

/** Finds the field in which an answer differs from what was created. @returns null if they agree */
function findDifference(data: InvoiceStatus, issued: IssuedInvoice): MismatchField | null {
  const created = toCreatedFields(issued);
  return mismatchFields.find((name) => data[name] !== created[name]) ?? null;
}

/** Makes the status of a payment that differs: the page gets the created values, and a status other than `paid`. */
function toMismatchStatus(
  found: InvoiceStatus,
  issued: IssuedInvoice,
  field: MismatchField,
): InvoiceStatus {
  const isAmount = field === 'total_cents';
  const status: MismatchStatus = isAmount ? 'amount_mismatch' : 'reference_mismatch';
  return { ...found, ...toCreatedFields(issued), status };
}

/** Writes what was created in the fields of a look-up's answer. */
export function toCreatedFields({ externalId, totalCents, method }: IssuedInvoice) {
  return { external_id: externalId, total_cents: totalCents, is_pix: method === 'pix' };
}

/** Makes `data` of the look-up's answer from a stored paid invoice, without asking the service. */
export function toPaidStatus(paid: MadeInvoice): InvoiceStatus {
  return {
    ...toCreatedFields(paid),
    invoice_id: paid.invoiceId,
    order_code: paid.orderCode,
    status: 'paid',
    installments: 1,
    created_at: new Date(paid.createdAtMs).toISOString(),
    updated_at: '',
  };
}

/** The whole seconds left until the merchant's deadline, rounded up so that a page is not early. */
export function toDeadline({ deadlineMs }: IssuedInvoice, nowMs: number): { expires_in?: number } {
  if (deadlineMs === null) return {};
  return { expires_in: Math.max(0, Math.ceil((deadlineMs - nowMs) / 1_000)) };
}

/** Makes an invoice from a look-up's answer, as the order records it if it does not have that invoice yet. */
function toFoundInvoice(
  issued: IssuedInvoice,
  { order_code: orderCode, qr_code_pix: code = '', status }: InvoiceStatus,
  nowMs: number,
): MadeInvoice {
  return { ...issued, orderCode, code, status, createdAtMs: nowMs };
}

// Which texts of the service may pass
//
// A text that does not look like its field, such as a CPF for an order code, is left out.

/** Replaces a status that does not look like a status word. The page keeps waiting, as for any unknown status. */
const unknownStatus = 'unknown';

/** Letters, `_`, `-`, and no more than two digits in a row. */
const statusPattern = /^(?!.*\d{3})[\w-]{1,40}$/;

const orderCodePattern = /^[\w.:#/-]{1,64}$/;

/** ISO 8601, or the form in which databases write a time. */
const timePattern = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?( ?([+-]\d\d:?\d\d)|Z)?$/;

/** Banco Central: `E`, the payer's bank, the minute, and eleven more characters. Other lengths pass as well. */
const endToEndIdPattern = /^E[A-Za-z\d]{1,63}$/;

/** Visible characters only. */
const printable = /^\P{C}+$/u;

/** Whether the log and answers may contain this status. */
function isStatusWord(status: string): boolean {
  return statusPattern.test(status);
}

/** Whether a list of the option `statuses` has this status, ignoring case and surrounding spaces. */
export function isListed(list: ReadonlySet<string>, status: string): boolean {
  return list.has(status.trim().toLowerCase());
}

/**
 * Makes the status that a page sees: `paid` for each status that means paid, otherwise the service's own in lower case. A
 * text that does not look like a status becomes `unknown`, unless it is listed as refused.
 */
function toStatusWord(status: string, { paid, refused }: Settings['statuses']): string {
  if (isListed(paid, status)) return 'paid';
  const isPassable = isStatusWord(status.trim()) || isListed(refused, status);
  return isPassable ? status.trim().toLowerCase() : unknownStatus;
}

// Assumed: an order code is one word of letters, digits and `_ . : # / -`, 64 at most, and holds no CPF (service spec does
// not show its format). Of all numbers of eleven digits, one in a hundred looks like a CPF and is left out.
function toOrderCode(code = ''): string {
  return orderCodePattern.test(code) && !hasCpf(code) ? code : '';
}

// Assumed: times are ISO 8601 (as the specification says), or with a space for the `T`.
function toTimeText(time = ''): string {
  return timePattern.test(time) ? time : '';
}

/** Reads an end-to-end id. @returns null if it has another form */
function toEndToEndId({ end_to_end_id: own, payer }: WireInvoice): string | null {
  const id = own || payer?.end_to_end_id || '';
  return endToEndIdPattern.test(id) ? id : null;
}

/** Reads the number of instalments. @returns 1 if it is out of range */
function toInstallments(count = 1): number {
  return count >= 1 && count <= maxInstallments ? count : 1;
}

/**
 * Whether a page may get this code.
 * @param allowUnverifiedCodes whether a test environment's placeholder passes
 */
export function isPassableCode(code: string, allowUnverifiedCodes: boolean): boolean {
  try {
    parseBrCode(code);
    return true;
  } catch {
    return allowUnverifiedCodes && isPlaceholder(code);
  }
}

/** A placeholder may hold no CPF. Real codes are not checked for one, because a receiver's Pix key often is a CPF. */
function isPlaceholder(code: string): boolean {
  return code.length <= maxBrCodeLength && printable.test(code) && !hasCpf(code);
}

/** Finds bare and masked CPFs, with or without letters around them. */
function hasCpf(text: string): boolean {
  return text.split(/[^\d.-]+/).some(isCpf);
}

// Reading an answer
//
// Compares what the service says with what was created, and puts it into the order's words. `order/apply-answer.ts` decides
// what follows from it.

/** What an answer is compared with. */
export interface Expected {
  readonly issued: IssuedInvoice;
  /** Whether the proxy created the invoice for this order. Of a named invoice, a postback or a person only says so. */
  readonly isOurs: boolean;
  readonly isNamed: boolean;
  /** Whether it was paid. Then any other status but a pending one is a return. */
  readonly wasPaid: boolean;
}

/** `beganMs`: when the look-up began, milliseconds since 1970. */
type Asked = Expected & { readonly beganMs: number };

/** The service's answer, for the order and as a page may see it. */
export interface ReadAnswer extends ServiceAnswer {
  /** `paid` only if the meaning is `paid`. */
  readonly data: InvoiceStatus;
  /** The status if no list of the option `statuses` has it, empty if it is no plain word; null if a list has it. */
  readonly unlisted: string | null;
}

type Answer = WireInvoice & { readonly isSandbox: boolean };

type ReadSettings = Pick<Settings, 'statuses' | 'allowUnverifiedCodes' | 'cardLookUpTotal' | 'now'>;

/**
 * Creates the reader of look-up answers.
 * @param sandbox `withhold` keeps a payment at the sandbox `pending`
 */
export function createReadAnswer(settings: ReadSettings, { withhold }: Pick<Sandbox, 'withhold'>) {
  const { statuses, cardLookUpTotal, now } = settings;

  return { readAnswer, findSentAs };

  /** Compares an answer with what was created, and says what it means for the order. */
  function readAnswer(
    wire: Answer,
    { issued, isNamed, wasPaid, beganMs, ...expected }: Asked,
  ): ReadAnswer {
    const isOurs = expected.isOurs || wire.external_id === issued.externalId;
    const means = findLists(wire.status);
    const isReturn = isOurs && (means.returned || (wasPaid && !means.paid && !means.pending));
    const compared = isReturn ? fillFromCreation(wire, issued) : wire;
    const seen = withhold(toSeen(compared, issued), wire.isSandbox);
    // Shops were robbed by fulfilling what was paid for another invoice or another total (CVE-2026-9189).
    const field = findDifference(seen, issued);
    const isMismatch = field !== null && seen.status === 'paid';
    const data = isMismatch ? toMismatchStatus(seen, issued, field) : seen;
    const isWord = isStatusWord(wire.status);
    return {
      data,
      invoice: toFoundInvoice(issued, data, now()),
      meaning: toMeaning(),
      word: isWord ? wire.status : unknownStatus,
      // Assumed: a paid invoice that reads as pending is an old answer, and no return (service spec shows no return at all).
      // An unlisted status may be one: asking a person too often is better than missing a return.
      wordIs: means.returned ? 'returned' : means.paid || means.pending ? 'none' : 'other',
      unlisted: Object.values(means).includes(true) ? null : isWord ? wire.status : '',
      field,
      endToEndId: toEndToEndId(wire),
      isOver: issued.method === 'pix' && means.refused,
      isNamed,
      of: { beganMs, updatedAtMs: toTimeMs(data.updated_at) },
    };

    function toMeaning(): Meaning {
      if (field !== null) return isMismatch && isOurs ? 'mismatch' : 'foreign';
      if (data.status === 'paid') return 'paid';
      // The page's status does not tell a refusal.
      return issued.method === 'credit_card' && means.refused ? 'refused' : 'open';
    }
  }

  /** Finds the creation that an unknown invoice agrees with, or else takes the likeliest. */
  function findSentAs(
    wire: WireInvoice,
    unknown: Omit<IssuedInvoice, keyof SentAs>,
    likeliestFirst: readonly SentAs[],
  ): IssuedInvoice {
    const all = likeliestFirst.map((sentAs) => ({ ...unknown, ...sentAs }));
    return all.find((one) => findDifference(toSeen(wire, one), one) === null) ?? all[0]!;
  }

  /** Finds the lists that have this status. Several may. */
  function findLists(status: string): Record<keyof typeof statuses, boolean> {
    const { paid, pending, refused, returned } = statuses;
    return {
      paid: isListed(paid, status),
      pending: isListed(pending, status),
      refused: isListed(refused, status),
      returned: isListed(returned, status),
    };
  }

  /** Makes the page's view of an answer. With `cardLookUpTotal: 'any'` a card's total is the total that was sent. */
  function toSeen(wire: WireInvoice, issued: IssuedInvoice): InvoiceStatus {
    const isCompared = issued.method !== 'credit_card' || cardLookUpTotal === 'sent';
    const compared = isCompared ? wire : { ...wire, total_cents: issued.totalCents };
    return toInvoiceStatus(compared, issued, settings);
  }
}

function toTimeMs(time: string): number | null {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? null : ms;
}

/** Fills a returned payment's answer with the created values: its total may be smaller, and its reference may be gone. */
function fillFromCreation(wire: Answer, { externalId, totalCents }: IssuedInvoice): Answer {
  return { ...wire, total_cents: totalCents, external_id: wire.external_id ?? externalId };
}
