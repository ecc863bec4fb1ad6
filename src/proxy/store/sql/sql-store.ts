/**
 * Keeps orders in a database: a row for each order, and a row for each entry by which the store finds it. A change is written
 * only if the row still has the version that was read. So of two writers one wins, and the other runs its step again on the new
 * order.
 */

import sql, { empty, join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { toEntries, toForgetAtMs } from '../../order/due.js';
import type { Entry, EntryKind } from '../../order/due.js';
import { emptyOrder } from '../../order/order.js';
import type { Order } from '../../order/order.js';
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
import type { Database, EntryRow, Replacement } from './database.js';
import { createWaitingLines, createInFlight } from '../../runtime/running.js';
import { changeRow, deleteOld, readRow, toWhole } from './rows.js';
import { dayMs, isNear, toDayMs } from '../../../domain/spans.js';
import { LedgerError, toBusyError, toPruning } from '../order-store.js';

/** @param now wall clock, milliseconds since 1970 */
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
          const before = known ?? emptyOrder(externalId);
          const [after, answer] = step(before, now());
          if (after === before) return { answer };
          const rows = findEntryChanges(known, after);
          return { answer, after, forgetAtMs: after && toForgetAtMs(after), ...rows };
        },
      );
    // The version of the row protects it. In the line it could wait behind a call that waits for a held row.
    if (isBrief) return work();
    // A durable change belongs to a payment that has begun, so it goes ahead of relaxed ones.
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
      // The column may come from another version, which knew less of what is open.
      const atMs = toForgetAtMs(order);
      if (atMs === null || toWhole(atMs) >= beforeMs) return { forgetAtMs: atMs };
      const { externalId: external_id } = order;
      return { entries: toEntries(order).map(({ kind, id }) => ({ kind, id, external_id })) };
    });
  }
}

type FoundRow = Omit<EntryRow, 'kind'> & { readonly kind: EntryKind; readonly external_id: string };

/** Selects each kind by itself, so that the database reads the index in the order of time, and does not plan across kinds. */
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

/** @param value the stored order */
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

// Notes hold what processes with the same database share beside orders: throttles, values, and the shop of the store.

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
 * A crash may undo a note without harm, so notes do not wait for the disk. The shop of the store does.
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
      // If another process is making it now, the known value is good enough.
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

    /** @returns the time before which an order's `forgetAtMs` must lie; null deletes nothing now */
    beginPruning: () =>
      changeRow<Pruned, number | null>(database, toNoteTerms('pruned'), now, (known) => {
        const { pruned, beforeMs } = toPruning(known, now());
        return pruned === known ? { answer: null } : { answer: beforeMs, after: pruned };
      }),

    pruneNotes: () => deleteOld(database, 'pix_notes', now(), () => ({ entries: [] })),
  };
}
