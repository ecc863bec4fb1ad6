/** Requests with a key: what may follow what, and that one card of an order is open at most. */

import { toDeliveryId } from '../orders/deliveries.js';
import { claimedForMs } from '../orders/orders.js';
import type { Attempt, AttemptProgress, IssuedInvoice, Ledger } from '../orders/orders.js';
import { queueDelivery } from './deliveries.js';
import { attemptColumns, isStanding, toAttempt, toAttemptRow, toProgressRow } from './rows.js';
import { lockOrder } from './store.js';
import type { Step, Store, Tx } from './store.js';
import type { AttemptRow } from './tables.js';

/** Most attempts kept of one order: above, the oldest that are done go. */
const maxPerOrder = 50;

/** An attempt moves to the right only. */
const states: readonly AttemptProgress['state'][] = [
  'claimed',
  'sent',
  'unknown',
  'created',
  'refused',
];

type AttemptOperations = Pick<
  Ledger,
  | 'claimAttempt'
  | 'advanceAttempt'
  | 'releaseAttempt'
  | 'findAttempts'
  | 'expireSent'
  | 'releaseUnknown'
>;

/** @param now wall clock, milliseconds since 1970 */
export function createAttemptOperations(store: Store, now: () => number): AttemptOperations {
  const { read, write } = store;

  return {
    async claimAttempt(attempt) {
      return write(async (tx) => {
        const nowMs = now();
        const { step } = await lockOrder(tx, attempt.externalId, nowMs);
        await dropAbandoned(tx, attempt.externalId, nowMs);
        const known = await findOne(tx, attempt, nowMs);
        if (known) return isSameRequest(known, attempt) ? 'known' : 'reused';
        if (attempt.method === 'credit_card' && (await hasOpenCard(tx, attempt))) return 'busy';
        await insert(tx, attempt, { state: 'claimed' }, { step, nowMs });
        await dropExcess(tx, attempt.externalId);
        return 'new';
      });
    },

    advanceAttempt,

    async releaseAttempt(attempt) {
      await write(async (tx) => {
        await lockOrder(tx, attempt.externalId, now());
        await tx
          .deleteFrom('pix_attempts')
          .where('scope', '=', attempt.scope)
          .where('key', '=', attempt.key)
          .where('holder', '=', attempt.holder)
          .where('state', 'not in', ['created', 'refused'])
          .execute();
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

    async expireSent() {
      const expired = await read((db) =>
        db
          .selectFrom('pix_attempts')
          .select(attemptColumns)
          .where('state', '=', 'sent')
          .where('until_ms', '<=', now())
          .execute(),
      );
      let count = 0;
      for (const row of expired) {
        const isNew = await advanceAttempt(toAttempt(row), { state: 'unknown', candidate: null });
        if (isNew) count += 1;
      }
      return count;
    },

    async releaseUnknown(externalId) {
      return write(async (tx) => {
        const nowMs = now();
        const { step } = await lockOrder(tx, externalId, nowMs);
        const row = await tx
          .selectFrom('pix_attempts')
          .select(attemptColumns)
          .where('external_id', '=', externalId)
          .where('method', '=', 'credit_card')
          .where('state', '=', 'unknown')
          .executeTakeFirst();
        if (!row) return false;
        return advance(tx, toAttempt(row), { state: 'refused' }, { step, nowMs });
      });
    },
  };

  async function advanceAttempt(
    attempt: Attempt,
    progress: AttemptProgress,
    sentForMs?: number,
  ): Promise<boolean> {
    return write(async (tx) => {
      const nowMs = now();
      const { step } = await lockOrder(tx, attempt.externalId, nowMs);
      return advance(tx, attempt, progress, { step, nowMs }, sentForMs);
    });
  }
}

/** Takes an attempt on, in a transaction that has locked its order. See `Ledger.advanceAttempt`. */
export async function advance(
  tx: Tx,
  attempt: Attempt,
  progress: AttemptProgress,
  { step, nowMs }: Step,
  sentForMs = 0,
): Promise<boolean> {
  const known = await findOne(tx, attempt, nowMs);
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
  await insert(tx, attempt, progress, at);
  return true;
}

async function insert(
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
  invoiceId: IssuedInvoice['invoiceId'],
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

async function findOne(
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

function isSameRequest(known: AttemptRow, { totalCents, installment }: Attempt): boolean {
  return known.total_cents === totalCents && known.installment === installment;
}

async function hasOpenCard(tx: Tx, { externalId }: Attempt): Promise<boolean> {
  const open = await tx
    .selectFrom('pix_attempts')
    .select('key')
    .where('external_id', '=', externalId)
    .where('method', '=', 'credit_card')
    .where('state', '<>', 'refused')
    .executeTakeFirst();
  return open !== undefined;
}

/** Whoever claimed it died, or is too slow: nothing was sent, and nothing will be, for `sent` needs the claim. */
async function dropAbandoned(tx: Tx, externalId: string, nowMs: number): Promise<void> {
  await tx
    .deleteFrom('pix_attempts')
    .where('external_id', '=', externalId)
    .where('state', '=', 'claimed')
    .where('until_ms', '<=', nowMs)
    .execute();
}

/** An order does not grow with the keys somebody sends. */
async function dropExcess(tx: Tx, externalId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('pix_attempts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow();
  if (count <= maxPerOrder) return;
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
    .limit(count - maxPerOrder)
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
