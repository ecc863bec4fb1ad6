/**
 * How the tables come to be. A migration that was published is never changed, and only adds: a process of the version
 * before may still be at work on the same tables.
 *
 * Owns their making, in words both stores understand. Knows no operation.
 */

import sql, { raw } from 'sql-template-tag';
import { LedgerError } from '../ledger-error.js';
import type { Query, Store } from './database.js';

const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE pix_orders (
      external_id TEXT PRIMARY KEY,
      paid_invoice_id TEXT,
      turn_holder TEXT,
      turn_until_ms BIGINT NOT NULL DEFAULT 0,
      steps BIGINT NOT NULL DEFAULT 1,
      used_at_ms BIGINT NOT NULL
    )`,
    'CREATE INDEX pix_orders_used ON pix_orders (used_at_ms)',

    `CREATE TABLE pix_sends (
      external_id TEXT NOT NULL,
      step BIGINT NOT NULL,
      method TEXT NOT NULL,
      at_ms BIGINT NOT NULL,
      PRIMARY KEY (external_id, step)
    )`,
    'CREATE INDEX pix_sends_at ON pix_sends (at_ms)',

    `CREATE TABLE pix_invoices (
      external_id TEXT NOT NULL,
      invoice_id TEXT NOT NULL,
      step BIGINT NOT NULL,
      look_up_id TEXT NOT NULL,
      order_code TEXT NOT NULL,
      code TEXT NOT NULL,
      status TEXT NOT NULL,
      total_cents BIGINT NOT NULL,
      method TEXT NOT NULL,
      deadline_ms BIGINT,
      created_at_ms BIGINT NOT NULL,
      look_up_at_ms BIGINT,
      paid_at_ms BIGINT,
      settled_at_ms BIGINT,
      released_at_ms BIGINT,
      lapsed_at_ms BIGINT,
      PRIMARY KEY (external_id, invoice_id)
    )`,
    `CREATE INDEX pix_invoices_look_up ON pix_invoices (look_up_at_ms)
      WHERE look_up_at_ms IS NOT NULL`,
    `CREATE INDEX pix_invoices_settled ON pix_invoices (settled_at_ms)
      WHERE settled_at_ms IS NOT NULL`,

    `CREATE TABLE pix_attempts (
      scope TEXT NOT NULL,
      key TEXT NOT NULL,
      external_id TEXT NOT NULL,
      step BIGINT NOT NULL,
      method TEXT NOT NULL,
      total_cents BIGINT NOT NULL,
      installment BIGINT NOT NULL,
      holder TEXT NOT NULL,
      state TEXT NOT NULL,
      until_ms BIGINT NOT NULL,
      claimed_at_ms BIGINT NOT NULL,
      changed_at_ms BIGINT NOT NULL,
      invoice_id TEXT,
      candidate TEXT,
      PRIMARY KEY (scope, key)
    )`,
    // One order, one card: holds even where the order's lock should not.
    `CREATE UNIQUE INDEX pix_attempts_one_open_card ON pix_attempts (external_id)
      WHERE method = 'credit_card' AND state <> 'refused'`,
    'CREATE INDEX pix_attempts_key ON pix_attempts (key)',
    'CREATE INDEX pix_attempts_order ON pix_attempts (external_id)',
    `CREATE INDEX pix_attempts_doubtful ON pix_attempts (state, until_ms)
      WHERE state IN ('sent', 'unknown')`,
    'CREATE INDEX pix_attempts_changed ON pix_attempts (changed_at_ms)',

    `CREATE TABLE pix_deliveries (
      delivery_id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      external_id TEXT NOT NULL,
      step BIGINT NOT NULL,
      notice TEXT NOT NULL,
      queued_at_ms BIGINT NOT NULL,
      due_at_ms BIGINT NOT NULL,
      tries BIGINT NOT NULL,
      ended_at_ms BIGINT,
      outcome TEXT
    )`,
    'CREATE INDEX pix_deliveries_due ON pix_deliveries (kind, due_at_ms) WHERE ended_at_ms IS NULL',
    `CREATE INDEX pix_deliveries_ended ON pix_deliveries (ended_at_ms)
      WHERE ended_at_ms IS NOT NULL`,
    'CREATE INDEX pix_deliveries_order ON pix_deliveries (external_id)',

    'CREATE TABLE pix_pauses (name TEXT PRIMARY KEY, at_ms BIGINT NOT NULL)',
  ],
  // No index or column of a table that is there: it would wait for each transaction on it, and keep others waiting.
  ['CREATE TABLE pix_calls (second BIGINT PRIMARY KEY, calls BIGINT NOT NULL)'],
  [
    `CREATE TABLE pix_sent_as (
      external_id TEXT NOT NULL,
      method TEXT NOT NULL,
      total_cents BIGINT NOT NULL,
      PRIMARY KEY (external_id, method, total_cents)
    )`,
    `CREATE TABLE pix_named (
      external_id TEXT NOT NULL,
      look_up_id TEXT NOT NULL,
      tries BIGINT NOT NULL,
      named_at_ms BIGINT NOT NULL,
      due_at_ms BIGINT NOT NULL,
      PRIMARY KEY (external_id, look_up_id)
    )`,
    'CREATE INDEX pix_named_due ON pix_named (due_at_ms)',
  ],
  [
    `CREATE TABLE pix_shown (
      external_id TEXT NOT NULL,
      invoice_id TEXT NOT NULL,
      at_ms BIGINT NOT NULL,
      PRIMARY KEY (external_id, invoice_id)
    )`,
  ],
];

/**
 * Runs the migrations that are missing, all or none, while no other process does. Tables of a later version are taken as
 * they are.
 */
export async function migrate(store: Store): Promise<void> {
  if (await isUpToDate(store)) return;
  await store.write(async (query) => {
    await query(store.dialect.lockMigrations);
    await query(sql`CREATE TABLE IF NOT EXISTS pix_migrations (version BIGINT PRIMARY KEY)`);
    const done = await readVersion(query);
    for (const [index, statements] of migrations.entries()) {
      if (index < done) continue;
      for (const statement of statements) await query(raw(statement));
      await query(sql`INSERT INTO pix_migrations (version) VALUES (${index + 1})`);
    }
  });
}

/** @throws LedgerError `OUTDATED`: a former version made the tables; that of the database, where there are none */
export async function requireTables(store: Store): Promise<void> {
  if ((await readVersion(store.read)) < migrations.length) throw new LedgerError('OUTDATED');
}

/** Asked without a lock and without the right to make tables: a process that may only write rows can open a ledger. */
async function isUpToDate(store: Store): Promise<boolean> {
  try {
    return (await readVersion(store.read)) >= migrations.length;
  } catch (thrown) {
    // Most likely there is no table yet. Any other fault shows again at once.
    if (thrown instanceof LedgerError) return false;
    throw thrown;
  }
}

async function readVersion(query: Query): Promise<number> {
  const [row] = await query<{ readonly version: number | null }>(
    sql`SELECT max(version) AS version FROM pix_migrations`,
  );
  return row?.version ?? 0;
}
