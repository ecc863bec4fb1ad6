/**
 * Begins the work of a proxy that no request asks for. An adapter that serves a proxy begins it at once, so that what
 * waits in a ledger after a restart needs no request; everywhere else the first call does.
 *
 * Knows a proxy by its functions: an adapter may be given nothing else of it.
 */

const starts = new WeakMap<object, () => void>();

/** @param start may be called any number of times */
export function noteStart(start: () => void, ...functions: readonly object[]): void {
  for (const each of functions) starts.set(each, start);
}

/** Does nothing for a function that is no proxy's. */
export function startWorkOf(of: object): void {
  starts.get(of)?.();
}
