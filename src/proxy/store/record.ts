/** How callers tell a store what happened to an order. */

import { emptyOrder, toStep } from '../order/order.js';
import type { Given, Order, Step } from '../order/order.js';
import type { OrderStore } from './order-store.js';

/** Tells an order what happened, a fact of `order/`. @returns the fact's answer, once what it changed is durable */
export function record<What, After extends Order | Step<unknown>>(
  store: Pick<OrderStore, 'change'>,
  externalId: string,
  fact: (order: Order, what: What, given: Given) => After,
  what: What,
  terms?: { readonly isRelaxed?: boolean },
) {
  return store.change(externalId, (order, nowMs) => toStep(fact(order, what, { nowMs })), terms);
}

/** An order as it stands, empty if nothing is known of it. */
export async function readOrder(
  store: Pick<OrderStore, 'read'>,
  externalId: string,
): Promise<Order> {
  return (await store.read(externalId)) ?? emptyOrder(externalId);
}
