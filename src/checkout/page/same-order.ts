/**
 * Compares the order that the page names now with the one before: is it another order, or another price, and which values does
 * a checkout take over while it runs?
 */

import type { Order } from './order.js';

/** What makes two orders different ones, whatever they cost. A newly signed token does not. */
export function identityOf({ endpoint, externalId }: Order): string {
  return JSON.stringify([endpoint, externalId]);
}

/** The order, at its price. */
export function pricedIdentityOf({
  endpoint,
  externalId,
  totalCents,
  pixTotalCents,
}: Order): string {
  return JSON.stringify([endpoint, externalId, totalCents, pixTotalCents]);
}

/** What makes a checkout that has made no invoice begin anew: another price, or a set-up that was unusable. */
export function setUpOf(order: Order): string {
  return JSON.stringify([pricedIdentityOf(order), order.method !== null, order.faults]);
}

/**
 * What the page says of an order that is being paid, or is paid. Where that is unusable, if only for a moment, what it said
 * before holds: a page that renders itself anew, or has emptied its cart, must lose no payment.
 */
export function toCurrentOrder(before: Order, after: Order): Order {
  const [was, is] = [before.terms, after.terms];
  const isUsable = after.faults.length === 0 && after.method !== null;
  const isGone = (was.externalId && !is.externalId) || (was.pixCents && !is.pixCents);
  if (isUsable && !isGone) return after;
  return { ...before, orderToken: after.orderToken ?? before.orderToken };
}
