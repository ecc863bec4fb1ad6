/** Storage in memory, for browsers and Node, as a browser has it: its entries are the properties that it lists. */

/** @param touch runs at each use: it may throw, as barred storage does */
export function createStorage(map: Map<string, string>, touch = () => {}): Storage {
  const touched = () => {
    touch();
    return map;
  };
  const storage: Storage = {
    get length() {
      return touched().size;
    },
    clear: () => touched().clear(),
    getItem: (key) => touched().get(key) ?? null,
    key: (index) => [...touched().keys()][index] ?? null,
    removeItem: (key) => void touched().delete(key),
    setItem: (key, value) => void touched().set(key, value),
  };
  return new Proxy(storage, {
    ownKeys: () => [...touched().keys()],
    getOwnPropertyDescriptor: (_, key) => {
      const value = map.get(String(key));
      return value === undefined ? value : { value, enumerable: true, configurable: true };
    },
  });
}

export const createMemoryStorage = (entries: Readonly<Record<string, string>> = {}) =>
  createStorage(new Map(Object.entries(entries)));
