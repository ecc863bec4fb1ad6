/** Ids that postbacks named, in this process, until they are looked up. Synchronous, so that each function is whole by itself. */

import { maxNamedPerOrder } from '../ledger.js';
import type { NamedId } from '../ledger.js';

/**
 * Makes an empty memory.
 * @param now wall clock, milliseconds since 1970
 */
export function createNamedMemory(now: () => number) {
  const byOrder = new Map<string, Map<string, NamedId>>();

  return {
    of: (externalId: string) => [...(byOrder.get(externalId)?.keys() ?? [])],
    historyOf: (externalId: string) => [...(byOrder.get(externalId)?.values() ?? [])],

    /** When the next one falls due, milliseconds since 1970; Infinity: none. */
    nextMs: (isWanted: (named: NamedId) => boolean = () => true) =>
      Math.min(
        ...all()
          .filter(isWanted)
          .map(({ claimedUntilMs }) => claimedUntilMs),
      ),

    /** @returns null: its order has too many */
    claim(externalId: string, lookUpId: string, forMs: number): NamedId | null {
      const ofOrder = byOrder.get(externalId) ?? new Map<string, NamedId>();
      if (!ofOrder.has(lookUpId) && ofOrder.size >= maxNamedPerOrder) {
        const [most] = [...ofOrder.values()].toSorted(byTries);
        if (!most || most.tries === 0) return null;
        ofOrder.delete(most.lookUpId);
      }
      const claimedUntilMs = now() + forMs;
      const named = { externalId, lookUpId, tries: 0, namedAtMs: now(), claimedUntilMs };
      byOrder.set(externalId, ofOrder.set(lookUpId, named));
      return named;
    },

    claimDue(most: number, forMs: number, isWanted: (named: NamedId) => boolean): NamedId[] {
      const due = all().filter((one) => one.claimedUntilMs <= now() && isWanted(one));
      const first = due.toSorted((one, other) => one.claimedUntilMs - other.claimedUntilMs);
      return first.slice(0, most).map((named) => put({ ...named, claimedUntilMs: now() + forMs }));
    },

    schedule(named: NamedId, atMs: number | null): void {
      const { externalId, lookUpId, claimedUntilMs } = named;
      const ofOrder = byOrder.get(externalId);
      if (ofOrder?.get(lookUpId)?.claimedUntilMs !== claimedUntilMs) return;
      if (atMs === null) ofOrder.delete(lookUpId);
      else put({ ...named, claimedUntilMs: atMs });
      if (ofOrder.size === 0) byOrder.delete(externalId);
    },

    dropOrder: (externalId: string) => void byOrder.delete(externalId),
  };

  function put(named: NamedId): NamedId {
    byOrder.get(named.externalId)?.set(named.lookUpId, named);
    return named;
  }

  function all(): NamedId[] {
    return [...byOrder.values()].flatMap((ofOrder) => [...ofOrder.values()]);
  }
}

function byTries(one: NamedId, other: NamedId): number {
  return other.tries - one.tries || one.lookUpId.localeCompare(other.lookUpId);
}
