/** Invoices: handed out, paid, lapsed, and when each is looked up although nobody asks. */

import { toDeliveryId, toInvoiceNotice } from '../orders/deliveries.js';
import { firstLookUpAfterMs } from '../orders/orders.js';
import type { Ledger, RememberedInvoice } from '../orders/orders.js';
import { advance } from './attempt-steps.js';
import { dropDelivery, queueDelivery } from './deliveries.js';
import { invoiceColumns, toInvoice, toInvoiceRow } from './rows.js';
import { lockOrder } from './store.js';
import type { Step, Store, Tx } from './store.js';

type InvoiceOperations = Pick<
  Ledger,
  'recordInvoice' | 'recordPaid' | 'recordMismatch' | 'recordLapsed' | 'findSettled'
>;

/** @param now wall clock, milliseconds since 1970 */
export function createInvoiceOperations(store: Store, now: () => number): InvoiceOperations {
  const { read, write } = store;

  return {
    async recordInvoice(invoice, attempt) {
      await write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, invoice.externalId, now);
        await keep(tx, invoice, { step, nowMs });
        if (!attempt) return;
        const { invoiceId } = invoice;
        await advance(tx, attempt, { state: 'created', invoiceId }, { step, nowMs });
      });
    },

    async recordPaid(invoice, { endToEndId }) {
      return write(async (tx) => {
        const { externalId, invoiceId } = invoice;
        const { step, nowMs, paidInvoiceId } = await lockOrder(tx, externalId, now);
        await keep(tx, invoice, { step, nowMs });
        const paid = await markPaid(tx, invoice, nowMs);
        if (!paid) return false;
        const duplicate = paidInvoiceId !== null;
        if (!duplicate) {
          await tx
            .updateTable('pix_orders')
            .set({ paid_invoice_id: invoiceId })
            .where('external_id', '=', externalId)
            .execute();
        }
        await dropDelivery(tx, toDeliveryId('waiting', externalId, invoiceId), nowMs);
        const lapsedId = toDeliveryId('lapsed', externalId, invoiceId);
        const late = await dropDelivery(tx, lapsedId, nowMs);
        const notice = {
          ...toInvoiceNotice('paid', paid),
          ...(endToEndId === null ? {} : { endToEndId }),
          late,
          duplicate,
        };
        await queueDelivery(tx, { kind: 'paid', notice }, { step, nowMs });
        return true;
      });
    },

    async recordMismatch({ externalId, invoiceId, totalCents }, field) {
      await write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, externalId, now);
        const deliveryId = toDeliveryId('mismatch', externalId, invoiceId);
        const notice = { externalId, invoiceId, totalCents, field, deliveryId };
        await queueDelivery(tx, { kind: 'mismatch', notice }, { step, nowMs });
      });
    },

    async recordLapsed(issued) {
      await write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, issued.externalId, now);
        const lapsed = await tx
          .updateTable('pix_invoices')
          .set({ lapsed_at_ms: nowMs })
          .where('external_id', '=', issued.externalId)
          .where('invoice_id', '=', issued.invoiceId)
          .where('paid_at_ms', 'is', null)
          .where('lapsed_at_ms', 'is', null)
          .returning(invoiceColumns)
          .executeTakeFirst();
        if (!lapsed) return;
        const notice = toInvoiceNotice('lapsed', toInvoice(lapsed));
        await queueDelivery(tx, { kind: 'lapsed', notice }, { step, nowMs });
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

/** An invoice that is known already stays as it is. */
async function keep(tx: Tx, invoice: RememberedInvoice, { step, nowMs }: Step): Promise<void> {
  const isNew = await tx
    .insertInto('pix_invoices')
    .values({ ...toInvoiceRow(invoice), step, look_up_at_ms: nowMs + firstLookUpAfterMs })
    .onConflict((conflict) => conflict.columns(['external_id', 'invoice_id']).doNothing())
    .returning('invoice_id')
    .executeTakeFirst();
  if (!isNew || invoice.method !== 'pix') return;
  const { code, deadlineMs } = invoice;
  const expiry = deadlineMs === null ? {} : { expiresAt: new Date(deadlineMs).toISOString() };
  const notice = { ...toInvoiceNotice('waiting', invoice), code, ...expiry };
  await queueDelivery(tx, { kind: 'waiting', notice }, { step, nowMs });
}

/** @returns the invoice as it is known; null if it was paid already */
async function markPaid(
  tx: Tx,
  { externalId, invoiceId, status }: RememberedInvoice,
  nowMs: number,
): Promise<RememberedInvoice | null> {
  const paid = await tx
    .updateTable('pix_invoices')
    .set({ status, paid_at_ms: nowMs, settled_at_ms: nowMs, look_up_at_ms: null })
    .where('external_id', '=', externalId)
    .where('invoice_id', '=', invoiceId)
    .where('paid_at_ms', 'is', null)
    .returning(invoiceColumns)
    .executeTakeFirst();
  return paid ? toInvoice(paid) : null;
}
