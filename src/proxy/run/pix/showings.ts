/**
 * Notes that a page got an older code again. The payer may pay it, however old it is, and close the page a moment later: so its
 * look-ups begin anew. Whatever hands out a code that exists already notes it here.
 */

import { shown } from '../../order/invoices.js';
import type { IssuedInvoice, MadeInvoice } from '../../order/order.js';
import { isHandedOut } from '../../order/questions.js';
import { times } from '../../order/due/times.js';
import { isNear } from '../../../domain/spans.js';
import { createRecent } from '../../runtime/recent.js';
import type { OrderStore } from '../../store/order-store.js';
import { record } from '../../store/record.js';

/** Most invoices remembered by one process, so that an open page is no write: above, the oldest is noted again. */
const maxKnown = 10_000;

/** Codes that are shown. */
export type Showings = ReturnType<typeof createShowings>;

/** Makes what notes them. */
export function createShowings(store: Pick<OrderStore, 'change'>, now: () => number) {
  // When reconciliation of each code began, as far as this process knows.
  const beganAtMs = createRecent<number>(
    (atMs) => isNear(atMs, times.open.beginsAnewAfterMs, now()),
    maxKnown,
  );

  return {
    /** Notes that a payer is shown this code. Call it before the code is handed out. */
    async note(invoice: MadeInvoice): Promise<void> {
      if (isHandedOut(invoice) && !invoice.isPaid) await begin(invoice);
    },

    /** The same for a page that shows it already. It does not fail. */
    async noteOpen(issued: IssuedInvoice): Promise<void> {
      // A store that fails is in the log of all that follows.
      if (issued.method === 'pix') await begin(issued).catch(() => undefined);
    },
  };

  async function begin(invoice: IssuedInvoice): Promise<void> {
    if (beganAtMs.get(invoice.invoiceId) !== undefined) return;
    await record(store, invoice.externalId, shown, invoice);
    beganAtMs.set(invoice.invoiceId, now());
  }
}
