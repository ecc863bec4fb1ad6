/** Deletes one order because a person asked for it (LGPD, art. 18), unless something of it is still due. */

import { whyKept } from '../order/entries.js';
import type { KeptBecause } from '../order/entries.js';
import type { OrderStore } from '../store/order-store.js';

/** What became of it. `unknown_order`: nothing is kept under this reference. */
export type ForgetAnswer =
  | { readonly forgotten: true }
  | { readonly forgotten: false; readonly reason: KeptBecause | 'unknown_order' };

export async function forgetOrder(
  store: Pick<OrderStore, 'read' | 'change'>,
  externalId: string,
): Promise<ForgetAnswer> {
  if (!(await store.read(externalId))) return { forgotten: false, reason: 'unknown_order' };
  return store.change<ForgetAnswer>(externalId, (order, nowMs) => {
    const reason = whyKept(order, nowMs);
    return reason === null ? [null, { forgotten: true }] : [order, { forgotten: false, reason }];
  });
}
