/** Opens a store in a database, chosen by its URL, and makes its tables. */

import type { OrderStore } from './order-store.js';
import type { Database } from './sql/database.js';
import { openPostgres } from './sql/postgres.js';
import { migrate, requireTables } from './sql/migrations.js';
import { createSqlStore } from './sql/sql-store.js';
import { openSqlite } from './sql/sqlite.js';

export interface StoreOptions {
  /** `file:…` or `postgres://…`. */
  readonly url: string;
  /** Replaces the database's clock; milliseconds since 1970. */
  readonly now?: () => number;
  /** Opens an existing database without changing it: creates no file and no table. Default: false. */
  readonly readOnly?: boolean;
}

/**
 * Opens a store.
 * @throws TypeError for a `url` of another kind, Error if its package is missing, LedgerError if the database cannot be
 * reached. No error quotes the URL
 */
export async function openStore({ now, ...where }: StoreOptions): Promise<OrderStore> {
  const database = await openTables(where);
  return createSqlStore(database, now ?? database.now);
}

/** Opens a database and makes its tables, or with `readOnly` only checks them. @throws as `openStore` does */
export async function openTables({
  url,
  readOnly = false,
}: Omit<StoreOptions, 'now'>): Promise<Database> {
  const database = await openDatabase(url, readOnly);
  try {
    await (readOnly ? requireTables(database) : migrate(database));
    return database;
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
}

/** Opens the kind of database that the URL names. @throws TypeError for any other URL */
async function openDatabase(url: unknown, readOnly: boolean): Promise<Database> {
  const text = typeof url === 'string' ? url : '';
  if (text.startsWith('file:')) return openSqlite(text, readOnly);
  if (/^postgres(ql)?:\/\//.test(text)) return openPostgres(text);
  throw new TypeError('url must begin with file: or postgres://, or be memory:');
}
