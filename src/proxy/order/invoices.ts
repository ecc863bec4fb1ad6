/** What becomes of an order's invoices until a look-up ends them. Each look-up that is due is written on its invoice. */

import { countAlert, toWaitingEvent, queueEvent } from './told/outbox.js';
import { findBlockingCard, findInvoice, isHandedOut } from './order.js';
import { beginsAnew, toFirstLookUpMs } from './times.js';
import type { Given, IssuedInvoice, KeptInvoice, Order, MadeInvoice } from './order.js';

/** The order in which something left, was shown or was paid now. */
export function recordActivity(order: Order, { nowMs }: Given): Order {
  return order.aliveAtMs !== null && order.aliveAtMs >= nowMs
    ? order
    : { ...order, aliveAtMs: nowMs };
}

/** The order with another state of an invoice that it has. */
export function replaceInvoice(order: Order, invoice: KeptInvoice): Order {
  const invoices = order.invoices.map((one) =>
    one.invoiceId === invoice.invoiceId ? invoice : one,
  );
  return { ...order, invoices };
}

/** The order with this invoice, whose first look-up falls due. The same order: it has it, and leaves it as it is. */
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

/** Opens a known invoice again, unless it is paid. What a Pix invoice was created as is never overwritten by a card's answer. */
export function reopenInvoice(order: Order, invoice: MadeInvoice, { nowMs }: Given): Order {
  const known = findInvoice(order, invoice.invoiceId);
  if (!known || known.isPaid || known.method !== invoice.method) return order;
  const { lapsedAtMs, shownAtMs, differsIn, alert } = known;
  // A person had said what is to come of it: if it differs again, they are asked again.
  const asked = differsIn === undefined ? { ...(alert && { alert }) } : countAlert(known);
  const lookUpAtMs = Math.min(known.lookUpAtMs ?? Infinity, toFirstLookUpMs(nowMs));
  const open = { settledAtMs: null, lookUpAtMs, lapsedAtMs, shownAtMs };
  return replaceInvoice(order, { ...invoice, ...asked, ...open });
}

/** Whether a look-up may still find it paid. A person who released a card may be wrong. */
export function mayBePaid({ settledAtMs, isReleased }: KeptInvoice): boolean {
  return settledAtMs === null || isReleased === true;
}

/** Ends an invoice's look-ups. */
export function settleInvoice(order: Order, invoice: KeptInvoice, { nowMs }: Given): Order {
  return replaceInvoice(order, { ...invoice, settledAtMs: nowMs, lookUpAtMs: null });
}

/** An open invoice is looked up then, unless it is due before. */
export function hastenLookUp(order: Order, known: KeptInvoice, atMs: number): Order {
  const lookUpAtMs = Math.min(known.lookUpAtMs ?? Infinity, atMs);
  return lookUpAtMs === known.lookUpAtMs ? order : replaceInvoice(order, { ...known, lookUpAtMs });
}

/** A page gets this code, perhaps again: it is reminded of, its look-ups begin anew, as those of a new one, and the order lives on. */
export function recordShown(order: Order, { invoiceId }: IssuedInvoice, given: Given): Order {
  const { nowMs } = given;
  const known = findInvoice(order, invoiceId);
  if (!known) return order;
  // Not for one that cannot be paid now.
  const isPayable = isHandedOut(known) && order.paidId === null && !findBlockingCard(order, nowMs);
  const reminded = isPayable ? queueEvent(order, toWaitingEvent(known), given) : order;
  if (!beginsAnew(known, nowMs) || known.settledAtMs !== null) return reminded;
  const again = { ...known, shownAtMs: nowMs };
  const next = replaceInvoice(reminded, again);
  return recordActivity(hastenLookUp(next, again, toFirstLookUpMs(nowMs)), given);
}

/** Paid, but of something else than what was created, and no person has said what is to come of it. */
export function hasOpenMismatch({ differsIn, isReleased }: KeptInvoice): boolean {
  return differsIn !== undefined && !isReleased;
}
