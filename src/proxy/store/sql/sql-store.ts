/**
 * Orders in a database: a row for each, and a row for each entry by which the store finds it. A change is written only if the
 * row still has the version that was read. So two writers never both win, and the late one runs its step again on what the
 * other wrote.
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

  /** Once the store closes, new calls fail, and the database stays open until those in flight have ended. */
  async function run<T>(call: () => Promise<T>): Promise<T> {
    if (inFlight.isClosing()) throw new LedgerError('CLOSED');
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
    // The version of its row protects it. In the line it could wait behind calls that wait for a row that is held.
    if (isBrief) return work();
    // A change that must be durable belongs to a payment that has begun: it passes a crowd that begins.
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
      // Another version may have known less of what is open.
      const atMs = toForgetAtMs(order);
      if (atMs === null || toWhole(atMs) >= beforeMs) return { forgetAtMs: atMs };
      const { externalId: external_id } = order;
      return { entries: toEntries(order).map(({ kind, id }) => ({ kind, id, external_id })) };
    });
  }
}

type FoundRow = Omit<EntryRow, 'kind'> & { readonly kind: EntryKind; readonly external_id: string };

/** Each kind for itself: the index has its entries in the order of their times, and no guess across kinds leads away from it. */
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

/** Entries that go, and those that come or change. By their key: an order may have hundreds. */
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

/** The rows of an order's entries. @param value the order, as it was kept */
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

// What processes that share a database tell each other beside orders: throttles, and whose the store is.

interface Throttle {
  readonly atMs: number;
}

interface Shared extends Throttle {
  readonly value: unknown;
}

/** Longer than any throttle lasts. */
const toForgetNoteMs = (atMs: number) => toDayMs(atMs + dayMs);

const toNoteTerms = (id: string) => ({ table: 'pix_notes', id, isRelaxed: true }) as const;

/**
 * A crash may undo a note without harm, so that none waits for the disk; but for whose the store is.
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
      // Another process makes it just now: what was known serves until then.
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

    /** @returns before what time an order's own has to have passed; null: nothing is deleted now */
    beginPruning: () =>
      changeRow<Pruned, number | null>(database, toNoteTerms('pruned'), now, (known) => {
        const { pruned, beforeMs } = toPruning(known, now());
        return pruned === known ? { answer: null } : { answer: beforeMs, after: pruned };
      }),

    pruneNotes: () => deleteOld(database, 'pix_notes', now(), () => ({ entries: [] })),
  };
}
