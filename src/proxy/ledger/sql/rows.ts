/** Rows of tables, as what the rest of the proxy calls them. Knows no transaction. */

import { sql } from 'kysely';
import type { ExpressionBuilder } from 'kysely';
import type {
  Attempt,
  AttemptProgress,
  IssuedInvoice,
  RememberedAttempt,
  RememberedInvoice,
} from '../ledger.js';
import type { AttemptRow, AttemptTable, InvoiceRow, InvoiceTable, Tables } from './tables.js';

/** What an invoice is read from. */
export const invoiceColumns = [
  'step',
  'invoice_id',
  'look_up_id',
  'external_id',
  'total_cents',
  'method',
  'deadline_ms',
  'order_code',
  'code',
  'status',
  'released_at_ms',
  'created_at_ms',
] as const satisfies readonly (keyof InvoiceTable)[];

/** What an attempt is read from. */
export const attemptColumns = [
  'step',
  'scope',
  'key',
  'external_id',
  'method',
  'total_cents',
  'installment',
  'holder',
  'state',
  'invoice_id',
  'candidate',
] as const satisfies readonly (keyof AttemptTable)[];

export function toInvoice(
  row: Pick<InvoiceRow, (typeof invoiceColumns)[number]>,
): RememberedInvoice {
  return {
    invoiceId: row.invoice_id,
    lookUpId: row.look_up_id,
    externalId: row.external_id,
    totalCents: row.total_cents,
    method: row.method,
    deadlineMs: row.deadline_ms,
    orderCode: row.order_code,
    code: row.code,
    status: row.status,
    ...(row.released_at_ms !== null && { isReleased: true }),
    createdAtMs: row.created_at_ms,
  };
}

/** What an invoice brings along into its row. */
export function toInvoiceRow(invoice: RememberedInvoice) {
  return {
    external_id: invoice.externalId,
    invoice_id: invoice.invoiceId,
    look_up_id: invoice.lookUpId,
    order_code: invoice.orderCode,
    code: invoice.code,
    status: invoice.status,
    total_cents: invoice.totalCents,
    method: invoice.method,
    deadline_ms: invoice.deadlineMs,
    created_at_ms: invoice.createdAtMs,
  } satisfies Partial<InvoiceRow>;
}

type AttemptColumns = Pick<AttemptRow, (typeof attemptColumns)[number]>;

export function toAttempt(row: AttemptColumns): RememberedAttempt {
  return {
    key: row.key,
    scope: row.scope,
    externalId: row.external_id,
    method: row.method,
    totalCents: row.total_cents,
    installment: row.installment,
    holder: row.holder,
    progress: toProgress(row),
  };
}

/** Not a claim that ran out before anything was sent: whoever made it is gone, and so is the attempt. */
export function isStanding(nowMs: number) {
  return (eb: ExpressionBuilder<Pick<Tables, 'pix_attempts'>, 'pix_attempts'>) =>
    eb.or([eb('state', '<>', sql.lit('claimed')), eb('until_ms', '>', nowMs)]);
}

/** What an attempt brings along into its row. */
export function toAttemptRow(attempt: Attempt) {
  return {
    scope: attempt.scope,
    key: attempt.key,
    external_id: attempt.externalId,
    method: attempt.method,
    total_cents: attempt.totalCents,
    installment: attempt.installment,
    holder: attempt.holder,
  } satisfies Partial<AttemptRow>;
}

function toProgress({ state, invoice_id: invoiceId, candidate }: AttemptColumns): AttemptProgress {
  if (state === 'created') return { state, invoiceId: invoiceId ?? '' };
  if (state !== 'unknown') return { state };
  return { state, candidate: candidate === null ? null : (JSON.parse(candidate) as IssuedInvoice) };
}

export function toProgressRow(progress: AttemptProgress) {
  const { state } = progress;
  const candidate = state === 'unknown' ? progress.candidate : null;
  return {
    state,
    invoice_id: state === 'created' ? progress.invoiceId : null,
    candidate: candidate && JSON.stringify(toIssued(candidate)),
  } satisfies Partial<AttemptRow>;
}

/** Nothing of a candidate but what it was issued as. */
function toIssued(invoice: IssuedInvoice): IssuedInvoice {
  const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
  return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs };
}
