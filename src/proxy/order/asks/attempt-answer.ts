/** What a page is told of an attempt, however often it asks. */

import { findInvoice, findOpen, isCard, paidInvoiceOf } from '../questions.js';
import type { KeptAttempt, Order } from '../order.js';
import { inProgress, refuse } from './reply.js';
import type { Answer } from './reply.js';

/** A code that was replaced, or whose price changed, is no answer while there is a newer one. */
export function toAttemptAnswer(
  order: Order,
  attempt: KeptAttempt | 'refused',
  nowMs: number,
): Answer {
  const progress = attempt === 'refused' ? ({ state: attempt } as const) : attempt.progress;
  if (progress.state === 'claimed' || progress.state === 'sent') return inProgress;
  const ownId = progress.state === 'created' ? progress.invoiceId : null;
  const paid = paidInvoiceOf(order);
  if (paid && paid.invoiceId !== ownId) return { type: 'paid', invoice: paid };
  if (progress.state === 'refused') return refuse('payment_refused');
  const invoice = findInvoice(order, ownId);
  if (!invoice) return refuse('outcome_unknown');
  if (isCard(invoice) || invoice.isPaid || order.offeredId === null)
    return { type: 'invoice', invoice };
  // A person has to look at it.
  if (invoice.differsIn !== undefined) return inProgress;
  if (invoice.invoiceId === order.offeredId) return { type: 'invoice', invoice };
  const offered = findInvoice(order, order.offeredId);
  const { totalCents } = offered ?? invoice;
  const open = findOpen(order, { totalCents, replaces: null }, nowMs);
  return { type: 'invoice', invoice: open ?? invoice };
}
