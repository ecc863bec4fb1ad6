/** A short history of an order, for support: it tells what the rest of the order no longer shows. */

import type { Given, Happened, Order } from '../order.js';

/** Most entries. Above, the oldest of the kind that has most go first, so that no crowd of one kind pushes the others out. */
export const maxHistory = 200;

/** The order with one more entry. */
export function withHistory(order: Order, what: string, { nowMs: atMs }: Given): Order {
  return { ...order, history: withinMost([...order.history, { atMs, what }]) };
}

function withinMost(history: readonly Happened[]): readonly Happened[] {
  if (history.length <= maxHistory) return history;
  const counts = new Map<string, number>();
  for (const { what } of history) counts.set(what, (counts.get(what) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const at = history.findIndex(({ what }) => counts.get(what) === most);
  return history.filter((_, index) => index !== at);
}
