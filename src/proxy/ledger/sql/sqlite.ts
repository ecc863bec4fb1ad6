/**
 * SQLite in a file, through libsql: one machine, any number of processes.
 *
 * Owns how the file is opened and how a process waits for another one that writes. Knows no table.
 */

import { closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Libsql from 'libsql';
import sql, { empty, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { LedgerError, isBusy } from '../ledger-error.js';
import { toLedgerError, toMissingDriver } from './database.js';
import type { Dialect, Query, Store } from './database.js';

/** How long an operation waits for those of other processes, milliseconds. */
const patienceMs = 5_000;

/** Pause between two tries, milliseconds: one, doubled each time up to the other, each with jitter. */
const pauseMs = { first: 1, longest: 20 };

/** How many statements stay prepared. Preparing one takes longer than running it. */
const maxPrepared = 100;

/** One transaction at a time writes, so that no row needs a lock of its own. */
const dialect: Dialect = {
  toJsonArray(columns, subquery) {
    const fields = raw(columns.map((column) => `'${column}', ${column}`).join(', '));
    return sql`(SELECT json_group_array(json_object(${fields})) FROM (${subquery}))`;
  },
  skipLocked: empty,
  // The level is set where the transaction begins.
  commitRelaxed: sql`1`,
  waitBriefly: sql`TRUE`,
  lockMigrations: sql`SELECT 1`,
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
export async function openSqlite(url: string, readOnly = false): Promise<Store> {
  const path = toPath(url);
  const { default: Database } = await importLibsql();
  if (readOnly) orLost(() => statSync(path));
  else createPrivately(path);
  // The driver's own waiting would block the whole process.
  const database = open(() => new Database(path, { timeout: 0 }));
  await patiently(() => prepareFile(database, readOnly));
  const requireSameFiles = rememberFiles(path);
  const query = createQuery(database);
  const inTurn = createTurns();
  return {
    dialect,
    // One machine has one clock, and its one connection is line enough.
    now: Date.now,
    inOrderLine: (_name, work) => work(),
    // Another process that opens the file, or leaves it, may lock it for a moment.
    read: (statement) => inTurn(() => patiently(() => query(statement))),
    write: (work) => inTurn(() => transact('FULL', work)),
    writeRelaxed: (work) => inTurn(() => transact('NORMAL', work)),
    writeOne: (statement) => inTurn(() => transact('NORMAL', (run) => run(statement))),
    close: async () => void database.close(),
  };

  /** @param synchronous NORMAL: a power cut may take it back, with all that follows it. None that resolved before it */
  async function transact<T>(
    synchronous: 'FULL' | 'NORMAL',
    work: (query: Query) => Promise<T>,
  ): Promise<T> {
    // `BEGIN IMMEDIATE` takes the file's write lock: SQLite would not let a transaction write that read first. By `exec`,
    // because a prepared `BEGIN` that was refused stays in progress, and no `COMMIT` passes it.
    await patiently(() => exec(`PRAGMA synchronous = ${synchronous}; BEGIN IMMEDIATE`));
    try {
      const result = await work(async (statement) => query(statement));
      requireSameFiles();
      exec('COMMIT');
      return result;
    } catch (thrown) {
      // A full disk ends a transaction by itself.
      if (database.inTransaction) exec('ROLLBACK');
      throw thrown;
    }
  }

  function exec(text: string): void {
    guard(() => database.exec(text));
  }
}

/** The file has one connection: a transaction has it to itself from its beginning to its end. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const running = last.then(work);
    last = running.catch(() => undefined);
    return running;
  };
}

function createQuery(database: Libsql.Database): <Row>(statement: Sql) => Row[] {
  const prepared = new Map<string, Libsql.Statement>();

  return <Row>({ sql: text, values }: Sql) => {
    refuseNul(values);
    const statement = prepared.get(text) ?? prepare(text);
    try {
      return guard(() => {
        if (statement.reader) return statement.all(values) as Row[];
        statement.run(values);
        return [];
      });
    } catch (thrown) {
      // A statement that failed stays in progress, so the next time it is prepared anew.
      prepared.delete(text);
      throw thrown;
    }
  };

  function prepare(text: string): Libsql.Statement {
    // The text of `IN (…)` differs with the number of rows, so that the texts are not bounded.
    if (prepared.size >= maxPrepared) prepared.clear();
    const statement = guard(() => database.prepare(text));
    prepared.set(text, statement);
    return statement;
  }
}

/**
 * Creates the file so that only its owner may read it. The driver gives the files beside it the same mode. A file that exists
 * is not opened here, because closing it would release the locks that this process holds on it (fcntl).
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It is there, or the driver says what is wrong.
  }
}

/** Gives the error a code, which the driver leaves out. Most often the folder is missing, or belongs to another user. */
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

function prepareFile(database: Libsql.Database, readOnly: boolean): void {
  guard(() => {
    if (readOnly) database.exec('PRAGMA query_only = ON');
    else database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA fullfsync = ON');
    // Opens the files beside it and keeps them open: the last process to close deletes them.
    database.exec('SELECT 1 FROM sqlite_schema');
  });
}

/** Tries again while another process is at the file. */
async function patiently<T>(run: () => T): Promise<T> {
  const startedAtMs = performance.now();
  for (let waitMs = pauseMs.first; ; waitMs = Math.min(2 * waitMs, pauseMs.longest)) {
    try {
      return run();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() - startedAtMs > patienceMs) throw thrown;
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

/** The driver would cut a text at its first NUL, so that two names could become one. */
function refuseNul(values: readonly unknown[]): void {
  if (values.some((value) => typeof value === 'string' && value.includes('\0'))) {
    throw new LedgerError('NUL_IN_TEXT');
  }
}

/** The files that the driver opens beside the real file, also where the path is a link. */
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

/** A path that cannot be found now cannot be opened after a restart either. */
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
