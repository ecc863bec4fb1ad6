/** Reads rows of one JSON value, changes them by compare-and-set, and deletes expired ones. It knows nothing of orders. */

import sql, { raw } from 'sql-template-tag';
import { LedgerError } from '../order-store.js';
import type { Database, Removal, Replacement, ReplaceTerms } from './database.js';

/** How long a change is tried again after other writers won, milliseconds. */
const patienceMs = 10_000;

/** Longest pause between two tries, milliseconds. */
const longestPauseMs = 20;

/** Most rows that are deleted at a time, because SQLite blocks its process meanwhile. */
const batchSize = 100;

export interface Row {
  readonly id: string;
  readonly version: number;
  /** As {@link toValue} reads it. */
  readonly doc: unknown;
}

/** A value, and the version at which it was read. */
export interface Versioned<V> {
  readonly id: string;
  readonly version: number;
  readonly value: V;
}

export interface RowChange<V, T> extends Partial<Pick<Replacement, 'gone' | 'put'>> {
  readonly answer: T;
  /** Absent writes nothing; null deletes the row. */
  readonly after?: V | null;
  readonly forgetAtMs?: number | null;
}

export async function readRow<V>(
  { read }: Pick<Database, 'read'>,
  table: Replacement['table'],
  id: string,
): Promise<Versioned<V> | null> {
  const [row] = await read<Row>(sql`SELECT id, version, doc FROM ${raw(table)} WHERE id = ${id}`);
  return row ? toVersioned<V>(row) : null;
}

/**
 * @param step a pure function, which runs again on the new value if another writer was first
 * @param nowMs gives the first version of a new row. A deleted row of the same id had a lower one
 * @throws LedgerError `BUSY` if other writers were always first. Nothing was written
 */
export async function changeRow<V, T>(
  database: Database,
  { table, id, ...terms }: Pick<Replacement, 'table' | 'id'> & ReplaceTerms,
  nowMs: () => number,
  step: (known: V | null) => RowChange<V, T>,
): Promise<T> {
  const sinceMs = performance.now();
  for (let tries = 0; ; tries += 1) {
    const known = await readRow<V>(database, table, id);
    const { answer, after, forgetAtMs = null, gone = [], put = [] } = step(known?.value ?? null);
    if (after === undefined || (after === null && !known)) return answer;
    const version = known ? known.version + 1 : Math.floor(nowMs());
    const next = after && { version, doc: toJson(after), forgetAtMs: toWhole(forgetAtMs) };
    const change = { table, id, version: known?.version ?? null, next, gone, put };
    if (await database.replace(change, terms)) return answer;
    if (performance.now() - sinceMs > patienceMs) throw new LedgerError('BUSY');
    await pauseAtRandom(tries);
  }
}

/** What to do with a row whose column says expired: delete it with its entries, or correct the column by the value. */
type RowEnd = Pick<Removal, 'entries'> | { readonly forgetAtMs: number | null };

/** Deletes expired rows in batches. A row that changes meanwhile, or is held, stays. */
export async function deleteOld(
  { read, replace, remove }: Database,
  table: Replacement['table'],
  beforeMs: number,
  toEnd: (value: unknown) => RowEnd,
): Promise<void> {
  for (;;) {
    const found = await read<Row>(sql`
      SELECT id, version, doc FROM ${raw(table)} WHERE forget_at_ms < ${Math.floor(beforeMs)} LIMIT ${batchSize}`);
    const rows = found.map(toVersioned);
    if (rows.length === 0) return;
    const ends = rows.map((row) => ({ row, end: toEnd(row.value) }));
    let done = 0;
    for (const { row, end } of ends) {
      if ('entries' in end) continue;
      const { id, version, value } = row;
      const forgetAtMs = toWhole(end.forgetAtMs);
      const next = { version: version + 1, doc: toJson(value), forgetAtMs };
      const change = { table, id, version, next, gone: [], put: [] };
      if (await replace(change, { isRelaxed: true, isBrief: true })) done += 1;
    }
    const going = ends.filter(({ end }) => 'entries' in end);
    const entries = going.flatMap(({ end }) => ('entries' in end ? end.entries : []));
    done += await remove({
      table,
      rows: going.map(({ row: { id, version } }) => ({ id, version })),
      entries,
    });
    if (done === 0 || rows.length < batchSize) return;
  }
}

function toVersioned<V>(row: Row): Versioned<V> {
  const { id, version } = row;
  return { id, version, value: toValue(row) as V };
}

/** SQLite returns JSON as text, PostgreSQL as a value. */
export function toValue({ doc }: { readonly doc: unknown }): unknown {
  return typeof doc === 'string' ? JSON.parse(doc) : doc;
}

/** Escapes of characters that `jsonb` refuses: NUL, and lone surrogates. */
const refusedCharacters = /\\u(?:0000|d[89a-f])/;

/** Replaces characters that a database refuses. Texts of the service may hold any. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  return refusedCharacters.test(text) ? JSON.stringify(value, toWellFormed) : text;
}

function toWellFormed(_key: string, value: unknown): unknown {
  // With the flag `u`, `\p{Surrogate}` matches lone surrogates only.
  return typeof value === 'string' ? value.replaceAll(/[\0\p{Surrogate}]/gu, '\u{FFFD}') : value;
}

/** Rounds up, because columns hold whole numbers and a time may have a fraction of a millisecond. */
export function toWhole<N extends number | null>(value: N): N {
  return (value === null ? null : Math.ceil(value)) as N;
}

/** Waits for longer after each try, and not at all after the first. */
async function pauseAtRandom(tries: number): Promise<void> {
  const mostMs = Math.min(longestPauseMs, 2 ** tries - 1);
  await new Promise((done) => setTimeout(done, Math.random() * mostMs));
}
