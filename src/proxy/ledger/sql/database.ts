/**
 * A database, as the ledger's operations see it: single reads, and writes in one transaction each. Every failure is a
 * LedgerError. `sqlite.ts` and `postgres.ts` open one.
 */

import type { Sql } from 'sql-template-tag';
import { LedgerError } from '../ledger-error.js';
import { withEach } from '../ledger-rules.js';

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

/** Longest wait, milliseconds: after it the page is told when to come again, before it gives up by itself. */
const patienceMs = 10_000;

/**
 * Runs work when there is a place in the line of that name.
 * @param hasBegun it is a further step of something, and goes before what has not begun: else a crowd would keep its own
 *   first one from ending
 * @throws LedgerError `BUSY`: it waited for too long, and nothing happened
 */
export type InLine = <T>(name: string, work: () => Promise<T>, hasBegun?: boolean) => Promise<T>;

/** An open database. */
export interface Store {
  readonly dialect: Dialect;
  /** The clock of all who share the database, milliseconds since 1970. */
  readonly now: () => number;
  /** What writes to one order waits here, beside no other. */
  readonly inOrderLine: InLine;
  /** Runs a statement that only reads. It sees one moment. */
  readonly read: Query;
  /** Runs all of `work` in a transaction, or none of it. The disk has it when this resolves. */
  readonly write: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
  /**
   * The same for rows that mean nothing once every process of this machine has died. A power cut may take them back, with
   * all that was written after them. SQLite does not wait for the disk. PostgreSQL does: the processes outlive its machine.
   */
  readonly writeRelaxed: Store['write'];
  /** The same for one statement. PostgreSQL is asked once, and not three times. */
  readonly writeOne: Query;
  /** Closes a database that no operation uses any more. */
  readonly close: () => Promise<void>;
}

/** The same operations, each in the line of its order. They close after those in flight, and start none afterwards. */
export function inLines<T extends object>(operations: T, { inOrderLine, close }: Store) {
  const inFlight = new Set<Promise<unknown>>();
  let closing: Promise<void> | null = null;

  return {
    ...withEach(operations, (run, name) => async (...args) => {
      if (closing) throw new LedgerError('CLOSED');
      const order = name === 'find' ? null : toOrder(args[0]);
      const work = () => run(...args);
      const running = order === null ? work() : inOrderLine(order, work, name !== 'claimAttempt');
      inFlight.add(running);
      return running.finally(() => inFlight.delete(running));
    }),
    close: () => (closing ??= Promise.allSettled(inFlight).then(close)),
  };
}

/** The order that an operation writes to, by its first argument; or another name that it claims. */
function toOrder(subject: unknown): string | null {
  const { externalId = subject } = Object(subject) as { readonly externalId?: unknown };
  return typeof externalId === 'string' ? externalId : null;
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
      // Whoever leaves hands the place on.
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

/** The error of a database whose driver is not installed. @param name the package's */
export function toMissingDriver(name: string): Error {
  return new Error(`This url needs the package ${name}: npm install ${name}`);
}
