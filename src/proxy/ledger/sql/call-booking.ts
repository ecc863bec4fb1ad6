/** Books calls of the service for all processes that share the database: one small transaction for each block. */

import sql, { join } from 'sql-template-tag';
import { bookedForSeconds, isCounted, toBooking } from '../call-book.js';
import type { Ledger } from '../ledger.js';
import type { Store } from './database.js';
import type { CallRow } from './rows.js';

/** @param now wall clock, milliseconds since 1970 */
export function createCallBooking(store: Store, now: () => number): Ledger['bookCalls'] {
  const forSeconds = bookedForSeconds;

  return (most, upTo) =>
    store.writeRelaxed(async (query) => {
      // Row 0 is the lock of all others. A crash may undo a booking without harm: the answer does not wait for the disk.
      await query(sql`
        INSERT INTO pix_calls (second, calls) VALUES (0, 0)
        ON CONFLICT (second) DO UPDATE SET calls = 0
        RETURNING ${store.dialect.commitRelaxed}`);
      const rows = await query<CallRow>(
        sql`SELECT * FROM pix_calls WHERE second > 0 ORDER BY second`,
      );
      const nowMs = now();
      const counted = rows.filter((row) => isCounted(row, forSeconds, nowMs));
      const booking = toBooking(counted, { most, upTo, forSeconds }, nowMs);
      const old = rows.filter((row) => !counted.includes(row)).map(({ second }) => second);
      if (old.length > 0) await query(sql`DELETE FROM pix_calls WHERE second IN (${join(old)})`);
      const { calls } = booking;
      if (calls === 0) return booking;
      await query(sql`
        INSERT INTO pix_calls (second, calls) VALUES (${Math.floor(nowMs / 1_000)}, ${calls})
        ON CONFLICT (second) DO UPDATE SET calls = pix_calls.calls + ${calls}`);
      return booking;
    });
}
