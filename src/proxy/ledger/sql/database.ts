/**
 * A database, as the ledger's operations see it: single reads, and writes in one transaction each. Every failure is a
 * LedgerError. `sqlite.ts` and `postgres.ts` open one.
 */

import type { Sql } from 'sql-template-tag';
import { toUnusable } from '../../runtime/optional-package.js';
import type { OptionalPackageName } from '../../runtime/optional-package.js';
import { LedgerError } from '../ledger-error.js';

/**
 * Runs one statement. A row's type stands beside its statement, because only the statement knows its columns.
 *
 *     const [order] = await query<Pick<OrderRow, 'steps'>>(sql`SELECT steps FROM pix_orders WHERE external_id = ${id}`);
 */
export type Query = <Row>(statement: Sql) => Promise<Row[]>;

/** What SQLite and PostgreSQL say differently. A further database brings these beside its driver. */
export interface Dialect {
  /** A subquery's rows as one JSON array. SQLite hands it out as text, PostgreSQL as an array. */
  readonly toJsonArray: (columns: readonly string[], subquery: Sql) => Sql;
  /** Ends a `SELECT`: its rows are locked, and rows that another process has locked are left out. */
  readonly skipLocked: Sql;
  /** Returned by a statement, it lets its transaction resolve before the disk has it. */
  readonly commitRelaxed: Sql;
  /** A condition that is always true. It limits how long a statement outside a transaction waits for a row. */
  readonly waitBriefly: Sql;
  /** Keeps other processes from migrating until the transaction ends. */
  readonly lockMigrations: Sql;
  /** Whether processes claim the look-ups that pages wait for. Each claim is a write. */
  readonly areLookUpsClaimed: boolean;
}

/** Longest wait in a line, milliseconds. A page gives up later than that, so it still hears when to ask again. */
const patienceMs = 10_000;

/**
 * Waits in the line of that name, and runs work when a place is free.
 * @param hasBegun the work is a further step of a payment that has begun. It goes to the front of the line: otherwise each
 *   new request of a crowd would delay the payment that the crowd waits for
 * @throws LedgerError `BUSY` if it waited for too long; the work was not run
 */
export type InLine = <T>(name: string, work: () => Promise<T>, hasBegun?: boolean) => Promise<T>;

/** An open database. */
export interface Store {
  readonly dialect: Dialect;
  /** The clock of all who share the database, milliseconds since 1970. */
  readonly now: () => number;
  /** The line in which operations that write to the same order wait. Other orders have lines of their own. */
  readonly inOrderLine: InLine;
  /** Runs a statement that only reads. All that it reads is of one moment. */
  readonly read: Query;
  /** Runs `work` in a transaction. When this resolves, the changes are on the disk; if it rejects, none was made. */
  readonly write: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
  /**
   * The same, without waiting for the disk where the processes die with the database's machine. That is so with SQLite:
   * a power cut may undo these changes, and they mean nothing to a process that starts afterwards. Proxies outlive the
   * machine of a PostgreSQL, so there it is `write`.
   */
  readonly writeRelaxed: Store['write'];
  /** `writeRelaxed` for a single statement. It saves PostgreSQL the calls that begin and commit a transaction. */
  readonly writeOne: Query;
  /** Closes a database that no operation uses any more. */
  readonly close: () => Promise<void>;
}

type Waiting = (() => void)[];

/**
 * Makes waiting lines of this process. A crowd that pays one order waits in its line and holds nothing, so that the
 * connections are left to other orders.
 * @param places how many run at a time, of one name
 */
export function createLines(places: number): InLine {
  const lines = new Map<string, { inside: number; begun: Waiting; others: Waiting }>();

  return async function inLine(name, work, hasBegun = false) {
    const line = lines.get(name) ?? { inside: 0, begun: [], others: [] };
    lines.set(name, line);
    const sinceMs = performance.now();
    if (line.inside < places) line.inside += 1;
    else await new Promise<void>((enter) => (hasBegun ? line.begun : line.others).push(enter));
    try {
      if (performance.now() - sinceMs > patienceMs) throw new LedgerError('BUSY');
      return await work();
    } finally {
      const enter = line.begun.shift() ?? line.others.shift();
      // The next one in the line gets this place.
      if (enter) enter();
      else if ((line.inside -= 1) === 0) lines.delete(name);
    }
  };
}

/** A driver's error, reduced to its code. */
export function toLedgerError(thrown: unknown): LedgerError {
  if (thrown instanceof LedgerError) return thrown;
  const code = (thrown as { readonly code?: unknown } | null)?.code;
  return new LedgerError(typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : undefined);
}

/** The error of a database whose driver is not installed, or too old. @param name the package's */
export function toMissingDriver(name: OptionalPackageName): Error {
  return toUnusable('This url', name);
}
