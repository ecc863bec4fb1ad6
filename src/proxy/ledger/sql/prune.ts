/**
 * Deletes rows that are long out of use, and says how long each kind is kept.
 *
 * Each small transaction selects afresh and skips locked rows: no request waits long, and two processes may prune at once.
 */

import type { Ledger } from '../ledger.js';
import type { Store, Tx } from './database.js';

const dayMs = 24 * 3_600_000;

/** How long each is kept after its last change, milliseconds. Cards that are open stay as long as their order. */
const keptMs = {
  send: dayMs,
  attempt: dayMs,
  pause: dayMs,
  endedEvent: 90 * dayMs,
  order: 90 * dayMs,
  orderWithoutInvoice: 7 * dayMs,
};

/** Most rows of one table that are looked for in one transaction. */
const batchSize = 200;

/** @param now wall clock, milliseconds since 1970 */
export function createPrune(store: Store, now: () => number): Ledger['prune'] {
  const { write } = store;

  return async function prune() {
    const nowMs = now();
    for (const pruneBatch of [
      pruneSends,
      pruneAttempts,
      pruneOutbox,
      pruneThrottles,
      pruneOrders,
    ]) {
      for (let found = batchSize; found >= batchSize;) {
        found = await write((tx) => pruneBatch(tx, nowMs));
      }
    }
  };

  async function pruneSends(tx: Tx, nowMs: number): Promise<number> {
    const old = tx
      .selectFrom('pix_sends')
      .select(['external_id', 'step'])
      .where('at_ms', '<', nowMs - keptMs.send)
      .limit(batchSize);
    const rows = await store.dialect.skipLocked(old).execute();
    for (const { external_id, step } of rows) {
      await tx
        .deleteFrom('pix_sends')
        .where('external_id', '=', external_id)
        .where('step', '=', step)
        .execute();
    }
    return rows.length;
  }

  /** A Pix attempt is repeated without harm, and a refused card is a new one. */
  async function pruneAttempts(tx: Tx, nowMs: number): Promise<number> {
    const old = tx
      .selectFrom('pix_attempts')
      .select(['scope', 'key'])
      .where('changed_at_ms', '<', nowMs - keptMs.attempt)
      .where((eb) => eb.or([eb('method', '=', 'pix'), eb('state', '=', 'refused')]))
      .limit(batchSize);
    const rows = await store.dialect.skipLocked(old).execute();
    for (const { scope, key } of rows) {
      await tx
        .deleteFrom('pix_attempts')
        .where('scope', '=', scope)
        .where('key', '=', key)
        .execute();
    }
    return rows.length;
  }

  async function pruneOutbox(tx: Tx, nowMs: number): Promise<number> {
    const old = tx
      .selectFrom('pix_deliveries')
      .select('delivery_id')
      .where('ended_at_ms', '<', nowMs - keptMs.endedEvent)
      .limit(batchSize);
    const rows = await store.dialect.skipLocked(old).execute();
    const ids = rows.map(({ delivery_id }) => delivery_id);
    if (ids.length > 0) {
      await tx.deleteFrom('pix_deliveries').where('delivery_id', 'in', ids).execute();
    }
    return ids.length;
  }

  async function pruneThrottles(tx: Tx, nowMs: number): Promise<number> {
    const old = tx
      .selectFrom('pix_pauses')
      .select('name')
      .where('at_ms', '<', nowMs - keptMs.pause)
      .limit(batchSize);
    const rows = await store.dialect.skipLocked(old).execute();
    const names = rows.map(({ name }) => name);
    if (names.length > 0) await tx.deleteFrom('pix_pauses').where('name', 'in', names).execute();
    return names.length;
  }

  /** Not while a card's outcome is unknown, or the merchant has not been told of money. Reminders are out of date by then. */
  async function pruneOrders(tx: Tx, nowMs: number): Promise<number> {
    const old = tx
      .selectFrom('pix_orders')
      .select('external_id')
      .where('used_at_ms', '<', nowMs - keptMs.orderWithoutInvoice)
      .where((eb) =>
        eb.or([
          eb('used_at_ms', '<', nowMs - keptMs.order),
          eb.not(
            eb.exists(
              eb
                .selectFrom('pix_invoices')
                .select('invoice_id')
                .whereRef('pix_invoices.external_id', '=', 'pix_orders.external_id'),
            ),
          ),
        ]),
      )
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('pix_attempts')
              .select('key')
              .whereRef('pix_attempts.external_id', '=', 'pix_orders.external_id')
              .where('state', 'in', ['sent', 'unknown']),
          ),
        ),
      )
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('pix_deliveries')
              .select('delivery_id')
              .whereRef('pix_deliveries.external_id', '=', 'pix_orders.external_id')
              .where('ended_at_ms', 'is', null)
              .where('kind', 'not in', ['waiting', 'lapsed']),
          ),
        ),
      )
      .limit(batchSize);
    const rows = await store.dialect.skipLocked(old).execute();
    const ids = rows.map(({ external_id }) => external_id);
    if (ids.length > 0) {
      for (const table of tablesOfOrders) {
        await tx.deleteFrom(table).where('external_id', 'in', ids).execute();
      }
    }
    return ids.length;
  }
}

const tablesOfOrders = [
  'pix_sends',
  'pix_attempts',
  'pix_invoices',
  'pix_deliveries',
  'pix_named',
  'pix_sent_as',
  'pix_orders',
] as const;
