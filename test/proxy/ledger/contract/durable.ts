/** What every ledger in a database does beside the contract: opens, closes, outlives its process, forgets in time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { LedgerError, openLedger } from '../../../../src/ledger.js';
import { claimedForMs } from '../../../../src/proxy/ledger/ledger.js';
import type { WithDurableBench } from '../stores.js';
import { allKinds, peekKinds, startMs, toCard, toInvoice, toIssued, toPix, upTo } from './bench.js';

/** A database as the first published version wrote it: its tables, and rows of six orders. */
const version1 = JSON.parse(readFileSync(new URL('version-1.json', import.meta.url), 'utf8')) as {
  schema: string[];
  rows: Record<string, Record<string, string | number | null>[]>;
};

const dayMs = 24 * 3_600_000;
const none = { endToEndId: null };

/** @param name the store's */
export function describeDurable(name: string, withBench: WithDurableBench): void {
  describe(`opening and closing a ledger in ${name}`, () => {
    it('finds everything again', () =>
      withBench(async ({ ledger, other, open, clock }) => {
        const candidate = toIssued(toInvoice({ method: 'credit_card', invoiceId: 'candidate' }));
        await ledger.recordSend('order-1', 'pix', startMs);
        await ledger.recordInvoice(toInvoice({ deadlineMs: startMs + 1 }), toPix());
        await ledger.recordPaid(toInvoice({ status: 'paid' }), { endToEndId: 'E1' });
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), { state: 'unknown', candidate });
        await ledger.acquireOrderLock('order-1', 'holder-1', 60_000);
        await ledger.passThrottle('sweep', 60_000);
        await ledger.recordInvoice(toInvoice({ externalId: 'order-2' }));
        await ledger.hastenLookUp(toInvoice({ externalId: 'order-2' }), startMs + 5);
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
        assert.equal((await again.claimDueLookUps(10, 1_000)).length, 1);
        assert.deepEqual((await peekKinds(again)).toSorted(), [
          'outcome_unknown',
          'paid',
          'waiting',
        ]);
      }));

    it('makes its tables once, however many processes open it at the same moment', () =>
      withBench(async ({ execute, open }) => {
        for (const table of tables) await execute(`DROP TABLE ${table}`);
        const handles = await Promise.all(upTo(8).map(() => open()));
        await handles[0]?.recordSend('order-1', 'pix', startMs);
        assert.deepEqual((await handles[7]?.find('order-1'))?.sentAtMs, [startMs]);
        await assert.rejects(execute('INSERT INTO pix_migrations (version) VALUES (1)'));
      }));

    it('goes on with orders, attempts and events that version 1 wrote', () =>
      withBench(async ({ execute, open }) => {
        for (const table of tables) await execute(`DROP TABLE ${table}`);
        for (const statement of version1.schema) await execute(statement);
        for (const statement of toInserts(version1.rows)) await execute(statement);
        const ledger = await open();
        const states = async (externalId: string) =>
          (await ledger.find(externalId)).cards.map(({ progress }) => progress.state);
        assert.equal((await ledger.find('open-pix')).invoices[0]?.code, '00020126code-open-pix-1');
        assert.equal((await ledger.find('paid')).paid?.invoiceId, 'inv-paid-1');
        assert.deepEqual(await states('unknown'), ['unknown']);
        assert.deepEqual(await states('refused'), ['refused']);
        // What was sent when that process ended may have been charged.
        assert.equal(await ledger.expireSent(), 1);
        assert.deepEqual(await states('sent'), ['unknown']);
        const due = (await ledger.claimDueLookUps(10, 1_000)).map(({ invoiceId }) => invoiceId);
        assert.deepEqual(due.toSorted(), ['inv-expired-1', 'inv-open-pix-1', 'inv-unknown-1']);
        assert.deepEqual((await peekKinds(ledger)).toSorted(), [
          'lapsed',
          'outcome_unknown',
          'outcome_unknown',
          'paid',
          'waiting',
        ]);
        assert.equal(await ledger.claimAttempt(toCard({ externalId: 'unknown' })), 'busy');
      }));

    it('takes tables of a later version as they are', () =>
      withBench(async ({ execute, open, ledger }) => {
        await ledger.recordSend('order-1', 'pix', startMs);
        await execute('INSERT INTO pix_migrations (version) VALUES (99)');
        const again = await open();
        assert.deepEqual((await again.find('order-1')).sentAtMs, [startMs]);
      }));

    it('ends what is under way before it closes, and takes on nothing afterwards', () =>
      withBench(async ({ ledger, other }) => {
        const sends = upTo(20).map((n) => ledger.recordSend('order-1', 'pix', startMs + n));
        await Promise.all([ledger.close(), ledger.close()]);
        await Promise.all(sends);
        assert.equal((await other.find('order-1')).sentAtMs.length, 20);
        for (const act of [
          () => ledger.find('order-1'),
          () => ledger.recordSend('order-1', 'pix', startMs),
          () => ledger.prune(),
        ]) {
          await assert.rejects(act, (error) => error instanceof LedgerError);
        }
      }));

    it('is shared', () => withBench(async ({ ledger }) => assert.equal(ledger.isShared, true)));
  });

  describe(`a turn in ${name}`, () => {
    it('is one holder’s, until it ends it or its time is over', () =>
      withBench(async ({ ledger, other, clock }) => {
        assert.equal(await ledger.acquireOrderLock('order-1', 'holder-1', 5_000), 0);
        assert.equal(await other.acquireOrderLock('order-1', 'holder-2', 5_000), 5_000);
        assert.equal(await other.acquireOrderLock('order-2', 'holder-2', 5_000), 0);
        await other.releaseOrderLock('order-1', 'holder-2');
        assert.equal(await other.acquireOrderLock('order-1', 'holder-2', 5_000), 5_000);
        await ledger.releaseOrderLock('order-1', 'holder-1');
        assert.equal(await other.acquireOrderLock('order-1', 'holder-2', 5_000), 0);
        clock.nowMs += 4_999;
        assert.equal(await ledger.acquireOrderLock('order-1', 'holder-1', 5_000), 1);
        clock.nowMs += 1;
        assert.equal(await ledger.acquireOrderLock('order-1', 'holder-1', 5_000), 0);
        await other.releaseOrderLock('order-1', 'holder-2');
        assert.equal(await other.acquireOrderLock('order-1', 'holder-2', 5_000), 5_000);
      }));

    it('lasts on from each time its holder takes it again', () =>
      withBench(async ({ ledger, other, clock }) => {
        for (let times = 0; times < 3; times += 1) {
          assert.equal(await ledger.acquireOrderLock('order-1', 'holder-1', 5_000), 0);
          clock.nowMs += 4_000;
        }
        assert.equal(await other.acquireOrderLock('order-1', 'holder-2', 5_000), 1_000);
      }));

    it('is taken by one of many', () =>
      withBench(async ({ ledger, other }) => {
        const taken = await Promise.all(
          upTo(40).map((n) =>
            (n % 2 ? ledger : other).acquireOrderLock('order-1', `holder-${n}`, 5_000),
          ),
        );
        assert.equal(taken.filter((freeInMs) => freeInMs === 0).length, 1);
      }));
  });

  describe(`the tables in ${name}`, () => {
    it('hold one open card of an order at most, even past the ledger', () =>
      withBench(async ({ ledger, execute }) => {
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
      }));
  });

  describe(`in time, a ledger in ${name}`, () => {
    it('forgets sends, pauses, Pix attempts and refused cards after a day, and nothing that counts', () =>
      withBench(async ({ ledger, other, clock, execute }) => {
        await ledger.recordSend('order-1', 'pix', startMs);
        await ledger.passThrottle('sweep', 1_000);
        await ledger.recordInvoice(toInvoice(), toPix());
        await ledger.recordInvoice(toInvoice({ method: 'credit_card', invoiceId: 'card' }));
        for (const [key, state] of [
          ['card-0', 'refused'],
          ['card-1', 'sent'],
        ] as const) {
          await ledger.claimAttempt(toCard({ key }));
          await ledger.advanceAttempt(toCard({ key }), { state }, 60_000);
        }
        clock.nowMs += dayMs;
        await other.prune();
        assert.equal((await ledger.find('order-1')).sentAtMs.length, 1);
        assert.equal((await ledger.findAttempts('key-1')).length, 1);
        clock.nowMs += 1;
        await Promise.all([ledger.prune(), other.prune()]);
        const { sentAtMs, invoices, cards } = await ledger.find('order-1');
        assert.deepEqual(sentAtMs, []);
        assert.equal(invoices.length, 2);
        assert.deepEqual(
          cards.map(({ key }) => key),
          ['card-1'],
        );
        assert.deepEqual(await ledger.findAttempts('key-1'), []);
        await execute("INSERT INTO pix_pauses (name, at_ms) VALUES ('sweep', 1)");
      }));

    it('forgets an order 90 days after its last use, or 7 if nothing came of it', () =>
      withBench(async ({ ledger, clock }) => {
        await ledger.recordInvoice(toInvoice());
        await ledger.claimAttempt(toCard({ externalId: 'order-2' }));
        clock.nowMs += claimedForMs;
        await endAll(ledger);
        clock.nowMs = startMs + 7 * dayMs + 1;
        await ledger.prune();
        assert.equal(await countOrders(ledger, ['order-1']), 1);
        clock.nowMs = startMs + 90 * dayMs;
        await ledger.prune();
        assert.equal(await countOrders(ledger, ['order-1']), 1);
        clock.nowMs += 1;
        await ledger.prune();
        assert.equal(await countOrders(ledger, ['order-1']), 0);
        assert.deepEqual(await ledger.claimDueLookUps(10, 0), []);
        // As if it had never been: it may be told of again, under the same name.
        await ledger.recordInvoice(toInvoice());
        assert.deepEqual(await peekKinds(ledger), ['waiting']);
      }));

    it('never forgets an unknown card, or what the merchant was not told', () =>
      withBench(async ({ ledger, clock }) => {
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), { state: 'unknown', candidate: null });
        await ledger.recordPaid(toInvoice({ externalId: 'order-2', status: 'paid' }), none);
        await ledger.recordMismatch(toInvoice({ externalId: 'order-3' }), 'is_pix');
        const [told] = await ledger.claimEvents(['outcome_unknown'], 10, 0);
        await ledger.endEvent(told?.notice.deliveryId ?? '', 'delivered');
        clock.nowMs += 400 * dayMs;
        await ledger.prune();
        assert.equal((await ledger.findAttempts('card-1')).length, 1);
        assert.ok((await ledger.find('order-2')).paid);
        assert.deepEqual((await peekKinds(ledger)).toSorted(), ['mismatch', 'paid']);
        await endAll(ledger);
        await ledger.prune();
        assert.equal((await ledger.find('order-2')).paid, null);
      }));

    it('forgets a reminder that no hook took, with its order', () =>
      withBench(async ({ ledger, clock }) => {
        await ledger.recordInvoice(toInvoice());
        assert.deepEqual(await peekKinds(ledger), ['waiting']);
        clock.nowMs += 400 * dayMs;
        await ledger.prune();
        assert.deepEqual((await ledger.find('order-1')).invoices, []);
        assert.deepEqual(await peekKinds(ledger), []);
      }));

    it('forgets deliveries 90 days after they ended, however many there are', () =>
      withBench(async ({ ledger, clock, execute }) => {
        await ledger.recordMismatch(toInvoice(), 'is_pix');
        await endAll(ledger);
        clock.nowMs += 89 * dayMs;
        await ledger.recordSend('order-1', 'pix', clock.nowMs);
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
      }));
  });

  describe(`errors of a ledger in ${name}`, () => {
    it('say nothing of what was asked, and leave the ledger usable', () =>
      withBench(async ({ ledger, execute }) => {
        await execute('ALTER TABLE pix_sends RENAME TO pix_elsewhere');
        await assert.rejects(ledger.recordSend('order-1', 'pix', startMs), (error) => {
          assert.ok(error instanceof LedgerError);
          assert.deepEqual(Object.keys(error).toSorted(), ['code', 'name']);
          assert.match(error.message, /^the ledger failed: \w+$/);
          assert.equal(error.cause, undefined);
          assert.doesNotMatch(error.stack ?? '', /insert into|order-1|pix_/i);
          return true;
        });
        // All or nothing: the order's step went with it.
        await execute('ALTER TABLE pix_elsewhere RENAME TO pix_sends');
        await ledger.recordSend('order-1', 'pix', startMs + 1);
        assert.deepEqual((await ledger.find('order-1')).sentAtMs, [startMs + 1]);
      }));

    it('come for a URL of another kind before anything is opened', async () => {
      for (const url of ['', 'mysql://u:secret@host/db', 'pix.db', 'postgres:secret', undefined]) {
        await assert.rejects(openLedger({ url: url as string }), (error) => {
          assert.ok(error instanceof TypeError);
          assert.match(error.message, /^url /);
          assert.doesNotMatch(String(error.stack), /secret|host/);
          return true;
        });
      }
    });
  });
}

const tables = [
  'pix_orders',
  'pix_sends',
  'pix_invoices',
  'pix_attempts',
  'pix_deliveries',
  'pix_pauses',
  'pix_migrations',
];

type Durable = Parameters<Parameters<WithDurableBench>[0]>[0]['ledger'];

async function endAll(ledger: Durable): Promise<void> {
  for (const { notice } of await ledger.claimEvents(allKinds, 100, 0)) {
    await ledger.endEvent(notice.deliveryId, 'delivered');
  }
}

async function countOrders(ledger: Durable, ids: readonly string[]): Promise<number> {
  const records = await Promise.all(ids.map((id) => ledger.find(id)));
  return records.filter(({ invoices }) => invoices.length > 0).length;
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
