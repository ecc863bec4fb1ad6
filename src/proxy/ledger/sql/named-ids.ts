/** Ids that postbacks named, until they are looked up, and which process looks them up. */

import type { ExpressionBuilder, Kysely } from 'kysely';
import { maxNamedPerOrder } from '../ledger.js';
import type { Ledger } from '../ledger.js';
import { lockOrder } from './database.js';
import type { Store } from './database.js';
import type { Tables } from './tables.js';

type NamedIds = Pick<Ledger, 'claimNamed' | 'claimDueNamed' | 'scheduleNamed'>;

/** @param now wall clock, milliseconds since 1970 */
export function createNamedIds(store: Store, now: () => number): NamedIds {
  const { read, write, writeRelaxed, dialect } = store;

  return {
    async claimNamed(externalId, lookUpId, forMs) {
      return write(async (tx) => {
        const { nowMs } = await lockOrder(tx, externalId, now);
        const ofOrder = tx.selectFrom('pix_named').where('external_id', '=', externalId);
        const known = await ofOrder
          .select(['look_up_id', 'tries'])
          .orderBy('tries', 'desc')
          .orderBy('look_up_id')
          .execute();
        const isNew = !known.some(({ look_up_id }) => look_up_id === lookUpId);
        const [mostTried] = known;
        if (isNew && mostTried && known.length >= maxNamedPerOrder) {
          if (mostTried.tries === 0) return null;
          const { look_up_id } = mostTried;
          await tx.deleteFrom('pix_named').where(isNamed(externalId, look_up_id)).execute();
        }
        const row = { tries: 0, named_at_ms: nowMs, due_at_ms: nowMs + forMs };
        await tx
          .insertInto('pix_named')
          .values({ external_id: externalId, look_up_id: lookUpId, ...row })
          .onConflict((conflict) =>
            conflict.columns(['external_id', 'look_up_id']).doUpdateSet(row),
          )
          .execute();
        return { externalId, lookUpId, tries: 0, namedAtMs: nowMs, claimedUntilMs: row.due_at_ms };
      });
    },

    async claimDueNamed(most, forMs) {
      const nowMs = now();
      const claimedUntilMs = nowMs + forMs;
      const selectDue = (db: Kysely<Tables>) =>
        db
          .selectFrom('pix_named')
          .select(['external_id', 'look_up_id', 'tries', 'named_at_ms'])
          .where('due_at_ms', '<=', nowMs)
          .orderBy('due_at_ms')
          .limit(most);
      // Most of the time none is due: a read tells that without a lock.
      if (!(await read((db) => selectDue(db).executeTakeFirst()))) return [];
      return writeRelaxed(async (tx) => {
        const rows = await dialect.skipLocked(selectDue(tx)).execute();
        for (const { external_id, look_up_id } of rows) {
          const named = tx.updateTable('pix_named').where(isNamed(external_id, look_up_id));
          await named.set({ due_at_ms: claimedUntilMs }).execute();
        }
        return rows.map(
          ({ external_id: externalId, look_up_id: lookUpId, tries, named_at_ms: namedAtMs }) => {
            return { externalId, lookUpId, tries, namedAtMs, claimedUntilMs };
          },
        );
      });
    },

    async scheduleNamed({ externalId, lookUpId, tries, claimedUntilMs }, atMs) {
      const isOurs = isNamed(externalId, lookUpId, claimedUntilMs);
      await writeRelaxed<unknown>((tx) =>
        atMs === null
          ? tx.deleteFrom('pix_named').where(isOurs).execute()
          : tx.updateTable('pix_named').where(isOurs).set({ tries, due_at_ms: atMs }).execute(),
      );
    },
  };
}

/** One named id. @param claimedUntilMs only while this claim of it stands */
function isNamed(externalId: string, lookUpId: string, claimedUntilMs?: number) {
  return (eb: ExpressionBuilder<Tables, 'pix_named'>) =>
    eb.and({
      external_id: externalId,
      look_up_id: lookUpId,
      ...(claimedUntilMs !== undefined && { due_at_ms: claimedUntilMs }),
    });
}
