/** The ledger in a SQLite file keeps the contract, and what only a file can show. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import sql from 'sql-template-tag';
import { LedgerError, openLedger } from '../../../src/ledger.js';
import { openSqlite } from '../../../src/proxy/ledger/sql/sqlite.js';
import { lockOrder } from '../../../src/proxy/ledger/sql/orders.js';
import { firstLookUpAfterMs } from '../../../src/proxy/ledger/ledger.js';
import { describeAgreement } from './agreement.js';
import { describeLedger } from './contract.js';
import { onStore } from './contract/bench.js';
import { none, stages, startMs, toCard, toInvoice, toPaid, toPix } from './contract/samples.js';
import { describeDurable } from './contract/durable.js';
import { withFile } from './stores.js';

const { sent, unknown } = stages;

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describeLedger('the ledger in a file', withFile);
describeDurable('a file', withFile);
describeAgreement('a file', withFile, 25);

describe('a ledger’s file', () => {
  const it = onStore(withFile);

  test('is named by a path of any form', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pix-ledger-'));
    try {
      const path = join(folder, 'um pix.db');
      const near = relative(process.cwd(), path);
      for (const url of [
        `file:${path}`,
        `file:./${near}`,
        `file:${near}`,
        pathToFileURL(path).href,
      ]) {
        const ledger = await openLedger({ url, now: () => startMs });
        await ledger.recordSend('order-1', 'pix', startMs, 100);
        await ledger.close();
        assert.ok(existsSync(path), url);
        rmSync(path);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('is for its owner alone, from the first byte on, and so are the files beside it', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'pix-ledger-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const before = process.umask(0o022);
    t.after(() => process.umask(before));
    const ledger = await openLedger({ url: `file:${join(folder, 'pix.db')}`, now: () => startMs });
    await ledger.recordSend('order-1', 'pix', startMs, 100);
    const modes = readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]);
    await ledger.close();
    const expected = { 'pix.db': '600', 'pix.db-shm': '600', 'pix.db-wal': '600' };
    assert.deepEqual(Object.fromEntries(modes), expected);
  });

  test('that is there already keeps the mode that its owner gave it', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'pix-ledger-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'pix.db');
    writeFileSync(path, '');
    chmodSync(path, 0o660);
    await (await openLedger({ url: `file:${path}` })).close();
    assert.equal(modeOf(path), '660');
  });

  test('is never a server or nothing at all', async () => {
    for (const url of ['file:', 'file::memory:', 'file://host/pix.db']) {
      await assert.rejects(openLedger({ url }), TypeError);
    }
    for (const path of ['libsql://host/pix.db', 'http://host/pix.db', '/no/such/folder']) {
      const isTold = (error: unknown) =>
        error instanceof LedgerError && error.code === 'SQLITE_CANTOPEN';
      await assert.rejects(openLedger({ url: `file:${path}` }), isTold, path);
    }
  });

  it('is safe when an operation has resolved: written ahead, and synchronised', async ({ url }) => {
    const database = new Database(url.slice('file:'.length));
    const [mode] = database.prepare('PRAGMA journal_mode').all() as object[];
    database.close();
    assert.deepEqual(mode, { journal_mode: 'wal' });
  });

  it('is waited for where a payment depends on it', async ({ t, ledger, clock }) => {
    const exec = t.mock.method(Database.prototype, 'exec');
    const toLevel = async (act: () => Promise<unknown>) => {
      await act();
      const texts = exec.mock.calls.map((call) => call.arguments[0]);
      const begin = texts.findLast((text) => text.includes('BEGIN'));
      return begin && /synchronous = (\w+); BEGIN/.exec(begin)?.[1];
    };
    const relaxed = [
      () => ledger.acquireOrderLock('order-1', 'holder-1', 60_000),
      () => ledger.claimAttempt(toPix()),
      () => ledger.claimAttempt(toCard()),
      () => ledger.recordSend('order-1', 'pix', startMs, 100),
      () => ledger.advanceAttempt(toPix(), { state: 'created', invoiceId: 'invoice-1' }),
      () => ledger.releaseOrderLock('order-1', 'holder-1'),
      () => ledger.passThrottle('sweep', 1_000),
    ];
    const durable = [
      () => ledger.recordInvoice(toInvoice()),
      () => ledger.advanceAttempt(toCard(), sent, 1_000),
      () => ledger.advanceAttempt(toCard(), unknown),
      () => ledger.claimEvents(['waiting'], 1, 1_000),
      () => ledger.endEvent('waiting~order-1~invoice-1', 'delivered'),
      () => ledger.recordMismatch(toInvoice(), 'is_pix'),
      () => ledger.releaseCard('order-1'),
      () => ledger.recordPaid(toPaid(), none),
    ];
    for (const act of relaxed) assert.equal(await toLevel(act), 'NORMAL', String(act));
    for (const act of durable) assert.equal(await toLevel(act), 'FULL', String(act));
    await ledger.recordInvoice(toInvoice({ externalId: 'order-2' }));
    clock.nowMs += firstLookUpAfterMs;
    const [due = assert.fail()] = await ledger.claimDueLookUps(1, 1_000);
    assert.equal(await toLevel(() => ledger.scheduleLookUp(due, null)), 'NORMAL');
    // One that failed leaves nothing behind.
    await assert.rejects(ledger.recordSend('\0', 'pix', startMs, 100));
    assert.equal(await toLevel(() => ledger.recordInvoice(toInvoice())), 'FULL');
  });

  it('is read and written by statements that are prepared once', async ({ t, ledger }) => {
    const use = async (externalId: string) => {
      await ledger.recordInvoice(toInvoice({ externalId }));
      await ledger.find(externalId);
    };
    await use('order-1');
    const prepare = t.mock.method(Database.prototype, 'prepare');
    await use('order-2');
    assert.equal(prepare.mock.callCount(), 0);
  });

  it('is waited for, five seconds, while others write', async ({ ledger, url, open }) => {
    const another = new Database(url.slice('file:'.length));
    another.exec('BEGIN IMMEDIATE');
    let isRecorded = false;
    const recording = ledger.recordInvoice(toInvoice()).then(() => (isRecorded = true));
    // Nothing else waits.
    const other = await open();
    assert.deepEqual((await other.find('order-1')).invoices, []);
    assert.equal(isRecorded, false);
    another.exec('COMMIT');
    await recording;
    assert.equal((await other.find('order-1')).invoices.length, 1);

    another.exec('BEGIN IMMEDIATE');
    const startedAtMs = performance.now();
    const code = 'SQLITE_BUSY';
    await assert.rejects(ledger.recordSend('order-1', 'pix', startMs, 100), {
      name: 'LedgerError',
      code,
    });
    assert.ok(performance.now() - startedAtMs > 4_000);
    another.exec('COMMIT');
    another.close();
    await ledger.recordSend('order-1', 'pix', startMs, 100);
    assert.deepEqual((await ledger.find('order-1')).sentAtMs, [startMs]);
  });

  it('may end a transaction by itself, as on a full disk', async ({ url }) => {
    const store = await openSqlite(url);
    const write = store.write(async (query) => {
      await lockOrder(query, 'order-1', () => startMs);
      await query(sql`ROLLBACK`);
      throw new LedgerError('SQLITE_FULL');
    });
    await assert.rejects(write, { code: 'SQLITE_FULL' });
    const locked = await store.write((query) => lockOrder(query, 'order-1', () => startMs));
    assert.equal(locked.step, 1);
    await store.close();
  });

  it('takes no text that the driver would cut', async ({ ledger }) => {
    await assert.rejects(ledger.recordSend('order-1\0x', 'pix', startMs, 100), LedgerError);
    assert.deepEqual((await ledger.find('order-1')).sentAtMs, []);
  });
});
