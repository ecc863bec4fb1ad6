/** Orders in PostgreSQL keep the contract, and what only a server can show. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import pg from 'pg';
import { createEmptyOrder } from '../../../src/proxy/order/order.js';
import { LedgerError, isBusy } from '../../../src/proxy/store/order-store.js';
import { openStore } from '../../../src/proxy/store/open-store.js';
import { openPostgres } from '../../../src/proxy/store/sql/postgres.js';
import { startPostgres, whyNoPostgres, withClient } from '../../tools/machine/postgres.js';
import type { PostgresServer } from '../../tools/machine/postgres.js';
import { root } from '../../tools/tools.js';
import { isChosen, isOtherNode, isThorough } from '../../tools/runs.js';
import { onStore, withDatabase } from './bench.js';
import { openGate } from './postgres-gate.js';
import { describeDurable } from './contract-durable.js';
import { describeStore } from './contract.js';
import { addInvoice, startMs, toAttempt, toInvoice, toOrder, upTo } from './samples.js';
import { leftOutIf } from '../../tools/runner/left-out.js';
import { column } from '../../support/rows.js';

/** Longer than a slow and busy machine needs; Vitest's own is a second. */
const patience = { timeout: 60_000, interval: 50 };

const skip = whyNoPostgres();

describe('with PostgreSQL', () => {
  if (skip !== undefined) {
    test('everything', { ...leftOutIf(skip) });
    return;
  }
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  const withBench = withDatabase(() => server);

  describeStore('a store in PostgreSQL', withBench);
  describeDurable('PostgreSQL', withBench, openPostgres);

  describe('a server', () => {
    const it = onStore(withBench);
    const itLong: typeof it = isThorough || isChosen ? it : () => undefined;
    /** What the server alone decides: where it looks, and where it writes. */
    const itOnOne: typeof it = isOtherNode ? () => undefined : it;

    it('may end every connection: the store goes on with new ones', async ({ store, other }) => {
      await Promise.all(upTo(5).map((n) => store.change(`order-${n}`, addInvoice(1))));
      await other.read('order-1');
      await endConnections();
      // A connection that broke a moment ago may be handed out once more.
      await Promise.allSettled(upTo(10).map(() => store.read('order-1')));
      await store.change('order-1', addInvoice(2));
      assert.equal((await other.read('order-1'))?.invoices.length, 2);
    });

    it("answers an operator's two questions, as the documents write them", async (bench) => {
      const card = toAttempt({ key: 'card', progress: { state: 'unknown', candidate: null } });
      const invoices = [toInvoice({ invoiceId: 'order-1-1' })];
      const order = { ...createEmptyOrder('order-1'), invoices, attempts: [card] };
      await bench.store.change('order-1', () => [order, null]);
      const answers = await Promise.all(
        readQuestions().map((one) => bench.execute(one) as Promise<Record<string, unknown>[]>),
      );
      const since = new Date(startMs);
      assert.deepEqual(answers, [
        [{ external_id: 'order-1', since: new Date(card.untilMs) }],
        [
          {
            external_id: 'order-1',
            invoice_id: 'order-1-1',
            method: 'pix',
            total_cents: '12345',
            created_at: since,
            look_up_at: since,
          },
        ],
      ]);
    });

    itOnOne(
      'finds what is asked of it by an index, however many orders are kept',
      async (bench) => {
        const { store, execute, url, clock } = bench;
        await store.change('order-1', () => [toOrder('order-1', 1), null]);
        await store.prune();
        clock.nowMs += 24 * 3_600_000;
        await fillWithPaid(execute, 20_000);
        const asked = vi.spyOn(pg.Client.prototype, 'query');
        const due = ['look_up', 'named', 'sent', 'named_paid', 'event paid'] as const;
        const untilMs = startMs + 10;
        await store.search({ kinds: due, untilMs, most: 1 });
        await store.search({ kinds: ['look_up'], untilMs, most: 20 });
        await store.search({ kinds: ['settled'], fromMs: startMs, most: 1_000 });
        await store.count({ kinds: ['event paid'], most: 1_000 });
        await store.prune();
        const own = (asked.mock.calls as unknown as [text: string, values?: unknown[]][])
          .map(([text, values]) => ({ text, values }))
          .filter(({ text }) => /FROM pix_(?:orders|entries)/.test(text));
        asked.mockRestore();
        const questions = [...own, ...readQuestions().map((text) => ({ text }))];
        assert.equal(questions.length, 4 + 1 + 2);
        await withClient(url, async (client) => {
          for (const { text, ...values } of questions) {
            const { rows } = await client.query({ text: `EXPLAIN ${text}`, ...values });
            const plan = (rows as Record<string, string>[])
              .map((row) => row['QUERY PLAN'])
              .join('\n');
            assert.match(plan, /Index.* Scan/, plan);
            assert.doesNotMatch(plan, /Seq Scan/, plan);
          }
        });
      },
    );

    it('may end a connection that waits for an order: nothing happened, and the idle ones are left', async (bench) => {
      const { store, other, execute } = bench;
      await other.close();
      await Promise.all(upTo(5).map((n) => store.change(`order-${n}`, addInvoice(1))));
      const own = "SELECT pid FROM pg_stat_activity WHERE application_name = 'pix-checkout'";
      const idle = column((await execute(own)) as { readonly pid: number }[], 'pid');
      await whileLocked(bench.url, 'order-1', async () => {
        const changing = assert.rejects(store.change('order-1', addInvoice(2)), LedgerError);
        await waiting(1);
        await endConnections("wait_event_type = 'Lock'");
        await changing;
      });
      assert.equal(await store.change('order-1', addInvoice(3)), 2);
      assert.ok(idle.length > 1);
      await vi.waitFor(
        async () => assert.deepEqual(await execute(`${own} AND pid IN (${idle.join()})`), []),
        patience,
      );
    });

    for (const isolation of ['read committed', 'repeatable read', 'serializable']) {
      const itOnce = isolation === 'serializable' ? it : itLong;
      itOnce(`loses no change where transactions are ${isolation}`, async ({ url, other }) => {
        const address = new URL(url);
        const options = address.searchParams.get('options') ?? '';
        const level = isolation.replaceAll(' ', String.raw`\ `);
        address.searchParams.set('options', `${options} -c default_transaction_isolation=${level}`);
        const stores = await Promise.all(upTo(3).map(() => openStore({ url: address.href })));
        await Promise.all(
          upTo(60).map((n) => stores[n % 3]!.change('order-1', addInvoice(n, { lookUpAtMs: n }))),
        );
        const passed = await Promise.all(stores.map((one) => one.passThrottle('one', 60_000)));
        assert.equal(passed.filter(Boolean).length, 1);
        for (const one of stores) await one.close();
        assert.equal((await other.read('order-1'))?.invoices.length, 60);
        assert.equal((await other.search({ kinds: ['look_up'], most: 99 })).length, 60);
      });
    }

    it('leaves connections to other orders while a crowd wants one', async (bench) => {
      const { store, other, url } = bench;
      await store.change('order-1', addInvoice(0));
      let crowd: Promise<unknown> = Promise.resolve();
      await whileLocked(url, 'order-1', async () => {
        crowd = Promise.all(upTo(60).map((n) => store.change('order-1', addInvoice(n))));
        await waiting(1);
        await store.change('order-2', addInvoice(1));
        assert.equal((await store.read('order-1'))?.invoices.length, 1);
      });
      await crowd;
      assert.equal((await other.read('order-1'))?.invoices.length, 61);
      assert.equal((await other.read('order-2'))?.invoices.length, 1);
    });

    it('that keeps an order for long is busy, and has not failed: who can wait hears so first', async (bench) => {
      const { store, other, url } = bench;
      await store.change('order-1', addInvoice(1));
      await whileLocked(url, 'order-1', async () => {
        const heard: boolean[] = [];
        const fails = async (isBrief: boolean) => {
          await assert.rejects(store.change('order-1', addInvoice(2), { isBrief }), isBusy);
          heard.push(isBrief);
        };
        await Promise.all([fails(false), fails(true)]);
        assert.deepEqual(heard, [true, false]);
      });
      assert.equal(await other.change('order-1', addInvoice(3)), 2);
    });

    it('asks for two round trips a change, and one where nothing changes', async ({ store }) => {
      await store.change('order-1', addInvoice(1));
      const query = vi.spyOn(pg.Client.prototype, 'query');
      const asked = async (act: () => Promise<unknown>) => {
        const before = query.mock.calls.length;
        await act();
        return query.mock.calls.length - before;
      };
      assert.equal(await asked(() => store.change('order-1', addInvoice(2))), 2);
      assert.equal(await asked(() => store.change('order-1', (order) => [order, null])), 1);
      assert.equal(await asked(() => store.read('order-1')), 1);
      assert.equal(await asked(() => store.passThrottle('prune', 1_000)), 2);
      assert.equal(await asked(() => store.passThrottle('prune', 1_000)), 1);
      // The server's time comes with each change, and is asked for once a minute without one.
      const now = performance.now.bind(performance);
      const later = vi.spyOn(performance, 'now');
      for (const [laterMs, times] of [
        [59_000, 2],
        [118_000, 2],
        [178_001, 3],
      ] as const) {
        later.mockImplementation(() => now() + laterMs);
        assert.equal(await asked(() => store.change('order-1', addInvoice(laterMs))), times);
      }
    });

    itOnOne(
      'writes what changes on the page where it was, and leaves the indexes alone',
      async (bench) => {
        const { store, clock, execute, url } = bench;
        const schema = /search_path=(\w+)/.exec(decodeURIComponent(url))?.[1];
        const ids = upTo(30).map((n) => `order-${n}`);
        for (const n of upTo(10)) {
          for (const id of ids) await store.change(id, addInvoice(n, { lookUpAtMs: null }));
          await store.passThrottle('ready', 0);
          clock.nowMs += 1_000;
        }
        // A session that ends hands in what it counted.
        await store.close();
        await vi.waitFor(async () => {
          const rows =
            await execute(`SELECT relname, n_tup_upd::int AS changed, n_tup_hot_upd::int AS hot
          FROM pg_stat_user_tables WHERE schemaname = '${schema}'`);
          const of = new Map((rows as UpdateRow[]).map(({ relname, ...row }) => [relname, row]));
          assert.deepEqual(of.get('pix_notes'), { changed: 9, hot: 9 });
          const { changed, hot } = of.get('pix_orders') ?? assert.fail();
          assert.equal(changed, 270);
          // Some find their page full.
          assert.ok(hot >= 0.8 * changed, `${hot} of ${changed}`);
        }, patience);
      },
    );

    it('waits for the disk, unless the caller says that it need not', async ({ execute, url }) => {
      // A trigger at the end of the transaction sees what the statement set.
      await execute('CREATE TABLE seen (level TEXT)');
      await execute(`CREATE FUNCTION see() RETURNS trigger AS $$
        BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$ LANGUAGE plpgsql`);
      await execute(`CREATE CONSTRAINT TRIGGER seeing AFTER INSERT OR UPDATE ON pix_orders
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION see()`);
      const store = await openStore({ url });
      for (const [n, isRelaxed] of [false, true, false].entries()) {
        await store.change('order-1', addInvoice(n), { isRelaxed });
      }
      await store.close();
      const levels = (await execute('SELECT level FROM seen')) as { level: string }[];
      assert.deepEqual(column(levels, 'level'), ['on', 'off', 'on']);
    });

    it('holds values that its operators read', async ({ store, execute }) => {
      await store.change('order-1', () => [toOrder('order-1', 2), null]);
      const rows = await execute(`SELECT count(*)::int AS open FROM pix_orders,
        jsonb_array_elements(doc -> 'invoices') AS invoice WHERE invoice -> 'settledAtMs' = 'null'`);
      assert.deepEqual(rows, [{ open: 2 }]);
    });

    it('counts further than JavaScript: then it is an error', async ({ store, execute }) => {
      await store.change('order-1', addInvoice(1));
      await execute('UPDATE pix_entries SET at_ms = 9007199254740993');
      await assert.rejects(store.search({ kinds: ['look_up'], most: 1 }), LedgerError);
    });

    it('that hangs is an error, and is found again when it goes on', async ({ url }) => {
      const gate = await openGate(url);
      const store = await openStore({ url: gate.url });
      await store.change('order-1', addInvoice(1));
      gate.freeze();
      try {
        await Promise.all([
          ...upTo(3).map(() => assert.rejects(store.read('order-1'), LedgerError)),
          ...upTo(3).map((n) =>
            assert.rejects(store.change(`order-${n}`, addInvoice(2)), LedgerError),
          ),
        ]);
        gate.thaw();
        assert.ok(await store.read('order-1'));
      } finally {
        await gate.close();
        await store.close();
      }
    });

    const unreachable: [url: string, name: string, message: RegExp][] = [
      ['127.0.0.1:1/shop', 'LedgerError', /^the ledger failed(: \w+)?$/],
      ['localhost/shop?host=%2Fno%2Fsuch%2Ffolder', 'LedgerError', /^the ledger failed(: \w+)?$/],
      ['host.invalid/shop', 'LedgerError', /^the ledger failed(: \w+)?$/],
      ['host:port/shop', 'TypeError', /^url /],
    ];
    for (const [address, name, message] of unreachable) {
      test(`that cannot be reached at ${address} is an error that does not quote it`, async () => {
        const url = `postgres://user:secret@${address}`;
        await assert.rejects(openStore({ url }), (error: Error) => {
          assert.equal(error.name, name);
          assert.match(error.message, message);
          assert.doesNotMatch(String(error.stack), /secret|127\.0|invalid|folder/);
          return !('input' in error);
        });
      });
    }

    itLong('that breaks off at any byte leaves all or nothing', async ({ store, other, url }) => {
      await store.change('order-0', addInvoice(1));
      const gate = await openGate(url);
      try {
        for (let bytes = 0; bytes < 1_500; bytes += isThorough ? 31 : 97) {
          gate.cutAfter(Infinity);
          const externalId = `order-${bytes}-x`;
          const handle = await openStore({ url: gate.url, now: () => startMs });
          gate.cutAfter(bytes);
          const isKnown = await handle.change(externalId, addInvoice(bytes)).then(
            () => true,
            (error: unknown) => {
              assert.ok(error instanceof LedgerError);
              return false;
            },
          );
          gate.cutAfter(Infinity);
          await handle.close();
          const found = await other.read(externalId);
          const entries = await other.search({ kinds: ['look_up'], most: 999 });
          // What resolved has happened; what rejected may have.
          assert.ok(!isKnown || found !== null);
          assert.equal(
            entries.some((one) => one.externalId === externalId),
            found !== null,
          );
        }
      } finally {
        await gate.close();
      }
    });
  });

  async function endConnections(condition = 'true'): Promise<void> {
    await server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'pix-checkout' AND ${condition}`,
    );
  }

  /** Resolves once that many statements wait for a lock. */
  async function waiting(most: number): Promise<void> {
    for (;;) {
      const rows = await server.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
      );
      if (rows.length >= most) return;
    }
  }
});

interface UpdateRow {
  readonly relname: string;
  readonly changed: number;
  readonly hot: number;
}

/** What the documents have operators ask. */
function readQuestions(): string[] {
  const text = readFileSync(`${root}/src/proxy/store/README.md`, 'utf8');
  const sql = /```sql\n(.*?)```/s.exec(text)?.[1] ?? assert.fail('the questions');
  return sql.split(';').filter((one) => one.trim() !== '');
}

/** Orders as rows, past every store: paid, kept, and watched for a return. */
async function fillWithPaid(execute: (sql: string) => Promise<unknown>, count: number) {
  const numbers = `FROM generate_series(1, ${count}) AS n`;
  await execute(`INSERT INTO pix_orders (id, version, forget_at_ms, doc)
    SELECT 'paid-' || n, 1, ${startMs} + n * 1000 + 7000000000, '{"invoices": [], "events": []}' ${numbers}`);
  for (const [kind, lead] of [
    ['settled', -30_000_000],
    ['named_paid', 60_000],
  ] as const) {
    await execute(`INSERT INTO pix_entries (kind, id, external_id, at_ms, rank)
      SELECT '${kind}', 'invoice-' || n, 'paid-' || n, ${startMs} + ${lead} + n, 1 ${numbers}`);
  }
  await execute('ANALYZE pix_orders');
  await execute('ANALYZE pix_entries');
}

/** Runs while another program keeps the order's row, as a process does that stands still. */
async function whileLocked(url: string, id: string, work: () => Promise<void>): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM pix_orders WHERE id = $1 FOR UPDATE', [id]);
    await work();
    await client.query('ROLLBACK');
  });
}
