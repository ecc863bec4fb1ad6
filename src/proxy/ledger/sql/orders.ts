/** An order in the database: waited for in its line, locked by each transaction that writes to it, and read as one record. */

import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Method } from '../../../contract/types.js';
import { LedgerError } from '../ledger-error.js';
import { withEach } from '../ledger-rules.js';
import type { Ledger, OrderRecord } from '../ledger.js';
import { tellOrder } from '../order-story.js';
import type { OrderHistory } from '../order-story.js';
import type { Dialect, Query, Store } from './database.js';
import {
  attemptColumns,
  invoiceColumns,
  isStanding,
  toAttempt,
  toEventHistory,
  toInvoice,
  toInvoiceHistory,
  toNamed,
} from './rows.js';
import type {
  AttemptRow,
  EventRow,
  InvoiceRow,
  NamedRow,
  OrderRow,
  SendRow,
  SentAsRow,
} from './rows.js';

/** Most sends read of one order and method: above, the oldest are left out. */
const maxSends = 50;

/** One operation on an order, as the transaction makes it. */
export interface Step {
  /** The order's own counter: what has the lower one happened first. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** An order that no other transaction can write to now. */
interface LockedOrder extends Step {
  /** The first invoice of the order that was paid. */
  readonly paidInvoiceId: string | null;
  /** The owner of the order lock; null: it is free. */
  readonly lockOwner: string | null;
  /** When its lease ends, milliseconds since 1970. */
  readonly lockedUntilMs: number;
}

/**
 * Waits for other transactions on the order and locks it until this one ends. Where a transaction begins with it, the rows
 * of the order that it reads afterwards stay true.
 * @param now wall clock, milliseconds since 1970; read again once the order is locked, because that may take time
 */
export async function lockOrder(
  query: Query,
  externalId: string,
  now: () => number,
): Promise<LockedOrder> {
  const usedAtMs = now();
  const [row] = await query<OrderRow>(sql`
    INSERT INTO pix_orders (external_id, steps, turn_until_ms, used_at_ms)
    VALUES (${externalId}, 1, 0, ${usedAtMs})
    ON CONFLICT (external_id) DO UPDATE SET steps = pix_orders.steps + 1, used_at_ms = ${usedAtMs}
    RETURNING *`);
  const { steps, paid_invoice_id, turn_holder, turn_until_ms } = row as OrderRow;
  return {
    step: steps,
    nowMs: now(),
    paidInvoiceId: paid_invoice_id,
    lockOwner: turn_holder,
    lockedUntilMs: turn_until_ms,
  };
}

type OrderOperations = Pick<
  Ledger,
  'find' | 'describeOrder' | 'recordSend' | 'acquireOrderLock' | 'releaseOrderLock'
>;

/** @param now wall clock, milliseconds since 1970 */
export function createOrderOperations(store: Store, now: () => number): OrderOperations {
  const { read, writeRelaxed, dialect } = store;

  return {
    find: (externalId) => readOrder(read, externalId, dialect, now()),

    async describeOrder(externalId) {
      const history = await readHistory(read, externalId, dialect);
      return history && tellOrder(history, now());
    },

    async recordSend(externalId, method, atMs, totalCents) {
      await writeRelaxed(async (query) => {
        const { step } = await lockOrder(query, externalId, now);
        await query(sql`
          INSERT INTO pix_sends (external_id, step, method, at_ms)
          VALUES (${externalId}, ${step}, ${method}, ${atMs})`);
        await query(sql`
          INSERT INTO pix_sent_as (external_id, method, total_cents)
          VALUES (${externalId}, ${method}, ${totalCents})
          ON CONFLICT (external_id, method, total_cents) DO NOTHING`);
      });
    },

    async acquireOrderLock(externalId, owner, forMs) {
      return writeRelaxed(async (query) => {
        const { nowMs, lockOwner, lockedUntilMs } = await lockOrder(query, externalId, now);
        const isOthers = lockOwner !== null && lockOwner !== owner;
        if (isOthers && lockedUntilMs > nowMs) return lockedUntilMs - nowMs;
        await query(sql`
          UPDATE pix_orders SET turn_holder = ${owner}, turn_until_ms = ${nowMs + forMs}
          WHERE external_id = ${externalId}`);
        return 0;
      });
    },

    async releaseOrderLock(externalId, owner) {
      await writeRelaxed((query) =>
        query(sql`
          UPDATE pix_orders SET turn_holder = NULL
          WHERE external_id = ${externalId} AND turn_holder = ${owner}`),
      );
    },
  };
}

/** Lets each operation wait in the line of its order. `close` waits for those in flight; later calls are refused. */
export function inLines<T extends object>(operations: T, { inOrderLine, close }: Store) {
  const inFlight = new Set<Promise<unknown>>();
  let closing: Promise<void> | null = null;

  return {
    ...withEach(operations, (run, name) => async (...args) => {
      if (closing) throw new LedgerError('CLOSED');
      const order = name === 'find' || name === 'describeOrder' ? null : toOrder(args[0]);
      const work = () => run(...args);
      const running = order === null ? work() : inOrderLine(order, work, name !== 'claimAttempt');
      inFlight.add(running);
      return running.finally(() => inFlight.delete(running));
    }),
    close: () => (closing ??= Promise.allSettled(inFlight).then(close)),
  };
}

/** The order that an operation writes to, as its first argument names it. A throttle's name serves as well. */
function toOrder(subject: unknown): string | null {
  const { externalId = subject } = Object(subject) as { readonly externalId?: unknown };
  return typeof externalId === 'string' ? externalId : null;
}

/** One statement sees one moment: an order is never read half before and half after a step of another process. */
export async function readOrder(
  query: Query,
  externalId: string,
  { toJsonArray }: Dialect,
  nowMs: number,
): Promise<OrderRecord> {
  const ofOrder = sql`external_id = ${externalId}`;
  const sends = (method: Method): Sql =>
    toJsonArray(
      ['step', 'at_ms'],
      sql`SELECT step, at_ms FROM pix_sends WHERE ${ofOrder} AND method = ${method}
        ORDER BY step DESC LIMIT ${maxSends}`,
    );
  const [row] = await query<FoundRow>(sql`
    SELECT
      (SELECT paid_invoice_id FROM pix_orders WHERE ${ofOrder}) AS paid_id,
      ${toJsonArray(invoiceColumns, sql`SELECT * FROM pix_invoices WHERE ${ofOrder}`)} AS invoices,
      ${toJsonArray(
        attemptColumns,
        sql`SELECT * FROM pix_attempts
          WHERE ${ofOrder} AND method = 'credit_card' AND ${isStanding(nowMs)}`,
      )} AS cards,
      ${sends('pix')} AS pix_sends,
      ${sends('credit_card')} AS card_sends,
      ${toJsonArray(
        ['method', 'total_cents'],
        sql`SELECT method, total_cents FROM pix_sent_as WHERE ${ofOrder}`,
      )} AS sent_as,
      ${toJsonArray(['look_up_id'], sql`SELECT look_up_id FROM pix_named WHERE ${ofOrder}`)} AS named`);
  return toRecord(row as FoundRow);
}

const historyColumns = {
  sends: ['step', 'method', 'at_ms'],
  attempts: [...attemptColumns, 'claimed_at_ms', 'changed_at_ms'],
  invoices: [...invoiceColumns, 'settled_at_ms', 'lapsed_at_ms', 'look_up_at_ms'],
  named: ['external_id', 'look_up_id', 'tries', 'named_at_ms', 'due_at_ms'],
  deliveries: [
    'step',
    'kind',
    'notice',
    'queued_at_ms',
    'due_at_ms',
    'tries',
    'ended_at_ms',
    'outcome',
  ],
};

/** All rows of an order, of one moment. @returns null: there is no such order */
async function readHistory(
  query: Query,
  externalId: string,
  { toJsonArray }: Dialect,
): Promise<OrderHistory | null> {
  const all = Object.entries(historyColumns).map(([name, columns]) => {
    const table = raw(`pix_${name}`);
    const rows = toJsonArray(
      columns,
      sql`SELECT * FROM ${table} WHERE external_id = ${externalId}`,
    );
    return sql`${rows} AS ${raw(name)}`;
  });
  const [row] = await query<Record<keyof typeof historyColumns, unknown>>(
    sql`SELECT ${join(all)} FROM pix_orders WHERE external_id = ${externalId}`,
  );
  if (!row) return null;
  return {
    externalId,
    sends: inOrder(toRows<SendRow>(row.sends)).map(({ method, at_ms }) => ({
      method,
      atMs: at_ms,
    })),
    attempts: inOrder(toRows<AttemptRow>(row.attempts)).map((one) => ({
      ...toAttempt(one),
      claimedAtMs: one.claimed_at_ms,
      changedAtMs: one.changed_at_ms,
    })),
    invoices: inOrder(toRows<InvoiceRow>(row.invoices)).map(toInvoiceHistory),
    named: toRows<NamedRow>(row.named).map(toNamed),
    events: inOrder(toRows<EventRow>(row.deliveries)).map(toEventHistory),
  };
}

interface FoundRow {
  readonly paid_id: string | null;
  readonly invoices: unknown;
  readonly cards: unknown;
  readonly pix_sends: unknown;
  readonly card_sends: unknown;
  readonly sent_as: unknown;
  readonly named: unknown;
}

function toRecord(row: FoundRow): OrderRecord {
  const invoices = inOrder(toRows<InvoiceRow>(row.invoices)).map(toInvoice);
  return {
    invoices,
    sentAtMs: inOrder(toRows<SendRow>(row.pix_sends)).map(({ at_ms }) => at_ms),
    cardSentAtMs: inOrder(toRows<SendRow>(row.card_sends)).map(({ at_ms }) => at_ms),
    sentAs: toRows<SentAsRow>(row.sent_as).map(({ method, total_cents: totalCents }) => ({
      method,
      totalCents,
    })),
    named: toRows<NamedRow>(row.named).map(({ look_up_id }) => look_up_id),
    cards: inOrder(toRows<AttemptRow>(row.cards)).map(toAttempt),
    paid: invoices.find(({ invoiceId }) => invoiceId === row.paid_id) ?? null,
  };
}

/** The rows of a JSON array, which SQLite hands out as text. */
function toRows<Row>(value: unknown): Row[] {
  return (typeof value === 'string' ? JSON.parse(value) : value) as Row[];
}

/** In the order in which they happened. */
function inOrder<Row extends { readonly step: number }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((one, other) => one.step - other.step);
}
