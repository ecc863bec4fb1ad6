/**
 * Invoices in a transaction that has locked their order: handed out, opened again, looked up sooner. And the events for the
 * merchant's server that come with such a step.
 */

import { firstLookUpAfterMs } from '../ledger.js';
import type { IssuedInvoice, Ledger, RememberedInvoice } from '../ledger.js';
import {
  isHandedOut,
  toOutcomeUnknownNotice,
  toUnverifiedMatchInvoice,
  toWaitingNotice,
} from '../ledger-rules.js';
import type { DeliveryKind, OutboxEvent } from '../outbox-events.js';
import { lockOrder, readOrder } from './database.js';
import type { Step, Store, Tx } from './database.js';
import { toAttempt, toInvoiceRow } from './tables.js';
import type { AttemptRow, InvoiceRow } from './tables.js';

/** @param now wall clock, milliseconds since 1970 */
export function createCodeRecording(store: Store, now: () => number): Pick<Ledger, 'recordCode'> {
  return {
    async recordCode(invoice, known) {
      return store.write(async (tx) => {
        const { externalId } = invoice;
        const { step, nowMs } = await lockOrder(tx, externalId, now);
        const order = await readOrder(tx, externalId, store.dialect, nowMs);
        const isNew =
          order.invoices.length === known && (await keepInvoice(tx, invoice, { step, nowMs }));
        return isNew ? { ...order, invoices: [...order.invoices, invoice] } : order;
      });
    },
  };
}

/** What an invoice is found by. */
type InvoiceKey = Pick<IssuedInvoice, 'externalId' | 'invoiceId'>;

/** The invoice as it stands. */
export async function findInvoice(
  tx: Tx,
  { externalId, invoiceId }: InvoiceKey,
): Promise<InvoiceRow | undefined> {
  return tx
    .selectFrom('pix_invoices')
    .selectAll()
    .where('external_id', '=', externalId)
    .where('invoice_id', '=', invoiceId)
    .executeTakeFirst();
}

/** One that is known stays as it is. @returns whether it is new */
async function insertInvoice(
  tx: Tx,
  invoice: RememberedInvoice,
  { step, nowMs }: Step,
): Promise<boolean> {
  const isNew = await tx
    .insertInto('pix_invoices')
    .values({ ...toInvoiceRow(invoice), step, look_up_at_ms: nowMs + firstLookUpAfterMs })
    .onConflict((conflict) => conflict.columns(['external_id', 'invoice_id']).doNothing())
    .returning('invoice_id')
    .executeTakeFirst();
  return isNew !== undefined;
}

/** The same for one that is handed out. */
export async function keepInvoice(tx: Tx, invoice: RememberedInvoice, at: Step): Promise<boolean> {
  const isNew = await insertInvoice(tx, invoice, at);
  if (isNew && isHandedOut(invoice)) {
    await queueEvent(tx, { kind: 'waiting', notice: toWaitingNotice(invoice) }, at);
  }
  return isNew;
}

/** Opens a known invoice again, unless it is paid. */
export async function reopenInvoice(
  tx: Tx,
  invoice: RememberedInvoice,
  nowMs: number,
): Promise<void> {
  await updateInvoice(tx, invoice)
    .set({ ...toInvoiceRow(invoice), settled_at_ms: null, released_at_ms: null })
    .where('paid_at_ms', 'is', null)
    .execute();
  await hasten(tx, invoice, nowMs + firstLookUpAfterMs);
}

/** An update of one invoice's row. */
export function updateInvoice(tx: Tx, { externalId, invoiceId }: InvoiceKey) {
  return tx
    .updateTable('pix_invoices')
    .where('external_id', '=', externalId)
    .where('invoice_id', '=', invoiceId);
}

/** Lets its look-up fall due then, unless it is due before, or the invoice is settled. */
export async function hasten(tx: Tx, invoice: InvoiceKey, atMs: number): Promise<void> {
  await updateInvoice(tx, invoice)
    .set({ look_up_at_ms: atMs })
    .where('settled_at_ms', 'is', null)
    .where((eb) => eb.or([eb('look_up_at_ms', 'is', null), eb('look_up_at_ms', '>', atMs)]))
    .execute();
}

/** Ends the look-ups of a card. Not those of a Pix code, which the service may have named for a card: it goes on. */
export async function settleCard(tx: Tx, invoice: InvoiceKey, nowMs: number): Promise<void> {
  await updateInvoice(tx, invoice)
    .set({ settled_at_ms: nowMs, look_up_at_ms: null })
    .where('method', '=', 'credit_card')
    .where('settled_at_ms', 'is', null)
    .execute();
}

/** A late word about a card that ended adds an invoice, but opens none again. */
export async function keepUnverifiedMatch(
  tx: Tx,
  { external_id: externalId }: AttemptRow,
  candidate: IssuedInvoice,
  isLate: boolean,
  { step, nowMs }: Step,
): Promise<void> {
  const invoice = toUnverifiedMatchInvoice(candidate, externalId, nowMs);
  const isNew = await insertInvoice(tx, invoice, { step, nowMs });
  if (isNew || isLate) return;
  const known = await findInvoice(tx, invoice);
  if (known?.settled_at_ms === null) await hasten(tx, invoice, nowMs + firstLookUpAfterMs);
  else await reopenInvoice(tx, invoice, nowMs);
}

/** Once for each id, however often something happens. */
export async function queueEvent(
  tx: Tx,
  delivery: OutboxEvent,
  { step, nowMs }: Step,
): Promise<void> {
  const { kind, notice } = delivery;
  await tx
    .insertInto('pix_deliveries')
    .values({
      delivery_id: notice.deliveryId,
      kind,
      external_id: notice.externalId,
      step,
      notice: JSON.stringify(notice),
      queued_at_ms: nowMs,
      due_at_ms: nowMs,
      tries: 0,
    })
    .onConflict((conflict) => conflict.column('delivery_id').doNothing())
    .execute();
}

/** Ends events of an order that are out of date. @returns whether one of this kind was ever tried */
export async function dropEvents(
  tx: Tx,
  externalId: string,
  kind: DeliveryKind,
  nowMs: number,
): Promise<boolean> {
  await tx
    .updateTable('pix_deliveries')
    .set({ ended_at_ms: nowMs, outcome: 'dropped' })
    .where('external_id', '=', externalId)
    .where('kind', '=', kind)
    .where('ended_at_ms', 'is', null)
    .execute();
  const tried = await tx
    .selectFrom('pix_deliveries')
    .select('tries')
    .where('external_id', '=', externalId)
    .where('kind', '=', kind)
    .where('tries', '>', 0)
    .executeTakeFirst();
  return tried !== undefined;
}

/** Queues the event for a card that may have been charged, once for each owner. @param invoiceId null: none is known */
export async function queueUnknown(
  tx: Tx,
  known: AttemptRow,
  invoiceId: string | null,
  at: Step,
): Promise<void> {
  const notice = toOutcomeUnknownNotice(toAttempt(known), known.claimed_at_ms, invoiceId);
  await queueEvent(tx, { kind: 'outcome_unknown', notice }, at);
}
