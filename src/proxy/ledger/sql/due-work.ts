/** Look-ups and events that are due, and which process gets them. Also the throttle, and the state operators watch. */

import sql, { empty, join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { LedgerError } from '../ledger-error.js';
import { deadForMs, firstLookUpAfterMs, maxNamedPerOrder } from '../ledger.js';
import type { Ledger, NamedId } from '../ledger.js';
import type { ClaimedEvent } from '../../order/outbox-events.js';
import type { Query, Store } from './database.js';
import { isInvoice, toHastening } from './invoices.js';
import { lockOrder } from './orders.js';
import { toEvent, toInvoice, toNamed } from './rows.js';
import type { EventRow, InvoiceRow, NamedRow } from './rows.js';

type DueWork = Pick<
  Ledger,
  | 'claimDueLookUps'
  | 'scheduleLookUp'
  | 'hastenLookUp'
  | 'noteShown'
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
      const isDue = sql`look_up_at_ms <= ${nowMs}`;
      if (!(await isAny(read, sql`pix_invoices WHERE ${isDue}`))) return [];
      return writeRelaxed(async (query) => {
        const rows = await query<DueInvoiceRow>(sql`
          SELECT pix_invoices.*, (SELECT at_ms FROM pix_shown AS shown
            WHERE shown.external_id = pix_invoices.external_id
              AND shown.invoice_id = pix_invoices.invoice_id) AS shown_at_ms
          FROM pix_invoices WHERE ${isDue}
          ORDER BY look_up_at_ms, created_at_ms LIMIT ${most} ${dialect.skipLocked}`);
        for (const { external_id: externalId, invoice_id: invoiceId } of rows) {
          await query(sql`
            UPDATE pix_invoices SET look_up_at_ms = ${claimedUntilMs}
            WHERE ${isInvoice({ externalId, invoiceId })}`);
        }
        return rows.map((row) => ({
          ...toInvoice(row),
          isExpired: row.lapsed_at_ms !== null,
          shownAtMs: row.shown_at_ms,
          dueAtMs: row.look_up_at_ms ?? nowMs,
          claimedUntilMs,
        }));
      });
    },

    async scheduleLookUp(invoice, atMs) {
      await writeRelaxed((query) =>
        query(sql`
          UPDATE pix_invoices SET look_up_at_ms = ${atMs}
          WHERE ${isInvoice(invoice)} AND settled_at_ms IS NULL
            AND look_up_at_ms = ${invoice.claimedUntilMs}`),
      );
    },

    async hastenLookUp(invoice, atMs) {
      await write((query) => query(toHastening(invoice, atMs)));
    },

    async noteShown(invoice) {
      const { externalId, invoiceId } = invoice;
      await write(async (query) => {
        const { nowMs } = await lockOrder(query, externalId, now);
        await query(sql`
          INSERT INTO pix_shown (external_id, invoice_id, at_ms)
          VALUES (${externalId}, ${invoiceId}, ${nowMs})
          ON CONFLICT (external_id, invoice_id) DO UPDATE SET at_ms = ${nowMs}`);
        await query(toHastening(invoice, nowMs + firstLookUpAfterMs));
      });
    },

    async passThrottle(name, pauseMs) {
      const nowMs = now();
      try {
        const passed = await writeOne(sql`
          INSERT INTO pix_pauses (name, at_ms)
          SELECT ${name}, ${nowMs} WHERE ${dialect.waitBriefly}
          ON CONFLICT (name) DO UPDATE SET at_ms = ${nowMs}
            -- The clock was set back. By less it may be another machine's that is a little ahead.
            WHERE pix_pauses.at_ms <= ${nowMs - pauseMs} OR pix_pauses.at_ms >= ${nowMs + pauseMs}
          -- A crash may undo a throttle without harm: the answer does not wait for the disk.
          RETURNING ${dialect.commitRelaxed}`);
        return passed.length > 0;
      } catch (thrown) {
        // The database's default is a stricter isolation, and another process passed it meanwhile.
        if (thrown instanceof LedgerError && thrown.code === '40001') return false;
        throw thrown;
      }
    },

    async claimEvents(kinds, most, forMs) {
      if (kinds.length === 0) return [];
      const nowMs = now();
      const isDue = sql`ended_at_ms IS NULL AND due_at_ms <= ${nowMs} AND kind IN (${join(kinds)})`;
      if (!(await isAny(read, sql`pix_deliveries WHERE ${isDue}`))) return [];
      return write(async (query) => {
        const rows = await query<EventRow>(sql`
          SELECT * FROM pix_deliveries WHERE ${isDue}
          ORDER BY queued_at_ms, step, delivery_id LIMIT ${most} ${dialect.skipLocked}`);
        if (rows.length === 0) return [];
        await query(sql`
          UPDATE pix_deliveries SET tries = tries + 1, due_at_ms = ${nowMs + forMs}
          WHERE delivery_id IN (${join(rows.map(({ delivery_id }) => delivery_id))})`);
        return rows.map(toClaimed);
      });
    },

    async endEvent(deliveryId, outcome) {
      const change =
        typeof outcome === 'object'
          ? sql`due_at_ms = ${outcome.retryAtMs}`
          : sql`ended_at_ms = ${now()}, outcome = ${outcome}`;
      await write((query) =>
        query(sql`
          UPDATE pix_deliveries SET ${change}
          WHERE delivery_id = ${deliveryId} AND ended_at_ms IS NULL`),
      );
    },

    async readState(kinds) {
      const nowMs = now();
      const isOpen = sql`ended_at_ms IS NULL ${kinds ? sql`AND ${isOneOf(kinds)}` : empty}`;
      const [row] = await read<StateRow>(sql`
        SELECT
          (SELECT min(look_up_at_ms) FROM pix_invoices) AS look_up_at_ms,
          (SELECT min(due_at_ms) FROM pix_named) AS named_at_ms,
          (SELECT min(due_at_ms) FROM pix_named
            WHERE due_at_ms <= ${nowMs} AND NOT ${isOfPaid}) AS late_named_at_ms,
          (SELECT count(*) FROM pix_deliveries WHERE ${isOpen}) AS undelivered,
          (SELECT min(due_at_ms) FROM pix_deliveries WHERE ${isOpen}) AS event_at_ms,
          (SELECT min(queued_at_ms) FROM pix_deliveries WHERE ${isOpen}) AS oldest_event_at_ms,
          (SELECT count(*) FROM pix_deliveries
            WHERE outcome = 'given_up' AND ended_at_ms > ${nowMs - deadForMs}) AS dead_events,
          (SELECT min(until_ms) FROM pix_attempts WHERE state = 'sent') AS sent_until_ms,
          (SELECT count(*) FROM pix_attempts WHERE state = 'unknown') AS unknown_attempts`);
      const found = row as StateRow;
      const lookUpAtMs = earliest([found.look_up_at_ms, found.late_named_at_ms]);
      return {
        sweepLagMs: lookUpAtMs === null ? 0 : Math.max(0, nowMs - lookUpAtMs),
        undelivered: found.undelivered,
        unknownAttempts: found.unknown_attempts,
        oldestEventAtMs: found.oldest_event_at_ms,
        deadEvents: found.dead_events,
        nextDueAtMs: earliest([
          lookUpAtMs,
          found.named_at_ms,
          found.event_at_ms,
          found.sent_until_ms,
        ]),
      };
    },
  };
}

/** Most of the time nothing is due: a read tells that without a lock. */
async function isAny(read: Query, rows: Sql): Promise<boolean> {
  return (await read(sql`SELECT 1 FROM ${rows} LIMIT 1`)).length > 0;
}

type NamedIds = Pick<Ledger, 'claimNamed' | 'claimDueNamed' | 'scheduleNamed'>;

/** Ids that postbacks named, until they are looked up. @param now wall clock, milliseconds since 1970 */
export function createNamedIds(store: Store, now: () => number): NamedIds {
  const { read, write, writeRelaxed, dialect } = store;

  return {
    async claimNamed(externalId, lookUpId, forMs) {
      return write(async (query) => {
        const { nowMs } = await lockOrder(query, externalId, now);
        if (!(await makeRoom(query, externalId, lookUpId))) return null;
        const claimedUntilMs = nowMs + forMs;
        await nameUntil(query, { externalId, lookUpId }, nowMs, claimedUntilMs);
        return { externalId, lookUpId, tries: 0, namedAtMs: nowMs, claimedUntilMs };
      });
    },

    async claimDueNamed(most, forMs, arePaid) {
      const nowMs = now();
      const claimedUntilMs = nowMs + forMs;
      const isDue = sql`due_at_ms <= ${nowMs} AND ${arePaid ? empty : sql`NOT`} ${isOfPaid}`;
      if (!(await isAny(read, sql`pix_named WHERE ${isDue}`))) return [];
      return writeRelaxed(async (query) => {
        const rows = await query<NamedRow>(sql`
          SELECT * FROM pix_named WHERE ${isDue} ORDER BY due_at_ms LIMIT ${most}
          ${dialect.skipLocked}`);
        for (const { external_id, look_up_id } of rows) {
          await query(sql`
            UPDATE pix_named SET due_at_ms = ${claimedUntilMs}
            WHERE ${isNamed(external_id, look_up_id)}`);
        }
        return rows.map((row) => ({ ...toNamed(row), claimedUntilMs }));
      });
    },

    async scheduleNamed({ externalId, lookUpId, tries, claimedUntilMs }, atMs) {
      const isOurs = sql`${isNamed(externalId, lookUpId)} AND due_at_ms = ${claimedUntilMs}`;
      await writeRelaxed((query) =>
        query(
          atMs === null
            ? sql`DELETE FROM pix_named WHERE ${isOurs}`
            : sql`UPDATE pix_named SET tries = ${tries}, due_at_ms = ${atMs} WHERE ${isOurs}`,
        ),
      );
    },
  };
}

const isOfPaid = sql`EXISTS (
  SELECT 1 FROM pix_invoices AS paid
  WHERE paid.external_id = pix_named.external_id AND paid.paid_at_ms IS NOT NULL
    AND pix_named.look_up_id IN (paid.look_up_id, paid.invoice_id))`;

/** An id begins to be a named one, or begins anew. @param dueAtMs when it is looked up, milliseconds since 1970 */
export async function nameUntil(
  query: Query,
  { externalId, lookUpId }: Pick<NamedId, 'externalId' | 'lookUpId'>,
  nowMs: number,
  dueAtMs: number,
): Promise<void> {
  await query(sql`
    INSERT INTO pix_named (external_id, look_up_id, tries, named_at_ms, due_at_ms)
    VALUES (${externalId}, ${lookUpId}, 0, ${nowMs}, ${dueAtMs})
    ON CONFLICT (external_id, look_up_id)
      DO UPDATE SET tries = 0, named_at_ms = ${nowMs}, due_at_ms = ${dueAtMs}`);
}

/** Where an order has too many named ids, the one that was looked up most often goes. @returns false: none was yet */
async function makeRoom(query: Query, externalId: string, lookUpId: string): Promise<boolean> {
  const known = await query<NamedRow>(sql`
    SELECT * FROM pix_named WHERE external_id = ${externalId} ORDER BY tries DESC, look_up_id`);
  const [mostTried] = known;
  const isKnown = known.some(({ look_up_id }) => look_up_id === lookUpId);
  if (isKnown || !mostTried || known.length < maxNamedPerOrder) return true;
  if (mostTried.tries === 0) return false;
  await query(sql`DELETE FROM pix_named WHERE ${isNamed(externalId, mostTried.look_up_id)}`);
  return true;
}

function isNamed(externalId: string, lookUpId: string): Sql {
  return sql`external_id = ${externalId} AND look_up_id = ${lookUpId}`;
}

interface DueInvoiceRow extends InvoiceRow {
  readonly shown_at_ms: number | null;
}

interface StateRow {
  readonly look_up_at_ms: number | null;
  readonly named_at_ms: number | null;
  readonly late_named_at_ms: number | null;
  readonly undelivered: number;
  readonly event_at_ms: number | null;
  readonly oldest_event_at_ms: number | null;
  readonly dead_events: number;
  readonly sent_until_ms: number | null;
  readonly unknown_attempts: number;
}

/** PostgreSQL takes no empty list. */
function isOneOf(kinds: readonly string[]): Sql {
  return kinds.length > 0 ? sql`kind IN (${join(kinds)})` : sql`FALSE`;
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

function toClaimed(row: EventRow): ClaimedEvent {
  return { ...toEvent(row), tries: row.tries + 1, queuedAtMs: row.queued_at_ms };
}
