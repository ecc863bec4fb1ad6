/**
 * The tables of a ledger, as a list of numbered migrations. A process that opens a ledger runs the missing ones in one
 * transaction, and keeps their numbers in `pix_schema`. It refuses a ledger with a number that it does not know, because it
 * would write rows in an older form.
 */

import sql from 'sql-template-tag';
import { LedgerError } from '../order-store.js';
import type { Database } from './database.js';

/** A step from one form of the tables to the next. A released migration never changes. */
export interface Migration {
  /** One more than the number of the migration before. */
  readonly number: number;
  /** Makes the statements. @param jsonType the type of a column that holds JSON */
  readonly toStatements: (jsonType: Database['jsonType']) => readonly string[];
}

/** PostgreSQL keeps `doc` as `jsonb`, and SQLite as JSON text. */
const toTable = (name: string, json: string) =>
  `CREATE TABLE ${name} (
    id TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    forget_at_ms BIGINT,
    doc ${json} NOT NULL
  )`;

/** To change the tables, add a migration with the next number at the end. It also has to convert the rows. */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    toStatements: (json) => [
      // The id of an order is the merchant's reference.
      toTable('pix_orders', json),
      'CREATE INDEX pix_orders_forget ON pix_orders (forget_at_ms)',
      // Throttles, the shop that the store belongs to, and values that processes share.
      toTable('pix_notes', json),
      'CREATE INDEX pix_notes_forget ON pix_notes (forget_at_ms)',
      `CREATE TABLE pix_entries (
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        external_id TEXT NOT NULL,
        at_ms BIGINT NOT NULL,
        rank BIGINT NOT NULL,
        PRIMARY KEY (kind, id, external_id)
      )`,
      'CREATE INDEX pix_entries_at ON pix_entries (kind, at_ms)',
    ],
  },
];

/**
 * Runs the migrations that are missing.
 * @throws LedgerError `NEWER_TABLES` if the tables have a number that `all` lacks
 */
export async function migrate(database: Database, all = migrations): Promise<void> {
  // The number is read without a lock, so that a process that may only write rows can open a ledger that needs no migration.
  const done = await readNumber(database).catch(() => 0);
  if (isNewest(done, all)) return;
  await database.migrate((number) => {
    if (isNewest(number, all)) return [];
    return all
      .filter((one) => one.number > number)
      .flatMap((one) => [
        ...one.toStatements(database.jsonType),
        `INSERT INTO pix_schema (number) VALUES (${one.number})`,
      ]);
  });
}

/**
 * Checks that no migration is missing, and changes nothing.
 * @throws LedgerError `NEWER_TABLES`, `OLDER_TABLES`, or the database's own code if there are no tables
 */
export async function requireTables(database: Database, all = migrations): Promise<void> {
  if (!isNewest(await readNumber(database), all)) throw new LedgerError('OLDER_TABLES');
}

/** Whether no migration is missing. @throws LedgerError `NEWER_TABLES` */
function isNewest(number: number, all: readonly Migration[]): boolean {
  const newest = all.at(-1)!.number;
  if (number > newest) throw new LedgerError('NEWER_TABLES');
  return number === newest;
}

async function readNumber({ read }: Database): Promise<number> {
  const [row] = await read<{ readonly number: unknown }>(
    sql`SELECT max(number) AS number FROM pix_schema`,
  );
  return Number(row?.number ?? 0);
}
