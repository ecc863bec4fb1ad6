/**
 * Keeps orders in a database: a row for each order, and a row for each entry by which the store finds the order. A change is
 * written only if the row still has the version that was read. So of two writers one wins, and the other runs its step again
 * on the new order.
 */

import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { toEntries, toForgetAtMs, type Entry, type EntryKind } from '../../order/due.js';
import { createEmptyOrder, type Order } from '../../order/order.js';
import type {
  ChangeTerms,
  Counted,
  Found,
  OrderStep,
  OrderStore,
  Search,
  Owner,
  Pruned,
} from '../order-store.js';
import type { Database, EntryRow, Replacement, Removal, ReplaceTerms } from './database.js';
import { createWaitingLines, createInFlight } from '../../runtime/running.js';
import { dayMs, isNear, toDayMs } from '../../../domain/spans.js';
import { LedgerError, toBusyError, toPruning } from '../order-store.js';

/** Creates the store. @param now wall clock, milliseconds since 1970 */
export function createSqlStore(database: Database, now: () => number): OrderStore {
  const inOrderLine = createWaitingLines(1, toBusyError);
  const notes = createNotes(database, now);
  const inFlight = createInFlight();
  let closing: Promise<void> | null = null;

  return {
    isShared: true,
    throttlesLookUps: database.throttlesLookUps,
    now,
    read: (externalId) => run(() => readOrder(externalId)),
    change: (externalId, step, terms) => run(() => change(externalId, step, terms)),
    search: (search) => run(() => find(search)),
    count: (search) => run(() => count(search)),
    share: (name, everyMs, make) => run(() => notes.share(name, everyMs, make)),
    passThrottle: (name, pauseMs) => run(() => notes.passThrottle(name, pauseMs)),
    claim: (step) => run(() => notes.claim(step)),
    prune: () => run(prune),
    close: () => (closing ??= inFlight.close().then(database.close)),
  };

  /** Refuses new calls once the store closes. The database stays open until the calls in flight have ended. */
  async function run<T>(call: () => Promise<T>): Promise<T> {
    if (closing) throw new LedgerError('CLOSED');
    return inFlight.track(call());
  }

  async function readOrder(externalId: string): Promise<Order | null> {
    return (await readRow<Order>(database, 'pix_orders', externalId))?.value ?? null;
  }

  /** Runs the step on the order, and writes the order after it with its entries. */
  function change<T>(
    externalId: string,
    step: OrderStep<T>,
    { isRelaxed = false, isBrief = false }: ChangeTerms = {},
  ): Promise<T> {
    const work = () =>
      changeRow<Order, T>(
        database,
        { table: 'pix_orders', id: externalId, isRelaxed, isBrief },
        now,
        (known) => {
          const before = known ?? createEmptyOrder(externalId);
          const [after, answer] = step(before, now());
          if (after === before) return { answer };
          const rows = findEntryChanges(known, after);
          return { answer, after, forgetAtMs: after && toForgetAtMs(after), ...rows };
        },
      );
    // A brief change skips the line, where it could wait behind a call that waits for a locked row. The version of the row
    // still protects it.
    if (isBrief) return work();
    // A durable change belongs to a payment that has begun, so it goes ahead of relaxed changes.
    return inOrderLine(externalId, work, !isRelaxed);
  }

  async function find(search: Search): Promise<readonly Found[]> {
    if (search.kinds.length === 0) return [];
    return (await database.read<FoundRow>(toSelect(search))).map(toFound);
  }

  async function count(search: Search): Promise<Counted> {
    const none = { count: 0, rank: null };
    if (search.kinds.length === 0) return none;
    const [counted = none] = await database.read<Counted>(
      sql`SELECT count(*) AS count, min(rank) AS rank FROM (${toSelect(search)}) AS found`,
    );
    return { count: counted.count, rank: counted.rank };
  }

  async function prune(): Promise<void> {
    await notes.pruneNotes();
    const beforeMs = await notes.beginPruning();
    if (beforeMs === null) return;
    await deleteOld(database, 'pix_orders', beforeMs, (value) => {
      const order = value as Order;
      // Another version may have written the column and known fewer reasons to keep an order, so compute the time again.
      const atMs = toForgetAtMs(order);
      if (atMs === null || toWhole(atMs) >= beforeMs) return { forgetAtMs: atMs };
      const { externalId: external_id } = order;
      return { entries: toEntries(order).map(({ kind, id }) => ({ kind, id, external_id })) };
    });
  }
}

type FoundRow = Omit<EntryRow, 'kind'> & { readonly kind: EntryKind; readonly external_id: string };

/** Selects each kind by itself, so that the database reads the index in the order of time. */
function toSelect({ kinds, fromMs, untilMs, untilRank, most, isLatestFirst }: Search): Sql {
  const byTime = isLatestFirst ? sql`at_ms DESC, rank DESC, id DESC` : sql`at_ms, rank, id`;
  const ofKinds = kinds.map(
    (kind) => sql`SELECT * FROM (
      SELECT kind, id, external_id, at_ms, rank FROM pix_entries WHERE kind = ${kind}
      ${fromMs === undefined ? empty : sql`AND at_ms >= ${Math.ceil(fromMs)}`}
      ${untilMs === undefined ? empty : sql`AND at_ms <= ${Math.floor(untilMs)}`}
      ${untilRank === undefined ? empty : sql`AND rank <= ${Math.floor(untilRank)}`}
      ORDER BY ${byTime} LIMIT ${most}) AS of_kind`,
  );
  return sql`${join(ofKinds, ' UNION ALL ')} ORDER BY kind, ${byTime} LIMIT ${most}`;
}

function toFound({ external_id: externalId, at_ms: atMs, kind, id, rank }: FoundRow): Found {
  return { externalId, kind, id, atMs, rank };
}

function toRow({ kind, id, atMs, rank }: Entry): EntryRow {
  return { kind, id, at_ms: toWhole(atMs), rank: toWhole(rank) };
}

/** Finds the entries to delete, and those to write. An order may have hundreds, so they are compared by key. */
function findEntryChanges(
  known: Order | null,
  after: Order | null,
): Pick<Replacement, 'gone' | 'put'> {
  const before = toRowsByKey(known);
  const now = toRowsByKey(after);
  const gone = [...before].filter(([key]) => !now.has(key));
  const put = [...now].filter(([key, row]) => !isSameRow(row, before.get(key)));
  return { gone: gone.map(([, { kind, id }]) => ({ kind, id })), put: put.map(([, row]) => row) };
}

/** Makes the rows of an order's entries. @param value the stored order */
export function toEntryRows(value: unknown): readonly EntryRow[] {
  return toEntries(value as Order).map(toRow);
}

function toRowsByKey(order: Order | null): ReadonlyMap<string, EntryRow> {
  return new Map((order ? toEntries(order) : []).map((one) => [toEntryKey(one), toRow(one)]));
}

function isSameRow(row: EntryRow, was: EntryRow | undefined): boolean {
  return row.at_ms === was?.at_ms && row.rank === was.rank;
}

function toEntryKey({ kind, id }: Entry): string {
  return `${kind}\n${id}`;
}

// Notes: values that processes with the same database share beside orders, such as throttles and the shop of the store.

interface Throttle {
  readonly atMs: number;
}

interface Shared extends Throttle {
  readonly value: unknown;
}

/** A note is kept longer than any throttle lasts. */
const toForgetNoteMs = (atMs: number) => toDayMs(atMs + dayMs);

const toNoteTerms = (id: string) => ({ table: 'pix_notes', id, isRelaxed: true }) as const;

/**
 * Creates the notes. They do not wait for the disk, because a crash may undo a note without harm; only the shop of the store
 * does.
 * @param now wall clock, milliseconds since 1970
 */
function createNotes(database: Database, now: () => number) {
  const inLine = createWaitingLines(1, toBusyError);
  const passThrottle: OrderStore['passThrottle'] = (name, pauseMs) =>
    inLine(name, () =>
      changeRow<Throttle, boolean>(database, toNoteTerms(`throttle ${name}`), now, (known) => {
        const atMs = now();
        if (known && isNear(known.atMs, pauseMs, atMs)) return { answer: false };
        return { answer: true, after: { atMs }, forgetAtMs: toForgetNoteMs(atMs) };
      }),
    );

  return {
    passThrottle,

    async share<T>(name: string, everyMs: number, make: () => Promise<T>): Promise<T> {
      const id = `shared ${name}`;
      const known = (await readRow<Shared>(database, 'pix_notes', id))?.value;
      const isKnown = known !== undefined && isNear(known.atMs, everyMs, now());
      // If another process computes a new value now, the known one is good enough.
      if (isKnown || (known && !(await passThrottle(id, everyMs)))) return known.value as T;
      const value = await make();
      const after = { atMs: now(), value };
      const forgetAtMs = toForgetNoteMs(after.atMs);
      return changeRow(database, toNoteTerms(id), now, () => ({
        answer: value,
        after,
        forgetAtMs,
      }));
    },

    claim: (step: Parameters<OrderStore['claim']>[0]) =>
      changeRow<Owner, Owner>(
        database,
        { ...toNoteTerms('owner'), isRelaxed: false },
        now,
        (known) => {
          const owner = step(known);
          return owner === known ? { answer: owner } : { answer: owner, after: owner };
        },
      ),

    /** Begins a pruning. @returns the time before which an order's `forgetAtMs` must lie; null deletes nothing now */
    beginPruning: () =>
      changeRow<Pruned, number | null>(database, toNoteTerms('pruned'), now, (known) => {
        const { pruned, beforeMs } = toPruning(known, now());
        return pruned === known ? { answer: null } : { answer: beforeMs, after: pruned };
      }),

    pruneNotes: () => deleteOld(database, 'pix_notes', now(), () => ({ entries: [] })),
  };
}

// Rows
//
// Each row holds one JSON value. The functions below change it by compare-and-set, and know nothing of orders.

/** How long a change is repeated while other writers win, milliseconds. */
const patienceMs = 10_000;

/** Longest pause between two tries, milliseconds. */
const longestPauseMs = 20;

/** Most rows that are deleted at a time, because SQLite blocks its process meanwhile. */
const batchSize = 100;

export interface Row {
  readonly id: string;
  readonly version: number;
  /** The value as {@link toValue} reads it. */
  readonly doc: unknown;
}

/** A value, and the version at which it was read. */
interface Versioned<V> {
  readonly id: string;
  readonly version: number;
  readonly value: V;
}

interface RowChange<V, T> extends Partial<Pick<Replacement, 'gone' | 'put'>> {
  readonly answer: T;
  /** Absent writes nothing; null deletes the row. */
  readonly after?: V | null;
  readonly forgetAtMs?: number | null;
}

async function readRow<V>(
  { read }: Pick<Database, 'read'>,
  table: Replacement['table'],
  id: string,
): Promise<Versioned<V> | null> {
  const [row] = await read<Row>(sql`SELECT id, version, doc FROM ${raw(table)} WHERE id = ${id}`);
  return row ? toVersioned<V>(row) : null;
}

/**
 * Changes a row by compare-and-set.
 * @param step a pure function, which runs again on the new value if another writer was first
 * @param nowMs gives the first version of a new row. A deleted row of the same id had a lower one
 * @throws LedgerError `BUSY` if other writers were always first. Nothing was written
 */
async function changeRow<V, T>(
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

/**
 * What becomes of a row that its column calls expired: it is deleted with its entries, or its column is corrected by the
 * value.
 */
type RowEnd = Pick<Removal, 'entries'> | { readonly forgetAtMs: number | null };

/**
 * Deletes expired rows in batches. A row that changes meanwhile, or that another process has locked, stays.
 * @param beforeMs a row is expired if its column `forget_at_ms` lies before this
 */
async function deleteOld(
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

/** Writes JSON without characters that a database refuses. Texts of the service may hold any. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  return refusedCharacters.test(text) ? JSON.stringify(value, toWellFormed) : text;
}

function toWellFormed(_key: string, value: unknown): unknown {
  // With the flag `u`, `\p{Surrogate}` matches lone surrogates only.
  return typeof value === 'string' ? value.replaceAll(/[\0\p{Surrogate}]/gu, '\u{FFFD}') : value;
}

/** Rounds up, because columns hold whole numbers and a time may have a fraction of a millisecond. */
function toWhole<N extends number | null>(value: N): N {
  return (value === null ? null : Math.ceil(value)) as N;
}

/** Pauses longer after each try, and not at all after the first. */
async function pauseAtRandom(tries: number): Promise<void> {
  const mostMs = Math.min(longestPauseMs, 2 ** tries - 1);
  await new Promise((done) => setTimeout(done, Math.random() * mostMs));
}
