/** Attempts by idempotency key: claims, progress, and at most one unresolved charge per order. */

import { isSameRequest, maxAttemptsPerOrder, toInvoiceId } from '../ledger-rules.js';
import type { Attempt, AttemptProgress, Ledger } from '../ledger.js';
import { attemptColumns, isStanding, toAttempt } from './tables.js';
import { lockOrder } from './database.js';
import type { Store, Tx } from './database.js';
import {
  advance,
  dropAbandoned,
  findAttempt,
  findInvoice,
  hasUnresolvedCharge,
  insertAttempt,
  queueUnknown,
  updateInvoice,
} from './steps.js';

type AttemptOperations = Pick<
  Ledger,
  | 'claimAttempt'
  | 'advanceAttempt'
  | 'releaseAttempt'
  | 'findAttempts'
  | 'expireSent'
  | 'recordUnresolved'
  | 'releaseCard'
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
        await dropExcess(tx, externalId);
        return 'new';
      });
    },

    advanceAttempt,

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

    async recordUnresolved({ externalId, invoiceId }) {
      await write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, externalId, now);
        const invoice = await findInvoice(tx, { externalId, invoiceId });
        const card = await tx
          .selectFrom('pix_attempts')
          .selectAll()
          .where('external_id', '=', externalId)
          .where('method', '=', 'credit_card')
          .where('state', '=', 'created')
          .where('invoice_id', '=', invoiceId)
          .executeTakeFirst();
        const isPaid = (invoice?.paid_at_ms ?? null) !== null;
        if (card && !isPaid) await queueUnknown(tx, card, invoiceId, { step, nowMs });
      });
    },

    async releaseCard(externalId) {
      return write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, externalId, now);
        const row = await tx
          .selectFrom('pix_attempts')
          .select(attemptColumns)
          .where('external_id', '=', externalId)
          .where('method', '=', 'credit_card')
          .where('state', 'in', ['unknown', 'created'])
          .executeTakeFirst();
        if (!row) return false;
        const card = toAttempt(row);
        const invoiceId = toInvoiceId(card.progress);
        if (invoiceId !== null) {
          const invoice = await findInvoice(tx, { externalId, invoiceId });
          if ((invoice?.paid_at_ms ?? null) !== null) return false;
          await updateInvoice(tx, { externalId, invoiceId })
            .set({ released_at_ms: nowMs })
            .where('method', '=', 'credit_card')
            .execute();
        }
        return advance(tx, card, { state: 'refused' }, { step, nowMs });
      });
    },
  };

  async function advanceAttempt(
    attempt: Attempt,
    progress: AttemptProgress,
    sentForMs?: number,
  ): Promise<boolean> {
    // A Pix attempt may be repeated without harm, and its code is recorded on its own.
    const commit = attempt.method === 'pix' ? writeRelaxed : write;
    return commit(async (tx) => {
      const { step, nowMs } = await lockOrder(tx, attempt.externalId, now);
      return advance(tx, attempt, progress, { step, nowMs }, sentForMs);
    });
  }
}

/** Keeps an order from growing with the keys that a client sends. */
async function dropExcess(tx: Tx, externalId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('pix_attempts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('external_id', '=', externalId)
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
