/** Attempts by idempotency key: claims, progress, and at most one unresolved charge per order. */

import sql from 'sql-template-tag';
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
import type { Query, Store } from './database.js';
import {
  keepInvoice,
  keepUnverifiedMatch,
  queueUnknown,
  reopenInvoice,
  settleCard,
} from './invoices.js';
import { lockOrder } from './orders.js';
import type { Step } from './orders.js';
import { isStanding, toAttempt, toProgressColumns } from './rows.js';
import type { AttemptRow } from './rows.js';

type AttemptOperations = Pick<
  Ledger,
  'claimAttempt' | 'advanceAttempt' | 'releaseAttempt' | 'barKey' | 'findAttempts' | 'recordInvoice'
>;

/** @param now wall clock, milliseconds since 1970 */
export function createAttemptOperations(store: Store, now: () => number): AttemptOperations {
  const { read, write, writeRelaxed } = store;

  return {
    async claimAttempt(attempt) {
      return writeRelaxed(async (query) => {
        const { externalId } = attempt;
        const at = await lockOrder(query, externalId, now);
        await dropAbandoned(query, externalId, at.nowMs);
        const known = await findAttempt(query, attempt, at.nowMs);
        if (known) return isSameRequest(toAttempt(known), attempt) ? 'known' : 'reused';
        const isCard = attempt.method === 'credit_card';
        if (isCard && (await hasUnresolvedCharge(query, externalId, at.nowMs))) return 'busy';
        await insertAttempt(query, attempt, { state: 'claimed' }, at);
        // Each attempt is a step of its order: hardly any order can have too many.
        if (at.step > maxAttemptsPerOrder) await dropExcess(query, externalId);
        return 'new';
      });
    },

    /** A Pix attempt may be repeated without harm, and its code is recorded on its own. */
    async advanceAttempt(attempt, progress, sentForMs) {
      const commit = attempt.method === 'pix' ? writeRelaxed : write;
      return commit(async (query) => {
        const at = await lockOrder(query, attempt.externalId, now);
        return advance(query, attempt, progress, at, sentForMs);
      });
    },

    async releaseAttempt({ externalId, scope, key, holder }) {
      await write(async (query) => {
        await lockOrder(query, externalId, now);
        await query(sql`
          DELETE FROM pix_attempts
          WHERE scope = ${scope} AND key = ${key} AND holder = ${holder}
            AND state NOT IN ('created', 'refused')`);
      });
    },

    async barKey(externalId, key) {
      return write(async (query) => {
        const at = await lockOrder(query, externalId, now);
        await dropAbandoned(query, externalId, at.nowMs);
        const known = await query(sql`
          SELECT key FROM pix_attempts WHERE external_id = ${externalId} AND key = ${key}`);
        if (known.length > 0) return true;
        const bars = await query(sql`
          SELECT key FROM pix_attempts WHERE external_id = ${externalId} AND state = 'barred'`);
        if (bars.length >= maxBarsPerOrder) return false;
        const { progress, ...bar } = toBar(externalId, key);
        await insertAttempt(query, bar, progress, at);
        return true;
      });
    },

    async findAttempts(key) {
      const rows = await read<AttemptRow>(sql`
        SELECT * FROM pix_attempts WHERE key = ${key} AND ${isStanding(now())}
        ORDER BY claimed_at_ms, external_id, step`);
      return rows.map(toAttempt);
    },

    async recordInvoice(invoice, attempt) {
      await write(async (query) => {
        const at = await lockOrder(query, invoice.externalId, now);
        const isNew = await keepInvoice(query, invoice, at);
        if (!attempt) return;
        if (!isNew) await reopenInvoice(query, invoice, at.nowMs);
        await advance(query, attempt, { state: 'created', invoiceId: invoice.invoiceId }, at);
      });
    },
  };
}

/** Takes an attempt on. See `Ledger.advanceAttempt`. */
export async function advance(
  query: Query,
  attempt: Attempt,
  progress: AttemptProgress,
  at: Step,
  sentForMs = 0,
): Promise<boolean> {
  const known = await findAttempt(query, attempt, at.nowMs);
  const change = toAttemptChange(known && toAttempt(known), attempt, progress);
  if (!known) {
    if (change !== 'revive') return false;
    await dropAbandoned(query, attempt.externalId, at.nowMs);
    await insertAttempt(query, attempt, progress, at);
    return true;
  }
  const isNew = change === 'advance';
  if (change !== 'none') {
    const { state, invoice_id, candidate } = toProgressColumns(progress);
    const untilMs = isNew && state === 'sent' ? at.nowMs + sentForMs : known.until_ms;
    await query(sql`
      UPDATE pix_attempts
      SET state = ${state}, invoice_id = ${invoice_id}, candidate = ${candidate},
        changed_at_ms = ${isNew ? at.nowMs : known.changed_at_ms}, until_ms = ${untilMs}
      WHERE scope = ${known.scope} AND key = ${known.key}`);
  }
  if (progress.state === 'unknown') {
    const { candidate } = progress;
    const isLate = change === 'none';
    if (candidate) await keepUnverifiedMatch(query, known, candidate, isLate, at);
    if (isNew) await queueUnknown(query, known, toInvoiceId(progress), at);
  }
  if (isNew && progress.state === 'refused') await settleInvoiceOf(query, known, at.nowMs);
  return isNew;
}

/** Writes an attempt that is not known. */
async function insertAttempt(
  query: Query,
  attempt: Attempt,
  progress: AttemptProgress,
  { step, nowMs }: Step,
): Promise<void> {
  const { scope, key, externalId, method, totalCents, installment, holder } = attempt;
  const { state, invoice_id, candidate } = toProgressColumns(progress);
  await query(sql`
    INSERT INTO pix_attempts (
      scope, key, external_id, step, method, total_cents, installment, holder,
      state, invoice_id, candidate, until_ms, claimed_at_ms, changed_at_ms
    ) VALUES (
      ${scope}, ${key}, ${externalId}, ${step}, ${method}, ${totalCents}, ${installment}, ${holder},
      ${state}, ${invoice_id}, ${candidate}, ${nowMs + claimedForMs}, ${nowMs}, ${nowMs}
    )`);
}

async function settleInvoiceOf(query: Query, known: AttemptRow, nowMs: number): Promise<void> {
  const { externalId, progress } = toAttempt(known);
  const invoiceId = toInvoiceId(progress);
  if (invoiceId !== null) await settleCard(query, { externalId, invoiceId }, nowMs);
}

/** The attempt as it stands, or what bars its key. */
async function findAttempt(
  query: Query,
  { scope, key, externalId }: Attempt,
  nowMs: number,
): Promise<AttemptRow | undefined> {
  const [row] = await query<AttemptRow>(sql`
    SELECT * FROM pix_attempts
    WHERE scope IN (${scope}, ${toBarScope(externalId)}) AND key = ${key}
      AND ${isStanding(nowMs)}`);
  return row;
}

/** Their owner died or is too slow. Nothing was sent and nothing will be, because `sent` needs the claim. */
async function dropAbandoned(query: Query, externalId: string, nowMs: number): Promise<void> {
  await query(sql`
    DELETE FROM pix_attempts
    WHERE external_id = ${externalId} AND state = 'claimed' AND until_ms <= ${nowMs}`);
}

/** Whether a card of the order is not known to be refused. */
export async function hasUnresolvedCharge(
  query: Query,
  externalId: string,
  nowMs: number,
): Promise<boolean> {
  const open = await query(sql`
    SELECT key FROM pix_attempts
    WHERE external_id = ${externalId} AND method = 'credit_card' AND state <> 'refused'
      AND ${isStanding(nowMs)}`);
  return open.length > 0;
}

/** Keeps an order from growing with the keys that a client sends: the oldest that ended go. */
async function dropExcess(query: Query, externalId: string): Promise<void> {
  const [found] = await query<{ readonly count: number }>(sql`
    SELECT count(*) AS count FROM pix_attempts
    WHERE external_id = ${externalId} AND state <> 'barred'`);
  const excess = (found?.count ?? 0) - maxAttemptsPerOrder;
  if (excess <= 0) return;
  await query(sql`
    DELETE FROM pix_attempts
    WHERE external_id = ${externalId} AND step IN (
      SELECT step FROM pix_attempts
      WHERE external_id = ${externalId}
        AND (method = 'pix' AND state = 'created' OR method = 'credit_card' AND state = 'refused')
      ORDER BY step LIMIT ${excess})`);
}
