/**
 * A database as the store needs it: rows that are read, and rows that are replaced if they are still as they were read. Every
 * failure is a LedgerError. `sqlite.ts` and `postgres.ts` open one; a further database is one more file like these.
 */

import type { Sql } from 'sql-template-tag';
import { LedgerError } from '../order-store.js';

/** A row of an entry: by what an order is found, or when something of it falls due. */
export interface EntryRow {
  readonly kind: string;
  readonly id: string;
  /** Milliseconds since 1970, a whole number. */
  readonly at_ms: number;
  readonly rank: number;
}

/** A row, as it is to be after a change. */
export interface Replacement {
  readonly table: 'pix_orders' | 'pix_notes';
  readonly id: string;
  /** The version that was read; null: there was no row, and there must be none still. */
  readonly version: number | null;
  /** The row's next version; null: the row goes. */
  readonly next: {
    readonly version: number;
    /** Its value, JSON text. */
    readonly doc: string;
    /** From when on it may be deleted, milliseconds since 1970; null: it stays. */
    readonly forgetAtMs: number | null;
  } | null;
  /** Entries of the order that go. */
  readonly gone: readonly Pick<EntryRow, 'kind' | 'id'>[];
  /** Entries that come, or change. */
  readonly put: readonly EntryRow[];
}

/** Rows whose time is over. */
export interface Removal {
  readonly table: Replacement['table'];
  /** The versions at which they were read. */
  readonly rows: readonly { readonly id: string; readonly version: number }[];
  /** Their entries. */
  readonly entries: readonly (Pick<EntryRow, 'kind' | 'id'> & { readonly external_id: string })[];
}

/** How a row is written. */
export interface ReplaceTerms {
  /** Does not wait for the disk: what a power cut takes back means nothing to a process that starts afterwards. */
  readonly isRelaxed: boolean;
  /** Hardly waits for a row that another holds: it can be done later. */
  readonly isBrief?: boolean;
}

/** An open database. */
export interface Database {
  /** The clock of all who share the database, milliseconds since 1970. */
  readonly now: () => number;
  /** The type of a column that holds JSON. */
  readonly jsonType: 'JSONB' | 'TEXT';
  /** Whether the look-ups that pages wait for have a throttle for all processes. Each passing is a write. */
  readonly throttlesLookUps: boolean;
  /**
   * Runs a statement that only reads. A row's type stands beside its statement, because only the statement knows its columns.
   *
   *     const [row] = await read<Pick<OrderRow, 'version'>>(sql`SELECT version FROM pix_orders WHERE id = ${id}`);
   */
  readonly read: <Row>(statement: Sql) => Promise<Row[]>;
  /**
   * Writes a row and its entries in one transaction, but only where the row still has the version that was read: of two
   * writers one wins. When this resolves, the change is on the disk; if it rejects, it may have happened all the same.
   * @returns false: another writer was first, and nothing was written
   */
  readonly replace: (change: Replacement, terms: ReplaceTerms) => Promise<boolean>;
  /**
   * Deletes rows that are still as they were read, and their entries, in one transaction that does not wait for the disk. One
   * that someone holds stays.
   * @returns how many went
   */
  readonly remove: (removal: Removal) => Promise<number>;
  /**
   * Runs statements that change the tables, all or none, while no other process does.
   * @param toStatements gets the highest number in `pix_schema`, 0 where there is none
   */
  readonly migrate: (toStatements: (number: number) => readonly string[]) => Promise<void>;
  /** Closes a database that no operation uses any more. */
  readonly close: () => Promise<void>;
}

/** The table of the migrations that have run. */
export const schemaTable = 'CREATE TABLE IF NOT EXISTS pix_schema (number BIGINT PRIMARY KEY)';

/** A driver's error, reduced to its code. */
export function toLedgerError(thrown: unknown): LedgerError {
  const code = (thrown as { readonly code?: unknown } | null)?.code;
  return new LedgerError(typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : undefined);
}
