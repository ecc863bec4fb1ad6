/** Books calls of the service for all processes that share the database: one small transaction for each block. */

import { bookedForSeconds, isCounted, toBooking } from '../call-book.js';
import type { Ledger } from '../ledger.js';
import type { Store } from './database.js';

/** @param now wall clock, milliseconds since 1970 */
export function createCallBooking(store: Store, now: () => number): Ledger['bookCalls'] {
  const forSeconds = bookedForSeconds;

  return (most, upTo) =>
    store.writeRelaxed(async (tx) => {
      // Waits for others that book, and keeps them waiting.
      await tx
        .insertInto('pix_calls')
        .values({ second: 0, calls: 0 })
        .onConflict((conflict) => conflict.column('second').doUpdateSet({ calls: 0 }))
        // A crash may undo a booking without harm: the answer does not wait for the disk.
        .returning(store.dialect.commitRelaxed.as('mode'))
        .execute();
      const rows = await tx
        .selectFrom('pix_calls')
        .selectAll()
        .where('second', '>', 0)
        .orderBy('second')
        .execute();
      const nowMs = now();
      const counted = rows.filter((row) => isCounted(row, forSeconds, nowMs));
      const booking = toBooking(counted, { most, upTo, forSeconds }, nowMs);
      const old = rows.filter((row) => !counted.includes(row)).map(({ second }) => second);
      if (old.length > 0) await tx.deleteFrom('pix_calls').where('second', 'in', old).execute();
      const { calls } = booking;
      if (calls === 0) return booking;
      await tx
        .insertInto('pix_calls')
        .values({ second: Math.floor(nowMs / 1_000), calls })
        .onConflict((conflict) =>
          conflict
            .column('second')
            .doUpdateSet((eb) => ({ calls: eb('pix_calls.calls', '+', calls) })),
        )
        .execute();
      return booking;
    });
}
