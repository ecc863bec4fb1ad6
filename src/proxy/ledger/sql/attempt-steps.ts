/**
 * Steps of one attempt, in a transaction that has locked its order: what may follow what, and what comes with it.
 *
 * Knows no claim of another attempt (`attempts.ts`).
 */

import { toOutcomeUnknownNotice } from '../outbox-events.js';
import { toUnverifiedMatchInvoice, toInvoiceId } from '../invoice-changes.js';
import { claimedForMs, firstLookUpAfterMs } from '../ledger.js';
import type { Attempt, AttemptProgress, IssuedInvoice } from '../ledger.js';
import { queueEvent } from './outbox-operations.js';
import { findInvoice, hasten, insertInvoice, reopenInvoice, settleCard } from './invoice-steps.js';
import { isStanding, toAttempt, toAttemptRow, toProgressRow } from './rows.js';
import type { Step, Tx } from './database.js';
import type { AttemptRow } from './tables.js';

/** An attempt moves to the right only. */
const states: readonly AttemptProgress['state'][] = [
  'claimed',
  'sent',
  'unknown',
  'created',
  'refused',
];

/** Takes an attempt on. See `Ledger.advanceAttempt`. */
export async function advance(
  tx: Tx,
  attempt: Attempt,
  progress: AttemptProgress,
  { step, nowMs }: Step,
  sentForMs = 0,
): Promise<boolean> {
  const known = await findAttempt(tx, attempt, nowMs);
  if (!known) return revive(tx, attempt, progress, { step, nowMs });
  const steps = states.indexOf(progress.state) - states.indexOf(known.state);
  const isSent = progress.state === 'sent';
  const isNew = steps > 0 && (!isSent || known.holder === attempt.holder);
  if (isNew) {
    await update(tx, known, {
      ...toProgressRow(progress),
      changed_at_ms: nowMs,
      ...(isSent && { until_ms: nowMs + sentForMs }),
    });
  }
  if (steps === 0) await improve(tx, known, progress);
  if (progress.state === 'unknown') {
    const { candidate } = progress;
    if (candidate) await keepUnverifiedMatch(tx, known, candidate, steps >= 0, { step, nowMs });
    if (isNew) await queueUnknown(tx, known, toInvoiceId(progress), { step, nowMs });
  }
  if (isNew && progress.state === 'refused') await settleInvoiceOf(tx, known, nowMs);
  return isNew;
}

/** Who shared a Pix attempt that its holder gave up may have the invoice all the same. */
async function revive(
  tx: Tx,
  attempt: Attempt,
  progress: AttemptProgress,
  at: Step,
): Promise<boolean> {
  if (attempt.method !== 'pix' || progress.state !== 'created') return false;
  await dropAbandoned(tx, attempt.externalId, at.nowMs);
  await insertAttempt(tx, attempt, progress, at);
  return true;
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

/** An unknown outcome may get a candidate, and an attempt another invoice: no step, but a better word. */
async function improve(tx: Tx, known: AttemptRow, progress: AttemptProgress): Promise<void> {
  const isWorse = progress.state === 'unknown' && progress.candidate === null;
  if (!isWorse) await update(tx, known, toProgressRow(progress));
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
  isUnknown: boolean,
  { step, nowMs }: Step,
): Promise<void> {
  const invoice = toUnverifiedMatchInvoice(candidate, externalId, nowMs);
  const isNew = await insertInvoice(tx, invoice, { step, nowMs });
  if (isNew || !isUnknown) return;
  const known = await findInvoice(tx, invoice);
  if (known?.settled_at_ms === null) await hasten(tx, invoice, nowMs + firstLookUpAfterMs);
  else await reopenInvoice(tx, invoice, nowMs);
}

/** Tells of a card that may have been charged, once for each holder. @param invoiceId null: none is known */
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

/** Whoever claimed it died, or is too slow: nothing was sent, and nothing will be, for `sent` needs the claim. */
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
