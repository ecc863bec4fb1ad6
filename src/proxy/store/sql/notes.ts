/** What processes that share a database tell each other beside orders: throttles, and the book of the service's calls. */

import { dayMs, isNear } from '../../../domain/spans.js';
import { bookedForSeconds, bookIn } from '../call-book.js';
import type { CallSecond } from '../call-book.js';
import type { OrderStore } from '../order-store.js';
import type { Database } from './database.js';
import { createWaitingLines } from './waiting-lines.js';
import { changeRow, deleteOld } from './rows.js';

/** How long a throttle is kept, milliseconds: longer than any lasts. */
const throttleLivesMs = dayMs;

interface Throttle {
  readonly atMs: number;
}

interface Notes extends Pick<OrderStore, 'passThrottle' | 'bookCalls'> {
  readonly pruneNotes: () => Promise<void>;
}

const of = (id: string) => ({ table: 'pix_notes', id, isRelaxed: true }) as const;

/**
 * A crash may undo a note without harm: none of these waits for the disk.
 * @param now wall clock, milliseconds since 1970
 */
export function createNotes(database: Database, now: () => number): Notes {
  const inLine = createWaitingLines(1);

  return {
    passThrottle: (name, pauseMs) =>
      inLine(name, () =>
        changeRow<Throttle, boolean>(database, of(`throttle ${name}`), now, (known) => {
          const atMs = now();
          if (known && isNear(known.atMs, pauseMs, atMs)) return { answer: false };
          return { answer: true, after: { atMs }, forgetAtMs: atMs + throttleLivesMs };
        }),
      ),

    bookCalls: (most, upTo) =>
      inLine('calls', () =>
        changeRow(database, of('calls'), now, (known: readonly CallSecond[] | null) => {
          const booked = bookIn(known ?? [], { most, upTo, forSeconds: bookedForSeconds }, now());
          const { booking, seconds } = booked;
          return booking.calls > 0 ? { answer: booking, after: seconds } : { answer: booking };
        }),
      ),

    pruneNotes: () => deleteOld(database, 'pix_notes', now(), () => []),
  };
}
