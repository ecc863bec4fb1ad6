/** Rows of one value each: read, changed by compare-and-set, and deleted when their time is over. Knows no order. */

import sql, { raw } from 'sql-template-tag';
import { LedgerError } from '../order-store.js';
import type { Database, Removal, Replacement, ReplaceTerms } from './database.js';

/** How long a change is tried again because others were first, milliseconds. Each time one of them has got on. */
const patienceMs = 10_000;

/** Longest pause between two tries, milliseconds. */
const longestPauseMs = 20;

/** Most rows that go at a time: a file holds its process up meanwhile. */
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

/** What a step makes of a value. */
export interface RowChange<V, T> extends Partial<Pick<Replacement, 'gone' | 'put'>> {
  readonly answer: T;
  /** Absent: nothing is written; null: the row goes. */
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
 * @param step pure: it runs again on what another writer has written meanwhile
 * @param nowMs the version that a new row begins with: a row of that name that was deleted before had a lower one
 * @throws LedgerError `BUSY` if others were always first; nothing was written
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

/** What becomes of a row whose time is over by its column: it goes with its entries, or it stays by what it says itself. */
type RowEnd = Pick<Removal, 'entries'> | { readonly forgetAtMs: number | null };

/** Deletes rows whose time is over, some at a time. One that changes meanwhile, or is held, stays. */
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

/** SQLite hands JSON out as text, PostgreSQL as a value. */
export function toValue({ doc }: { readonly doc: unknown }): unknown {
  return typeof doc === 'string' ? JSON.parse(doc) : doc;
}

/** Characters that `jsonb` refuses, as JSON escapes them: NUL, and halves of a pair. */
const refusedCharacters = /\\u(?:0000|d[89a-f])/;

/** What the service writes may hold any character. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  return refusedCharacters.test(text) ? JSON.stringify(value, toWellFormed) : text;
}

function toWellFormed(_key: string, value: unknown): unknown {
  // `\p{Surrogate}` matches only halves that stand alone.
  return typeof value === 'string' ? value.replaceAll(/[\0\p{Surrogate}]/gu, '\u{FFFD}') : value;
}

/** Columns hold whole numbers, and a time may come as a fraction of a millisecond. */
export function toWhole<N extends number | null>(value: N): N {
  return (value === null ? null : Math.ceil(value)) as N;
}

/** The first time none: the first one has ended. */
async function pauseAtRandom(tries: number): Promise<void> {
  const mostMs = Math.min(longestPauseMs, 2 ** tries - 1);
  await new Promise((done) => setTimeout(done, Math.random() * mostMs));
}
