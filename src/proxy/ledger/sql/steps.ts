/**
 * Steps of one transaction that has locked its order: what becomes of its invoices and attempts, and what comes with it.
 */

import {
  toAttemptChange,
  toInvoiceId,
  toUnverifiedMatchInvoice,
  toOutcomeUnknownNotice,
  toWaitingNotice,
} from '../ledger-rules.js';
import { claimedForMs, firstLookUpAfterMs } from '../ledger.js';
import type { Attempt, AttemptProgress, IssuedInvoice, RememberedInvoice } from '../ledger.js';
import type { Step, Tx } from './database.js';
import { queueEvent } from './outbox-operations.js';
import { isStanding, toAttempt, toAttemptRow, toInvoiceRow, toProgressRow } from './tables.js';
import type { AttemptRow, InvoiceRow } from './tables.js';

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
  if (isNew && invoice.method === 'pix') {
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
async function settleCard(tx: Tx, invoice: InvoiceKey, nowMs: number): Promise<void> {
  await updateInvoice(tx, invoice)
    .set({ settled_at_ms: nowMs, look_up_at_ms: null })
    .where('method', '=', 'credit_card')
    .where('settled_at_ms', 'is', null)
    .execute();
}

/** Takes an attempt on. See `Ledger.advanceAttempt`. */
export async function advance(
  tx: Tx,
  attempt: Attempt,
  progress: AttemptProgress,
  { step, nowMs }: Step,
  sentForMs = 0,
): Promise<boolean> {
  const known = await findAttempt(tx, attempt, nowMs);
  const change = toAttemptChange(known && toAttempt(known), attempt, progress);
  if (!known) {
    if (change !== 'revive') return false;
    await dropAbandoned(tx, attempt.externalId, nowMs);
    await insertAttempt(tx, attempt, progress, { step, nowMs });
    return true;
  }
  const isNew = change === 'advance';
  if (change !== 'none') {
    await update(tx, known, {
      ...toProgressRow(progress),
      ...(isNew && { changed_at_ms: nowMs }),
      ...(isNew && progress.state === 'sent' && { until_ms: nowMs + sentForMs }),
    });
  }
  if (progress.state === 'unknown') {
    const { candidate } = progress;
    const isLate = change === 'none';
    if (candidate) await keepUnverifiedMatch(tx, known, candidate, isLate, { step, nowMs });
    if (isNew) await queueUnknown(tx, known, toInvoiceId(progress), { step, nowMs });
  }
  if (isNew && progress.state === 'refused') await settleInvoiceOf(tx, known, nowMs);
  return isNew;
}

/** Writes an attempt that is not known. */
export async function insertAttempt(
  tx: Tx,
  attempt: Attempt,
  progress: AttemptProgress,
  { step, nowMs }: Step,
): Promise<void> {
  await tx
    .insertInto('pix_attempts')
    .values({
      ...toAttemptRow(attempt),
      ...toProgressRow(progress),
      step,
      until_ms: nowMs + claimedForMs,
      claimed_at_ms: nowMs,
      changed_at_ms: nowMs,
    })
    .execute();
}

async function update(tx: Tx, known: AttemptRow, change: Partial<AttemptRow>): Promise<void> {
  await tx
    .updateTable('pix_attempts')
    .set(change)
    .where('scope', '=', known.scope)
    .where('key', '=', known.key)
    .execute();
}

/** A late word about a card that ended adds an invoice, but opens none again. */
async function keepUnverifiedMatch(
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

async function settleInvoiceOf(tx: Tx, known: AttemptRow, nowMs: number): Promise<void> {
  const { externalId, progress } = toAttempt(known);
  const invoiceId = toInvoiceId(progress);
  if (invoiceId !== null) await settleCard(tx, { externalId, invoiceId }, nowMs);
}

/** The attempt as it stands. */
export async function findAttempt(
  tx: Tx,
  { scope, key }: Attempt,
  nowMs: number,
): Promise<AttemptRow | undefined> {
  return tx
    .selectFrom('pix_attempts')
    .selectAll()
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where(isStanding(nowMs))
    .executeTakeFirst();
}

/** Their owner died or is too slow. Nothing was sent and nothing will be, because `sent` needs the claim. */
export async function dropAbandoned(tx: Tx, externalId: string, nowMs: number): Promise<void> {
  await tx
    .deleteFrom('pix_attempts')
    .where('external_id', '=', externalId)
    .where('state', '=', 'claimed')
    .where('until_ms', '<=', nowMs)
    .execute();
}

/** Whether a card of the order is not known to be refused. */
export async function hasUnresolvedCharge(
  tx: Tx,
  externalId: string,
  nowMs: number,
): Promise<boolean> {
  const open = await tx
    .selectFrom('pix_attempts')
    .select('key')
    .where('external_id', '=', externalId)
    .where('method', '=', 'credit_card')
    .where('state', '<>', 'refused')
    .where(isStanding(nowMs))
    .executeTakeFirst();
  return open !== undefined;
}
