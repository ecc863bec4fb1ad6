/** The ledger in PostgreSQL keeps the contract, and what only a server can show. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import sql, { raw } from 'sql-template-tag';
import { LedgerError, openLedger } from '../../../src/ledger.js';
import { isBusy } from '../../../src/proxy/ledger/ledger-error.js';
import { openPostgres } from '../../../src/proxy/ledger/sql/postgres.js';
import { lockOrder } from '../../../src/proxy/ledger/sql/orders.js';
import { isChosen, isThorough } from '../../support/runs.js';
import {
  startPostgres,
  whyNoPostgres,
  type PostgresServer,
} from '../../support/machine/postgres.js';
import { describeAgreement } from './agreement.js';
import { describeLedger } from './contract.js';
import { onStore } from './contract/bench.js';
import { none, startMs, toCard, toInvoice, toPaid, upTo } from './contract/samples.js';
import { describeDurable } from './contract/durable.js';
import { withDatabase } from './stores.js';

const skip = whyNoPostgres();

/** Those of the first version. */
const tables = ['orders', 'sends', 'invoices', 'attempts', 'deliveries', 'pauses'].map(
  (name) => `pix_${name}`,
);

describe('with PostgreSQL', () => {
  if (skip !== undefined) {
    test('everything', { skip });
    return;
  }
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());
  const withBench = withDatabase(() => server);

  describeLedger('the ledger in PostgreSQL', withBench);
  describeDurable('PostgreSQL', withBench);
  describeAgreement('PostgreSQL', withBench, 10);

  describe('a server', () => {
    const it = onStore(withBench);
    const itLong: typeof it = isThorough || isChosen ? it : () => undefined;

    it('may end every connection: the ledger goes on with new ones', async ({ ledger, other }) => {
      await Promise.all(upTo(5).map((n) => ledger.recordSend(`order-${n}`, 'pix', startMs, 100)));
      await other.find('order-1');
      await endConnections();
      // A connection that broke a moment ago may be handed out once more.
      await Promise.allSettled(upTo(10).map(() => ledger.find('order-1')));
      await ledger.recordSend('order-1', 'pix', startMs + 1, 100);
      assert.deepEqual((await other.find('order-1')).sentAtMs, [startMs, startMs + 1]);
    });

    itLong(
      'may end a connection between two statements: nothing happened',
      async ({ other, url }) => {
        const store = await openPostgres(url);
        const write = store.write(async (query) => {
          await lockOrder(query, 'order-1', () => startMs);
          await endConnections("state = 'idle in transaction'");
          await lockOrder(query, 'order-2', () => startMs);
        });
        await assert.rejects(write, LedgerError);
        const locked = await store.write((query) => lockOrder(query, 'order-1', () => startMs));
        assert.equal(locked.step, 1);
        await store.close();
        assert.equal(await other.claimAttempt(toCard()), 'new');
      },
    );

    itLong('may end a connection that waits for an order', async ({ ledger, other, url }) => {
      const store = await openPostgres(url);
      await store.write(async (query) => {
        await lockOrder(query, 'order-1', () => startMs);
        const claim = assert.rejects(ledger.claimAttempt(toCard()), LedgerError);
        await waiting(1);
        await endConnections("wait_event_type = 'Lock'");
        await claim;
      });
      await store.close();
      assert.deepEqual(await other.findAttempts('card-1'), []);
      assert.equal(await ledger.claimAttempt(toCard()), 'new');
    });

    for (const isolation of ['read committed', 'serializable']) {
      itLong(
        `lets one process pass a throttle, where transactions are ${isolation}`,
        async (bench) => {
          const url = new URL(bench.url);
          const options = url.searchParams.get('options') ?? '';
          const level = isolation.replace(' ', String.raw`\ `);
          url.searchParams.set('options', `${options} -c default_transaction_isolation=${level}`);
          const ledger = await openLedger({ url: url.href, now: () => startMs });
          const store = await openPostgres(bench.url);
          try {
            let second: Promise<boolean> | undefined;
            await store.write(async (query) => {
              await query(sql`INSERT INTO pix_pauses (name, at_ms) VALUES ('one', ${startMs})`);
              second = ledger.passThrottle('one', 1_000);
              await waiting(1);
            });
            assert.equal(await second, false);
          } finally {
            await store.close();
            await ledger.close();
          }
        },
      );
    }

    it('leaves connections to other orders while a crowd wants one', async (bench) => {
      const { ledger, other, url } = bench;
      const store = await openPostgres(url);
      const crowd = upTo(60).map((n) => toCard({ key: `card-${n}`, holder: `holder-${n}` }));
      let claims: Promise<string[]> | undefined;
      try {
        await store.write(async (query) => {
          await lockOrder(query, 'order-1', () => startMs);
          claims = Promise.all(crowd.map((card) => ledger.claimAttempt(card)));
          await waiting(1);
          await ledger.recordSend('order-2', 'pix', startMs, 100);
          assert.deepEqual((await ledger.find('order-1')).cards, []);
        });
        const counts = (await claims) ?? [];
        assert.equal(counts.filter((claim) => claim === 'new').length, 1);
        assert.deepEqual((await other.find('order-2')).sentAtMs, [startMs]);
      } finally {
        await store.close();
      }
    });

    it('that keeps an order for long is busy, and has not failed', async ({
      ledger,
      other,
      url,
    }) => {
      const store = await openPostgres(url);
      try {
        await store.write(async (query) => {
          await lockOrder(query, 'order-1', () => startMs);
          await assert.rejects(ledger.claimAttempt(toCard()), isBusy);
        });
        assert.deepEqual(await other.findAttempts('card-1'), []);
        assert.equal(await ledger.claimAttempt(toCard()), 'new');
      } finally {
        await store.close();
      }
    });

    it('gets new tables while a process of the version before writes', async (bench) => {
      await bench.execute(`DROP TABLE pix_calls, pix_named, pix_sent_as, pix_shown; DROP INDEX IF EXISTS pix_deliveries_dead;
        DELETE FROM pix_migrations WHERE version > 1`);
      const store = await openPostgres(bench.url);
      try {
        await store.write(async (query) => {
          for (const table of tables)
            await query(sql`LOCK TABLE ${raw(table)} IN ROW EXCLUSIVE MODE`);
          const ledger = await bench.open();
          assert.equal((await ledger.bookCalls(1, 1)).calls, 1);
        });
      } finally {
        await store.close();
      }
    });

    it('counts further than JavaScript: then it is an error', async ({ ledger, execute }) => {
      await ledger.recordInvoice(toInvoice());
      await execute(
        `UPDATE pix_invoices SET look_up_at_ms = ${startMs}, total_cents = 9007199254740993`,
      );
      await assert.rejects(ledger.claimDueLookUps(1, 1), LedgerError);
    });

    it('that hangs is an error, and is found again when it goes on', async ({ url }) => {
      const gate = await openGate(url);
      const ledger = await openLedger({ url: gate.url, now: () => startMs });
      await ledger.recordSend('order-1', 'pix', startMs, 100);
      gate.freeze();
      try {
        await Promise.all([
          ...upTo(3).map(() => assert.rejects(ledger.find('order-1'), LedgerError)),
          ...upTo(3).map((n) =>
            assert.rejects(ledger.recordSend('order-1', 'pix', startMs + n, 100), LedgerError),
          ),
          assert.rejects(ledger.recordPaid(toInvoice(), none), LedgerError),
        ]);
        gate.thaw();
        const { sentAtMs } = await ledger.find('order-1');
        assert.deepEqual(sentAtMs.slice(0, 1), [startMs]);
      } finally {
        await gate.close();
        await ledger.close();
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
        await assert.rejects(openLedger({ url }), (error: Error) => {
          assert.equal(error.name, name);
          assert.match(error.message, message);
          assert.doesNotMatch(String(error.stack), /secret|127\.0|invalid|folder/);
          return !('input' in error);
        });
      });
    }

    itLong('that breaks off at any byte leaves all or nothing', async ({ ledger, other, url }) => {
      await ledger.recordSend('order-0', 'pix', startMs, 100);
      const gate = await openGate(url);
      try {
        for (let bytes = 0; bytes < 3_000; bytes += isThorough ? 97 : 311) {
          gate.cutAfter(Infinity);
          const externalId = `order-${bytes}-x`;
          const handle = await openLedger({ url: gate.url, now: () => startMs });
          gate.cutAfter(bytes);
          const isKnown = await handle.recordPaid(toPaid({ externalId }), none).then(
            () => true,
            (error: unknown) => {
              assert.ok(error instanceof LedgerError);
              return false;
            },
          );
          gate.cutAfter(Infinity);
          await handle.close();
          const { paid, invoices } = await other.find(externalId);
          // What resolved has happened; what rejected may have.
          assert.ok(!isKnown || paid !== null);
          assert.equal(invoices.length > 0, paid !== null);
        }
      } finally {
        await gate.close();
      }
      const told = await other.claimEvents(['paid'], 1_000, 0);
      for (const { notice } of told) {
        assert.ok((await other.find(notice.externalId)).paid);
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

/** A way to the server that breaks off after some bytes from it, or stands still: what a database that hangs looks like. */
async function openGate(url: string) {
  const folder = new URL(url).searchParams.get('host') ?? '';
  let left = Infinity;
  let isFrozen = false;
  const sockets = new Set<Socket>();
  const gate = createServer((client) => {
    const upstream = connect(`${folder}/.s.PGSQL.5432`);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    if (isFrozen) client.pause();
    upstream.on('data', (data) => {
      left -= data.length;
      if (left < 0) client.destroy();
      else client.write(data);
    });
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const address = new URL(url);
  address.searchParams.delete('host');
  address.host = `127.0.0.1:${(gate.address() as AddressInfo).port}`;
  return {
    url: address.href,
    cutAfter(bytes: number) {
      left = bytes;
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      gate.close();
      await once(gate, 'close');
    },
  };
}
