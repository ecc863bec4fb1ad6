/** The outbox: events for the merchant's server, and how far each has come. */

import type { Kysely } from 'kysely';
import type { ClaimedEvent, OutboxEvent, DeliveryKind } from '../outbox-events.js';
import type { Ledger } from '../ledger.js';
import type { Step, Store, Tx } from './database.js';
import type { OutboxTable, Tables } from './tables.js';

type OutboxOperations = Pick<Ledger, 'claimEvents' | 'endEvent'>;

/** @param now wall clock, milliseconds since 1970 */
export function createOutboxOperations(store: Store, now: () => number): OutboxOperations {
  const { read, write, dialect } = store;

  return {
    async claimEvents(kinds, most, forMs) {
      const nowMs = now();
      const selectDue = (db: Kysely<Tables>) =>
        db
          .selectFrom('pix_deliveries')
          .select(['delivery_id', 'kind', 'notice', 'tries', 'queued_at_ms'])
          .where('ended_at_ms', 'is', null)
          .where('due_at_ms', '<=', nowMs)
          .where('kind', 'in', kinds)
          .orderBy('queued_at_ms')
          .orderBy('step')
          .orderBy('delivery_id')
          .limit(most);
      // Most of the time none is due: a read tells that without a lock.
      if (kinds.length === 0 || !(await read((db) => selectDue(db).executeTakeFirst()))) return [];
      return write(async (tx) => {
        const due = selectDue(tx);
        const rows = await dialect.skipLocked(due).execute();
        if (rows.length === 0) return [];
        await tx
          .updateTable('pix_deliveries')
          .set((eb) => ({ tries: eb('tries', '+', 1), due_at_ms: nowMs + forMs }))
          .where(
            'delivery_id',
            'in',
            rows.map(({ delivery_id }) => delivery_id),
          )
          .execute();
        return rows.map(toClaimed);
      });
    },

    async endEvent(deliveryId, outcome) {
      const change =
        typeof outcome === 'object'
          ? { due_at_ms: outcome.retryAtMs }
          : { ended_at_ms: now(), outcome };
      await write((tx) =>
        tx
          .updateTable('pix_deliveries')
          .set(change)
          .where('delivery_id', '=', deliveryId)
          .where('ended_at_ms', 'is', null)
          .execute(),
      );
    },
  };
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

function toClaimed(
  row: Pick<OutboxTable, 'kind' | 'notice' | 'tries' | 'queued_at_ms'>,
): ClaimedEvent {
  const { kind, notice, tries, queued_at_ms: queuedAtMs } = row;
  // Written by queueDelivery: the notice is of its kind.
  const delivery = { kind, notice: JSON.parse(notice) as unknown } as OutboxEvent;
  return { ...delivery, tries: tries + 1, queuedAtMs };
}
