/** What a store keeps of an order, for tests that look at it past the proxy's door. */

import {
  hookNames,
  createEmptyOrder,
  findBlockingCard,
  findRecentCards,
  findPaidInvoice,
  hasOpenMismatch,
} from '../../../src/proxy/order/order.js';
import type { DeliveryKind, Order } from '../../../src/proxy/order/order.js';
import { toMismatchId, toOutcomeUnknownId } from '../../../src/proxy/order/told/outbox.js';
import type { PixProxy } from '../../../src/proxy/set-up/options/options.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';

/** An unknown order reads as an empty one. `cards`: the attempts that stand. */
export async function readKept(store: Pick<OrderStore, 'read' | 'now'>, externalId: string) {
  const order = (await store.read(externalId)) ?? createEmptyOrder(externalId);
  return { ...order, cards: findRecentCards(order, store.now()), paid: findPaidInvoice(order) };
}

/** The alert about what blocks an order now. */
export function alertOf(order: Order, nowMs: number): string {
  const card = findBlockingCard(order, nowMs);
  const invoice = order.invoices.find(hasOpenMismatch);
  if (card) return toOutcomeUnknownId(card);
  return invoice ? toMismatchId(invoice) : 'none';
}

/** A person answers the alert about what blocks an order now. */
export async function resolveNow(
  { proxy, store }: { readonly proxy: PixProxy; readonly store: Pick<OrderStore, 'read' | 'now'> },
  externalId: string,
  invoiceId: string | null,
): Promise<boolean> {
  const order = (await store.read(externalId)) ?? createEmptyOrder(externalId);
  const deliveryId = alertOf(order, store.now());
  return proxy.resolveOutcome({ externalId, deliveryId, invoiceId });
}

/** The store that a merchant's ledger is. */
export const storeOf = (ledger: object): OrderStore => ledger as OrderStore;

/** Deliveries of all kinds that are not through. */
export async function countUndelivered(store: Pick<OrderStore, 'count'>): Promise<number> {
  const kinds = (Object.keys(hookNames) as DeliveryKind[]).map((kind) => `event ${kind}` as const);
  return (await store.count({ kinds, most: 10_000 })).count;
}
