/** Creations that are sent to the service, and the invoices that they make: one open Pix code of an order. */

import { advanced } from './attempts.js';
import { alive, reopened, withInvoice, withNew, withReminder } from './invoices.js';
import { named } from './due.js';
import { countRecorded, findInvoice, isCard, isHandedOut, openCardOf } from './questions.js';
import type { Method } from '../../contract/types.js';
import type { Attempt, Given, Order, RememberedInvoice, Step } from './order.js';

const dayMs = 24 * 3_600_000;

/** Most sends kept of one order and method: above, the oldest go. */
const maxSends = 50;

/** A creation is about to leave. */
export function leaving(
  order: Order,
  {
    method,
    atMs,
    totalCents,
  }: { readonly method: Method; readonly atMs: number; readonly totalCents: number },
  given: Given,
): Step<void> {
  const kept = [...order.sends, { method, atMs }].filter((one) => given.nowMs - one.atMs < dayMs);
  const excess = new Set(kept.filter((one) => one.method === method).slice(0, -maxSends));
  const isKnown = order.sentAs.some(
    (one) => one.method === method && one.totalCents === totalCents,
  );
  const next = {
    ...order,
    sends: kept.filter((one) => !excess.has(one)),
    sentAs: isKnown ? order.sentAs : [...order.sentAs, { method, totalCents }],
  };
  return [alive(next, given), undefined];
}

/**
 * The service made an invoice for an attempt, or answered with one. It stays as it is where it is known, unless an attempt is
 * given and it is not paid: then it is that attempt's, and open again.
 */
export function made(
  order: Order,
  {
    invoice,
    attempt,
  }: { readonly invoice: RememberedInvoice; readonly attempt?: Attempt | undefined },
  given: Given,
): Step<void> {
  const isKnown = findInvoice(order, invoice.invoiceId) !== undefined;
  const kept = withReminder(withNew(order, invoice, given), invoice.invoiceId, given);
  if (!attempt) return [kept, undefined];
  const opened = isKnown ? reopened(kept, invoice, given) : kept;
  const { invoiceId } = invoice;
  const [next, isNew] = advanced(opened, attempt, { state: 'created', invoiceId }, given);
  return [isNew ? next : withLate(next, invoice, attempt, given), undefined];
}

/** The answer came after a person's word, and beside another card: it blocks the order as soon as that one has ended. */
function withLate(order: Order, invoice: RememberedInvoice, attempt: Attempt, given: Given): Order {
  const isReleased = order.attempts.some((one) => one.holder === attempt.holder && one.released);
  const other = openCardOf(order, given.nowMs);
  if (!isCard(invoice) || !isReleased || !other || other.holder === attempt.holder) return order;
  return named(order, { lookUpId: invoice.lookUpId, forMs: 0 }, given)[0];
}

/**
 * The service made a Pix code. It is the order's only if no request recorded another one since the creation began.
 * @param creation `known`: how many invoices requests had recorded by then
 */
export function madeCode(
  order: Order,
  { invoice, known }: { readonly invoice: RememberedInvoice; readonly known: number },
  given: Given,
): Step<void> {
  if (countRecorded(order.invoices) !== known) return [order, undefined];
  const { invoiceId } = invoice;
  const former = findInvoice(order, invoiceId);
  if (!former) return [withReminder(withNew(order, invoice, given), invoiceId, given), undefined];
  // One that only a postback named gets its code.
  const isAdopted = former.method === 'pix' && !former.isPaid && !isHandedOut(former);
  if (!isAdopted || !isHandedOut(invoice)) return [order, undefined];
  const adopted = withInvoice(order, { ...former, ...invoice });
  return [withReminder(adopted, invoiceId, given), undefined];
}
