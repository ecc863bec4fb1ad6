/** Deletes rows that are long out of use, and says how long each kind is kept. */

import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Ledger } from '../ledger.js';
import type { Query, Store } from './database.js';
import type { OrderRow } from './rows.js';

const dayMs = 24 * 3_600_000;

/** How long each is kept after its last change, milliseconds. Cards that are open stay as long as their order. */
const keptMs = {
  send: dayMs,
  attempt: dayMs,
  throttle: dayMs,
  endedEvent: 90 * dayMs,
  order: 90 * dayMs,
  orderWithoutInvoice: 7 * dayMs,
};

/** Most rows of one table that one transaction deletes: no request waits long for it. */
const batchSize = 200;

const tablesOfOrders = [
  sql`pix_sends`,
  sql`pix_sent_as`,
  sql`pix_attempts`,
  sql`pix_invoices`,
  sql`pix_deliveries`,
  sql`pix_named`,
  sql`pix_shown`,
  sql`pix_orders`,
];

/** @param now wall clock, milliseconds since 1970 */
export function createPrune(store: Store, now: () => number): Ledger['prune'] {
  const { write, dialect } = store;
  // Two processes may prune at once: each leaves out the rows that the other one has locked.
  const batch = sql`LIMIT ${batchSize} ${dialect.skipLocked}`;

  return async function prune() {
    const nowMs = now();
    for (const statement of toDeletions(nowMs, batch)) {
      await inBatches((query) => query(statement));
    }
    await inBatches((query) => pruneOrders(query, nowMs, batch));
  };

  /** Repeats a transaction while it finds a whole batch. */
  async function inBatches(work: (query: Query) => Promise<readonly unknown[]>): Promise<void> {
    while ((await write(work)).length >= batchSize);
  }
}

function toDeletions(nowMs: number, batch: Sql): readonly Sql[] {
  return [
    sql`DELETE FROM pix_sends WHERE (external_id, step) IN (
          SELECT external_id, step FROM pix_sends WHERE at_ms < ${nowMs - keptMs.send} ${batch})
        RETURNING step`,
    // A Pix attempt is repeated without harm, and a refused card is a new one.
    sql`DELETE FROM pix_attempts WHERE (scope, key) IN (
          SELECT scope, key FROM pix_attempts
          WHERE changed_at_ms < ${nowMs - keptMs.attempt} AND (method = 'pix' OR state = 'refused')
          ${batch})
        RETURNING key`,
    sql`DELETE FROM pix_deliveries WHERE delivery_id IN (
          SELECT delivery_id FROM pix_deliveries
          WHERE ended_at_ms < ${nowMs - keptMs.endedEvent} ${batch})
        RETURNING delivery_id`,
    sql`DELETE FROM pix_pauses WHERE name IN (
          SELECT name FROM pix_pauses WHERE at_ms < ${nowMs - keptMs.throttle} ${batch})
        RETURNING name`,
  ];
}

/**
 * Deletes orders with all that belongs to them, unless a card's outcome is unknown or the merchant has not been told of
 * money. Reminders are out of date by then.
 */
async function pruneOrders(query: Query, nowMs: number, batch: Sql): Promise<readonly unknown[]> {
  const rows = await query<Pick<OrderRow, 'external_id'>>(sql`
    SELECT external_id FROM pix_orders AS old
    WHERE used_at_ms < ${nowMs - keptMs.orderWithoutInvoice}
      AND (used_at_ms < ${nowMs - keptMs.order}
        OR NOT EXISTS (SELECT 1 FROM pix_invoices WHERE external_id = old.external_id))
      AND NOT EXISTS (SELECT 1 FROM pix_attempts
        WHERE external_id = old.external_id AND state IN ('sent', 'unknown'))
      AND NOT EXISTS (SELECT 1 FROM pix_deliveries
        WHERE external_id = old.external_id AND ended_at_ms IS NULL
          AND kind NOT IN ('waiting', 'lapsed'))
    ${batch}`);
  if (rows.length > 0) {
    const ids = join(rows.map(({ external_id }) => external_id));
    for (const table of tablesOfOrders) {
      await query(sql`DELETE FROM ${table} WHERE external_id IN (${ids})`);
    }
  }
  return rows;
}
