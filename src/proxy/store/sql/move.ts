/** Copies all orders of a database into an empty one, for a shop that outgrows a file. */

import sql, { raw } from 'sql-template-tag';
import { isNear, minuteMs } from '../../../domain/spans.js';
import { LedgerError } from '../order-store.js';
import { openTables } from '../open-store.js';
import type { Database, Replacement } from './database.js';
import { toValue, toEntryRows, type Row } from './sql-store.js';

/** How long after its last note a process counts as running, milliseconds. Each process writes a note every minute. */
const aliveForMs = 2 * minuteMs;

/** Rows that are read at a time. */
const rowsPerRead = 200;

/** How many rows are written at a time. */
const writesAtOnce = 10;

export interface MoveOptions {
  /** `file:…` or `postgres://…`. */
  readonly from: string;
  readonly to: string;
  /** Copies even while proxies run. Changes that they make later are not in the copy. Default: false. */
  readonly whileRunning?: boolean;
}

/** How many orders each database has afterwards. */
export interface Moved {
  readonly from: number;
  readonly to: number;
}

/**
 * Copies the orders.
 * @throws LedgerError `IN_USE` if processes use the first database, `NOT_EMPTY` if the second one has orders; nothing was
 * changed then. Otherwise as `openLedger`
 */
export async function moveLedger({ from, to, whileRunning = false }: MoveOptions): Promise<Moved> {
  const source = await openTables({ url: from, readOnly: true });
  try {
    if (!whileRunning && (await isInUse(source))) throw new LedgerError('IN_USE');
    const target = await openTables({ url: to });
    try {
      if ((await countOrders(target)) > 0) throw new LedgerError('NOT_EMPTY');
      await copyRows(source, target, 'pix_notes');
      await copyRows(source, target, 'pix_orders');
      return { from: await countOrders(source), to: await countOrders(target) };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Whether a process has written a note in this database lately. */
async function isInUse({ read, now }: Database): Promise<boolean> {
  const rows = await read<Row>(sql`SELECT doc FROM pix_notes`);
  return rows.some((row) => {
    const { atMs } = Object(toValue(row)) as { readonly atMs?: unknown };
    return typeof atMs === 'number' && isNear(atMs, aliveForMs, now());
  });
}

async function countOrders({ read }: Database): Promise<number> {
  const [row] = await read<{ readonly orders: number }>(
    sql`SELECT count(*) AS orders FROM pix_orders`,
  );
  return row?.orders ?? 0;
}

/**
 * Copies the rows in the order of their ids. Of each read, only the last writes wait for the disk, which makes all writes
 * before them durable, too.
 */
async function copyRows(
  { read }: Database,
  target: Database,
  table: Replacement['table'],
): Promise<void> {
  let last = '';
  for (;;) {
    const rows = await read<KeptRow>(sql`SELECT id, version, forget_at_ms, doc FROM ${raw(table)}
      WHERE id > ${last} ORDER BY id LIMIT ${rowsPerRead}`);
    const left = rows.map((row) => toReplacement(table, row));
    while (left.length > 0) {
      const some = left.splice(0, writesAtOnce);
      await Promise.all(
        some.map((change) => target.replace(change, { isRelaxed: left.length > 0 })),
      );
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < rowsPerRead) return;
  }
}

type KeptRow = Row & { readonly forget_at_ms: number | null };

/** Makes the write that inserts a copied row and, for an order, its entries. */
function toReplacement(table: Replacement['table'], row: KeptRow): Replacement {
  const { id, version, forget_at_ms: forgetAtMs } = row;
  const value = toValue(row);
  const put = table === 'pix_orders' ? toEntryRows(value) : [];
  const next = { version, doc: JSON.stringify(value), forgetAtMs };
  return { table, id, version: null, next, gone: [], put };
}
