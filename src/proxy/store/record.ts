/** How callers tell a store what happened to an order. */

import { emptyOrder } from '../order/order.js';
import type { Given, Order, Step } from '../order/order.js';
import type { OrderStore } from './order-store.js';

/** A fact of `order/`: what follows from it for an order. */
export type Fact<What, Answer> = (order: Order, what: What, given: Given) => Step<Answer>;

/** Tells an order what happened. @returns the fact's answer, once what it changed is durable */
export function record<What, Answer>(
  store: Pick<OrderStore, 'change'>,
  externalId: string,
  fact: Fact<What, Answer>,
  what: What,
  terms?: { readonly isRelaxed?: boolean },
): Promise<Answer> {
  return store.change(externalId, (order, nowMs) => fact(order, what, { nowMs }), terms);
}

/** An order as it stands, empty if nothing is known of it. */
export async function readOrder(
  store: Pick<OrderStore, 'read'>,
  externalId: string,
): Promise<Order> {
  return (await store.read(externalId)) ?? emptyOrder(externalId);
}
