/**
 * The rules that every store of the ledger applies: which progress of an attempt may follow which, how an invoice changes when
 * the service tells more of it, and what the notices for the merchant's server say.
 */

import type {
  Attempt,
  AttemptProgress,
  IssuedInvoice,
  OrderRecord,
  Payment,
  RememberedAttempt,
  RememberedInvoice,
  Return,
} from './ledger.js';
import type {
  DeliveryKind,
  InvoiceNotice,
  MismatchField,
  MismatchNotice,
  OutcomeUnknownNotice,
  PaidNotice,
  PixWaitingNotice,
  ReturnedNotice,
} from '../order/outbox-events.js';

/** Most attempts kept of one order. Above, the oldest that ended go, so that an order does not grow with a client's keys. */
export const maxAttemptsPerOrder = 50;

/** Most barred keys of one order: a page bars one for each request that was lost. Above, no more are promised. */
export const maxBarsPerOrder = 50;

/** An attempt moves to the right only. */
const states: readonly AttemptProgress['state'][] = [
  'claimed',
  'sent',
  'unknown',
  'created',
  'refused',
  'barred',
];

/**
 * What a progress does to an attempt. `advance`: it moves on. `improve`: its state stays, and more is known of it. `revive`:
 * it was forgotten, and is written again. `none`: the progress is late, or another owner's.
 */
type AttemptChange = 'advance' | 'improve' | 'revive' | 'none';

/** @param known the attempt as it stands; undefined: none is known */
export function toAttemptChange(
  known: Pick<RememberedAttempt, 'progress' | 'holder'> | undefined,
  attempt: Attempt,
  progress: AttemptProgress,
): AttemptChange {
  if (!known) {
    // A second request shared a Pix attempt whose owner gave it up: the invoice is there all the same.
    return attempt.method === 'pix' && progress.state === 'created' ? 'revive' : 'none';
  }
  const steps = states.indexOf(progress.state) - states.indexOf(known.progress.state);
  if (steps > 0) {
    return progress.state !== 'sent' || known.holder === attempt.holder ? 'advance' : 'none';
  }
  const saysMore = progress.state !== 'unknown' || progress.candidate !== null;
  return steps === 0 && saysMore ? 'improve' : 'none';
}

/** A barred key as an attempt of no request: every one with this key differs from it, in whatever scope. */
export function toBar(externalId: string, key: string): RememberedAttempt {
  const of = { key, scope: toBarScope(externalId), externalId, method: 'pix', holder: '' } as const;
  return { ...of, totalCents: 0, installment: 0, progress: { state: 'barred' } };
}

/** Where the barred keys of an order stand. */
export function toBarScope(externalId: string): string {
  return `barred ${externalId}`;
}

/** Whether an attempt has ended with an invoice or a refusal. */
export function hasEnded({ progress }: Pick<RememberedAttempt, 'progress'>): boolean {
  return progress.state === 'created' || progress.state === 'refused';
}

/** Whether a key comes with the request that it came with before. */
export function isSameRequest(
  known: Pick<Attempt, 'totalCents' | 'installment'>,
  { totalCents, installment }: Attempt,
): boolean {
  return known.totalCents === totalCents && known.installment === installment;
}

/** Whether nothing else of the order may be paid while this card attempt stands. */
export function isOpen({ progress }: RememberedAttempt): boolean {
  return progress.state !== 'refused';
}

/** Whether payers were shown this Pix code. One that only a postback named was shown to none, and has no code here. */
export function isHandedOut({ method, code }: RememberedInvoice): boolean {
  return method === 'pix' && code !== '';
}

/** Whether an id is this invoice's. A postback may name either id. */
export function isNamedBy(id: string, { invoiceId, lookUpId }: IssuedInvoice): boolean {
  return id === invoiceId || id === lookUpId;
}

/** The invoice with this id, if a look-up found it paid; null: none did. The payment may be a second one of its order. */
export function findPaid({ invoices }: OrderRecord, invoiceId: string): RememberedInvoice | null {
  return invoices.find((one) => one.invoiceId === invoiceId && one.isPaid) ?? null;
}

/** How many invoices of an order requests have recorded: one that only a postback named does not count. */
export function countRecorded(invoices: readonly RememberedInvoice[]): number {
  return invoices.filter((one) => one.method !== 'pix' || isHandedOut(one)).length;
}

/** The invoice of a charge: its own, or the unverified match while its outcome is unknown; null: none is known. */
export function findCardInvoice(
  attempt: RememberedAttempt,
  { invoices }: OrderRecord,
): IssuedInvoice | null {
  if (attempt.progress.state === 'unknown') return attempt.progress.candidate;
  return invoices.find(({ invoiceId }) => invoiceId === toInvoiceId(attempt.progress)) ?? null;
}

/** What an invoice was created as, without the fields of its create answer. */
export function toIssued(invoice: IssuedInvoice): IssuedInvoice {
  const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
  return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs };
}

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
  const unknown = { orderCode: '', code: '', status: 'pending' };
  return { ...toIssued(candidate), externalId, ...unknown, createdAtMs: nowMs };
}

/** A known invoice that a look-up found paid. The paid values count, not those of the creation. */
export function toPaidInvoice(
  known: RememberedInvoice,
  { status, totalCents, method, orderCode, code }: RememberedInvoice,
): RememberedInvoice {
  const { isReleased: _wrongly, ...invoice } = known;
  return {
    ...invoice,
    isPaid: true,
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

/**
 * The delivery's id: derived, so that it is the same after a ledger was lost. The reference is part of it, for a wrong
 * answer of the service can name an invoice of another order.
 * @param subject the invoice's id, or the holder of an attempt
 */
export function toDeliveryId(kind: DeliveryKind, externalId: string, subject: string): string {
  return [kind, externalId, subject].join('~');
}

/** The fields that every event about an invoice has. */
export function toInvoiceNotice(
  kind: DeliveryKind,
  invoice: Omit<InvoiceNotice, 'deliveryId'>,
): InvoiceNotice {
  const { externalId, invoiceId, orderCode, totalCents, method } = invoice;
  const deliveryId = toDeliveryId(kind, externalId, invoiceId);
  return { externalId, invoiceId, orderCode, totalCents, method, deliveryId };
}

/** The event for a payment. @param endToEndId null: the service gave none */
export function toPaidNotice(
  invoice: RememberedInvoice,
  { endToEndId, late, duplicate }: Payment & Pick<PaidNotice, 'late' | 'duplicate'>,
): PaidNotice {
  const found = endToEndId === null ? {} : { endToEndId };
  return { ...toInvoiceNotice('paid', invoice), ...found, late, duplicate };
}

/** The event for a paid invoice that the service calls otherwise now. */
export function toReturnedNotice(
  invoice: RememberedInvoice,
  { status, endToEndId }: Return,
): ReturnedNotice {
  const { externalId, invoiceId } = invoice;
  // A contest may be followed by a return.
  const deliveryId = toDeliveryId('returned', externalId, `${invoiceId}~${status}`);
  const found = endToEndId === null ? {} : { endToEndId };
  return { ...toInvoiceNotice('returned', invoice), ...found, status, deliveryId };
}

/** The event for a payment that is not what was created. */
export function toMismatchNotice(issued: IssuedInvoice, field: MismatchField): MismatchNotice {
  const { externalId, invoiceId, totalCents } = issued;
  const deliveryId = toDeliveryId('mismatch', externalId, invoiceId);
  return { externalId, invoiceId, totalCents, field, deliveryId };
}

/** The event for a Pix code. @param deadlineMs milliseconds since 1970; null: none */
export function toWaitingNotice({
  code,
  deadlineMs,
  ...invoice
}: Omit<InvoiceNotice, 'deliveryId'> & {
  readonly code: string;
  readonly deadlineMs: number | null;
}): PixWaitingNotice {
  const expiry = deadlineMs === null ? {} : { expiresAt: new Date(deadlineMs).toISOString() };
  return { ...toInvoiceNotice('waiting', invoice), code, ...expiry };
}

/**
 * The event for a card that may have been charged.
 * @param invoiceId null: none is known
 */
export function toOutcomeUnknownNotice(
  {
    externalId,
    totalCents,
    holder,
  }: { readonly externalId: string; readonly totalCents: number; readonly holder: string },
  claimedAtMs: number,
  invoiceId: string | null,
): OutcomeUnknownNotice {
  return {
    externalId,
    totalCents,
    ...(invoiceId === null ? {} : { invoiceId }),
    attemptedAt: new Date(claimedAtMs).toISOString(),
    deliveryId: toDeliveryId('outcome_unknown', externalId, holder),
  };
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
