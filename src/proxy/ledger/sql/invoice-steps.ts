/**
 * Steps of one invoice, in a transaction that has locked its order: kept, opened again, ended.
 *
 * Knows no attempt (`attempt-steps.ts`).
 */

import { toWaitingNotice } from '../outbox-events.js';
import { firstLookUpAfterMs } from '../ledger.js';
import type { IssuedInvoice, RememberedInvoice } from '../ledger.js';
import { queueEvent } from './outbox-operations.js';
import { toInvoiceRow } from './rows.js';
import type { Step, Tx } from './database.js';
import type { InvoiceRow } from './tables.js';

/** What an invoice is found by. */
export type InvoiceKey = Pick<IssuedInvoice, 'externalId' | 'invoiceId'>;

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
export async function insertInvoice(
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
  if (isNew && invoice.method === 'pix') {
    await queueEvent(tx, { kind: 'waiting', notice: toWaitingNotice(invoice) }, at);
  }
  return isNew;
}

/** Replaces a known one that is not paid: it is open again, whatever it was. */
export async function reopenInvoice(
  tx: Tx,
  invoice: RememberedInvoice,
  nowMs: number,
): Promise<void> {
  await tx
    .updateTable('pix_invoices')
    .set({ ...toInvoiceRow(invoice), settled_at_ms: null, released_at_ms: null })
    .where('external_id', '=', invoice.externalId)
    .where('invoice_id', '=', invoice.invoiceId)
    .where('paid_at_ms', 'is', null)
    .execute();
  await hasten(tx, invoice, nowMs + firstLookUpAfterMs);
}

/** Lets its look-up fall due then, unless it is due before, or the invoice is settled. */
export async function hasten(
  tx: Tx,
  { externalId, invoiceId }: InvoiceKey,
  atMs: number,
): Promise<void> {
  await tx
    .updateTable('pix_invoices')
    .set({ look_up_at_ms: atMs })
    .where('external_id', '=', externalId)
    .where('invoice_id', '=', invoiceId)
    .where('settled_at_ms', 'is', null)
    .where((eb) => eb.or([eb('look_up_at_ms', 'is', null), eb('look_up_at_ms', '>', atMs)]))
    .execute();
}

/** Ends the look-ups of a card. Not those of a Pix code, which the service may have named for a card: it goes on. */
export async function settleCard(
  tx: Tx,
  { externalId, invoiceId }: InvoiceKey,
  nowMs: number,
): Promise<void> {
  await tx
    .updateTable('pix_invoices')
    .set({ settled_at_ms: nowMs, look_up_at_ms: null })
    .where('external_id', '=', externalId)
    .where('invoice_id', '=', invoiceId)
    .where('method', '=', 'credit_card')
    .where('settled_at_ms', 'is', null)
    .execute();
}
