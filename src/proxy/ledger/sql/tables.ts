/**
 * The tables, as the ledger reads and writes them. Holds no card data, no personal data and no token.
 *
 * Every time is in milliseconds since 1970, every amount in integer cents. `step` is the order's own counter: what has the
 * lower one happened first. What the tables are made of is `migrations.ts`'s.
 */

import { sql } from 'kysely';
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Method } from '../../../contract/types.js';
import type { DeliveryKind } from '../outbox-events.js';
import type {
  Attempt,
  AttemptProgress,
  IssuedInvoice,
  RememberedAttempt,
  RememberedInvoice,
} from '../ledger.js';

/** One row for each order the merchant resolved. A transaction that writes anything of the order locks this row first. */
interface OrderTable {
  external_id: string;
  /** The first invoice of the order that was paid. */
  paid_invoice_id: string | null;
  turn_holder: string | null;
  turn_until_ms: number;
  /** How many operations have written to the order. */
  steps: number;
  used_at_ms: number;
}

/** Creations that were sent to the service. */
export interface SendTable {
  external_id: string;
  step: number;
  method: Method;
  at_ms: number;
}

/** What creations of an order were sent as, each once. */
export interface SentAsTable {
  external_id: string;
  method: Method;
  total_cents: number;
}

/** Ids that postbacks named. */
interface NamedTable {
  external_id: string;
  look_up_id: string;
  tries: number;
  named_at_ms: number;
  due_at_ms: number;
}

/** Invoices that were handed out. A wrong answer may name one of another order: the reference is part of the key. */
interface InvoiceTable {
  external_id: string;
  invoice_id: string;
  step: number;
  look_up_id: string;
  order_code: string;
  code: string;
  status: string;
  total_cents: number;
  method: Method;
  deadline_ms: number | null;
  created_at_ms: number;
  /** When reconciliation looks this invoice up next; null: never again. */
  look_up_at_ms: number | null;
  paid_at_ms: number | null;
  /** When it was found paid or refused, or a person released it. */
  settled_at_ms: number | null;
  /** When a person found out that this card was not charged. */
  released_at_ms: number | null;
  lapsed_at_ms: number | null;
}

/** Requests with an idempotency key. */
interface AttemptTable {
  scope: string;
  key: string;
  external_id: string;
  step: number;
  method: Method;
  total_cents: number;
  installment: number;
  holder: string;
  state: AttemptProgress['state'];
  /** When the claim, or the time in which the outcome is recorded, runs out. */
  until_ms: number;
  claimed_at_ms: number;
  changed_at_ms: number;
  invoice_id: string | null;
  /** An `IssuedInvoice` in JSON. */
  candidate: string | null;
}

/** What the merchant's server is told. */
export interface OutboxTable {
  delivery_id: string;
  kind: DeliveryKind;
  external_id: string;
  step: number;
  /** The notice of its kind, in JSON. */
  notice: string;
  queued_at_ms: number;
  /** When it may be claimed. */
  due_at_ms: number;
  tries: number;
  ended_at_ms: number | null;
  outcome: 'delivered' | 'given_up' | 'dropped' | null;
}

/** When a name was claimed last, by any process. */
interface ThrottleTable {
  name: string;
  at_ms: number;
}

/** Calls of the service, by the second in which they were booked. Row 0 is the lock of all others. */
interface CallTable {
  second: number;
  calls: number;
}

/** The tables share a database with the merchant's own, perhaps: their names say whose they are. */
export interface Tables {
  pix_orders: OrderTable;
  pix_sends: SendTable;
  pix_invoices: InvoiceTable;
  pix_attempts: AttemptTable;
  pix_deliveries: OutboxTable;
  pix_named: NamedTable;
  pix_sent_as: SentAsTable;
  pix_pauses: ThrottleTable;
  pix_calls: CallTable;
  /** One row for each migration that was run. */
  pix_migrations: { version: number };
}

export type InvoiceRow = Selectable<InvoiceTable>;
export type AttemptRow = Selectable<AttemptTable>;

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

/** Leaves out claims that ran out before anything was sent: their owner is gone, and so is the attempt. */
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

/** The fields of an issued invoice and no others. */
function toIssued(invoice: IssuedInvoice): IssuedInvoice {
  const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
  return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs };
}
