/**
 * Waiting lines of this process: one for the connections to the database, and one for each order. A crowd that pays one
 * order waits in its line and holds nothing, so that the connections are left to other orders.
 */

import { LedgerError } from '../ledger-error.js';

/** Longest wait, milliseconds: after it the page is told when to come again, before it gives up by itself. */
const patienceMs = 10_000;

/**
 * Runs work when there is a place in the line of that name.
 * @param hasBegun it is a further step of something, and goes before what has not begun: else a crowd would keep its own
 *   first one from ending
 * @throws LedgerError `BUSY`: it waited for too long, and nothing happened
 */
export type InLine = <T>(name: string, work: () => Promise<T>, hasBegun?: boolean) => Promise<T>;

/** @param places how many run at a time, of one name */
export function createLines(places: number): InLine {
  const lines = new Map<string, { inside: number; readonly waiting: (() => void)[] }>();

  return async function inLine(name, work, hasBegun = false) {
    const line = lines.get(name) ?? { inside: 0, waiting: [] };
    lines.set(name, line);
    const sinceMs = performance.now();
    if (line.inside < places) line.inside += 1;
    else await new Promise<void>((enter) => line.waiting[hasBegun ? 'unshift' : 'push'](enter));
    try {
      if (performance.now() - sinceMs > patienceMs) throw new LedgerError('BUSY');
      return await work();
    } finally {
      const enter = line.waiting.shift();
      // Whoever leaves hands the place on.
      if (enter) enter();
      else if ((line.inside -= 1) === 0) lines.delete(name);
    }
  };
}
