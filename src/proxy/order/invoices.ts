/** Changes of an order's invoices until a look-up ends them. Each invoice holds when it is looked up next. */

import { countAlert, toWaitingEvent, queueEvent } from './told/outbox.js';
import { findBlockingCard, findInvoice, isHandedOut } from './order.js';
import { beginsAnew, toFirstLookUpMs } from './times.js';
import type { Given, IssuedInvoice, KeptInvoice, Order, MadeInvoice } from './order.js';

/** Records that something was sent, shown or paid now, which keeps the order longer. */
export function recordActivity(order: Order, { nowMs }: Given): Order {
  return order.aliveAtMs !== null && order.aliveAtMs >= nowMs
    ? order
    : { ...order, aliveAtMs: nowMs };
}

export function replaceInvoice(order: Order, invoice: KeptInvoice): Order {
  const invoices = order.invoices.map((one) =>
    one.invoiceId === invoice.invoiceId ? invoice : one,
  );
  return { ...order, invoices };
}

/** Adds an invoice, whose first look-up falls due soon. Changes nothing if the order has the invoice already. */
export function addInvoice(order: Order, invoice: MadeInvoice, { nowMs }: Given): Order {
  if (findInvoice(order, invoice.invoiceId)) return order;
  const added: KeptInvoice = {
    ...invoice,
    settledAtMs: null,
    lookUpAtMs: toFirstLookUpMs(nowMs),
    lapsedAtMs: null,
    shownAtMs: null,
  };
  return recordActivity({ ...order, invoices: [...order.invoices, added] }, { nowMs });
}

/** Opens a known invoice again, unless it is paid. A card's answer never overwrites a Pix invoice. */
export function reopenInvoice(order: Order, invoice: MadeInvoice, { nowMs }: Given): Order {
  const known = findInvoice(order, invoice.invoiceId);
  if (!known || known.isPaid || known.method !== invoice.method) return order;
  const { lapsedAtMs, shownAtMs, differsIn, alert } = known;
  // A person had decided about a mismatch. If the invoice differs again, it gets a new alert.
  const asked = differsIn === undefined ? { ...(alert && { alert }) } : countAlert(known);
  const lookUpAtMs = Math.min(known.lookUpAtMs ?? Infinity, toFirstLookUpMs(nowMs));
  const open = { settledAtMs: null, lookUpAtMs, lapsedAtMs, shownAtMs };
  return replaceInvoice(order, { ...invoice, ...asked, ...open });
}

/** Whether a look-up may still find it paid. That includes a released card, because the person may be wrong. */
export function mayBePaid({ settledAtMs, isReleased }: KeptInvoice): boolean {
  return settledAtMs === null || isReleased === true;
}

export function settleInvoice(order: Order, invoice: KeptInvoice, { nowMs }: Given): Order {
  return replaceInvoice(order, { ...invoice, settledAtMs: nowMs, lookUpAtMs: null });
}

/** Makes an invoice's look-up due at this time, unless it is due before. */
export function hastenLookUp(order: Order, known: KeptInvoice, atMs: number): Order {
  const lookUpAtMs = Math.min(known.lookUpAtMs ?? Infinity, atMs);
  return lookUpAtMs === known.lookUpAtMs ? order : replaceInvoice(order, { ...known, lookUpAtMs });
}

/**
 * Records that a page gets this code, perhaps again: queues the reminder, begins the look-ups of an old code anew, and keeps
 * the order longer.
 */
export function recordShown(order: Order, { invoiceId }: IssuedInvoice, given: Given): Order {
  const { nowMs } = given;
  const known = findInvoice(order, invoiceId);
  if (!known) return order;
  // A code that cannot be paid now needs no reminder.
  const isPayable = isHandedOut(known) && order.paidId === null && !findBlockingCard(order, nowMs);
  const reminded = isPayable ? queueEvent(order, toWaitingEvent(known), given) : order;
  if (!beginsAnew(known, nowMs) || known.settledAtMs !== null) return reminded;
  const again = { ...known, shownAtMs: nowMs };
  const next = replaceInvoice(reminded, again);
  return recordActivity(hastenLookUp(next, again, toFirstLookUpMs(nowMs)), given);
}

/** Whether it is paid but differs from what was created, and no person has decided about it. */
export function hasOpenMismatch({ differsIn, isReleased }: KeptInvoice): boolean {
  return differsIn !== undefined && !isReleased;
}
