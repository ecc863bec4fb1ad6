/** Keeps orders in this process. A restart forgets them. */

import { toEntries, toForgetAtMs, type Entry, type EntryKind } from '../order/due.js';
import { createEmptyOrder, type Order } from '../order/order.js';
import { dayMs, hourMs, isNear } from '../../domain/spans.js';
import type { Found, OrderStore, Owner, Search, Pruned } from './order-store.js';
import { toPruning } from './order-store.js';

/** How often the store prunes by itself, milliseconds. A proxy without a ledger and hooks runs no job that would. */
const pruneEveryMs = hourMs;

/** Creates the store. @param now wall clock, milliseconds since 1970 */
export function createMemoryStore(now: () => number): OrderStore {
  const orders = new Map<string, Order>();
  const found = createIndex();
  const passedAtMs = new Map<string, number>();
  const shared = new Map<string, { readonly atMs: number; readonly value: unknown }>();
  let prunedAtMs = 0;
  let pruned: Pruned | null = null;
  let owner: Owner | null = null;

  return {
    isShared: false,
    throttlesLookUps: false,
    now,
    read: async (externalId) => orders.get(externalId) ?? null,

    async change(externalId, step) {
      if (now() - prunedAtMs >= pruneEveryMs) prune();
      const before = orders.get(externalId) ?? createEmptyOrder(externalId);
      const [after, answer] = step(before, now());
      if (after !== before) {
        found.drop(before);
        if (after) found.add(after);
        if (after) orders.set(externalId, after);
        else orders.delete(externalId);
      }
      return answer;
    },

    search: async (search) => found.search(search),
    async count(search) {
      const ranks = found.search(search).map(({ rank }) => rank);
      return { count: ranks.length, rank: ranks.length > 0 ? Math.min(...ranks) : null };
    },

    async share<T>(name: string, everyMs: number, make: () => Promise<T>) {
      const known = shared.get(name);
      if (known && isNear(known.atMs, everyMs, now())) return known.value as T;
      const value = await make();
      shared.set(name, { atMs: now(), value });
      return value;
    },

    async passThrottle(name, pauseMs) {
      if (isNear(passedAtMs.get(name) ?? -Infinity, pauseMs, now())) return false;
      passedAtMs.set(name, now());
      return true;
    },

    claim: async (step) => (owner = step(owner)),
    prune: async () => prune(),
    close: async () => undefined,
  };

  /** Forgets throttles of a day ago, and orders whose time has come. */
  function prune(): void {
    prunedAtMs = now();
    for (const [name, atMs] of passedAtMs) if (now() - atMs >= dayMs) passedAtMs.delete(name);
    const pruning = toPruning(pruned, now());
    pruned = pruning.pruned;
    for (const order of orders.values()) {
      if ((toForgetAtMs(order) ?? Infinity) >= (pruning.beforeMs ?? -Infinity)) continue;
      found.drop(order);
      orders.delete(order.externalId);
    }
  }
}

/** Creates the index: the entries of all orders, by kind. */
function createIndex() {
  const kinds = new Map<EntryKind, Map<string, Found>>();
  const of = (kind: EntryKind) => [...(kinds.get(kind)?.values() ?? [])];

  return {
    add(order: Order): void {
      for (const entry of toEntries(order)) {
        const entries = kinds.get(entry.kind) ?? new Map<string, Found>();
        kinds.set(entry.kind, entries);
        entries.set(toKey(order, entry), { ...entry, externalId: order.externalId });
      }
    },

    drop(order: Order): void {
      for (const entry of toEntries(order)) kinds.get(entry.kind)?.delete(toKey(order, entry));
    },

    search({
      kinds: wanted,
      fromMs,
      untilMs,
      untilRank = Infinity,
      most,
      isLatestFirst = false,
    }: Search): readonly Found[] {
      const [first, last] = [fromMs ?? -Infinity, untilMs ?? Infinity];
      return wanted
        .toSorted()
        .flatMap((kind) =>
          of(kind)
            .filter(({ atMs }) => atMs >= first && atMs <= last)
            .toSorted((one, other) => (isLatestFirst ? byTime(other, one) : byTime(one, other))),
        )
        .filter(({ rank }) => rank <= untilRank)
        .slice(0, most);
    },
  };
}

function byTime(one: Found, other: Found): number {
  return one.atMs - other.atMs || one.rank - other.rank;
}

/** The reference comes last, because only a reference may contain a line break. */
function toKey({ externalId }: Order, { id }: Entry): string {
  return `${id}\n${externalId}`;
}
