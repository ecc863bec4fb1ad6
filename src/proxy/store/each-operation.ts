/** Puts something around each operation of a store, one that comes later too. */

type Operation = (...args: unknown[]) => unknown;

/**
 * The store with each operation run by `around`. Its clock stays as it is.
 * @param but operations that stay as they are, too
 */
export function withEach<T extends object>(
  store: T,
  around: <R>(operation: string, run: () => Promise<R>) => Promise<R>,
  but: readonly (keyof T)[] = [],
): T {
  const bare: readonly PropertyKey[] = ['now', ...but];
  const all = Object.entries(store).map(([operation, value]: [string, unknown]) => {
    if (typeof value !== 'function' || bare.includes(operation)) return [operation, value];
    const run = async (args: unknown[]) =>
      (store as Record<string, unknown> as Record<string, Operation>)[operation]!(...args);
    return [operation, (...args: unknown[]) => around(operation, () => run(args))];
  });
  return Object.fromEntries(all) as T;
}
