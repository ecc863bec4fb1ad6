/** What every ledger in a database does beside the contract: opens, closes, outlives its process, forgets in time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { LedgerError, openLedger } from '../../../../src/ledger.js';
import { claimedForMs } from '../../../../src/proxy/ledger/ledger.js';
import type { DurableBench, WithDurableBench } from '../stores.js';
import { begin, cardStates, claimIds, deliver, onStore, peekKinds, type OnStore } from './bench.js';
import {
  none,
  stages,
  startMs,
  toCard,
  toCharge,
  toInvoice,
  toIssued,
  toPaid,
  toPix,
  upTo,
} from './samples.js';

const { refused, sent, unknown } = stages;

/** A database as the first published version wrote it: its tables, and rows of six orders. */
const version1 = JSON.parse(readFileSync(new URL('version-1.json', import.meta.url), 'utf8')) as {
  schema: string[];
  rows: Record<string, Record<string, string | number | null>[]>;
};

const dayMs = 24 * 3_600_000;

/** @param name the store's */
export function describeDurable(name: string, withBench: WithDurableBench): void {
  const it = onStore(withBench);
  describe(`opening and closing a ledger in ${name}`, () => describeOpening(it));
  describe(`an order lock in ${name}`, () => describeLocks(it));
  describe(`in time, a ledger in ${name}`, () => describePruning(it));

  describe(`the tables in ${name}`, () => {
    it('hold one open card of an order, even past the ledger', async ({ ledger, execute }) => {
      await ledger.claimAttempt(toCard());
      const insert = (key: string, method: string, state: string) =>
        execute(
          `INSERT INTO pix_attempts (scope, key, external_id, step, method, total_cents, installment,
            holder, state, until_ms, claimed_at_ms, changed_at_ms)
          VALUES ('s', '${key}', 'order-1', 9, '${method}', 1, 1, 'h', '${state}', 1, 1, 1)`,
        );
      for (const state of ['claimed', 'sent', 'unknown', 'created']) {
        await assert.rejects(insert(state, 'credit_card', state), state);
      }
      await insert('pix', 'pix', 'created');
      await insert('refused', 'credit_card', 'refused');
    });
  });

  describe(`errors of a ledger in ${name}`, () => {
    it('quote nothing, and leave the ledger usable', async ({ ledger, execute }) => {
      await execute('ALTER TABLE pix_sends RENAME TO pix_elsewhere');
      await assert.rejects(ledger.recordSend('order-1', 'pix', startMs, 100), (error) => {
        assert.ok(error instanceof LedgerError);
        assert.deepEqual(Object.keys(error).toSorted(), ['code', 'name']);
        assert.match(error.message, /^the ledger failed: \w+$/);
        assert.equal(error.cause, undefined);
        assert.doesNotMatch(error.stack ?? '', /insert into|order-1|pix_/i);
        return true;
      });
      // All or nothing: the order's step went with it.
      await execute('ALTER TABLE pix_elsewhere RENAME TO pix_sends');
      await ledger.recordSend('order-1', 'pix', startMs + 1, 100);
      assert.deepEqual((await ledger.find('order-1')).sentAtMs, [startMs + 1]);
    });
  });
}

function describeOpening(it: OnStore<DurableBench>): void {
  it('finds everything again', async ({ ledger, other, open, clock }) => {
    const candidate = toIssued(toCharge({ invoiceId: 'candidate' }));
    const elsewhere = toInvoice({ externalId: 'order-2' });
    await ledger.recordSend('order-1', 'pix', startMs, 100);
    await ledger.recordInvoice(toInvoice({ deadlineMs: startMs + 1 }), toPix());
    await ledger.recordPaid(toPaid(), { endToEndId: 'E1' });
    await begin(ledger, toCard(), { state: 'unknown', candidate });
    await ledger.acquireOrderLock('order-1', 'holder-1', 60_000);
    await ledger.passThrottle('sweep', 60_000);
    await ledger.recordInvoice(elsewhere);
    await ledger.hastenLookUp(elsewhere, startMs + 5);
    const record = await ledger.find('order-1');
    await ledger.close();
    await other.close();
    clock.nowMs += 10;
    const again = await open();
    assert.deepEqual(await again.find('order-1'), record);
    assert.equal(record.paid?.status, 'paid');
    assert.deepEqual(record.cards[0]?.progress, { state: 'unknown', candidate });
    assert.equal(await again.acquireOrderLock('order-1', 'holder-2', 60_000), 59_990);
    assert.equal(await again.passThrottle('sweep', 60_000), false);
    assert.equal((await claimIds(again)).length, 1);
    assert.deepEqual((await peekKinds(again)).toSorted(), ['outcome_unknown', 'paid', 'waiting']);
  });

  it('makes its tables once, however many processes open it at the same moment', async (bench) => {
    await dropTables(bench);
    const handles = await Promise.all(upTo(8).map(() => bench.open()));
    await handles[0]?.recordSend('order-1', 'pix', startMs, 100);
    assert.deepEqual((await handles[7]?.find('order-1'))?.sentAtMs, [startMs]);
    await assert.rejects(bench.execute('INSERT INTO pix_migrations (version) VALUES (1)'));
  });

  it('goes on with orders, attempts and events that version 1 wrote', async (bench) => {
    await dropTables(bench);
    const statements = [...version1.schema, ...toInserts(version1.rows)];
    for (const statement of statements) await bench.execute(statement);
    const ledger = await bench.open();
    assert.equal((await ledger.find('open-pix')).invoices[0]?.code, '00020126code-open-pix-1');
    assert.equal((await ledger.find('paid')).paid?.invoiceId, 'inv-paid-1');
    for (const state of ['unknown', 'refused']) {
      assert.deepEqual(await cardStates(ledger, state), [state]);
    }
    // What was sent when that process ended may have been charged.
    assert.equal(await ledger.expireSent(), 1);
    assert.deepEqual(await cardStates(ledger, 'sent'), ['unknown']);
    assert.deepEqual((await ledger.find('open-pix')).sentAs, [], 'no total was recorded');
    const due = (await claimIds(ledger)).toSorted();
    assert.deepEqual(due, ['inv-expired-1', 'inv-open-pix-1', 'inv-unknown-1']);
    const kinds = ['lapsed', 'outcome_unknown', 'outcome_unknown', 'paid', 'waiting'];
    assert.deepEqual((await peekKinds(ledger)).toSorted(), kinds);
    assert.equal(await ledger.claimAttempt(toCard({ externalId: 'unknown' })), 'busy');
  });

  it('takes tables of a later version as they are', async ({ execute, open, ledger }) => {
    await ledger.recordSend('order-1', 'pix', startMs, 100);
    await execute('INSERT INTO pix_migrations (version) VALUES (99)');
    assert.deepEqual((await (await open()).find('order-1')).sentAtMs, [startMs]);
  });

  it('ends what is under way before it closes, and begins nothing', async ({ ledger, other }) => {
    const sends = upTo(20).map((n) => ledger.recordSend('order-1', 'pix', startMs + n, 100));
    await Promise.all([ledger.close(), ledger.close()]);
    await Promise.all(sends);
    assert.equal((await other.find('order-1')).sentAtMs.length, 20);
    await assert.rejects(ledger.find('order-1'), LedgerError);
    await assert.rejects(ledger.recordSend('order-1', 'pix', startMs, 100), LedgerError);
    await assert.rejects(ledger.prune(), LedgerError);
  });

  it('is shared, and of no other kind of URL', async ({ ledger }) => {
    assert.equal(ledger.isShared, true);
    for (const url of ['', 'mysql://u:secret@host/db', 'pix.db', 'postgres:secret', undefined]) {
      await assert.rejects(openLedger({ url: url as string }), (error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /^url /);
        assert.doesNotMatch(String(error.stack), /secret|host/);
        return true;
      });
    }
  });
}

function describeLocks(it: OnStore<DurableBench>): void {
  it('is one holder’s, until its release or its time is over', async ({ ledger, other, clock }) => {
    const first = () => ledger.acquireOrderLock('order-1', 'holder-1', 5_000);
    const second = () => other.acquireOrderLock('order-1', 'holder-2', 5_000);
    assert.equal(await first(), 0);
    assert.equal(await second(), 5_000);
    assert.equal(await other.acquireOrderLock('order-2', 'holder-2', 5_000), 0);
    await other.releaseOrderLock('order-1', 'holder-2');
    assert.equal(await second(), 5_000);
    await ledger.releaseOrderLock('order-1', 'holder-1');
    assert.equal(await second(), 0);
    clock.nowMs += 4_999;
    assert.equal(await first(), 1);
    clock.nowMs += 1;
    assert.equal(await first(), 0);
    await other.releaseOrderLock('order-1', 'holder-2');
    assert.equal(await second(), 5_000);
  });

  it('lasts on from each time its holder takes it again', async ({ ledger, other, clock }) => {
    for (let times = 0; times < 3; times += 1) {
      assert.equal(await ledger.acquireOrderLock('order-1', 'holder-1', 5_000), 0);
      clock.nowMs += 4_000;
    }
    assert.equal(await other.acquireOrderLock('order-1', 'holder-2', 5_000), 1_000);
  });

  it('is taken by one of many', async ({ ledger, other }) => {
    const taken = await Promise.all(
      upTo(40).map((n) => (n % 2 ? ledger : other).acquireOrderLock('order-1', `${n}`, 5_000)),
    );
    assert.equal(taken.filter((freeInMs) => freeInMs === 0).length, 1);
  });
}

function describePruning(it: OnStore<DurableBench>): void {
  it('forgets what does not count after a day', async ({ ledger, other, clock, execute }) => {
    await ledger.recordSend('order-1', 'pix', startMs, 100);
    await ledger.passThrottle('sweep', 1_000);
    await ledger.recordInvoice(toInvoice(), toPix());
    await ledger.recordInvoice(toCharge({ invoiceId: 'card' }));
    await begin(ledger, toCard({ key: 'card-0' }), refused);
    await begin(ledger, toCard(), sent);
    clock.nowMs += dayMs;
    await other.prune();
    assert.equal((await ledger.find('order-1')).sentAtMs.length, 1);
    assert.equal((await ledger.findAttempts('key-1')).length, 1);
    clock.nowMs += 1;
    await Promise.all([ledger.prune(), other.prune()]);
    const { sentAtMs, sentAs, invoices, cards } = await ledger.find('order-1');
    assert.deepEqual([sentAtMs, invoices.length], [[], 2]);
    assert.deepEqual(sentAs, [{ method: 'pix', totalCents: 100 }], 'with its order');
    assert.deepEqual(cards, [{ ...toCard(), progress: sent }]);
    assert.deepEqual(await ledger.findAttempts('key-1'), []);
    await execute("INSERT INTO pix_pauses (name, at_ms) VALUES ('sweep', 1)");
  });

  it('forgets an order after 90 days, or 7 if it came to nothing', async (bench) => {
    const { ledger, clock, execute } = bench;
    const nameAgain = (id: string) =>
      execute(`INSERT INTO pix_orders (external_id, used_at_ms) VALUES ('${id}', ${startMs})`);
    await ledger.recordInvoice(toInvoice());
    await ledger.claimAttempt(toCard({ externalId: 'order-2' }));
    clock.nowMs += claimedForMs;
    await deliver(ledger);
    for (const [id, livesMs] of [
      ['order-2', 7 * dayMs],
      ['order-1', 90 * dayMs],
    ] as const) {
      clock.nowMs = startMs + livesMs;
      await ledger.prune();
      assert.equal((await ledger.find('order-1')).invoices.length, 1);
      await assert.rejects(nameAgain(id));
      clock.nowMs += 1;
      await ledger.prune();
      await nameAgain(id);
    }
    assert.deepEqual((await ledger.find('order-1')).invoices, []);
    assert.deepEqual(await claimIds(ledger), []);
    // As if it had never been: it may be told of again, under the same name.
    await ledger.recordInvoice(toInvoice());
    assert.deepEqual(await peekKinds(ledger), ['waiting']);
  });

  it('never forgets an unknown card, or an undelivered event', async ({ ledger, clock }) => {
    await begin(ledger, toCard(), unknown);
    await ledger.recordPaid(toPaid({ externalId: 'order-2' }), none);
    await ledger.recordMismatch(toInvoice({ externalId: 'order-3' }), 'is_pix');
    await deliver(ledger, ['outcome_unknown']);
    clock.nowMs += 400 * dayMs;
    await ledger.prune();
    assert.equal((await ledger.findAttempts('card-1')).length, 1);
    assert.ok((await ledger.find('order-2')).paid);
    assert.deepEqual((await peekKinds(ledger)).toSorted(), ['mismatch', 'paid']);
    await deliver(ledger);
    await ledger.prune();
    assert.equal((await ledger.find('order-2')).paid, null);
  });

  it('forgets a reminder that no hook took, with its order', async ({ ledger, clock }) => {
    await ledger.recordInvoice(toInvoice());
    assert.deepEqual(await peekKinds(ledger), ['waiting']);
    clock.nowMs += 400 * dayMs;
    await ledger.prune();
    assert.deepEqual((await ledger.find('order-1')).invoices, []);
    assert.deepEqual(await peekKinds(ledger), []);
  });

  it('forgets events 90 days after they ended', async ({ ledger, clock, execute }) => {
    await ledger.recordMismatch(toInvoice(), 'is_pix');
    await deliver(ledger);
    clock.nowMs += 89 * dayMs;
    await ledger.recordSend('order-1', 'pix', clock.nowMs, 100);
    await ledger.prune();
    await ledger.recordMismatch(toInvoice(), 'is_pix');
    assert.deepEqual(await peekKinds(ledger), []);
    await execute(
      `INSERT INTO pix_sends (external_id, step, method, at_ms)
      WITH RECURSIVE numbers (n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1999)
      SELECT 'order-9', n, 'pix', 0 FROM numbers`,
    );
    clock.nowMs += dayMs + 1;
    await ledger.prune();
    assert.deepEqual((await ledger.find('order-9')).sentAtMs, []);
    await ledger.recordMismatch(toInvoice(), 'is_pix');
    assert.deepEqual(await peekKinds(ledger), ['mismatch']);
  });
}

async function dropTables({ execute }: DurableBench): Promise<void> {
  const names = [
    'orders',
    'sends',
    'invoices',
    'attempts',
    'deliveries',
    'pauses',
    'calls',
    'named',
    'sent_as',
    'shown',
    'migrations',
  ];
  for (const name of names) await execute(`DROP TABLE pix_${name}`);
}

function toInserts(rows: typeof version1.rows): string[] {
  const literal = (value: string | number | null) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  return Object.entries(rows).flatMap(([table, list]) =>
    list.map((row) => {
      const values = Object.values(row).map(literal);
      return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')})`;
    }),
  );
}
