/** Look-ups and events that are due, and which process gets them. Also the throttle, and the state operators watch. */

import { sql } from 'kysely';
import type { ExpressionBuilder, Kysely } from 'kysely';
import { LedgerError } from '../ledger-error.js';
import { deadForMs } from '../ledger.js';
import type { Ledger } from '../ledger.js';
import type { ClaimedEvent, DeliveryKind, OutboxEvent } from '../outbox-events.js';
import { invoiceColumns, toInvoice } from './tables.js';
import type { Store } from './database.js';
import type { OutboxTable, Tables } from './tables.js';
import { hasten, updateInvoice } from './invoices.js';

type DueWork = Pick<
  Ledger,
  | 'claimDueLookUps'
  | 'scheduleLookUp'
  | 'hastenLookUp'
  | 'passThrottle'
  | 'claimEvents'
  | 'endEvent'
  | 'readState'
>;

/** @param now wall clock, milliseconds since 1970 */
export function createDueWork(store: Store, now: () => number): DueWork {
  const { read, write, writeRelaxed, writeOne, dialect } = store;

  return {
    async claimDueLookUps(most, forMs) {
      const nowMs = now();
      const claimedUntilMs = nowMs + forMs;
      const selectDue = (db: Kysely<Tables>) =>
        db
          .selectFrom('pix_invoices')
          .select([...invoiceColumns, 'lapsed_at_ms', 'look_up_at_ms'])
          .where('look_up_at_ms', '<=', nowMs)
          .orderBy('look_up_at_ms')
          .orderBy('created_at_ms')
          .limit(most);
      // Most of the time none is due: a read tells that without a lock.
      if (!(await read((db) => selectDue(db).executeTakeFirst()))) return [];
      return writeRelaxed(async (tx) => {
        const due = selectDue(tx);
        const rows = await dialect.skipLocked(due).execute();
        for (const { external_id: externalId, invoice_id: invoiceId } of rows) {
          await updateInvoice(tx, { externalId, invoiceId })
            .set({ look_up_at_ms: claimedUntilMs })
            .execute();
        }
        return rows.map((row) => ({
          ...toInvoice(row),
          isExpired: row.lapsed_at_ms !== null,
          dueAtMs: row.look_up_at_ms ?? nowMs,
          claimedUntilMs,
        }));
      });
    },

    async scheduleLookUp(invoice, atMs) {
      await writeRelaxed((tx) =>
        updateInvoice(tx, invoice)
          .set({ look_up_at_ms: atMs })
          .where('settled_at_ms', 'is', null)
          .where('look_up_at_ms', '=', invoice.claimedUntilMs)
          .execute(),
      );
    },

    async hastenLookUp(invoice, atMs) {
      await write((tx) => hasten(tx, invoice, atMs));
    },

    async passThrottle(name, pauseMs) {
      const nowMs = now();
      return writeOne(async (db) => {
        const claimed = await db
          .insertInto('pix_pauses')
          .columns(['name', 'at_ms'])
          .expression(
            db
              .selectNoFrom((eb) => [eb.val(name).as('name'), eb.val(nowMs).as('at_ms')])
              .where(dialect.waitBriefly),
          )
          .onConflict((conflict) =>
            conflict
              .column('name')
              .doUpdateSet({ at_ms: nowMs })
              .where((eb) =>
                eb.or([
                  eb('pix_pauses.at_ms', '<=', nowMs - pauseMs),
                  // The clock was set back. By less it may be another machine's that is a little ahead.
                  eb('pix_pauses.at_ms', '>=', nowMs + pauseMs),
                ]),
              ),
          )
          // A crash may undo a throttle without harm: the answer does not wait for the disk.
          .returning(dialect.commitRelaxed.as('mode'))
          .executeTakeFirst();
        return claimed !== undefined;
      }).catch((thrown: unknown) => {
        // The database's default is a stricter isolation, and another process passed it meanwhile.
        if (thrown instanceof LedgerError && thrown.code === '40001') return false;
        throw thrown;
      });
    },

    async claimEvents(kinds, most, forMs) {
      const nowMs = now();
      const selectDue = (db: Kysely<Tables>) =>
        db
          .selectFrom('pix_deliveries')
          .select(['delivery_id', 'kind', 'notice', 'tries', 'queued_at_ms'])
          .where('ended_at_ms', 'is', null)
          .where('due_at_ms', '<=', nowMs)
          .where('kind', 'in', kinds)
          .orderBy('queued_at_ms')
          .orderBy('step')
          .orderBy('delivery_id')
          .limit(most);
      // Most of the time none is due: a read tells that without a lock.
      if (kinds.length === 0 || !(await read((db) => selectDue(db).executeTakeFirst()))) return [];
      return write(async (tx) => {
        const due = selectDue(tx);
        const rows = await dialect.skipLocked(due).execute();
        if (rows.length === 0) return [];
        await tx
          .updateTable('pix_deliveries')
          .set((eb) => ({ tries: eb('tries', '+', 1), due_at_ms: nowMs + forMs }))
          .where(
            'delivery_id',
            'in',
            rows.map(({ delivery_id }) => delivery_id),
          )
          .execute();
        return rows.map(toClaimed);
      });
    },

    async endEvent(deliveryId, outcome) {
      const change =
        typeof outcome === 'object'
          ? { due_at_ms: outcome.retryAtMs }
          : { ended_at_ms: now(), outcome };
      await write((tx) =>
        tx
          .updateTable('pix_deliveries')
          .set(change)
          .where('delivery_id', '=', deliveryId)
          .where('ended_at_ms', 'is', null)
          .execute(),
      );
    },

    async readState(kinds) {
      const nowMs = now();
      const { lookUpAtMs, namedAtMs, eventAtMs, endsAtMs, ...found } = await read((db) =>
        db
          .selectNoFrom((eb) => [
            eb
              .selectFrom('pix_invoices')
              .select(({ fn }) => fn.min('look_up_at_ms').as('lookUpAtMs'))
              .as('lookUpAtMs'),
            eb
              .selectFrom('pix_named')
              .select(({ fn }) => fn.min('due_at_ms').as('namedAtMs'))
              .as('namedAtMs'),
            selectOpen(eb, kinds)
              .select(({ fn }) => fn.countAll<number>().as('count'))
              .as('undelivered'),
            selectOpen(eb, kinds)
              .select(({ fn }) => fn.min('due_at_ms').as('eventAtMs'))
              .as('eventAtMs'),
            selectOpen(eb, kinds)
              .select(({ fn }) => fn.min('queued_at_ms').as('oldestEventAtMs'))
              .as('oldestEventAtMs'),
            eb
              .selectFrom('pix_deliveries')
              .select(({ fn }) => fn.countAll<number>().as('count'))
              .where('outcome', '=', sql.lit('given_up'))
              .where('ended_at_ms', '>', nowMs - deadForMs)
              .as('deadEvents'),
            eb
              .selectFrom('pix_attempts')
              .select(({ fn }) => fn.min('until_ms').as('endsAtMs'))
              .where('state', '=', 'sent')
              .as('endsAtMs'),
            eb
              .selectFrom('pix_attempts')
              .select(({ fn }) => fn.countAll<number>().as('count'))
              .where('state', '=', 'unknown')
              .as('unknownAttempts'),
          ])
          .executeTakeFirstOrThrow(),
      );
      const dueAtMs = earliest([lookUpAtMs, namedAtMs]);
      return {
        sweepLagMs: dueAtMs === null ? 0 : Math.max(0, nowMs - dueAtMs),
        undelivered: found.undelivered ?? 0,
        unknownAttempts: found.unknownAttempts ?? 0,
        oldestEventAtMs: found.oldestEventAtMs,
        deadEvents: found.deadEvents ?? 0,
        nextDueAtMs: earliest([dueAtMs, eventAtMs, endsAtMs]),
      };
    },
  };
}

/** Events that are not ended. */
function selectOpen(eb: ExpressionBuilder<Tables, never>, kinds?: readonly DeliveryKind[]) {
  const open = eb.selectFrom('pix_deliveries').where('ended_at_ms', 'is', null);
  // Not `in`: PostgreSQL takes no empty list.
  return kinds ? open.where((of) => of.or(kinds.map((kind) => of('kind', '=', kind)))) : open;
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

function toClaimed(
  row: Pick<OutboxTable, 'kind' | 'notice' | 'tries' | 'queued_at_ms'>,
): ClaimedEvent {
  const { kind, notice, tries, queued_at_ms: queuedAtMs } = row;
  // Written by queueEvent: the notice is of its kind.
  const delivery = { kind, notice: JSON.parse(notice) as unknown } as OutboxEvent;
  return { ...delivery, tries: tries + 1, queuedAtMs };
}
