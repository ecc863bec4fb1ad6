/**
 * Steps of one attempt, in a transaction that has locked its order: what may follow what, and what comes with it.
 *
 * Knows no claim of another attempt (`attempts.ts`).
 */

import { toDeliveryId } from '../orders/deliveries.js';
import { claimedForMs } from '../orders/orders.js';
import type { Attempt, AttemptProgress } from '../orders/orders.js';
import { queueDelivery } from './deliveries.js';
import { isStanding, toAttemptRow, toProgressRow } from './rows.js';
import type { Step, Tx } from './store.js';
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
  if (steps < 0) return false;
  if (steps === 0) {
    await improve(tx, known, progress);
    return false;
  }
  const isSent = progress.state === 'sent';
  if (isSent && known.holder !== attempt.holder) return false;
  await update(tx, known, {
    ...toProgressRow(progress),
    changed_at_ms: nowMs,
    ...(isSent && { until_ms: nowMs + sentForMs }),
  });
  if (progress.state === 'unknown') await queueUnknown(tx, known, { step, nowMs });
  if (progress.state === 'refused' && known.invoice_id !== null) {
    await settleRefused(tx, known.external_id, known.invoice_id, nowMs);
  }
  return true;
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

async function queueUnknown(
  tx: Tx,
  { external_id: externalId, key, total_cents: totalCents, claimed_at_ms }: AttemptRow,
  at: Step,
): Promise<void> {
  const deliveryId = toDeliveryId('outcome_unknown', externalId, key);
  const attemptedAt = new Date(claimed_at_ms).toISOString();
  const notice = { externalId, totalCents, attemptedAt, deliveryId };
  await queueDelivery(tx, { kind: 'outcome_unknown', notice }, at);
}

async function settleRefused(
  tx: Tx,
  externalId: string,
  invoiceId: string,
  nowMs: number,
): Promise<void> {
  await tx
    .updateTable('pix_invoices')
    .set((eb) => ({
      settled_at_ms: eb.fn.coalesce('settled_at_ms', eb.val(nowMs)),
      look_up_at_ms: null,
    }))
    .where('external_id', '=', externalId)
    .where('invoice_id', '=', invoiceId)
    .execute();
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
