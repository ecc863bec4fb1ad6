/** What a store keeps of an order, for tests that look at it past the proxy's door. */

import { hookNames } from '../../../src/proxy/order/told/outbox-events.js';
import type { DeliveryKind } from '../../../src/proxy/order/told/outbox-events.js';
import { emptyOrder } from '../../../src/proxy/order/order.js';
import { cardsOf, paidInvoiceOf } from '../../../src/proxy/order/questions.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';

/** An unknown order reads as an empty one. `cards`: the attempts that stand. */
export async function readKept(store: Pick<OrderStore, 'read' | 'now'>, externalId: string) {
  const order = (await store.read(externalId)) ?? emptyOrder(externalId);
  return { ...order, cards: cardsOf(order, store.now()), paid: paidInvoiceOf(order) };
}

/** The store that a merchant's ledger is. */
export function storeOf(ledger: object): OrderStore {
  return ledger as OrderStore;
}

/** Deliveries of all kinds that are not through. */
export async function countUndelivered(store: Pick<OrderStore, 'count'>): Promise<number> {
  const kinds = (Object.keys(hookNames) as DeliveryKind[]).map((kind) => `event ${kind}` as const);
  return (await store.count({ kinds, most: 10_000 })).count;
}
