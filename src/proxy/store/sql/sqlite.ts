/**
 * SQLite in a file, for any number of processes of one machine.
 *
 * This file opens the database, waits while another process writes, and checks that the file is still the one that was
 * opened. It knows the columns of the tables, but no rule of orders.
 */

import { closeSync, openSync, realpathSync, statSync, accessSync, constants } from 'node:fs';
import { resolve, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRecent, createWaitingLines } from '../../runtime/running.js';
import { LedgerError, isBusy, toBusyError } from '../order-store.js';
import type { Database, Removal, Replacement } from './database.js';
import { toUnusableError } from '../../runtime/optional-package.js';
import { schemaTable, toLedgerError } from './database.js';

/** How long an operation waits for other processes, milliseconds. */
const patienceMs = 5_000;

/** Pauses between tries, milliseconds. They double from the first to the longest, with jitter. */
const pauseMs = { first: 1, longest: 20 };

/** How many statements stay prepared, because preparing one takes longer than running it. */
const maxPrepared = 100;

/**
 * Opens the database in a file.
 * @throws LedgerError if the file cannot be opened
 */
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
  // The file has one connection, so transactions take turns.
  const inLine = createWaitingLines(1, toBusyError);
  const ownTurn = createTurns();

  return {
    // All processes of one machine have the same clock.
    now: Date.now,
    jsonType: 'TEXT',
    // A throttle is off, because each passing would be a write that blocks the whole process.
    throttlesLookUps: false,
    // A process that opens or closes the file may lock it for a moment, so even a read is tried again.
    async read<Row>({ sql, values }: { readonly sql: string; readonly values: unknown[] }) {
      await ownTurn();
      return retryWhileBusy(() => all(sql, values) as Row[]);
    },
    // SQLite locks the whole file and no single row, so `isBrief` changes nothing.
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
   * Runs work in a transaction.
   * @param synchronous with NORMAL a power cut may undo this transaction and later ones, but none that ended earlier with
   * FULL
   * @param work returns false to write nothing
   */
  function transact(synchronous: 'FULL' | 'NORMAL', work: () => boolean): Promise<boolean> {
    return inLine('', async () => {
      await ownTurn();
      // `BEGIN IMMEDIATE` takes the file's write lock. `exec` is used because a prepared `BEGIN` that was refused stays in
      // progress, and lets no `COMMIT` pass.
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
        // SQLite itself ends a transaction if the disk is full.
        if (driver.isInTransaction()) driver.exec('ROLLBACK');
        throw thrown;
      }
    });
  }
}

/** How long a turn lasts, milliseconds. A step that has begun is not interrupted. */
const turnMs = 10;

/** Lets other work of the process run between statements, because each call of SQLite blocks the process. */
function createTurns() {
  let endsAtMs = -Infinity;
  let next: Promise<void> | null = null;

  /** Resolves at once while the turn lasts, otherwise after all other waiting work has run. */
  return async function ownTurn(): Promise<void> {
    // Several callers may wait for the next turn. If it ends before their step, they wait for the one after.
    while (performance.now() >= endsAtMs) await (next ??= begin());
  };

  function begin(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        next = null;
        endsAtMs = performance.now() + turnMs;
        resolve();
      });
    });
  }
}

/** Opens the file with the driver and prepares it. Creates a missing file, unless `readOnly` forbids it. */
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

/** Writes a row and its entries if the row still has the version that was read. @returns whether it had */
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

/** Deletes the rows that still have the version that was read, and their entries. @returns how many rows */
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

/** Creates the functions that run a statement. The last statements stay prepared. */
function createRunner(driver: SqliteDriver) {
  const prepared = createRecent<ReturnType<SqliteDriver['prepare']>>(maxPrepared);
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
      // A statement that failed stays in progress, so it is prepared anew the next time.
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

/** Refuses texts with NUL, because a driver would cut them there, and two names could become one. */
function refuseNul(values: readonly unknown[]): void {
  if (values.some((value) => typeof value === 'string' && value.includes('\0'))) {
    throw new LedgerError('NUL_IN_TEXT');
  }
}

/**
 * Creates the file so that only its owner may read it. The driver gives the files beside it the same mode. An existing file is
 * not opened here, because closing it would release the locks of this process on it (fcntl).
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // The file exists already, or the driver reports what is wrong.
  }
}

/** Reads the path from `file:pix.db`, `file:./pix.db`, `file:/var/pix.db` or `file:///var/pix.db`. */
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
  // The path is absolute, because a driver would read `http://…` or `libsql://…` as a server.
  return resolve(path);
}

/** Sets how the driver writes to the file, and opens the files beside it. */
function prepareFile(driver: SqliteDriver, readOnly: boolean): void {
  driver.exec(readOnly ? 'PRAGMA query_only = ON' : 'PRAGMA journal_mode = WAL');
  driver.exec('PRAGMA fullfsync = ON');
  // This statement opens the files beside the database. The last process that closes the database deletes them.
  driver.exec('SELECT 1 FROM sqlite_schema');
}

/** Tries again while another process locks the file. */
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

/** Suffixes of the files that the driver opens beside the real file, even if the path is a link. */
const sideFileSuffixes = ['-wal', '-shm'];

/**
 * Remembers which files are at the path now. A process can still write to a deleted or replaced file, but those rows are lost
 * when it ends, and a card could be charged again after a restart.
 * @returns a function that throws once other files are there
 * @throws LedgerError if there is no file
 */
function rememberFiles(path: string): () => void {
  const real = failAsReplaced(() => realpathSync(path));
  // The given path is checked as well, because a link may point elsewhere later.
  const paths = [path, ...sideFileSuffixes.map((suffix) => real + suffix)];
  const opened = identify(paths);
  return () => {
    if (identify(paths) !== opened) throw new LedgerError('FILE_REPLACED');
  };
}

/** Reads which files are at the paths now, by device and inode. */
function identify(paths: readonly string[]): string {
  const found = paths.map((path) => failAsReplaced(() => statSync(path, { bigint: true })));
  return found.map(({ dev, ino }) => `${dev}:${ino}`).join(' ');
}

/** Reads from the path. If that fails, fails as if the file was replaced, because a restart could not open it either. */
function failAsReplaced<T>(run: () => T): T {
  try {
    return run();
  } catch {
    throw new LedgerError('FILE_REPLACED');
  }
}

// The drivers of SQLite: Node's own from Node 24 on, else the package libsql. Each is loaded only if it is used.

interface Statement {
  readonly all: (values: readonly unknown[]) => unknown[];
  /** Runs the statement. @returns how many rows it changed */
  readonly run: (values: readonly unknown[]) => number;
}

/** The only connection to a file. Each call blocks the process until the disk has answered. */
export interface SqliteDriver {
  readonly exec: (text: string) => void;
  readonly prepare: (text: string) => Statement;
  readonly isInTransaction: () => boolean;
  readonly close: () => void;
}

/** The first version of Node whose own SQLite is stable and prints no warning. */
const firstWithSqlite = 24;

/**
 * Opens the file with a driver that does not wait for other processes, because such a wait would block this one.
 * @param makeFile called after the driver is loaded, and before it opens the file
 * @throws Error if neither Node nor a package has SQLite, LedgerError if the file cannot be opened
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

/** The methods that both drivers have. */
interface BareDatabase {
  exec(text: string): unknown;
  prepare(text: string): {
    all(...values: readonly unknown[]): unknown[];
    run(...values: readonly unknown[]): { readonly changes: number | bigint };
  };
  close(): unknown;
  /** The property of Node's driver. */
  readonly isTransaction?: boolean;
  /** The property of libsql. */
  readonly inTransaction?: boolean;
}

type DatabaseOfNode = new (path: string, options: { readonly timeout: number }) => BareDatabase;

/** Finds `node:sqlite`, which has no types in Node 20. */
function findSqliteOfNode(): DatabaseOfNode | null {
  // Bun and Deno report the version of a Node that they resemble.
  const { node = '0', bun, deno } = process.versions as Record<string, string | undefined>;
  const isNode = bun === undefined && deno === undefined;
  if (!isNode || Number.parseInt(node, 10) < firstWithSqlite) return null;
  // Node may be built or started without `node:sqlite`.
  const sqlite = process.getBuiltinModule('node:sqlite') as
    { readonly DatabaseSync: DatabaseOfNode } | undefined;
  return sqlite?.DatabaseSync ?? null;
}

/** The `try` is around the `import()` itself, so that bundlers warn of a missing driver and do not fail. */
async function importLibsql() {
  try {
    return await import('libsql');
  } catch {
    throw toUnusableError('This url', 'libsql');
  }
}

/**
 * Opens the database, and gives a failure a code, because drivers leave it out. Usually the folder is missing, or belongs
 * to another user.
 */
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

/** Calls the driver, and turns its error into a LedgerError. Node gives the number of SQLite's code, libsql its name. */
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

// Why a file cannot be opened
//
// Drivers have one code for most causes, so the error also says in words what is wrong with the file.

/** The cause in words, for each code of SQLite that tells it. */
const causes: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is a file of another kind',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_FULL: 'there is no room on its disk',
  SQLITE_BUSY: 'another process holds it',
};

/** Adds the path of the file, and its fault, to the error. */
function withFileFault(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof LedgerError)) return thrown;
  const cause = causes[thrown.code ?? ''] ?? findCause(path);
  return new LedgerError(thrown.code, `${path}${cause && `: ${cause}`}`);
}

/** Finds out by the file system why the file cannot be opened. @returns an empty text if it sees no reason */
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
