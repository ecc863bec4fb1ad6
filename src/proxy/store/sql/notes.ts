/** What processes that share a database tell each other beside orders: throttles, and whose the store is. */

import { dayMs, isNear, toDayMs } from '../../../domain/spans.js';
import type { OrderStore, Owner } from '../order-store.js';
import { toPruning } from '../prunings.js';
import type { Pruned } from '../prunings.js';
import type { Database } from './database.js';
import { createWaitingLines } from './waiting-lines.js';
import { changeRow, deleteOld, readRow } from './rows.js';

interface Throttle {
  readonly atMs: number;
}

interface Shared extends Throttle {
  readonly value: unknown;
}

/** Longer than any throttle lasts. */
const toForgetMs = (atMs: number) => toDayMs(atMs + dayMs);

const of = (id: string) => ({ table: 'pix_notes', id, isRelaxed: true }) as const;

/**
 * A crash may undo a note without harm, so that none waits for the disk; but for whose the store is.
 * @param now wall clock, milliseconds since 1970
 */
export function createNotes(database: Database, now: () => number) {
  const inLine = createWaitingLines(1);
  const passThrottle: OrderStore['passThrottle'] = (name, pauseMs) =>
    inLine(name, () =>
      changeRow<Throttle, boolean>(database, of(`throttle ${name}`), now, (known) => {
        const atMs = now();
        if (known && isNear(known.atMs, pauseMs, atMs)) return { answer: false };
        return { answer: true, after: { atMs }, forgetAtMs: toForgetMs(atMs) };
      }),
    );

  return {
    passThrottle,

    async share<T>(name: string, everyMs: number, make: () => Promise<T>): Promise<T> {
      const id = `shared ${name}`;
      const known = (await readRow<Shared>(database, 'pix_notes', id))?.value;
      const isKnown = known !== undefined && isNear(known.atMs, everyMs, now());
      // Another process makes it just now: what was known serves until then.
      if (isKnown || (known && !(await passThrottle(id, everyMs)))) return known.value as T;
      const value = await make();
      const after = { atMs: now(), value };
      const forgetAtMs = toForgetMs(after.atMs);
      return changeRow(database, of(id), now, () => ({ answer: value, after, forgetAtMs }));
    },

    claim: (step: Parameters<OrderStore['claim']>[0]) =>
      changeRow<Owner, Owner>(database, { ...of('owner'), isRelaxed: false }, now, (known) => {
        const owner = step(known);
        return owner === known ? { answer: owner } : { answer: owner, after: owner };
      }),

    /** @returns before what time an order's own has to have passed; null: nothing is deleted now */
    beginPruning: () =>
      changeRow<Pruned, number | null>(database, of('pruned'), now, (known) => {
        const { pruned, beforeMs } = toPruning(known, now());
        return pruned === known ? { answer: null } : { answer: beforeMs, after: pruned };
      }),

    pruneNotes: () => deleteOld(database, 'pix_notes', now(), () => ({ entries: [] })),
  };
}
