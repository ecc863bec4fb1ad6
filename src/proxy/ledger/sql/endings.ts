/** How invoices and charges end: paid, paid otherwise than created, expired, of unknown outcome, released by a person. */

import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Ledger, RememberedInvoice } from '../ledger.js';
import {
  toInvoiceId,
  toInvoiceNotice,
  toMismatchNotice,
  toPaidInvoice,
  toPaidNotice,
  toReturnedNotice,
} from '../ledger-rules.js';
import { advance, hasUnresolvedCharge } from './attempts.js';
import { nameUntil } from './due-work.js';
import type { Query, Store } from './database.js';
import {
  dropEvents,
  findInvoice,
  isInvoice,
  keepInvoice,
  queueEvent,
  queueUnknown,
  toInvoiceChange,
} from './invoices.js';
import { lockOrder } from './orders.js';
import { toAttempt, toInvoice } from './rows.js';
import type { AttemptRow, InvoiceRow } from './rows.js';

type EndingOperations = Pick<
  Ledger,
  | 'recordPaid'
  | 'recordReturned'
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
    async recordPaid(found, payment) {
      return write(async (query) => {
        const { externalId, invoiceId } = found;
        const { paidInvoiceId, ...at } = await lockOrder(query, externalId, now);
        await keepInvoice(query, found, at);
        const paid = await markPaid(query, found, at.nowMs);
        if (!paid) return false;
        const duplicate = paidInvoiceId !== null;
        if (!duplicate) {
          await query(sql`
            UPDATE pix_orders SET paid_invoice_id = ${invoiceId} WHERE external_id = ${externalId}`);
        }
        await dropEvents(query, externalId, 'waiting', at.nowMs);
        const late = await dropEvents(query, externalId, 'lapsed', at.nowMs);
        const notice = toPaidNotice(paid, { ...payment, late, duplicate });
        await queueEvent(query, { kind: 'paid', notice }, at);
        if (payment.askAgainAfterMs !== undefined) {
          await nameUntil(query, found, at.nowMs, at.nowMs + payment.askAgainAfterMs);
        }
        return true;
      });
    },

    async recordReturned(invoice, found) {
      return write(async (query) => {
        const at = await lockOrder(query, invoice.externalId, now);
        const notice = toReturnedNotice(invoice, found);
        return queueEvent(query, { kind: 'returned', notice }, at);
      });
    },

    async recordMismatch(issued, field) {
      await write(async (query) => {
        const at = await lockOrder(query, issued.externalId, now);
        await queueEvent(query, { kind: 'mismatch', notice: toMismatchNotice(issued, field) }, at);
      });
    },

    async recordExpired(issued) {
      await write(async (query) => {
        const { externalId } = issued;
        const { paidInvoiceId, ...at } = await lockOrder(query, externalId, now);
        if (paidInvoiceId !== null) return;
        if (await hasUnresolvedCharge(query, externalId, at.nowMs)) return;
        const [lapsed] = await query<InvoiceRow>(sql`
          UPDATE pix_invoices SET lapsed_at_ms = ${at.nowMs}
          WHERE ${isInvoice(issued)} AND lapsed_at_ms IS NULL AND ${hasNoNewerCode(at.nowMs)}
          RETURNING *`);
        if (!lapsed) return;
        await dropEvents(query, externalId, 'waiting', at.nowMs);
        const notice = toInvoiceNotice('lapsed', toInvoice(lapsed));
        await queueEvent(query, { kind: 'lapsed', notice }, at);
      });
    },

    async findSettled(sinceMs) {
      const rows = await read<Pick<InvoiceRow, 'invoice_id'>>(sql`
        SELECT invoice_id FROM pix_invoices
        WHERE settled_at_ms >= ${sinceMs} ORDER BY settled_at_ms`);
      return rows.map(({ invoice_id }) => invoice_id);
    },

    async expireSent() {
      const expired = await read<AttemptRow>(
        sql`SELECT * FROM pix_attempts WHERE state = 'sent' AND until_ms <= ${now()}`,
      );
      let count = 0;
      for (const row of expired) {
        const isNew = await write(async (query) => {
          const at = await lockOrder(query, row.external_id, now);
          return advance(query, toAttempt(row), { state: 'unknown', candidate: null }, at);
        });
        if (isNew) count += 1;
      }
      return count;
    },

    async recordUnresolved({ externalId, invoiceId }) {
      await write(async (query) => {
        const at = await lockOrder(query, externalId, now);
        const invoice = await findInvoice(query, { externalId, invoiceId });
        const [card] = await query<AttemptRow>(sql`
          SELECT * FROM pix_attempts
          WHERE ${isInvoice({ externalId, invoiceId })}
            AND method = 'credit_card' AND state = 'created'`);
        if (card && !isPaid(invoice)) await queueUnknown(query, card, invoiceId, at);
      });
    },

    async releaseCard(externalId) {
      return write(async (query) => {
        const at = await lockOrder(query, externalId, now);
        const [row] = await query<AttemptRow>(sql`
          SELECT * FROM pix_attempts
          WHERE external_id = ${externalId}
            AND method = 'credit_card' AND state IN ('unknown', 'created')`);
        if (!row) return false;
        const card = toAttempt(row);
        const invoiceId = toInvoiceId(card.progress);
        if (invoiceId !== null) {
          const key = { externalId, invoiceId };
          if (isPaid(await findInvoice(query, key))) return false;
          await query(sql`
            UPDATE pix_invoices SET released_at_ms = ${at.nowMs}
            WHERE ${isInvoice(key)} AND method = 'credit_card'`);
        }
        return advance(query, card, { state: 'refused' }, at);
      });
    },
  };
}

function isPaid(invoice: InvoiceRow | undefined): boolean {
  return (invoice?.paid_at_ms ?? null) !== null;
}

/** No Pix code of the order was made since that still may be paid in time. */
function hasNoNewerCode(nowMs: number): Sql {
  return sql`NOT EXISTS (
    SELECT 1 FROM pix_invoices AS newer
    WHERE newer.external_id = pix_invoices.external_id AND newer.step > pix_invoices.step
      AND newer.method = 'pix' AND newer.code <> ''
      AND (newer.deadline_ms IS NULL OR newer.deadline_ms > ${nowMs}))`;
}

/** @returns the invoice as it is known now; null if it was paid already */
async function markPaid(
  query: Query,
  found: RememberedInvoice,
  nowMs: number,
): Promise<RememberedInvoice | null> {
  const known = await findInvoice(query, found);
  if (!known || known.paid_at_ms !== null) return null;
  const paid = toPaidInvoice(toInvoice(known), found);
  await query(sql`
    UPDATE pix_invoices
    SET ${toInvoiceChange(paid)}, paid_at_ms = ${nowMs}, settled_at_ms = ${nowMs},
      released_at_ms = NULL, look_up_at_ms = NULL
    WHERE ${isInvoice(found)}`);
  return paid;
}
