/** How invoices and charges end: paid, paid otherwise than created, expired, of unknown outcome, released by a person. */

import type { ExpressionBuilder } from 'kysely';
import type { Ledger, RememberedInvoice } from '../ledger.js';
import { toDeliveryId, toInvoiceId, toInvoiceNotice, toPaidInvoice } from '../ledger-rules.js';
import { advance, hasUnresolvedCharge } from './attempts.js';
import { lockOrder } from './database.js';
import type { Store, Tx } from './database.js';
import {
  dropEvents,
  findInvoice,
  keepInvoice,
  queueEvent,
  queueUnknown,
  updateInvoice,
} from './invoices.js';
import { attemptColumns, invoiceColumns, toAttempt, toInvoice, toInvoiceRow } from './tables.js';
import type { Tables } from './tables.js';

type EndingOperations = Pick<
  Ledger,
  | 'recordPaid'
  | 'recordMismatch'
  | 'recordExpired'
  | 'findSettled'
  | 'expireSent'
  | 'recordUnresolved'
  | 'releaseCard'
>;

/** @param now wall clock, milliseconds since 1970 */
export function createEndingOperations(store: Store, now: () => number): EndingOperations {
  const { read, write } = store;

  return {
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

    async expireSent() {
      const expired = await read((db) =>
        db
          .selectFrom('pix_attempts')
          .select(attemptColumns)
          .where('state', '=', 'sent')
          .where('until_ms', '<=', now())
          .execute(),
      );
      let count = 0;
      for (const row of expired) {
        const isNew = await write(async (tx) => {
          const { step, nowMs } = await lockOrder(tx, row.external_id, now);
          const progress = { state: 'unknown', candidate: null } as const;
          return advance(tx, toAttempt(row), progress, { step, nowMs });
        });
        if (isNew) count += 1;
      }
      return count;
    },

    async recordUnresolved({ externalId, invoiceId }) {
      await write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, externalId, now);
        const invoice = await findInvoice(tx, { externalId, invoiceId });
        const card = await tx
          .selectFrom('pix_attempts')
          .selectAll()
          .where('external_id', '=', externalId)
          .where('method', '=', 'credit_card')
          .where('state', '=', 'created')
          .where('invoice_id', '=', invoiceId)
          .executeTakeFirst();
        const isPaid = (invoice?.paid_at_ms ?? null) !== null;
        if (card && !isPaid) await queueUnknown(tx, card, invoiceId, { step, nowMs });
      });
    },

    async releaseCard(externalId) {
      return write(async (tx) => {
        const { step, nowMs } = await lockOrder(tx, externalId, now);
        const row = await tx
          .selectFrom('pix_attempts')
          .select(attemptColumns)
          .where('external_id', '=', externalId)
          .where('method', '=', 'credit_card')
          .where('state', 'in', ['unknown', 'created'])
          .executeTakeFirst();
        if (!row) return false;
        const card = toAttempt(row);
        const invoiceId = toInvoiceId(card.progress);
        if (invoiceId !== null) {
          const invoice = await findInvoice(tx, { externalId, invoiceId });
          if ((invoice?.paid_at_ms ?? null) !== null) return false;
          await updateInvoice(tx, { externalId, invoiceId })
            .set({ released_at_ms: nowMs })
            .where('method', '=', 'credit_card')
            .execute();
        }
        return advance(tx, card, { state: 'refused' }, { step, nowMs });
      });
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
          .where('newer.code', '<>', '')
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
