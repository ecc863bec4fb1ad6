/**
 * SQLite in a file: one machine, any number of processes.
 *
 * Owns how the file is opened, how a process waits for another one that writes, and that the file is still the one that
 * was opened. Knows the tables' columns, and no rule of an order.
 */

import { closeSync, openSync, realpathSync, statSync, accessSync, constants } from 'node:fs';
import { resolve, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRecent, createTurns, createWaitingLines } from '../../runtime/running.js';
import { LedgerError, isBusy, toBusyError } from '../order-store.js';
import type { Database, Removal, Replacement } from './database.js';
import { toUnusableError } from '../../runtime/optional-package.js';
import { schemaTable, toLedgerError } from './database.js';

/** How long an operation waits for those of other processes, milliseconds. */
const patienceMs = 5_000;

/** Pause between two tries, milliseconds: one, doubled each time up to the other, each with jitter. */
const pauseMs = { first: 1, longest: 20 };

/** How many statements stay prepared. Preparing one takes longer than running it. */
const maxPrepared = 100;

/** @throws LedgerError if the file cannot be opened */
export async function openSqlite(
  url: string,
  readOnly = false,
  openDriver = openSqliteDriver,
): Promise<Database> {
  const path = toPath(url);
  const driver = await openFile(path, readOnly, openDriver).catch((thrown: unknown) => {
    throw withFileFault(thrown, path);
  });
  const requireSameFiles = rememberFiles(path);
  const { all, run } = createRunner(driver);
  // The file has one connection: who waits for other processes is followed by those behind.
  const inLine = createWaitingLines(1, toBusyError);
  const ownTurn = createTurns();

  return {
    // One machine has one clock.
    now: Date.now,
    jsonType: 'TEXT',
    // In a file each throttle would be a write that the whole process waits for.
    throttlesLookUps: false,
    // Another process that opens the file, or leaves it, may lock it for a moment.
    async read<Row>({ sql, values }: { readonly sql: string; readonly values: unknown[] }) {
      await ownTurn();
      return retryWhileBusy(() => all(sql, values) as Row[]);
    },
    // A file has no rows that can be held alone.
    replace: (change, { isRelaxed }) =>
      transact(isRelaxed ? 'NORMAL' : 'FULL', () => replaceRow({ all, run }, change)),
    async remove(removal) {
      let gone = 0;
      await transact('NORMAL', () => {
        gone = removeRows({ all, run }, removal);
        return true;
      });
      return gone;
    },
    async migrate(toStatements) {
      await transact('FULL', () => {
        driver.exec(schemaTable);
        const [row] = all('SELECT max(number) AS number FROM pix_schema', []);
        const { number } = row as { readonly number: number | null };
        for (const text of toStatements(number ?? 0)) driver.exec(text);
        return true;
      });
    },
    close: async () => driver.close(),
  };

  /**
   * @param synchronous NORMAL: a power cut may take it back, with all that follows it. None that resolved before it
   * @param work false: nothing is written
   */
  function transact(synchronous: 'FULL' | 'NORMAL', work: () => boolean): Promise<boolean> {
    return inLine('', async () => {
      await ownTurn();
      // `BEGIN IMMEDIATE` takes the file's write lock. By `exec`, because a prepared `BEGIN` that was refused stays in
      // progress, and no `COMMIT` passes it.
      await retryWhileBusy(() => {
        driver.exec(`PRAGMA synchronous = ${synchronous}`);
        driver.exec('BEGIN IMMEDIATE');
      });
      try {
        const isDone = work();
        requireSameFiles();
        driver.exec(isDone ? 'COMMIT' : 'ROLLBACK');
        return isDone;
      } catch (thrown) {
        // A full disk ends a transaction by itself.
        if (driver.isInTransaction()) driver.exec('ROLLBACK');
        throw thrown;
      }
    });
  }
}

async function openFile(
  path: string,
  readOnly: boolean,
  openDriver: typeof openSqliteDriver,
): Promise<SqliteDriver> {
  if (readOnly) failAsReplaced(() => statSync(path));
  const driver = await openDriver(path, () => (readOnly ? undefined : createPrivately(path)));
  try {
    await retryWhileBusy(() => prepareFile(driver, readOnly));
    return driver;
  } catch (thrown) {
    driver.close();
    throw thrown;
  }
}

function replaceRow(
  { run }: Runner,
  { table, id, version, next, gone, put }: Replacement,
): boolean {
  const isOurs = replaceValue();
  if (isOurs && gone.length > 0) {
    run(
      `DELETE FROM pix_entries WHERE (kind, id, external_id) IN
        (SELECT value ->> 'kind', value ->> 'id', ? FROM json_each(?))`,
      [id, JSON.stringify(gone)],
    );
  }
  if (isOurs && put.length > 0) {
    run(
      `INSERT INTO pix_entries (kind, id, external_id, at_ms, rank)
        SELECT value ->> 'kind', value ->> 'id', ?, value ->> 'at_ms', value ->> 'rank'
        FROM json_each(?) WHERE TRUE
        ON CONFLICT (kind, id, external_id)
          DO UPDATE SET at_ms = excluded.at_ms, rank = excluded.rank`,
      [id, JSON.stringify(put)],
    );
  }
  return isOurs;

  function replaceValue(): boolean {
    if (!next) return run(`DELETE FROM ${table} WHERE id = ? AND version = ?`, [id, version]) > 0;
    const values = [next.version, next.forgetAtMs, next.doc, id];
    if (version === null) {
      const text = `INSERT INTO ${table} (version, forget_at_ms, doc, id) VALUES (?, ?, ?, ?)
        ON CONFLICT (id) DO NOTHING`;
      return run(text, values) > 0;
    }
    const text = `UPDATE ${table} SET version = ?, forget_at_ms = ?, doc = ?
      WHERE id = ? AND version = ?`;
    return run(text, [...values, version]) > 0;
  }
}

function removeRows({ all, run }: Runner, { table, rows, entries }: Removal): number {
  const gone = all(
    `DELETE FROM ${table} WHERE (id, version) IN
      (SELECT value ->> 'id', value ->> 'version' FROM json_each(?)) RETURNING id`,
    [JSON.stringify(rows)],
  ) as { readonly id: string }[];
  const ids = new Set(gone.map(({ id }) => id));
  run(
    `DELETE FROM pix_entries WHERE (kind, id, external_id) IN
      (SELECT value ->> 'kind', value ->> 'id', value ->> 'external_id' FROM json_each(?))`,
    [JSON.stringify(entries.filter((one) => ids.has(one.external_id)))],
  );
  return ids.size;
}

type Runner = ReturnType<typeof createRunner>;

function createRunner(driver: SqliteDriver) {
  // The text of `IN (…)` differs with the number of rows, so that the texts are not bounded.
  const prepared = createRecent<ReturnType<SqliteDriver['prepare']>>(() => true, maxPrepared);
  const use = <T>(
    text: string,
    values: readonly unknown[],
    ask: (statement: ReturnType<SqliteDriver['prepare']>) => T,
  ): T => {
    refuseNul(values);
    const statement = prepared.get(text) ?? prepare(text);
    try {
      return ask(statement);
    } catch (thrown) {
      // A statement that failed stays in progress, so the next time it is prepared anew.
      prepared.delete(text);
      throw thrown;
    }
  };

  return {
    all: (text: string, values: readonly unknown[]) => use(text, values, (one) => one.all(values)),
    run: (text: string, values: readonly unknown[]) => use(text, values, (one) => one.run(values)),
  };

  function prepare(text: string) {
    const statement = driver.prepare(text);
    prepared.set(text, statement);
    return statement;
  }
}

/** A driver would cut a text at its first NUL, so that two names could become one. */
function refuseNul(values: readonly unknown[]): void {
  if (values.some((value) => typeof value === 'string' && value.includes('\0'))) {
    throw new LedgerError('NUL_IN_TEXT');
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
  // Absolute, for a driver would take `http://…` or `libsql://…` for a server.
  return resolve(path);
}

function prepareFile(driver: SqliteDriver, readOnly: boolean): void {
  driver.exec(readOnly ? 'PRAGMA query_only = ON' : 'PRAGMA journal_mode = WAL');
  driver.exec('PRAGMA fullfsync = ON');
  // Opens the files beside it and keeps them open: the last process to close deletes them.
  driver.exec('SELECT 1 FROM sqlite_schema');
}

/** Tries again while another process is at the file. */
async function retryWhileBusy<T>(run: () => T): Promise<T> {
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

/** The files that the driver opens beside the real file, also where the path is a link. */
const sideFileSuffixes = ['-wal', '-shm'];

/**
 * Remembers which files are at the path now. A deleted or replaced file can still be written to, but its rows end with
 * this process: a card would be charged again after a restart.
 * @returns fails once they are others
 * @throws LedgerError if there is no file
 */
function rememberFiles(path: string): () => void {
  const real = failAsReplaced(() => realpathSync(path));
  // The path as it was given: a link that leads elsewhere is another file, too.
  const paths = [path, ...sideFileSuffixes.map((suffix) => real + suffix)];
  const opened = identify(paths);
  return () => {
    if (identify(paths) !== opened) throw new LedgerError('FILE_REPLACED');
  };
}

function identify(paths: readonly string[]): string {
  const found = paths.map((path) => failAsReplaced(() => statSync(path, { bigint: true })));
  return found.map(({ dev, ino }) => `${dev}:${ino}`).join(' ');
}

/** A path that cannot be found now cannot be opened after a restart either. */
function failAsReplaced<T>(run: () => T): T {
  try {
    return run();
  } catch {
    throw new LedgerError('FILE_REPLACED');
  }
}

// SQLite's drivers: the one that Node brings (24 and newer), else the package libsql. One interface for both; each is loaded
// only where it is used.

/** A statement that was prepared. */
interface Statement {
  readonly all: (values: readonly unknown[]) => unknown[];
  /** @returns how many rows it changed */
  readonly run: (values: readonly unknown[]) => number;
}

/** A file's one connection. Each call blocks the process until the disk has answered. */
export interface SqliteDriver {
  readonly exec: (text: string) => void;
  readonly prepare: (text: string) => Statement;
  readonly isInTransaction: () => boolean;
  readonly close: () => void;
}

/** The first Node whose own SQLite is stable and prints no warning. */
const firstWithSqlite = 24;

/**
 * Opens the file with a driver that does not wait for other processes: its waiting would block this one.
 * @param makeFile called before, once there is a driver
 * @throws Error if neither Node nor a package brings SQLite; LedgerError if the file cannot be opened
 */
export async function openSqliteDriver(
  path: string,
  makeFile = (): void => undefined,
): Promise<SqliteDriver> {
  const Database = findSqliteOfNode() ?? (await importLibsql()).default;
  makeFile();
  const database = openDatabase((): BareDatabase => new Database(path, { timeout: 0 }));
  return {
    exec: (text) => callDriver(() => void database.exec(text)),
    prepare(text) {
      const statement = callDriver(() => database.prepare(text));
      return {
        all: (values) => callDriver(() => statement.all(...values)),
        run: (values) => callDriver(() => Number(statement.run(...values).changes)),
      };
    },
    isInTransaction: () => (database.isTransaction ?? database.inTransaction) === true,
    close: () => void database.close(),
  };
}

/** What is used of both. */
interface BareDatabase {
  exec(text: string): unknown;
  prepare(text: string): {
    all(...values: readonly unknown[]): unknown[];
    run(...values: readonly unknown[]): { readonly changes: number | bigint };
  };
  close(): unknown;
  /** As Node calls it. */
  readonly isTransaction?: boolean;
  /** As libsql does. */
  readonly inTransaction?: boolean;
}

type DatabaseOfNode = new (path: string, options: { readonly timeout: number }) => BareDatabase;

/** Of `node:sqlite`, of which Node 20 has no types. */
function findSqliteOfNode(): DatabaseOfNode | null {
  // Bun and Deno only name a version of Node that they are like.
  const { node = '0', bun, deno } = process.versions as Record<string, string | undefined>;
  const isNode = bun === undefined && deno === undefined;
  if (!isNode || Number.parseInt(node, 10) < firstWithSqlite) return null;
  // A Node may be built or started without it.
  const sqlite = process.getBuiltinModule('node:sqlite') as
    { readonly DatabaseSync: DatabaseOfNode } | undefined;
  return sqlite?.DatabaseSync ?? null;
}

/** The `try` stands around the `import()` itself: so bundlers warn of a missing driver and do not fail. */
async function importLibsql() {
  try {
    return await import('libsql');
  } catch {
    throw toUnusableError('This url', 'libsql');
  }
}

/** Gives the error a code, which drivers leave out. Most often the folder is missing, or belongs to another user. */
function openDatabase<T>(run: () => T): T {
  try {
    return run();
  } catch {
    throw new LedgerError('SQLITE_CANTOPEN');
  }
}

const codeNames: Readonly<Record<number, string>> = {
  5: 'BUSY',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  26: 'NOTADB',
};

/** Node tells SQLite's number, libsql its name. */
function callDriver<T>(run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    const number = (thrown as { readonly errcode?: unknown } | null)?.errcode;
    if (typeof number !== 'number') throw toLedgerError(thrown);
    const primary = number % 256;
    throw new LedgerError(`SQLITE_${codeNames[primary] ?? primary}`);
  }
}

// Says in words why a file cannot be opened as a database: drivers have one code for all of it.

/** Causes that the code names, whatever the file system says. */
const causes: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is a file of another kind',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_FULL: 'there is no room on its disk',
  SQLITE_BUSY: 'another process holds it',
};

/** The same error, with the file's path and what is wrong with it. */
function withFileFault(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof LedgerError)) return thrown;
  const cause = causes[thrown.code ?? ''] ?? findCause(path);
  return new LedgerError(thrown.code, `${path}${cause && `: ${cause}`}`);
}

function findCause(path: string): string {
  const folder = dirname(path);
  const above = findStats(folder);
  if (above === null) return `there is no folder ${folder}`;
  if (!above.isDirectory()) return `${folder} is no folder`;
  const file = findStats(path);
  if (file?.isDirectory()) return 'it is a folder';
  const { R_OK, W_OK, X_OK } = constants;
  if (!isPermitted(folder, W_OK | X_OK)) return `this user may not write to the folder ${folder}`;
  if (file === null) return 'there is no such file';
  return isPermitted(path, R_OK | W_OK) ? '' : 'this user may not read and write it';
}

function findStats(path: string) {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function isPermitted(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
