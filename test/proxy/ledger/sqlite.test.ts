/** The ledger in a SQLite file keeps the contract, and what only a file can show. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import Database from 'libsql';
import { LedgerError, openLedger } from '../../../src/ledger.js';
import { openSqlite } from '../../../src/proxy/ledger/sql/sqlite.js';
import { lockOrder } from '../../../src/proxy/ledger/sql/database.js';
import { describeAgreement } from './agreement.js';
import { describeLedger } from './contract.js';
import { startMs, toInvoice } from './contract/bench.js';
import { describeDurable } from './contract/durable.js';
import { withFile } from './stores.js';

describeLedger('the ledger in a file', withFile);
describeDurable('a file', withFile);
describeAgreement('a file', withFile, 25);

describe('a ledger’s file', () => {
  it('is named by a path of any form', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pix-ledger-'));
    try {
      const path = join(folder, 'um pix.db');
      for (const url of [
        `file:${path}`,
        `file:./${relative(process.cwd(), path)}`,
        `file:${relative(process.cwd(), path)}`,
        pathToFileURL(path).href,
      ]) {
        const ledger = await openLedger({ url, now: () => startMs });
        await ledger.recordSend('order-1', 'pix', startMs);
        await ledger.close();
        assert.ok(existsSync(path), url);
        rmSync(path);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is never a server or nothing at all', async () => {
    for (const url of ['file:', 'file::memory:', 'file://host/pix.db']) {
      await assert.rejects(openLedger({ url }), TypeError);
    }
    for (const url of [
      'file:libsql://host/pix.db',
      'file:http://host/pix.db',
      'file:/no/such/folder',
    ]) {
      await assert.rejects(
        openLedger({ url }),
        (error) => error instanceof LedgerError && error.code === 'SQLITE_CANTOPEN',
        url,
      );
    }
  });

  it('is safe when an operation has resolved: written ahead, and synchronised', () =>
    withFile(async ({ url }) => {
      const database = new Database(url.slice('file:'.length));
      const [mode] = database.prepare('PRAGMA journal_mode').all() as object[];
      database.close();
      assert.deepEqual(mode, { journal_mode: 'wal' });
    }));

  it('is waited for while another process writes, and nothing else waits', () =>
    withFile(async ({ ledger, url }) => {
      const another = new Database(url.slice('file:'.length));
      another.exec('BEGIN IMMEDIATE');
      let isRecorded = false;
      const recording = ledger.recordInvoice(toInvoice()).then(() => (isRecorded = true));
      const other = await openLedger({ url, now: () => startMs });
      assert.deepEqual((await other.find('order-1')).invoices, []);
      assert.equal(isRecorded, false);
      another.exec('COMMIT');
      await recording;
      assert.equal((await other.find('order-1')).invoices.length, 1);
      another.close();
      await other.close();
    }));

  it('fails what has waited for five seconds, and serves again afterwards', () =>
    withFile(async ({ ledger, url }) => {
      const another = new Database(url.slice('file:'.length));
      another.exec('BEGIN IMMEDIATE');
      const startedAtMs = performance.now();
      await assert.rejects(
        ledger.recordSend('order-1', 'pix', startMs),
        (error) => error instanceof LedgerError && error.code === 'SQLITE_BUSY',
      );
      assert.ok(performance.now() - startedAtMs > 4_000);
      another.exec('COMMIT');
      another.close();
      await ledger.recordSend('order-1', 'pix', startMs);
      assert.deepEqual((await ledger.find('order-1')).sentAtMs, [startMs]);
    }));

  it('may end a transaction by itself, as on a full disk: what failed is what is told', () =>
    withFile(async ({ url }) => {
      const store = await openSqlite(url);
      const write = store.write(async (tx) => {
        await lockOrder(tx, 'order-1', () => startMs);
        await sql`ROLLBACK`.execute(tx);
        throw new LedgerError('SQLITE_FULL');
      });
      await assert.rejects(write, { code: 'SQLITE_FULL' });
      const locked = await store.write((tx) => lockOrder(tx, 'order-1', () => startMs));
      assert.equal(locked.step, 1);
      await store.close();
    }));

  it('takes no text that the driver would cut: one name would become another', () =>
    withFile(async ({ ledger }) => {
      await assert.rejects(ledger.recordSend('order-1\0x', 'pix', startMs), LedgerError);
      assert.deepEqual((await ledger.find('order-1')).sentAtMs, []);
    }));
});
