/**
 * The interface of a database: it reads rows, and replaces a row if it is still as it was read. Every failure is a
 * LedgerError. `sqlite.ts` and `postgres.ts` implement it; a further database needs one more file like these.
 */

import type { Sql } from 'sql-template-tag';
import { LedgerError } from '../order-store.js';

/** A row of an entry, by which an order is found when something of it falls due. */
export interface EntryRow {
  readonly kind: string;
  readonly id: string;
  /** Milliseconds since 1970, a whole number. */
  readonly at_ms: number;
  readonly rank: number;
}

export interface Replacement {
  readonly table: 'pix_orders' | 'pix_notes';
  readonly id: string;
  /** The version that was read; null if there was no row. In that case there must still be none. */
  readonly version: number | null;
  /** The row after the change; null deletes it. */
  readonly next: {
    readonly version: number;
    /** The value as JSON text. */
    readonly doc: string;
    /** When it may be deleted, milliseconds since 1970; null keeps it. */
    readonly forgetAtMs: number | null;
  } | null;
  /** The entries to delete. */
  readonly gone: readonly Pick<EntryRow, 'kind' | 'id'>[];
  /** The entries to insert or update. */
  readonly put: readonly EntryRow[];
}

/** Rows to delete. */
export interface Removal {
  readonly table: Replacement['table'];
  readonly rows: readonly { readonly id: string; readonly version: number }[];
  readonly entries: readonly (Pick<EntryRow, 'kind' | 'id'> & { readonly external_id: string })[];
}

export interface ReplaceTerms {
  /** Whether the write does not wait for the disk. A power cut may undo it. */
  readonly isRelaxed: boolean;
  /** Whether the write waits only briefly for a row that another process holds, because it can be repeated later. */
  readonly isBrief?: boolean;
}

export interface Database {
  /** The clock of all processes that share the database, milliseconds since 1970. */
  readonly now: () => number;
  /** The type of a column that holds JSON. */
  readonly jsonType: 'JSONB' | 'TEXT';
  /** Whether look-ups for waiting pages share a throttle. Each passing of it is a write. */
  readonly throttlesLookUps: boolean;
  /**
   * Runs a statement that only reads. The caller gives the type of a row, because only the statement knows its columns.
   *
   *     const [row] = await read<Pick<OrderRow, 'version'>>(sql`SELECT version FROM pix_orders WHERE id = ${id}`);
   */
  readonly read: <Row>(statement: Sql) => Promise<Row[]>;
  /**
   * Writes a row and its entries in one transaction, but only if the row still has the version that was read: of two
   * writers one wins. When this resolves, a change that is not relaxed is on the disk. If it rejects, it may have happened
   * all the same.
   * @returns false if another writer was first. Nothing was written
   */
  readonly replace: (change: Replacement, terms: ReplaceTerms) => Promise<boolean>;
  /**
   * Deletes rows that are still as they were read, and their entries, in one transaction that does not wait for the disk. A row
   * that another process holds stays.
   * @returns how many rows were deleted
   */
  readonly remove: (removal: Removal) => Promise<number>;
  /**
   * Runs statements that change the tables, all or none, while no other process does.
   * @param toStatements gets the highest number in `pix_schema`, or 0
   */
  readonly migrate: (toStatements: (number: number) => readonly string[]) => Promise<void>;
  /** The caller makes sure that no operation is in flight. */
  readonly close: () => Promise<void>;
}

/** The table of the migrations that have run. */
export const schemaTable = 'CREATE TABLE IF NOT EXISTS pix_schema (number BIGINT PRIMARY KEY)';

/** Reduces a driver's error to its code. */
export function toLedgerError(thrown: unknown): LedgerError {
  const code = (thrown as { readonly code?: unknown } | null)?.code;
  return new LedgerError(typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : undefined);
}
