/**
 * Invoices in a transaction that has locked their order: handed out, opened again, looked up sooner. And the events for the
 * merchant's server that come with such a step.
 */

import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { firstLookUpAfterMs } from '../ledger.js';
import type { IssuedInvoice, Ledger, RememberedInvoice } from '../ledger.js';
import {
  countRecorded,
  isHandedOut,
  toOutcomeUnknownNotice,
  toUnverifiedMatchInvoice,
  toWaitingNotice,
} from '../ledger-rules.js';
import type { DeliveryKind, OutboxEvent } from '../../order/outbox-events.js';
import type { Query, Store } from './database.js';
import { lockOrder, readOrder } from './orders.js';
import type { Step } from './orders.js';
import { toAttempt } from './rows.js';
import type { AttemptRow, InvoiceRow } from './rows.js';

/** @param now wall clock, milliseconds since 1970 */
export function createCodeRecording(store: Store, now: () => number): Pick<Ledger, 'recordCode'> {
  return {
    async recordCode(invoice, known) {
      return store.write(async (query) => {
        const { externalId } = invoice;
        const at = await lockOrder(query, externalId, now);
        const order = await readOrder(query, externalId, store.dialect, at.nowMs);
        if (countRecorded(order.invoices) !== known) return order;
        if (await keepInvoice(query, invoice, at)) {
          return { ...order, invoices: [...order.invoices, invoice] };
        }
        if (!(await adoptNamed(query, invoice, at))) return order;
        const { invoiceId } = invoice;
        const invoices = order.invoices.map((one) => (one.invoiceId === invoiceId ? invoice : one));
        return { ...order, invoices };
      });
    },
  };
}

/** What an invoice is found by. */
type InvoiceKey = Pick<IssuedInvoice, 'externalId' | 'invoiceId'>;

/** The condition that finds an invoice's row. */
export function isInvoice({ externalId, invoiceId }: InvoiceKey): Sql {
  return sql`external_id = ${externalId} AND invoice_id = ${invoiceId}`;
}

/** The invoice as it stands. */
export async function findInvoice(
  query: Query,
  invoice: InvoiceKey,
): Promise<InvoiceRow | undefined> {
  const [row] = await query<InvoiceRow>(
    sql`SELECT * FROM pix_invoices WHERE ${isInvoice(invoice)}`,
  );
  return row;
}

/** Inserts an invoice. A known one stays as it is. @returns whether it is new */
async function insertInvoice(
  query: Query,
  invoice: RememberedInvoice,
  { step, nowMs }: Step,
): Promise<boolean> {
  const { externalId, invoiceId, lookUpId, orderCode, code, status, method } = invoice;
  const inserted = await query(sql`
    INSERT INTO pix_invoices (
      external_id, invoice_id, step, look_up_id, order_code, code, status,
      total_cents, method, deadline_ms, created_at_ms, look_up_at_ms
    ) VALUES (
      ${externalId}, ${invoiceId}, ${step}, ${lookUpId}, ${orderCode}, ${code}, ${status},
      ${invoice.totalCents}, ${method}, ${invoice.deadlineMs}, ${invoice.createdAtMs},
      ${nowMs + firstLookUpAfterMs}
    )
    ON CONFLICT (external_id, invoice_id) DO NOTHING
    RETURNING invoice_id`);
  return inserted.length > 0;
}

/** Inserts an invoice. A Pix code that is handed out also queues its `waiting` event. @returns whether it is new */
export async function keepInvoice(
  query: Query,
  invoice: RememberedInvoice,
  at: Step,
): Promise<boolean> {
  const isNew = await insertInvoice(query, invoice, at);
  if (isNew && isHandedOut(invoice)) {
    await queueEvent(query, { kind: 'waiting', notice: toWaitingNotice(invoice) }, at);
  }
  return isNew;
}

/** Gives its code to an unpaid invoice that a postback named before its creation was answered. @returns whether it was one */
async function adoptNamed(query: Query, invoice: RememberedInvoice, at: Step): Promise<boolean> {
  if (!isHandedOut(invoice)) return false;
  const adopted = await query(sql`
    UPDATE pix_invoices SET ${toInvoiceChange(invoice)}
    WHERE ${isInvoice(invoice)} AND method = 'pix' AND code = '' AND paid_at_ms IS NULL
    RETURNING invoice_id`);
  if (adopted.length === 0) return false;
  await queueEvent(query, { kind: 'waiting', notice: toWaitingNotice(invoice) }, at);
  return true;
}

/** Sets what the service tells of an invoice. */
export function toInvoiceChange(invoice: RememberedInvoice): Sql {
  return sql`
    look_up_id = ${invoice.lookUpId}, order_code = ${invoice.orderCode}, code = ${invoice.code},
    status = ${invoice.status}, total_cents = ${invoice.totalCents}, method = ${invoice.method},
    deadline_ms = ${invoice.deadlineMs}, created_at_ms = ${invoice.createdAtMs}`;
}

/** Opens a known invoice again, unless it is paid. */
export async function reopenInvoice(
  query: Query,
  invoice: RememberedInvoice,
  nowMs: number,
): Promise<void> {
  await query(sql`
    UPDATE pix_invoices
    SET ${toInvoiceChange(invoice)}, settled_at_ms = NULL, released_at_ms = NULL
    WHERE ${isInvoice(invoice)} AND paid_at_ms IS NULL`);
  await query(toHastening(invoice, nowMs + firstLookUpAfterMs));
}

/** Moves the next look-up of an open invoice forward to this time, unless it is due sooner. */
export function toHastening(invoice: InvoiceKey, atMs: number): Sql {
  return sql`
    UPDATE pix_invoices SET look_up_at_ms = ${atMs}
    WHERE ${isInvoice(invoice)} AND settled_at_ms IS NULL
      AND (look_up_at_ms IS NULL OR look_up_at_ms > ${atMs})`;
}

/** Ends the look-ups of a card's invoice. The service may have named a Pix code for a card: that one is still looked up. */
export async function settleCard(query: Query, invoice: InvoiceKey, nowMs: number): Promise<void> {
  await query(sql`
    UPDATE pix_invoices SET settled_at_ms = ${nowMs}, look_up_at_ms = NULL
    WHERE ${isInvoice(invoice)} AND method = 'credit_card' AND settled_at_ms IS NULL`);
}

/**
 * Records the invoice that may be a card's. If the order has it already, it is opened again.
 * @param isLate the card's outcome is known by now: then an invoice that was settled stays settled
 */
export async function keepUnverifiedMatch(
  query: Query,
  { external_id: externalId }: AttemptRow,
  candidate: IssuedInvoice,
  isLate: boolean,
  { step, nowMs }: Step,
): Promise<void> {
  const invoice = toUnverifiedMatchInvoice(candidate, externalId, nowMs);
  const isNew = await insertInvoice(query, invoice, { step, nowMs });
  if (isNew || isLate) return;
  const known = await findInvoice(query, invoice);
  if (known?.settled_at_ms === null) {
    await query(toHastening(invoice, nowMs + firstLookUpAfterMs));
  } else {
    await reopenInvoice(query, invoice, nowMs);
  }
}

/** Queues an event. An event whose id was queued before is left out. @returns whether it is new */
export async function queueEvent(
  query: Query,
  { kind, notice }: OutboxEvent,
  { step, nowMs }: Step,
): Promise<boolean> {
  const queued = await query(sql`
    INSERT INTO pix_deliveries (
      delivery_id, kind, external_id, step, notice, queued_at_ms, due_at_ms, tries
    ) VALUES (
      ${notice.deliveryId}, ${kind}, ${notice.externalId}, ${step}, ${JSON.stringify(notice)},
      ${nowMs}, ${nowMs}, 0
    )
    ON CONFLICT (delivery_id) DO NOTHING
    RETURNING delivery_id`);
  return queued.length > 0;
}

/** Ends events of an order that are out of date. @returns whether one of this kind was ever tried */
export async function dropEvents(
  query: Query,
  externalId: string,
  kind: DeliveryKind,
  nowMs: number,
): Promise<boolean> {
  const ofKind = sql`external_id = ${externalId} AND kind = ${kind}`;
  await query(sql`
    UPDATE pix_deliveries SET ended_at_ms = ${nowMs}, outcome = 'dropped'
    WHERE ${ofKind} AND ended_at_ms IS NULL`);
  const tried = await query(
    sql`SELECT tries FROM pix_deliveries WHERE ${ofKind} AND tries > 0 LIMIT 1`,
  );
  return tried.length > 0;
}

/** Queues the event for a card that may have been charged, once for each owner. @param invoiceId null: none is known */
export async function queueUnknown(
  query: Query,
  known: AttemptRow,
  invoiceId: string | null,
  at: Step,
): Promise<void> {
  const notice = toOutcomeUnknownNotice(toAttempt(known), known.claimed_at_ms, invoiceId);
  await queueEvent(query, { kind: 'outcome_unknown', notice }, at);
}
