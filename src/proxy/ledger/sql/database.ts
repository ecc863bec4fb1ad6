/**
 * A database, as the ledger's operations see it: single reads, and writes in one transaction each. Every failure is a
 * LedgerError. And an order in it: locked first by each transaction that writes to it, and read as one record.
 */

import { sql } from 'kysely';
import type {
  ExpressionBuilder,
  Kysely,
  RawBuilder,
  SelectQueryBuilder,
  Transaction,
} from 'kysely';
import type { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Method } from '../../../contract/types.js';
import { LedgerError } from '../ledger-error.js';
import type { Ledger, OrderRecord } from '../ledger.js';
import { attemptColumns, invoiceColumns, isStanding, toAttempt, toInvoice } from './tables.js';
import type { AttemptRow, InvoiceRow, SendTable, SentAsTable, Tables } from './tables.js';

/** Most sends read of one order and method: above, the oldest are left out. */
const maxSends = 50;

/** One transaction that is under way. */
export type Tx = Transaction<Tables>;

/** One operation on an order, as the transaction makes it. */
export interface Step {
  /** The order's own counter: see `tables.ts`. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** An order that no other transaction can write to now. */
interface LockedOrder extends Step {
  /** The first invoice of the order that was paid. */
  readonly paidInvoiceId: string | null;
  /** The owner of the order lock; null: it is free. */
  readonly turnHolder: string | null;
  /** When its lease ends, milliseconds since 1970. */
  readonly turnUntilMs: number;
}

/** What each database does in its own way: all that a further one has to bring beside its driver. */
export interface LedgerDialect {
  /** Rows of a subquery as one JSON array. */
  readonly toJsonArray: typeof jsonArrayFrom;
  /** Leaves out the rows that another process works on. */
  readonly skipLocked: <DB, TB extends keyof DB, O>(
    query: SelectQueryBuilder<DB, TB, O>,
  ) => SelectQueryBuilder<DB, TB, O>;
  /** Returned by a statement, it lets its transaction resolve before the disk has it. */
  readonly commitRelaxed: RawBuilder<unknown>;
  /** In a statement that has no transaction around it, the server's own limit to waiting for a row; always true. */
  readonly waitBriefly: RawBuilder<boolean>;
  /** Keeps other processes from migrating until the transaction ends. */
  readonly lockMigrations: (tx: Tx) => Promise<unknown>;
  /** Whether several processes agree on who looks up an invoice that pages wait for: each claim is a write. */
  readonly areLookUpsClaimed: boolean;
}

/** An open database. */
export interface Store {
  readonly dialect: LedgerDialect;
  /** For reads, each statement of which sees one moment. */
  readonly read: <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;
  /** All of `work` or none of it. */
  readonly write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /**
   * The same for what means nothing once every process of this machine has died: a failure of power may take it back, but
   * then all that was written after it as well. SQLite does not wait for the disk; PostgreSQL does as ever, for the
   * processes outlive its machine.
   */
  readonly writeRelaxed: Store['write'];
  /** The same for a single statement, which is all or nothing by itself: PostgreSQL is asked once instead of three times. */
  readonly writeOne: Store['read'];
  /** Nothing may be under way any more. */
  readonly close: () => Promise<void>;
}

/**
 * Waits for other transactions on the order and locks it until this one ends. The first statement of each transaction that
 * writes to one order: rows read after it stay true.
 * @param now wall clock, milliseconds since 1970; read again once the order is held, for it may have been waited for
 */
export async function lockOrder(
  tx: Tx,
  externalId: string,
  now: () => number,
): Promise<LockedOrder> {
  const usedAtMs = now();
  const row = await tx
    .insertInto('pix_orders')
    .values({ external_id: externalId, steps: 1, turn_until_ms: 0, used_at_ms: usedAtMs })
    .onConflict((conflict) =>
      conflict.column('external_id').doUpdateSet((eb) => ({
        steps: eb('pix_orders.steps', '+', 1),
        used_at_ms: usedAtMs,
      })),
    )
    .returning(['steps', 'paid_invoice_id', 'turn_holder', 'turn_until_ms'])
    .executeTakeFirstOrThrow();
  return {
    step: row.steps,
    nowMs: now(),
    paidInvoiceId: row.paid_invoice_id,
    turnHolder: row.turn_holder,
    turnUntilMs: row.turn_until_ms,
  };
}

/** A store that closes after the operations in flight, and starts none afterwards. */
export function withOrderlyClose(store: Store): Store {
  const inFlight = new Set<Promise<unknown>>();
  let closing: Promise<void> | null = null;

  return {
    dialect: store.dialect,
    read: (work) => run(() => store.read(work)),
    write: (work) => run(() => store.write(work)),
    writeRelaxed: (work) => run(() => store.writeRelaxed(work)),
    writeOne: (work) => run(() => store.writeOne(work)),
    close() {
      closing ??= Promise.allSettled(inFlight).then(() => store.close());
      return closing;
    },
  };

  async function run<T>(start: () => Promise<T>): Promise<T> {
    if (closing) throw new LedgerError('CLOSED');
    const running = start();
    inFlight.add(running);
    try {
      return await running;
    } finally {
      inFlight.delete(running);
    }
  }
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

type OrderOperations = Pick<
  Ledger,
  'find' | 'recordSend' | 'acquireOrderLock' | 'releaseOrderLock'
>;

/** @param now wall clock, milliseconds since 1970 */
export function createOrderOperations(store: Store, now: () => number): OrderOperations {
  const { read, writeRelaxed, dialect } = store;

  return {
    find: (externalId) => read((db) => readOrder(db, externalId, dialect, now())),

    async recordSend(externalId, method, atMs, totalCents) {
      await writeRelaxed(async (tx) => {
        const { step } = await lockOrder(tx, externalId, now);
        await tx
          .insertInto('pix_sends')
          .values({ external_id: externalId, step, method, at_ms: atMs })
          .execute();
        await tx
          .insertInto('pix_sent_as')
          .values({ external_id: externalId, method, total_cents: totalCents })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      });
    },

    async acquireOrderLock(externalId, holder, forMs) {
      return writeRelaxed(async (tx) => {
        const { nowMs, turnHolder, turnUntilMs } = await lockOrder(tx, externalId, now);
        const isOthers = turnHolder !== null && turnHolder !== holder;
        if (isOthers && turnUntilMs > nowMs) return turnUntilMs - nowMs;
        await tx
          .updateTable('pix_orders')
          .set({ turn_holder: holder, turn_until_ms: nowMs + forMs })
          .where('external_id', '=', externalId)
          .execute();
        return 0;
      });
    },

    async releaseOrderLock(externalId, holder) {
      await writeRelaxed((tx) =>
        tx
          .updateTable('pix_orders')
          .set({ turn_holder: null })
          .where('external_id', '=', externalId)
          .where('turn_holder', '=', holder)
          .execute(),
      );
    },
  };
}

/** One statement sees one moment: an order is never read half before and half after a step of another process. */
export async function readOrder(
  db: Kysely<Tables>,
  externalId: string,
  { toJsonArray }: LedgerDialect,
  nowMs: number,
): Promise<OrderRecord> {
  const row = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('pix_orders')
        .select('paid_invoice_id')
        .where('external_id', '=', externalId)
        .as('paidId'),
      toJsonArray(
        eb.selectFrom('pix_invoices').select(invoiceColumns).where('external_id', '=', externalId),
      ).as('invoices'),
      toJsonArray(
        eb
          .selectFrom('pix_attempts')
          .select(attemptColumns)
          .where('external_id', '=', externalId)
          .where('method', '=', sql.lit('credit_card'))
          .where(isStanding(nowMs)),
      ).as('cards'),
      toJsonArray(selectSends(eb, externalId, 'pix')).as('pixSends'),
      toJsonArray(selectSends(eb, externalId, 'credit_card')).as('cardSends'),
      toJsonArray(
        eb.selectFrom('pix_named').select('look_up_id').where('external_id', '=', externalId),
      ).as('named'),
      toJsonArray(
        eb
          .selectFrom('pix_sent_as')
          .select(['method', 'total_cents'])
          .where('external_id', '=', externalId),
      ).as('sentAs'),
    ])
    .executeTakeFirstOrThrow();
  return toRecord(row);
}

function selectSends(eb: ExpressionBuilder<Tables, never>, externalId: string, method: Method) {
  return eb
    .selectFrom('pix_sends')
    .select(['step', 'at_ms'])
    .where('external_id', '=', externalId)
    .where('method', '=', method)
    .orderBy('step', 'desc')
    .limit(maxSends);
}

interface FoundRow {
  readonly paidId: string | null;
  readonly invoices: unknown;
  readonly cards: unknown;
  readonly pixSends: unknown;
  readonly cardSends: unknown;
  readonly named: unknown;
  readonly sentAs: unknown;
}

function toRecord({ paidId, ...row }: FoundRow): OrderRecord {
  const invoices = inOrder(toRows<InvoiceRow>(row.invoices)).map(toInvoice);
  const pixSends = inOrder(toRows<SendTable>(row.pixSends));
  const cardSends = inOrder(toRows<SendTable>(row.cardSends));
  return {
    invoices,
    sentAtMs: pixSends.map(({ at_ms }) => at_ms),
    cardSentAtMs: cardSends.map(({ at_ms }) => at_ms),
    sentAs: toRows<SentAsTable>(row.sentAs).map(({ method, total_cents: totalCents }) => {
      return { method, totalCents };
    }),
    named: toRows<{ look_up_id: string }>(row.named).map(({ look_up_id }) => look_up_id),
    cards: inOrder(toRows<AttemptRow>(row.cards)).map(toAttempt),
    paid: invoices.find(({ invoiceId }) => invoiceId === paidId) ?? null,
  };
}

/** Rows that came as JSON, which SQLite hands out as text. */
function toRows<T>(value: unknown): T[] {
  return (typeof value === 'string' ? JSON.parse(value) : value) as T[];
}

/** In the order in which they happened. */
function inOrder<T extends { readonly step: number }>(rows: readonly T[]): T[] {
  return rows.toSorted((one, other) => one.step - other.step);
}
