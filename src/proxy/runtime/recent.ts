/** What one process remembers for a while, in the order in which it was set. The merchant's memory has an end: so has this. */

/** Values by name. One that is not fresh any more is as if it had never been set. */
export interface Recent<V> {
  readonly get: (name: string) => V | undefined;
  /** Forgets the oldest ones that are not fresh, or are too many. */
  readonly set: (name: string, value: V) => void;
  readonly delete: (name: string) => void;
  /** The oldest first. */
  readonly values: () => readonly V[];
}

/** @param most above, the one that was set longest ago is forgotten */
export function createRecent<V>(isFresh: (value: V) => boolean, most = Infinity): Recent<V> {
  const all = new Map<string, V>();
  return {
    get(name) {
      const value = all.get(name);
      return value !== undefined && isFresh(value) ? value : undefined;
    },
    set(name, value) {
      all.delete(name);
      all.set(name, value);
      for (const [oldest, other] of all) {
        if (all.size <= most && isFresh(other)) return;
        all.delete(oldest);
      }
    },
    delete: (name) => void all.delete(name),
    values: () => [...all.values()].filter(isFresh),
  };
}
