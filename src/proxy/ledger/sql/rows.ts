/**
 * The tables' rows, and what they are in the ledger's words. Holds no card data, no personal data and no token.
 *
 * Every time is in milliseconds since 1970, every amount in integer cents. `step` is the order's own counter: what has the
 * lower one happened first. `migrations.ts` makes the tables.
 */

import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Method } from '../../../contract/types.js';
import { toIssued } from '../ledger-rules.js';
import type { DeliveryKind, OutboxEvent } from '../../order/outbox-events.js';
import type { EventHistory, EventOutcome, InvoiceHistory } from '../order-story.js';
import type {
  AttemptProgress,
  IssuedInvoice,
  NamedId,
  RememberedAttempt,
  RememberedInvoice,
} from '../ledger.js';

/** One for each order that the merchant resolved. A transaction that writes anything of the order locks this row first. */
export interface OrderRow {
  readonly external_id: string;
  /** The first invoice of the order that was paid. */
  readonly paid_invoice_id: string | null;
  readonly turn_holder: string | null;
  readonly turn_until_ms: number;
  /** How many operations have written to the order. */
  readonly steps: number;
  readonly used_at_ms: number;
}

/** A creation that was sent to the service. */
export interface SendRow {
  readonly external_id: string;
  readonly step: number;
  readonly method: Method;
  readonly at_ms: number;
}

/** What creations of an order were sent as. */
export interface SentAsRow {
  readonly external_id: string;
  readonly method: Method;
  readonly total_cents: number;
}

/** An id that a postback named. */
export interface NamedRow {
  readonly external_id: string;
  readonly look_up_id: string;
  readonly tries: number;
  readonly named_at_ms: number;
  readonly due_at_ms: number;
}

/** An invoice that was handed out. A wrong answer may name one of another order: the reference is part of the key. */
export interface InvoiceRow {
  readonly external_id: string;
  readonly invoice_id: string;
  readonly step: number;
  readonly look_up_id: string;
  readonly order_code: string;
  readonly code: string;
  readonly status: string;
  readonly total_cents: number;
  readonly method: Method;
  readonly deadline_ms: number | null;
  readonly created_at_ms: number;
  /** When reconciliation looks this invoice up next; null: never again. */
  readonly look_up_at_ms: number | null;
  readonly paid_at_ms: number | null;
  /** When it was found paid or refused, or a person released it. */
  readonly settled_at_ms: number | null;
  /** When a person found out that this card was not charged. */
  readonly released_at_ms: number | null;
  readonly lapsed_at_ms: number | null;
}

/** A request with an idempotency key. */
export interface AttemptRow {
  readonly scope: string;
  readonly key: string;
  readonly external_id: string;
  readonly step: number;
  readonly method: Method;
  readonly total_cents: number;
  readonly installment: number;
  readonly holder: string;
  readonly state: AttemptProgress['state'];
  /** When the claim, or the time in which the outcome is recorded, runs out. */
  readonly until_ms: number;
  readonly claimed_at_ms: number;
  readonly changed_at_ms: number;
  readonly invoice_id: string | null;
  /** An `IssuedInvoice` in JSON. */
  readonly candidate: string | null;
}

/** An event for the merchant's server. */
export interface EventRow {
  readonly delivery_id: string;
  readonly kind: DeliveryKind;
  readonly external_id: string;
  readonly step: number;
  /** The notice of its kind, in JSON. */
  readonly notice: string;
  readonly queued_at_ms: number;
  /** When it may be claimed. */
  readonly due_at_ms: number;
  readonly tries: number;
  readonly ended_at_ms: number | null;
  readonly outcome: EventOutcome | null;
}

/** Calls of the service in one second. Row 0 is the lock of all others. */
export interface CallRow {
  readonly second: number;
  readonly calls: number;
}

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
  'paid_at_ms',
  'created_at_ms',
] as const satisfies readonly (keyof InvoiceRow)[];

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
] as const satisfies readonly (keyof AttemptRow)[];

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
    ...(row.paid_at_ms !== null && { isPaid: true }),
    createdAtMs: row.created_at_ms,
  };
}

/** Written by `queueEvent`: the notice is of its kind. */
export function toEvent({ kind, notice }: Pick<EventRow, 'kind' | 'notice'>): OutboxEvent {
  return { kind, notice: JSON.parse(notice) as unknown } as OutboxEvent;
}

/** An invoice with what became of it. */
export function toInvoiceHistory(row: InvoiceRow): InvoiceHistory {
  return {
    ...toInvoice(row),
    paidAtMs: row.paid_at_ms,
    settledAtMs: row.settled_at_ms,
    lapsedAtMs: row.lapsed_at_ms,
    lookUpAtMs: row.look_up_at_ms,
  };
}

/** An event with what became of it. */
export function toEventHistory(row: EventRow): EventHistory {
  const { queued_at_ms: queuedAtMs, due_at_ms: dueAtMs, ended_at_ms: endedAtMs } = row;
  return {
    ...toEvent(row),
    queuedAtMs,
    dueAtMs,
    endedAtMs,
    tries: row.tries,
    outcome: row.outcome,
  };
}

export function toNamed(row: NamedRow): NamedId {
  return {
    externalId: row.external_id,
    lookUpId: row.look_up_id,
    tries: row.tries,
    namedAtMs: row.named_at_ms,
    claimedUntilMs: row.due_at_ms,
  };
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

function toProgress({ state, invoice_id: invoiceId, candidate }: AttemptColumns): AttemptProgress {
  if (state === 'created') return { state, invoiceId: invoiceId ?? '' };
  if (state !== 'unknown') return { state };
  return { state, candidate: candidate === null ? null : (JSON.parse(candidate) as IssuedInvoice) };
}

/** Leaves out claims that ran out before anything was sent: their owner is gone, and so is the attempt. */
export function isStanding(nowMs: number): Sql {
  return sql`(state <> 'claimed' OR until_ms > ${nowMs})`;
}

/** The columns that tell how far an attempt has come. */
export function toProgressColumns(
  progress: AttemptProgress,
): Pick<AttemptRow, 'state' | 'invoice_id' | 'candidate'> {
  const { state } = progress;
  const candidate = state === 'unknown' ? progress.candidate : null;
  return {
    state,
    invoice_id: state === 'created' ? progress.invoiceId : null,
    candidate: candidate && JSON.stringify(toIssued(candidate)),
  };
}
