/** Wraps each operation of a store, also those that a later version adds. */

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
  const all = store as Readonly<Record<string, unknown>>;
  const wrapped = Object.entries(all).map(([operation, value]) => {
    if (typeof value !== 'function' || bare.includes(operation)) return [operation, value];
    const run = async (args: unknown[]) => (all[operation] as Operation)(...args);
    return [operation, (...args: unknown[]) => around(operation, () => run(args))];
  });
  return Object.fromEntries(wrapped) as T;
}
