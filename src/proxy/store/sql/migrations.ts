/** Creates the tables, in SQL that every database understands. */

import sql from 'sql-template-tag';
import { LedgerError } from '../order-store.js';
import type { Database } from './database.js';

/** The number of the tables below. A change of them gets the next one, and takes the rows of the one before along. */
const schemaNumber = 1;

/** `doc` is JSON: PostgreSQL keeps it as `jsonb`, which its operators read; SQLite as text, which its functions read. */
const toTable = (name: string, json: string) =>
  `CREATE TABLE IF NOT EXISTS ${name} (
    id TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    forget_at_ms BIGINT,
    doc ${json} NOT NULL
  )`;

const toTables = (json: string): readonly string[] => [
  // An order is found by the merchant's reference.
  toTable('pix_orders', json),
  'CREATE INDEX IF NOT EXISTS pix_orders_forget ON pix_orders (forget_at_ms)',
  // Throttles, and the book of the service's calls.
  toTable('pix_notes', json),
  'CREATE INDEX IF NOT EXISTS pix_notes_forget ON pix_notes (forget_at_ms)',
  `CREATE TABLE IF NOT EXISTS pix_entries (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    external_id TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    rank BIGINT NOT NULL,
    PRIMARY KEY (kind, id, external_id)
  )`,
  'CREATE INDEX IF NOT EXISTS pix_entries_at ON pix_entries (kind, at_ms)',
  'CREATE TABLE IF NOT EXISTS pix_schema (number BIGINT PRIMARY KEY)',
  `INSERT INTO pix_schema (number) VALUES (${schemaNumber}) ON CONFLICT (number) DO NOTHING`,
];

/**
 * Makes the tables if they are not there. Those of a later version are taken as they are.
 * @throws LedgerError `OLD_TABLES`: those of a version before 0.2 are there. Nothing was changed
 */
export async function makeTables(database: Database): Promise<void> {
  // Asked without a lock and without the right to make tables: a process that may only write rows can open it.
  const isMade = await tryRead(() => database.read(sql`SELECT number FROM pix_schema`));
  if (isMade) return;
  await refuseOldTables(database);
  await database.makeTables(toTables(database.jsonType));
}

/** @throws as `makeTables` does; the database's LedgerError where there are no tables */
export async function requireTables(database: Database): Promise<void> {
  try {
    await database.read(sql`SELECT number FROM pix_schema`);
  } catch (thrown) {
    await refuseOldTables(database);
    throw thrown;
  }
}

async function refuseOldTables({ read }: Database): Promise<void> {
  const isOld = await tryRead(() => read(sql`SELECT version FROM pix_migrations LIMIT 1`));
  if (isOld) throw new LedgerError('OLD_TABLES');
}

/** @returns false, too, where it fails: most likely there is no table. Any other fault shows again at once */
async function tryRead(ask: () => Promise<readonly unknown[]>): Promise<boolean> {
  try {
    return (await ask()).length > 0;
  } catch {
    return false;
  }
}
