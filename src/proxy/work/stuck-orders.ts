/** Orders that could not be changed a moment ago, most often because someone holds their rows: the others do not wait for them. */

/** How long one is left alone, milliseconds. */
const leftAloneMs = 5_000;

/** Those of one process. */
export interface StuckOrders {
  readonly note: (externalId: string) => void;
  readonly has: (externalId: string) => boolean;
  /** How many there may be. */
  readonly count: () => number;
}

export function createStuckOrders(now: () => number): StuckOrders {
  const sinceMs = new Map<string, number>();

  return {
    note(externalId) {
      for (const id of sinceMs.keys()) if (!has(id)) sinceMs.delete(id);
      sinceMs.set(externalId, now());
    },

    has,
    count: () => sinceMs.size,
  };

  function has(externalId: string): boolean {
    // A clock may be set back.
    return Math.abs(now() - (sinceMs.get(externalId) ?? -Infinity)) < leftAloneMs;
  }
}
