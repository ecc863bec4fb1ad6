/**
 * Waiting lines of one process. A crowd that pays one order waits here without a connection, so that other orders get theirs.
 * While the database is slow, other work gets a turn between two steps.
 */

import { LedgerError } from '../order-store.js';

/** Longest wait in a line, milliseconds. A page gives up later than that, so it still hears when to ask again. */
const patienceMs = 10_000;

/**
 * Waits in the line of that name, and runs work when a place is free.
 * @param isFirst goes to the front of the line: a payment that has begun must not wait for those of a crowd that begin
 * @throws LedgerError `BUSY` if it waited for too long; the work was not run
 */
type InLine = <T>(name: string, work: () => Promise<T>, isFirst?: boolean) => Promise<T>;

type Waiting = (() => void)[];

/** @param places how many run at a time, of one name */
export function createWaitingLines(places: number): InLine {
  const lines = new Map<string, { inside: number; first: Waiting; others: Waiting }>();

  return async function inLine(name, work, isFirst = false) {
    const line = lines.get(name) ?? { inside: 0, first: [], others: [] };
    lines.set(name, line);
    const sinceMs = performance.now();
    if (line.inside < places) line.inside += 1;
    else await new Promise<void>((enter) => (isFirst ? line.first : line.others).push(enter));
    try {
      if (performance.now() - sinceMs > patienceMs) throw new LedgerError('BUSY');
      return await work();
    } finally {
      const enter = line.first.shift() ?? line.others.shift();
      // The next one in the line gets this place.
      if (enter) enter();
      else if ((line.inside -= 1) === 0) lines.delete(name);
    }
  };
}

/** How long one turn lasts, milliseconds. A step that has begun is not cut short. */
const turnMs = 10;

export function createTurns() {
  let endsAtMs = -Infinity;
  let next: Promise<void> | null = null;

  /** Resolves at once while the turn lasts, else once all else that waited has run. */
  return async function ownTurn(): Promise<void> {
    // Many may wait for the next turn, and those for whom it is too short wait for the one after.
    while (performance.now() >= endsAtMs) await (next ??= begin());
  };

  function begin(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        next = null;
        endsAtMs = performance.now() + turnMs;
        resolve();
      });
    });
  }
}
