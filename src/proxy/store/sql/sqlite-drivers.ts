/**
 * SQLite's drivers: the one that Node brings (24 and newer), else the package libsql. One interface for both; each is loaded
 * only where it is used.
 */

import { LedgerError } from '../ledger-error.js';
import { toUnusable } from '../../runtime/optional-package.js';
import { toLedgerError } from './database.js';

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
  const database = open((): BareDatabase => new Database(path, { timeout: 0 }));
  return {
    exec: (text) => guard(() => void database.exec(text)),
    prepare(text) {
      const statement = guard(() => database.prepare(text));
      return {
        all: (values) => guard(() => statement.all(...values)),
        run: (values) => guard(() => Number(statement.run(...values).changes)),
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
    throw toUnusable('This url', 'libsql');
  }
}

/** Gives the error a code, which drivers leave out. Most often the folder is missing, or belongs to another user. */
function open<T>(run: () => T): T {
  try {
    return run();
  } catch {
    throw new LedgerError('SQLITE_CANTOPEN');
  }
}

const names: Readonly<Record<number, string>> = {
  5: 'BUSY',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  26: 'NOTADB',
};

/** Node tells SQLite's number, libsql its name. */
function guard<T>(run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    const number = (thrown as { readonly errcode?: unknown } | null)?.errcode;
    if (typeof number !== 'number') throw toLedgerError(thrown);
    const primary = number % 256;
    throw new LedgerError(`SQLITE_${names[primary] ?? primary}`);
  }
}
