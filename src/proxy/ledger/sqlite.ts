/**
 * SQLite in a file, through libsql: one machine, any number of processes.
 *
 * Owns how the file is opened and how a process waits for another one that writes. Knows no table.
 */

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { DatabaseConnection, Dialect, SqliteDatabase } from 'kysely';
import type Libsql from 'libsql';
import { LedgerError } from '../orders/ledger-error.js';
import { importDriver } from './import-driver.js';
import { toLedgerError } from './store.js';
import type { Store } from './store.js';
import type { Tables } from './tables.js';

/** How long a transaction waits for those of other processes, milliseconds. */
const patienceMs = 5_000;

/** Pause between two tries to begin, milliseconds: one, doubled each time up to the other, each with jitter. */
const pauseMs = { first: 1, longest: 20 };

/** How long the driver waits by itself, milliseconds: little, for meanwhile nothing else of this process runs. */
const driverWaitsMs = 20;

/** @throws LedgerError if the file cannot be opened */
export async function openSqlite(url: string): Promise<Store> {
  const path = toPath(url);
  const { default: Database } = await importDriver('libsql', () => import('libsql'));
  const database = open(() => new Database(path, { timeout: driverWaitsMs }));
  const db = new Kysely<Tables>({ dialect: toDialect(database) });
  return {
    db,
    isPostgres: false,
    write: (work) => db.transaction().execute(work),
    close: () => db.destroy(),
  };
}

/** `file:pix.db`, `file:./pix.db`, `file:/var/pix.db`, `file:///var/pix.db`. */
function toPath(url: string): string {
  if (url.startsWith('file://')) {
    try {
      return fileURLToPath(url);
    } catch {
      throw new TypeError('url is not the URL of a file on this machine');
    }
  }
  const path = url.slice('file:'.length);
  if (path === '' || path.startsWith(':')) throw new TypeError('url names no file');
  // Absolute, for the driver would take `http://…` or `libsql://…` for a server.
  return resolve(path);
}

function open(openDatabase: () => Libsql.Database): Libsql.Database {
  try {
    const database = openDatabase();
    for (const pragma of [
      'journal_mode = WAL',
      // What resolved survives a power cut.
      'synchronous = FULL',
      'fullfsync = ON',
    ]) {
      database.exec(`PRAGMA ${pragma}`);
    }
    return database;
  } catch (thrown) {
    throw toLedgerError(thrown);
  }
}

function toDialect(database: Libsql.Database): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new FileDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class FileDriver extends SqliteDriver {
  readonly #database: Libsql.Database;

  constructor(database: Libsql.Database) {
    super({ database: withLedgerErrors(database) });
    this.#database = database;
  }

  /** Takes the file's write lock at once: one that reads first could not be let in to write after it. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const startedAtMs = performance.now();
    for (let waitMs = pauseMs.first; ; waitMs = Math.min(2 * waitMs, pauseMs.longest)) {
      try {
        await connection.executeQuery(CompiledQuery.raw('BEGIN IMMEDIATE'));
        return;
      } catch (thrown) {
        const isBusy = thrown instanceof LedgerError && thrown.code?.startsWith('SQLITE_BUSY');
        if (!isBusy || performance.now() - startedAtMs > patienceMs) throw thrown;
      }
      await new Promise((done) => setTimeout(done, waitMs * (0.5 + Math.random())));
    }
  }

  /** A full disk ends a transaction by itself. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

function withLedgerErrors(database: Libsql.Database): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = guard(() => database.prepare(sql));
      return {
        reader: statement.reader,
        all: (values) => guard(() => statement.all(refuseNul(values))),
        run: (values) => guard(() => statement.run(refuseNul(values))),
        iterate: (values) => guard(() => statement.iterate(refuseNul(values))),
      };
    },
  };
}

function guard<T>(run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    throw toLedgerError(thrown);
  }
}

/** The driver would cut the text there, and one name become another. */
function refuseNul<T>(values: readonly T[]): T[] {
  if (values.some((value) => typeof value === 'string' && value.includes('\0'))) {
    throw new LedgerError('NUL_IN_TEXT');
  }
  return [...values];
}
