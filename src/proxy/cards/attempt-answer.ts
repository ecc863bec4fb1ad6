/** What a page is told of an attempt, however often it asks. */

import { findOpen } from '../order/creations.js';
import type { Order, KnownAttempt, MadeInvoice } from '../order/order.js';
import { findInvoice, isCard, paidInvoiceOf } from '../order/questions.js';
import { OrderPaid, ProxyError, inProgress } from '../runtime/proxy-error.js';

/**
 * The invoice that answers an attempt. A code that was replaced, or whose price changed, is no answer while there is a newer one.
 * @throws ProxyError `in_progress`, `payment_refused`, `outcome_unknown`, `not_found` only where its key is barred; `OrderPaid`
 *   if another payment paid the order
 */
export function toAttemptInvoice(
  order: Order,
  { progress }: KnownAttempt,
  nowMs: number,
): MadeInvoice {
  if (progress.state === 'claimed' || progress.state === 'sent') throw inProgress();
  const ownId = progress.state === 'created' ? progress.invoiceId : null;
  const paid = paidInvoiceOf(order);
  if (paid && paid.invoiceId !== ownId) throw new OrderPaid(paid);
  if (progress.state === 'refused') throw new ProxyError('payment_refused');
  if (progress.state === 'barred') throw new ProxyError('not_found');
  const invoice = findInvoice(order, ownId);
  if (!invoice) throw new ProxyError('outcome_unknown');
  if (isCard(invoice) || invoice.isPaid || order.offeredId === null) return invoice;
  // A person has to look at it.
  if (invoice.differsIn !== undefined) throw inProgress();
  if (invoice.invoiceId === order.offeredId) return invoice;
  const offered = findInvoice(order, order.offeredId);
  const { totalCents } = offered ?? invoice;
  return findOpen(order, { totalCents, replaces: null }, nowMs) ?? invoice;
}
