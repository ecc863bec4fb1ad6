/** Deletes one order because a person asked for it. */

import { forgotten } from '../order/due/forgetting.js';
import type { ForgetAnswer } from '../order/due/forgetting.js';
import type { OrderStore } from './order-store.js';

export async function forgetOrder(
  store: Pick<OrderStore, 'read' | 'change'>,
  externalId: string,
): Promise<ForgetAnswer> {
  if (!(await store.read(externalId))) return { forgotten: false, reason: 'unknown_order' };
  return store.change(externalId, (order, nowMs) => forgotten(order, { nowMs }));
}
