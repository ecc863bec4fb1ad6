/** What every store in a database does beside the contract: opens, closes, outlives its process, lets no two writers win. */

import assert from 'node:assert/strict';
import { describe, vi } from 'vitest';
import sql from 'sql-template-tag';
import { dayMs } from '../../../src/domain/spans.js';
import { toForgetAtMs } from '../../../src/proxy/order/due.js';
import { LedgerError } from '../../../src/proxy/store/order-store.js';
import { openStore, openTables } from '../../../src/proxy/store/open-store.js';
import { migrate, migrations, requireTables } from '../../../src/proxy/store/sql/migrations.js';
import type { Database, Replacement } from '../../../src/proxy/store/sql/database.js';
import { createSqlStore } from '../../../src/proxy/store/sql/sql-store.js';
import { createGate } from '../../support/proxy/shop.js';
import { onStore } from './bench.js';
import type { DurableBench, OnStore, WithBench } from './bench.js';
import { addInvoice, startMs, toAttempt, toOrder, upTo } from './samples.js';

/** A database past its store, so that tests can break it. */
export type OpenDatabase = (url: string) => Promise<Database>;

const tables = ['orders', 'notes', 'entries', 'schema'].map((name) => `pix_${name}`);

/** @param name the store's */
export function describeDurable(
  name: string,
  withBench: WithBench<DurableBench>,
  openDatabase: OpenDatabase,
): void {
  const it = onStore(withBench);
  describe(`opening and closing a store in ${name}`, () => describeOpening(it));
  describe(`the tables in ${name}`, () => describeTables(it));
  describe(`two writers in ${name}`, () => describeWriters(it, openDatabase));
}

function describeOpening(it: OnStore<DurableBench>): void {
  it('finds everything again', async ({ store, other, open }) => {
    await store.change('order-1', () => [toOrder('order-1', 2), null]);
    await store.passThrottle('prune', 60_000);
    await store.close();
    await other.close();
    const again = await open();
    assert.deepEqual(await again.read('order-1'), toOrder('order-1', 2));
    assert.equal(await again.passThrottle('prune', 60_000), false);
    assert.equal((await again.search({ kinds: ['look_up'], most: 9 })).length, 2);
  });

  it('ends what is under way before it closes, and begins nothing', async ({ store, other }) => {
    const changes = upTo(20).map((n) => store.change('order-1', addInvoice(n)));
    await Promise.all([store.close(), store.close()]);
    await Promise.all(changes);
    assert.equal((await other.read('order-1'))?.invoices.length, 20);
    const closed = { code: 'CLOSED' };
    await assert.rejects(store.read('order-1'), closed);
    await assert.rejects(store.change('order-1', addInvoice(0)), closed);
    await assert.rejects(store.prune(), closed);
  });

  it('is shared, and of no other kind of URL', async ({ store }) => {
    assert.equal(store.isShared, true);
    for (const url of ['', 'mysql://u:secret@host/db', 'pix.db', 'postgres:secret', undefined]) {
      await assert.rejects(openStore({ url: url as string }), (error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /^url /);
        assert.doesNotMatch(String(error.stack), /secret|host/);
        return true;
      });
    }
  });

  it('to read only sees what others write, and writes nothing', async ({ store, url }) => {
    await store.change('order-1', addInvoice(1));
    const reader = await openStore({ url, readOnly: true });
    await store.change('order-1', addInvoice(2));
    assert.equal((await reader.read('order-1'))?.invoices.length, 2);
    await reader.close();
  });
}

function describeTables(it: OnStore<DurableBench>): void {
  it('are made once, however many processes open it at the same moment', async (bench) => {
    await dropTables(bench);
    const handles = await Promise.all(upTo(8).map(() => bench.open()));
    await handles[0]?.change('order-1', addInvoice(1));
    assert.equal((await handles[7]?.read('order-1'))?.invoices.length, 1);
    assert.deepEqual(
      await bench.execute('SELECT number FROM pix_schema'),
      [{ number: 1 }].map(asIs),
    );

    function asIs(row: object): object {
      // PostgreSQL's driver hands a large number out as text.
      return bench.url.startsWith('file:') ? row : { number: '1' };
    }
  });

  it('take a further migration, with their rows, which an older process refuses in one sentence', async (bench) => {
    await bench.store.change('order-1', addInvoice(1));
    const next = {
      number: 2,
      toStatements: () => [
        'ALTER TABLE pix_orders ADD COLUMN total_cents BIGINT',
        'UPDATE pix_orders SET total_cents = 12990',
      ],
    };
    const newer = [...migrations, next];
    const databases = await Promise.all(upTo(4).map(() => openTables({ url: bench.url })));
    await Promise.all(databases.map((database) => migrate(database, newer)));
    await Promise.all(databases.map((database) => database.close()));
    const rows = (await bench.execute('SELECT id, total_cents FROM pix_orders')) as {
      readonly id: string;
      readonly total_cents: unknown;
    }[];
    assert.deepEqual(
      rows.map(({ id, total_cents: cents }) => [id, Number(cents)]),
      [['order-1', 12_990]],
    );
    assert.equal((await bench.store.read('order-1'))?.invoices.length, 1);
    for (const readOnly of [false, true]) {
      await assert.rejects(openStore({ url: bench.url, readOnly }), {
        name: 'LedgerError',
        code: 'NEWER_TABLES',
        message:
          'the ledger failed: a newer version of pix-checkout has changed its tables, which this one would spoil: run that version',
      });
    }
  });

  it('that lack a migration are brought along by who may write, and told to who may only read', async (bench) => {
    const failing = {
      number: 2,
      toStatements: () => ['CREATE TABLE pix_more (id TEXT)', 'SELECT * FROM pix_nowhere'],
    };
    const database = await openTables({ url: bench.url });
    await assert.rejects(migrate(database, [...migrations, failing]), LedgerError);
    await assert.rejects(bench.execute('SELECT * FROM pix_more'), 'all of it, or nothing');
    const newer = [...migrations, { number: 2, toStatements: () => [] }];
    await assert.rejects(requireTables(database, newer), {
      code: 'OLDER_TABLES',
      message: /its tables are of an earlier version: start the proxy with this one once/,
    });
    await migrate(database, newer);
    await requireTables(database, newer);
    await database.close();
  });

  it('hold orders that another version would forget sooner: they stay', async (bench) => {
    const { store, execute, clock } = bench;
    const attempts = [toAttempt({ progress: { state: 'sent' } })];
    const orders = [toOrder('order-1', 1, { attempts }), toOrder('order-2', 1)];
    for (const order of orders) await store.change(order.externalId, () => [order, null]);
    await execute(`UPDATE pix_orders SET forget_at_ms = ${startMs}`);
    for (let day = 0; day < 2; day += 1) {
      clock.nowMs += dayMs;
      await store.prune();
    }
    for (const order of orders) assert.deepEqual(await store.read(order.externalId), order);
    assert.equal((await store.search({ kinds: ['look_up', 'sent'], most: 9 })).length, 3);
    const rows = (await execute('SELECT id, forget_at_ms, version FROM pix_orders')) as Row[];
    for (const { version } of rows) assert.ok(Number(version) > startMs, 'and are another version');
    const kept = rows.map(({ id, forget_at_ms: atMs }) => [
      id,
      atMs === null ? atMs : Number(atMs),
    ]);
    assert.deepEqual(
      new Map(kept as [string, number | null][]),
      new Map(orders.map((order) => [order.externalId, toForgetAtMs(order)])),
      'and are not asked about each time',
    );
  });

  it('that are missing are an error where they may only be read', async (bench) => {
    await dropTables(bench);
    await assert.rejects(openStore({ url: bench.url, readOnly: true }), LedgerError);
    await assert.rejects(bench.execute('SELECT * FROM pix_schema'));
  });

  it('that fail quote nothing, and leave the store usable', async ({ store, execute }) => {
    await execute('ALTER TABLE pix_entries RENAME TO pix_elsewhere');
    await assert.rejects(store.change('order-1', addInvoice(1)), (error) => {
      assert.ok(error instanceof LedgerError);
      assert.deepEqual(Object.keys(error).toSorted(), ['code', 'name']);
      assert.match(error.message, /^the ledger failed: \w+$/);
      assert.equal(error.cause, undefined);
      assert.doesNotMatch(error.stack ?? '', /insert into|order-1|pix_/i);
      return true;
    });
    // All or nothing: the order went with its entries.
    await execute('ALTER TABLE pix_elsewhere RENAME TO pix_entries');
    assert.equal(await store.change('order-1', addInvoice(2)), 1);
  });
}

function describeWriters(it: OnStore<DurableBench>, openDatabase: OpenDatabase): void {
  it('of which one prunes: what the other changes meanwhile stays, and falls due', async (bench) => {
    const { store, clock, url } = bench;
    await store.change('order-1', () => [toOrder('order-1', 2), null]);
    clock.nowMs += 4_000 * dayMs;
    await store.prune();
    const database = await openDatabase(url);
    const whileHeld: Database['remove'] = async () => 0;
    const whileChanged: Database['remove'] = async (removal) => {
      await store.change('order-1', (order) => [{ ...order, aliveAtMs: clock.nowMs }, null]);
      return database.remove(removal);
    };
    for (const remove of [whileHeld, whileChanged]) {
      clock.nowMs += dayMs;
      await createSqlStore({ ...database, remove }, () => clock.nowMs).prune();
    }
    await database.close();
    assert.ok(await store.read('order-1'));
    assert.equal((await store.search({ kinds: ['look_up'], most: 9 })).length, 2);
  });

  it('write what changes alone, however many entries their order has', async ({ store, url }) => {
    await store.change('order-1', () => [toOrder('order-1', 9), null]);
    const database = await openDatabase(url);
    const written: unknown[] = [];
    const replace: Database['replace'] = (change, terms) => {
      written.push([change.gone.length, change.put.length]);
      return database.replace(change, terms);
    };
    await createSqlStore({ ...database, replace }, () => startMs).change('order-1', addInvoice(10));
    await database.close();
    assert.deepEqual(written, [[0, 1]]);
  });

  it('of which one always loses: it hears in time that the store is busy', async ({ url }) => {
    const database = await openDatabase(url);
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const replace = async () => {
      nowMs += 5_000;
      return false;
    };
    const store = createSqlStore({ ...database, replace }, () => startMs);
    await assert.rejects(store.change('order-1', addInvoice(1)), { code: 'BUSY' });
    assert.equal(nowMs, 15_000);
    await database.close();
  });

  for (const before of [0, 1]) {
    it(`that read the same ${before === 0 ? 'nothing' : 'order'} never both win`, async (bench) => {
      const lost = await raceTwoWriters(bench, openDatabase, before, (change) => change);
      assert.equal(lost, 0);
    });
  }

  it('do, where the version is not looked at: this test sees it', async (bench) => {
    // The bug: each replaces whatever is there.
    const planted = async (change: Replacement, { read }: Database) => {
      const [row] = await read<{ version: number }>(
        sql`SELECT version FROM pix_orders WHERE id = ${change.id}`,
      );
      return { ...change, version: row?.version ?? null };
    };
    assert.equal(await raceTwoWriters(bench, openDatabase, 1, planted), 1);
  });
}

/**
 * Two processes change an order, each after it has read what the other one has.
 * @param plant what is written in place of a change
 * @returns how many of the changes are lost
 */
async function raceTwoWriters(
  { store, url }: DurableBench,
  openDatabase: OpenDatabase,
  before: number,
  plant: (change: Replacement, database: Database) => Replacement | Promise<Replacement>,
): Promise<number> {
  if (before > 0) await store.change('order-1', addInvoice(0));
  const { opened: haveBothRead, release } = createGate();
  let reads = 0;
  let last: Promise<unknown> = haveBothRead;
  const openWriter = async () => {
    const database = await openDatabase(url);
    const replace: Database['replace'] = (change, isRelaxed) => {
      if ((reads += 1) === 2) release();
      // One after the other.
      const written = last.then(async () =>
        database.replace(await plant(change, database), isRelaxed),
      );
      last = written;
      return written;
    };
    return { database, writer: createSqlStore({ ...database, replace }, () => startMs) };
  };
  const writers = [await openWriter(), await openWriter()];
  await Promise.all(writers.map(({ writer }, n) => writer.change('order-1', addInvoice(n + 1))));
  for (const { database } of writers) await database.close();
  return before + 2 - ((await store.read('order-1'))?.invoices.length ?? 0);
}

interface Row {
  readonly id: string;
  /** PostgreSQL's driver hands a large number out as text. */
  readonly forget_at_ms: number | string | null;
  readonly version: number | string;
}

async function dropTables({ execute }: DurableBench): Promise<void> {
  for (const name of tables) await execute(`DROP TABLE ${name}`);
}
