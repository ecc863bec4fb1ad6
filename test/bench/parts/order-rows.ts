/** Orders as rows: what the facts of an order make of it, written past the store, because a million changes take hours. */
import pg from 'pg';
import { dayMs, minuteMs, secondMs } from '../../../src/domain/spans.js';
import { claimed } from '../../../src/proxy/order/attempts.js';
import { made } from '../../../src/proxy/order/charges.js';
import { leaving } from '../../../src/proxy/order/sends.js';
import { entriesOf, forgetAtMs } from '../../../src/proxy/order/due/entries.js';
import type { Kind } from '../../../src/proxy/order/due/entries.js';
import { heard } from '../../../src/proxy/order/heard.js';
import { emptyOrder, toStep } from '../../../src/proxy/order/order.js';
import type { MadeInvoice, Order, Step } from '../../../src/proxy/order/order.js';
import { takenEvent, told } from '../../../src/proxy/order/told/outbox.js';
import { openSqliteDriver } from '../../../src/proxy/store/sql/sqlite-drivers.js';
import { toInvoiceId, toOrder } from './samples.js';

/** What each round of the loop looks for. */
export const due: readonly Kind[] = ['sent', 'named', 'look_up', 'event paid', 'named_paid'];

/** How many are too old, due, and paid just now. */
export type Counts = Readonly<Record<'isOld' | 'isDue' | 'isFresh', number>>;

/** The same at each size. */
const sameCounts: Counts = { isOld: 2_000, isDue: 2_000, isFresh: 500 };

const batch = 2_000;

/** Writes so many orders into the tables that a store has made. */
export interface Fill {
  readonly fill: (size: number, nowMs: number, counts?: Counts) => Promise<void>;
  readonly end: () => Promise<void>;
}

interface Rows {
  readonly orders: readonly { id: string; forget: number | null; doc: string }[];
  readonly entries: readonly { kind: string; id: string; of: string; at: number; rank: number }[];
}

export function openSqliteFill(path: string): Fill {
  return {
    async fill(size, nowMs, counts = sameCounts) {
      const driver = await openSqliteDriver(path);
      const order = driver.prepare(
        `INSERT INTO pix_orders (id, version, forget_at_ms, doc)
          SELECT value ->> 'id', 1, value ->> 'forget', value ->> 'doc' FROM json_each(?)`,
      );
      const entry = driver.prepare(
        `INSERT INTO pix_entries (kind, id, external_id, at_ms, rank)
          SELECT value ->> 'kind', value ->> 'id', value ->> 'of', value ->> 'at', value ->> 'rank'
          FROM json_each(?)`,
      );
      for (const { orders, entries } of batches(size, nowMs, counts)) {
        driver.exec('BEGIN');
        order.run([JSON.stringify(orders)]);
        entry.run([JSON.stringify(entries)]);
        driver.exec('COMMIT');
      }
      driver.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      driver.close();
    },
    end: async () => undefined,
  };
}

export function openPostgresFill(url: string): Fill & { readonly bytes: () => Promise<number> } {
  const client = new pg.Client({ connectionString: url });
  const connected = client.connect();
  return {
    async fill(size, nowMs, counts = sameCounts) {
      await connected;
      await client.query('SET synchronous_commit = off');
      for (const { orders, entries } of batches(size, nowMs, counts)) {
        await client.query(
          `INSERT INTO pix_orders (id, version, forget_at_ms, doc) SELECT id, 1, forget, doc::jsonb
            FROM jsonb_to_recordset($1::jsonb) AS one (id TEXT, forget BIGINT, doc TEXT)`,
          [JSON.stringify(orders)],
        );
        await client.query(
          `INSERT INTO pix_entries (kind, id, external_id, at_ms, rank) SELECT kind, id, "of", at, rank
            FROM jsonb_to_recordset($1::jsonb) AS one (kind TEXT, id TEXT, "of" TEXT, at BIGINT, rank BIGINT)`,
          [JSON.stringify(entries)],
        );
      }
      await client.query('VACUUM ANALYZE pix_orders');
      await client.query('VACUUM ANALYZE pix_entries');
    },
    async bytes() {
      const { rows } = await client.query<{ bytes: string }>(
        `SELECT pg_total_relation_size('pix_orders') + pg_total_relation_size('pix_entries') AS bytes`,
      );
      return Number(rows[0]?.bytes);
    },
    end: () => client.end(),
  };
}

function* batches(size: number, nowMs: number, counts: Counts): Generator<Rows> {
  for (let first = 0; first < size; first += batch) {
    const numbers = Array.from({ length: Math.min(batch, size - first) }, (_, n) => first + n);
    const all = numbers.map((n) => toLife(n, size, nowMs, counts));
    yield {
      orders: all.map((order) => ({
        id: order.externalId,
        forget: forgetAtMs(order),
        doc: JSON.stringify(order),
      })),
      entries: all.flatMap((order) =>
        entriesOf(order).map(({ kind, id, atMs, rank }) => ({
          kind,
          id,
          of: order.externalId,
          at: Math.ceil(atMs),
          rank: Math.ceil(rank),
        })),
      ),
    };
  }
}

/** Of ten six are paid, over the ninety days before now. Some are too old, due, or paid just now: as many at each size. */
function toLife(n: number, size: number, nowMs: number, { isOld, isDue, isFresh }: Counts): Order {
  if (n < isOld) return live(n, nowMs - 120 * dayMs, 'paid');
  if (n < isOld + isDue) return live(n, nowMs - 10 * minuteMs, 'open');
  if (n < isOld + isDue + isFresh) return live(n, nowMs - 50 * secondMs, 'untold');
  const atMs = nowMs - dayMs - (n / size) * 88 * dayMs;
  return live(n, atMs, n % 10 < 6 ? 'paid' : 'ended');
}

function live(n: number, startMs: number, end: 'open' | 'untold' | 'paid' | 'ended'): Order {
  const externalId = toOrder(n);
  const invoice = toInvoice(externalId, n, startMs);
  let order = emptyOrder(externalId);
  let nowMs = startMs;
  const tell = <What>(
    fact: (...args: [Order, What, { nowMs: number }]) => Order | Step<unknown>,
    what: What,
  ) => {
    [order] = toStep(fact(order, what, { nowMs }));
    nowMs += 20;
  };
  const attempt = toAttempt(externalId, n);
  tell(claimed, attempt);
  tell(leaving, { method: 'pix', totalCents: 12_345 });
  tell(made, { invoice, attempt });
  nowMs += 30 * secondMs;
  const said = { field: null, endToEndId: `E${String(n).padStart(31, '0')}` };
  if (end === 'ended') {
    tell(heard, {
      invoice,
      meaning: 'refused',
      word: 'expired',
      wordIs: 'none',
      ...said,
      endToEndId: null,
    });
  }
  if (end === 'paid' || end === 'untold') {
    tell(
      (one, what: Parameters<typeof heard>[1], given) =>
        heard(one, what, { ...given, isWatched: true }),
      { invoice, meaning: 'paid', word: 'paid', wordIs: 'none', ...said },
    );
  }
  const deliveryId = `paid~${externalId}~${invoice.invoiceId}`;
  if (end === 'paid') {
    tell(takenEvent, { deliveryId, forMs: minuteMs });
    tell(told, { deliveryId, outcome: 'delivered' });
  }
  const isWatched = end === 'paid' && startMs > Date.now() - 90 * dayMs;
  // Watched ones are asked again in the days to come.
  const named = isWatched
    ? order.named.map((one) => ({ ...one, dueAtMs: Date.now() + dayMs + (n % 86_400) * secondMs }))
    : [];
  return { ...order, named };
}

function toAttempt(externalId: string, n: number) {
  const key = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const facts = { method: 'pix', totalCents: 12_345, installment: 1 } as const;
  return { key, scope: `scope of ${externalId}`, externalId, ...facts, holder: `holder-${n}` };
}

function toInvoice(externalId: string, n: number, createdAtMs: number): MadeInvoice {
  return {
    invoiceId: toInvoiceId(n),
    lookUpId: toInvoiceId(n),
    externalId,
    totalCents: 12_345,
    method: 'pix',
    deadlineMs: null,
    orderCode: `CODE-${n}`,
    code: `00020126580014br.gov.bcb.pix0136${'0123456789abcdef'.repeat(8)}${n}6304ABCD`,
    status: 'pending',
    createdAtMs,
  };
}
