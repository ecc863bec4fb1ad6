/**
 * Package entry `pix-checkout/ledger`: opens a ledger in a database, chosen by its URL, and makes its tables.
 */

import type { Ledger } from './proxy/ledger/ledger.js';
import { createCallBooking } from './proxy/ledger/sql/call-booking.js';
import { createAttemptOperations } from './proxy/ledger/sql/attempts.js';
import { createDueWork, createNamedIds } from './proxy/ledger/sql/due-work.js';
import { createEndingOperations } from './proxy/ledger/sql/endings.js';
import { createCodeRecording } from './proxy/ledger/sql/invoices.js';
import { migrate, requireTables } from './proxy/ledger/sql/migrations.js';
import { openPostgres } from './proxy/ledger/sql/postgres.js';
import { createPrune } from './proxy/ledger/sql/prune.js';
import { openSqlite } from './proxy/ledger/sql/sqlite.js';
import { createOrderOperations, inLines } from './proxy/ledger/sql/orders.js';
import type { Store } from './proxy/ledger/sql/database.js';

export { LedgerError } from './proxy/ledger/ledger-error.js';

/** Where a ledger is. */
export interface LedgerOptions {
  /**
   * `file:./pix.db` is SQLite in a file of this machine and needs the package `libsql`; `postgres://…` is PostgreSQL, for
   * several machines, and needs `pg`.
   */
  readonly url: string;
  /**
   * Replaces the clock, for tests; milliseconds since 1970. Default: the machine's for a file, and the database's for
   * PostgreSQL, so that clocks of machines need not agree. The proxy goes by it, too.
   */
  readonly now?: () => number;
  /**
   * Opens a ledger that is there, to ask it `describeOrder` beside running proxies: makes no file and no table, and changes
   * nothing. Default: false.
   */
  readonly readOnly?: boolean;
}

/** A ledger that is open until it is closed. */
export interface OpenLedger extends Ledger {
  /** Lets go of the database, once what is under way has ended. What is asked of the ledger afterwards fails. */
  close(): Promise<void>;
}

/**
 * Opens the ledger for `createProxy({ledger})` and makes its tables, if they are not there.
 * @throws TypeError for a `url` of another kind; Error if the package it needs is missing; LedgerError if the database
 *   cannot be reached. None of them quotes the URL.
 */
export async function openLedger(options: LedgerOptions): Promise<OpenLedger> {
  const { url, now: given, readOnly = false } = options;
  const store = await openStore(url, readOnly);
  const now = given ?? store.now;
  try {
    await (readOnly ? requireTables(store) : migrate(store));
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
  const operations = {
    ...createOrderOperations(store, now),
    ...createAttemptOperations(store, now),
    ...createCodeRecording(store, now),
    ...createEndingOperations(store, now),
    ...createDueWork(store, now),
    ...createNamedIds(store, now),
    bookCalls: createCallBooking(store, now),
    prune: createPrune(store, now),
  };
  return {
    isShared: true,
    areLookUpsClaimed: store.dialect.areLookUpsClaimed,
    now,
    ...inLines(operations, store),
  };
}

function openStore(url: unknown, readOnly: boolean): Promise<Store> {
  const text = typeof url === 'string' ? url : '';
  if (text.startsWith('file:')) return openSqlite(text, readOnly);
  if (/^postgres(ql)?:\/\//.test(text)) return openPostgres(text);
  throw new TypeError('url must begin with file: or postgres://');
}
