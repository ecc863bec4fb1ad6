/** Attempts by idempotency key: claims, progress, and at most one unresolved charge per order. */

import { claimedForMs } from '../ledger.js';
import type { Attempt, AttemptProgress, Ledger } from '../ledger.js';
import {
  isSameRequest,
  maxAttemptsPerOrder,
  maxBarsPerOrder,
  toAttemptChange,
  toBar,
  toBarScope,
  toInvoiceId,
} from '../ledger-rules.js';
import { lockOrder } from './database.js';
import type { Step, Store, Tx } from './database.js';
import {
  keepInvoice,
  keepUnverifiedMatch,
  queueUnknown,
  reopenInvoice,
  settleCard,
} from './invoices.js';
import { attemptColumns, isStanding, toAttempt, toAttemptRow, toProgressRow } from './tables.js';
import type { AttemptRow } from './tables.js';

type AttemptOperations = Pick<
  Ledger,
  'claimAttempt' | 'advanceAttempt' | 'releaseAttempt' | 'barKey' | 'findAttempts' | 'recordInvoice'
>;

/** @param now wall clock, milliseconds since 1970 */
export function createAttemptOperations(store: Store, now: () => number): AttemptOperations {
  const { read, write, writeRelaxed } = store;

  return {
    async claimAttempt(attempt) {
      return writeRelaxed(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, attempt.externalId, now);
        await dropAbandoned(tx, attempt.externalId, nowMs);
        const known = await findAttempt(tx, attempt, nowMs);
        if (known) return isSameRequest(toAttempt(known), attempt) ? 'known' : 'reused';
        const { externalId } = attempt;
        const isCard = attempt.method === 'credit_card';
        if (isCard && (await hasUnresolvedCharge(tx, externalId, nowMs))) return 'busy';
        await insertAttempt(tx, attempt, { state: 'claimed' }, { step, nowMs });
        // Each attempt is a step of its order: hardly any order can have too many.
        if (step > maxAttemptsPerOrder) await dropExcess(tx, externalId);
        return 'new';
      });
    },

    /** A Pix attempt may be repeated without harm, and its code is recorded on its own. */
    async advanceAttempt(attempt, progress, sentForMs) {
      const commit = attempt.method === 'pix' ? writeRelaxed : write;
      return commit(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, attempt.externalId, now);
        return advance(tx, attempt, progress, { step, nowMs }, sentForMs);
      });
    },

    async releaseAttempt(attempt) {
      await write(async (tx) => {
        await lockOrder(tx, attempt.externalId, now);
        await tx
          .deleteFrom('pix_attempts')
          .where('scope', '=', attempt.scope)
          .where('key', '=', attempt.key)
          .where('holder', '=', attempt.holder)
          .where('state', 'not in', ['created', 'refused'])
          .execute();
      });
    },

    async barKey(externalId, key) {
      return write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, externalId, now);
        await dropAbandoned(tx, externalId, nowMs);
        const ofOrder = tx.selectFrom('pix_attempts').where('external_id', '=', externalId);
        if (await ofOrder.select('state').where('key', '=', key).executeTakeFirst()) return true;
        const bars = await ofOrder.select('key').where('state', '=', 'barred').execute();
        if (bars.length >= maxBarsPerOrder) return false;
        const { progress, ...bar } = toBar(externalId, key);
        await insertAttempt(tx, bar, progress, { step, nowMs });
        return true;
      });
    },

    async findAttempts(key) {
      const rows = await read((db) =>
        db
          .selectFrom('pix_attempts')
          .select(attemptColumns)
          .where('key', '=', key)
          .where(isStanding(now()))
          .orderBy('claimed_at_ms')
          .orderBy('external_id')
          .orderBy('step')
          .execute(),
      );
      return rows.map(toAttempt);
    },

    async recordInvoice(invoice, attempt) {
      await write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, invoice.externalId, now);
        const isNew = await keepInvoice(tx, invoice, { step, nowMs });
        if (!attempt) return;
        if (!isNew) await reopenInvoice(tx, invoice, nowMs);
        const { invoiceId } = invoice;
        await advance(tx, attempt, { state: 'created', invoiceId }, { step, nowMs });
      });
    },
  };
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
async function insertAttempt(
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

async function settleInvoiceOf(tx: Tx, known: AttemptRow, nowMs: number): Promise<void> {
  const { externalId, progress } = toAttempt(known);
  const invoiceId = toInvoiceId(progress);
  if (invoiceId !== null) await settleCard(tx, { externalId, invoiceId }, nowMs);
}

/** The attempt as it stands, or what bars its key. */
async function findAttempt(
  tx: Tx,
  { scope, key, externalId }: Attempt,
  nowMs: number,
): Promise<AttemptRow | undefined> {
  return tx
    .selectFrom('pix_attempts')
    .selectAll()
    .where('scope', 'in', [scope, toBarScope(externalId)])
    .where('key', '=', key)
    .where(isStanding(nowMs))
    .executeTakeFirst();
}

/** Their owner died or is too slow. Nothing was sent and nothing will be, because `sent` needs the claim. */
async function dropAbandoned(tx: Tx, externalId: string, nowMs: number): Promise<void> {
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

/** Keeps an order from growing with the keys that a client sends. */
async function dropExcess(tx: Tx, externalId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('pix_attempts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('external_id', '=', externalId)
    .where('state', '<>', 'barred')
    .executeTakeFirstOrThrow();
  if (count <= maxAttemptsPerOrder) return;
  const oldest = await tx
    .selectFrom('pix_attempts')
    .select('step')
    .where('external_id', '=', externalId)
    .where((eb) =>
      eb.or([
        eb('method', '=', 'pix').and('state', '=', 'created'),
        eb('method', '=', 'credit_card').and('state', '=', 'refused'),
      ]),
    )
    .orderBy('step')
    .limit(count - maxAttemptsPerOrder)
    .execute();
  if (oldest.length === 0) return;
  await tx
    .deleteFrom('pix_attempts')
    .where('external_id', '=', externalId)
    .where(
      'step',
      'in',
      oldest.map(({ step }) => step),
    )
    .execute();
}
