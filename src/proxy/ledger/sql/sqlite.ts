/**
 * SQLite in a file, through libsql: one machine, any number of processes.
 *
 * Owns how the file is opened and how a process waits for another one that writes. Knows no table.
 */

import { closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { DatabaseConnection, Dialect, SqliteDatabase, SqliteStatement } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/sqlite';
import type Libsql from 'libsql';
import { LedgerError } from '../ledger-error.js';
import { toLedgerError, toMissingDriver } from './database.js';
import type { LedgerDialect, Store, Tx } from './database.js';
import type { Tables } from './tables.js';

/** How long an operation waits for those of other processes, milliseconds. */
const patienceMs = 5_000;

/** Pause between two tries, milliseconds: one, doubled each time up to the other, each with jitter. */
const pauseMs = { first: 1, longest: 20 };

/** Most statements kept prepared: to prepare one takes longer than to run it. */
const maxPrepared = 100;

/** One transaction at a time writes, so that no row needs a lock of its own. */
const sqlite: LedgerDialect = {
  toJsonArray: jsonArrayFrom as unknown as LedgerDialect['toJsonArray'],
  skipLocked: (query) => query,
  // The level is set where the transaction begins.
  commitRelaxed: sql`1`,
  waitBriefly: sql`1`,
  lockMigrations: async () => undefined,
  // In a file each claim would be a write that the whole process waits for.
  areLookUpsClaimed: false,
};

async function importLibsql() {
  try {
    return await import('libsql');
  } catch {
    throw toMissingDriver('libsql');
  }
}

/** @throws LedgerError if the file cannot be opened */
export async function openSqlite(url: string): Promise<Store> {
  const path = toPath(url);
  const { default: Database } = await importLibsql();
  // The driver's own waiting would be everybody's: nothing else of this process runs meanwhile.
  createPrivately(path);
  const database = open(() => new Database(path, { timeout: 0 }));
  await patiently(async () => prepareFile(database));
  const requireSameFiles = rememberFiles(path);
  const driver = new FileDriver(database);
  const db = new Kysely<Tables>({ dialect: toDialect(driver) });
  const writeRelaxed: Store['writeRelaxed'] = (work) =>
    db.connection().execute(async (connection) => {
      // There is one connection, and it is ours until the end.
      driver.isRelaxed = true;
      try {
        return await connection.transaction().execute(inSameFiles(work));
      } finally {
        driver.isRelaxed = false;
      }
    });
  return {
    dialect: sqlite,
    // Another process that opens the file, or leaves it, may keep everybody out for a moment.
    read: (work) => patiently(() => work(db)),
    write: (work) => db.transaction().execute(inSameFiles(work)),
    writeRelaxed,
    // Its transaction costs no way to a server.
    writeOne: writeRelaxed,
    close: () => db.destroy(),
  };

  function inSameFiles<T>(work: (tx: Tx) => Promise<T>): (tx: Tx) => Promise<T> {
    return async (tx) => {
      const result = await work(tx);
      requireSameFiles();
      return result;
    };
  }
}

/**
 * Creates the file for its owner alone; the driver gives those beside it the same mode. One that is there is not opened
 * here: to close it again would end the locks that this process has on it (fcntl).
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It is there, or the driver says what is wrong.
  }
}

/** The driver has no code for a file that cannot be opened: most often its folder is not there, or not ours. */
function open(run: () => Libsql.Database): Libsql.Database {
  try {
    return run();
  } catch {
    throw new LedgerError('SQLITE_CANTOPEN');
  }
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

function prepareFile(database: Libsql.Database): void {
  guard(() => {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA fullfsync = ON');
    // Opens the files beside it and keeps them open: the last process to close deletes them.
    database.exec('SELECT 1 FROM sqlite_schema');
  });
}

function toDialect(driver: FileDriver): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class FileDriver extends SqliteDriver {
  /** Whether the next transaction may be lost in a power cut, with all that follow it. None that resolved before may. */
  isRelaxed = false;
  readonly #database: Libsql.Database;

  constructor(database: Libsql.Database) {
    super({ database: withLedgerErrors(database) });
    this.#database = database;
  }

  /**
   * Takes the file's write lock at once: one that reads first could not be let in to write after it. By `exec`, for a
   * prepared `BEGIN` that was refused stays in progress, and no `COMMIT` passes it.
   */
  override async beginTransaction(): Promise<void> {
    const level = this.isRelaxed ? 'NORMAL' : 'FULL';
    await patiently(async () =>
      guard(() => this.#database.exec(`PRAGMA synchronous = ${level}; BEGIN IMMEDIATE`)),
    );
  }

  /** A full disk ends a transaction by itself. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

function withLedgerErrors(database: Libsql.Database): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      let statement = prepared.get(sql);
      if (!statement) {
        // Those that name many rows differ in how many.
        if (prepared.size >= maxPrepared) prepared.clear();
        statement = prepare(sql);
        prepared.set(sql, statement);
      }
      return statement;
    },
  };

  function prepare(sql: string): SqliteStatement {
    const statement = guard(() => database.prepare(sql));
    return {
      reader: statement.reader,
      all: (values) => use(() => statement.all(refuseNul(values))),
      run: (values) => use(() => statement.run(refuseNul(values))),
      iterate: (values) => use(() => statement.iterate(refuseNul(values))),
    };

    /** One that failed stays in progress: it is not used again. */
    function use<T>(run: () => T): T {
      try {
        return guard(run);
      } catch (thrown) {
        prepared.delete(sql);
        throw thrown;
      }
    }
  }
}

/** Tries again while another process is at the file. */
async function patiently<T>(run: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  for (let waitMs = pauseMs.first; ; waitMs = Math.min(2 * waitMs, pauseMs.longest)) {
    try {
      return await run();
    } catch (thrown) {
      const isBusy = thrown instanceof LedgerError && thrown.code?.startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() - startedAtMs > patienceMs) throw thrown;
    }
    await new Promise((done) => setTimeout(done, waitMs * (0.5 + Math.random())));
  }
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

/** The driver opens the others beside the file itself, wherever links led it. */
const besides = ['-wal', '-shm'];

/**
 * Remembers which files are at the path now. A deleted or replaced file can still be written to, but its rows end with
 * this process: a card would be charged again after a restart.
 * @returns fails once they are others
 * @throws LedgerError if there is no file
 */
function rememberFiles(path: string): () => void {
  const real = orLost(() => realpathSync(path));
  // The path as it was given: a link that leads elsewhere is another file, too.
  const paths = [path, ...besides.map((suffix) => real + suffix)];
  const opened = identify(paths);
  return () => {
    if (identify(paths) !== opened) throw toLoss();
  };
}

function identify(paths: readonly string[]): string {
  const found = paths.map((path) => orLost(() => statSync(path, { bigint: true })));
  return found.map(({ dev, ino }) => `${dev}:${ino}`).join(' ');
}

/** What cannot be found is not there after a restart either. */
function orLost<T>(run: () => T): T {
  try {
    return run();
  } catch {
    throw toLoss();
  }
}

function toLoss(): LedgerError {
  return new LedgerError('FILE_REPLACED');
}
