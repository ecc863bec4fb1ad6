/** Invoices: handed out, paid, expired. */

import type { ExpressionBuilder } from 'kysely';
import { toDeliveryId, toInvoiceNotice, toPaidInvoice } from '../ledger-rules.js';
import type { Ledger, RememberedInvoice } from '../ledger.js';
import { dropEvents, queueEvent } from './outbox-operations.js';
import { readOrder } from './orders.js';
import { invoiceColumns, toInvoice, toInvoiceRow } from './tables.js';
import { lockOrder } from './database.js';
import type { Store, Tx } from './database.js';
import type { Tables } from './tables.js';
import {
  advance,
  findInvoice,
  hasUnresolvedCharge,
  keepInvoice,
  reopenInvoice,
  updateInvoice,
} from './steps.js';

type InvoiceOperations = Pick<
  Ledger,
  'recordInvoice' | 'recordCode' | 'recordPaid' | 'recordMismatch' | 'recordExpired' | 'findSettled'
>;

/** @param now wall clock, milliseconds since 1970 */
export function createInvoiceOperations(store: Store, now: () => number): InvoiceOperations {
  const { read, write } = store;

  return {
    async recordInvoice(invoice, attempt) {
      await write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, invoice.externalId, now);
        const isNew = await keepInvoice(tx, invoice, { step, nowMs });
        if (!attempt) return;
        if (!isNew) await reopenInvoice(tx, invoice, nowMs);
        const { invoiceId } = invoice;
        await advance(tx, attempt, { state: 'created', invoiceId }, { step, nowMs });
      });
    },

    async recordCode(invoice, known) {
      return write(async (tx) => {
        const { externalId } = invoice;
        const { step, nowMs } = await lockOrder(tx, externalId, now);
        const order = await readOrder(tx, externalId, store.dialect, nowMs);
        const isNew =
          order.invoices.length === known && (await keepInvoice(tx, invoice, { step, nowMs }));
        return isNew ? { ...order, invoices: [...order.invoices, invoice] } : order;
      });
    },

    async recordPaid(found, { endToEndId }) {
      return write(async (tx) => {
        const { externalId, invoiceId } = found;
        const { step, nowMs, paidInvoiceId } = await lockOrder(tx, externalId, now);
        await keepInvoice(tx, found, { step, nowMs });
        const paid = await markPaid(tx, found, nowMs);
        if (!paid) return false;
        const duplicate = paidInvoiceId !== null;
        if (!duplicate) {
          await tx
            .updateTable('pix_orders')
            .set({ paid_invoice_id: invoiceId })
            .where('external_id', '=', externalId)
            .execute();
        }
        await dropEvents(tx, externalId, 'waiting', nowMs);
        const late = await dropEvents(tx, externalId, 'lapsed', nowMs);
        const notice = {
          ...toInvoiceNotice('paid', paid),
          ...(endToEndId === null ? {} : { endToEndId }),
          late,
          duplicate,
        };
        await queueEvent(tx, { kind: 'paid', notice }, { step, nowMs });
        return true;
      });
    },

    async recordMismatch({ externalId, invoiceId, totalCents }, field) {
      await write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, externalId, now);
        const deliveryId = toDeliveryId('mismatch', externalId, invoiceId);
        const notice = { externalId, invoiceId, totalCents, field, deliveryId };
        await queueEvent(tx, { kind: 'mismatch', notice }, { step, nowMs });
      });
    },

    async recordExpired(issued) {
      await write(async (tx) => {
        const { externalId } = issued;
        const { step, nowMs, paidInvoiceId } = await lockOrder(tx, externalId, now);
        if (paidInvoiceId !== null || (await hasUnresolvedCharge(tx, externalId, nowMs))) return;
        const lapsed = await updateInvoice(tx, issued)
          .set({ lapsed_at_ms: nowMs })
          .where('lapsed_at_ms', 'is', null)
          .where(hasNoNewerCode(nowMs))
          .returning(invoiceColumns)
          .executeTakeFirst();
        if (!lapsed) return;
        await dropEvents(tx, externalId, 'waiting', nowMs);
        const notice = toInvoiceNotice('lapsed', toInvoice(lapsed));
        await queueEvent(tx, { kind: 'lapsed', notice }, { step, nowMs });
      });
    },

    async findSettled(sinceMs) {
      const rows = await read((db) =>
        db
          .selectFrom('pix_invoices')
          .select('invoice_id')
          .where('settled_at_ms', '>=', sinceMs)
          .orderBy('settled_at_ms')
          .execute(),
      );
      return rows.map(({ invoice_id }) => invoice_id);
    },
  };
}

/** No Pix code of the order was made since that still may be paid in time. */
function hasNoNewerCode(nowMs: number) {
  return (eb: ExpressionBuilder<Tables, 'pix_invoices'>) =>
    eb.not(
      eb.exists(
        eb
          .selectFrom('pix_invoices as newer')
          .select('newer.step')
          .whereRef('newer.external_id', '=', 'pix_invoices.external_id')
          .whereRef('newer.step', '>', 'pix_invoices.step')
          .where('newer.method', '=', 'pix')
          .where((code) =>
            code.or([code('newer.deadline_ms', 'is', null), code('newer.deadline_ms', '>', nowMs)]),
          ),
      ),
    );
}

/** @returns the invoice as it is known now; null if it was paid already */
async function markPaid(
  tx: Tx,
  found: RememberedInvoice,
  nowMs: number,
): Promise<RememberedInvoice | null> {
  const known = await findInvoice(tx, found);
  if (!known || known.paid_at_ms !== null) return null;
  const paid = toPaidInvoice(toInvoice(known), found);
  await updateInvoice(tx, found)
    .set({
      ...toInvoiceRow(paid),
      paid_at_ms: nowMs,
      settled_at_ms: nowMs,
      released_at_ms: null,
      look_up_at_ms: null,
    })
    .execute();
  return paid;
}
