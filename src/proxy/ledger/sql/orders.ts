/** Reads an order as one record, and holds the order lock. */

import { sql } from 'kysely';
import type { ExpressionBuilder, Kysely } from 'kysely';
import type { Method } from '../../../contract/types.js';
import type { Ledger, OrderRecord } from '../ledger.js';
import { lockOrder } from './database.js';
import type { LedgerDialect, Store } from './database.js';
import { attemptColumns, invoiceColumns, isStanding, toAttempt, toInvoice } from './tables.js';
import type { AttemptRow, InvoiceRow, SendTable, Tables } from './tables.js';

/** Most sends read of one order and method: above, the oldest are left out. */
const maxSends = 50;

type OrderOperations = Pick<
  Ledger,
  'find' | 'recordSend' | 'acquireOrderLock' | 'releaseOrderLock'
>;

/** @param now wall clock, milliseconds since 1970 */
export function createOrderOperations(store: Store, now: () => number): OrderOperations {
  const { read, writeRelaxed, dialect } = store;

  return {
    find: (externalId) => read((db) => readOrder(db, externalId, dialect, now())),

    async recordSend(externalId, method, atMs) {
      await writeRelaxed(async (tx) => {
        const { step } = await lockOrder(tx, externalId, now);
        await tx
          .insertInto('pix_sends')
          .values({ external_id: externalId, step, method, at_ms: atMs })
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
}

function toRecord({ paidId, ...row }: FoundRow): OrderRecord {
  const invoices = toRows<InvoiceRow>(row.invoices).map(toInvoice);
  return {
    invoices,
    sentAtMs: toRows<SendTable>(row.pixSends).map(({ at_ms }) => at_ms),
    cardSentAtMs: toRows<SendTable>(row.cardSends).map(({ at_ms }) => at_ms),
    cards: toRows<AttemptRow>(row.cards).map(toAttempt),
    paid: invoices.find(({ invoiceId }) => invoiceId === paidId) ?? null,
  };
}

/** Rows that came as JSON, which SQLite hands out as text; in the order in which they happened. */
function toRows<T extends { readonly step: number }>(value: unknown): T[] {
  const rows = (typeof value === 'string' ? JSON.parse(value) : value) as T[];
  return rows.toSorted((one, other) => one.step - other.step);
}
