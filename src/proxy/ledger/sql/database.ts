/**
 * A database, as the ledger's operations see it: single reads, and writes in one transaction each. Every failure is a
 * LedgerError.
 */

import type { Kysely, RawBuilder, SelectQueryBuilder, Transaction } from 'kysely';
import type { jsonArrayFrom } from 'kysely/helpers/postgres';
import { LedgerError } from '../ledger-error.js';
import type { Tables } from './tables.js';

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
