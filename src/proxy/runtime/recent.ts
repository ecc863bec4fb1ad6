/** Values that one process remembers for a while, and on request at most so many: the one set longest ago goes first. */

/**
 * Values by name. One that is not fresh any more is as if it had never been set.
 * @param most above, the one that was set longest ago is forgotten
 */
export function createRecent<V>(isFresh: (value: V) => boolean, most = Infinity) {
  const all = new Map<string, V>();
  return {
    get(name: string): V | undefined {
      const value = all.get(name);
      return value !== undefined && isFresh(value) ? value : undefined;
    },
    /** Forgets the oldest ones that are not fresh, or are too many. */
    set(name: string, value: V): void {
      all.delete(name);
      all.set(name, value);
      for (const [oldest, other] of all) {
        if (all.size <= most && isFresh(other)) return;
        all.delete(oldest);
      }
    },
    delete: (name: string) => void all.delete(name),
    /** The oldest first. */
    values: (): readonly V[] => [...all.values()].filter(isFresh),
  };
}
