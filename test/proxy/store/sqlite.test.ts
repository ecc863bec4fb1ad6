/** Orders in a SQLite file keep the contract, and what only a file can show. */

import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, test, vi, type TestContext } from 'vitest';
import { LedgerError } from '../../../src/proxy/store/order-store.js';
import { openStore } from '../../../src/proxy/store/open-store.js';
import { createSqlStore } from '../../../src/proxy/store/sql/sql-store.js';
import { openSqliteDriver, openSqlite } from '../../../src/proxy/store/sql/sqlite.js';
import { onStore, withFile } from './bench.js';
import { describeDurable } from './contract-durable.js';
import { describeStore } from './contract.js';
import { addInvoice, toOrder, upTo } from './samples.js';
import { makeFolder } from '../../support/folder.js';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describeStore('a store in a file', withFile);
describeDurable('a file', withFile, openSqlite);

describe('a store’s file', () => {
  const it = onStore(withFile);

  test('is named by a path of any form', async (t) => {
    const path = join(makeFolder(t), 'um pix.db');
    const near = relative(process.cwd(), path);
    const urls = [`file:${path}`, `file:./${near}`, `file:${near}`, pathToFileURL(path).href];
    for (const url of urls) {
      const store = await openStore({ url });
      await store.change('order-1', addInvoice(1));
      await store.close();
      assert.ok(existsSync(path), url);
      rmSync(path);
    }
  });

  test('is for its owner alone, from the first byte on, and so are the files beside it', async (t) => {
    const folder = makeFolder(t);
    const before = process.umask(0o022);
    t.onTestFinished(() => void process.umask(before));
    const store = await openStore({ url: `file:${join(folder, 'pix.db')}` });
    await store.change('order-1', addInvoice(1));
    const modes = readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]);
    await store.close();
    const expected = { 'pix.db': '600', 'pix.db-shm': '600', 'pix.db-wal': '600' };
    assert.deepEqual(Object.fromEntries(modes), expected);
  });

  test('that is there already keeps the mode that its owner gave it', async (t) => {
    const folder = makeFolder(t);
    const path = join(folder, 'pix.db');
    writeFileSync(path, '');
    chmodSync(path, 0o660);
    await (await openStore({ url: `file:${path}` })).close();
    assert.equal(modeOf(path), '660');
  });

  test('is never a server or nothing at all', async () => {
    for (const [url, message] of [
      ['file:', 'url names no file'],
      ['file::memory:', 'url names no file'],
      ['file://host/pix.db', 'url is not the URL of a file on this machine'],
    ] as const) {
      await assert.rejects(openStore({ url }), { name: 'TypeError', message });
    }
    for (const path of ['libsql://host/pix.db', 'http://host/pix.db', '/no/such/folder']) {
      await assert.rejects(openStore({ url: `file:${path}` }), { code: 'SQLITE_CANTOPEN' }, path);
    }
  });

  const unusable: [
    name: string,
    message: RegExp,
    make: (path: string, t: TestContext) => unknown,
  ][] = [
    ['in no folder', /CANTOPEN: \/.*\/pix\.db: there is no folder \/.*$/, () => undefined],
    [
      'that is a folder',
      /CANTOPEN: \/.*: it is a folder$/,
      (path) => mkdirSync(path, { recursive: true }),
    ],
    [
      'below a file',
      /CANTOPEN: \/.*: \/.* is no folder$/,
      (path) => writeFileSync(dirname(path), ''),
    ],
    [
      'of another kind',
      /NOTADB: \/.*: it is a file of another kind$/,
      (path) => {
        mkdirSync(dirname(path));
        writeFileSync(path, 'x'.repeat(5_000));
      },
    ],
    [
      'that is damaged',
      /CORRUPT: \/.*: it is damaged$/,
      async (path) => {
        mkdirSync(dirname(path));
        const driver = await openSqliteDriver(path);
        driver.exec('CREATE TABLE pix_schema (number BIGINT PRIMARY KEY)');
        driver.close();
        const bytes = readFileSync(path);
        writeFileSync(path, bytes.fill(0xff, 100, 200));
      },
    ],
    [
      'that another connection holds',
      /BUSY: \/.*: another process holds it$/,
      async (path, t) => {
        mkdirSync(dirname(path));
        const other = await openSqliteDriver(path);
        t.onTestFinished(other.close);
        other.exec('BEGIN EXCLUSIVE');
        let nowMs = 0;
        vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000));
      },
    ],
  ];
  for (const [name, message, make] of unusable) {
    test(`${name} is named with its cause`, async (t) => {
      const folder = makeFolder(t);
      const path = join(folder, 'shop', 'pix.db');
      await make(path, t);
      await assert.rejects(openStore({ url: `file:${path}` }), { name: 'LedgerError', message });
    });
  }

  test('that this user may not write is named with its cause', async (t) => {
    const folder = makeFolder(t);
    // No user may write here, not even root, who tests in a container.
    await assert.rejects(openStore({ url: 'file:/proc/pix.db' }), {
      message: /^the ledger failed: SQLITE_CANTOPEN: \/proc\/pix\.db: ./,
    });
    await assert.rejects(openStore({ url: `file:${folder}/none.db`, readOnly: true }), {
      message: /none\.db: there is no such file$/,
    });
  });

  test('that is not there is not made to be read', async (t) => {
    const folder = makeFolder(t);
    const url = `file:${join(folder, 'pix.db')}`;
    await assert.rejects(openStore({ url, readOnly: true }), LedgerError);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('takes no change from who may only read', async ({ url, store }) => {
    const reader = await openStore({ url, readOnly: true });
    await assert.rejects(reader.change('order-1', addInvoice(1)), { code: 'SQLITE_READONLY' });
    await reader.close();
    assert.equal(await store.read('order-1'), null);
  });

  it('is safe when an operation has resolved: written ahead, and synchronised', async ({
    execute,
  }) => {
    assert.deepEqual(await execute('PRAGMA journal_mode'), [{ journal_mode: 'wal' }]);
  });

  it('is waited for, unless the caller says that it need not be', async ({ url }) => {
    const texts: string[] = [];
    const database = await openSqlite(url, false, async (path) => {
      const driver = await openSqliteDriver(path);
      const exec = (text: string) => {
        texts.push(text);
        driver.exec(text);
      };
      return { ...driver, exec };
    });
    assert.ok(texts.includes('PRAGMA fullfsync = ON'));
    const lastLevel = () => texts.findLast((one) => /synchronous = /.test(one))?.replace(/.* /, '');
    const store = createSqlStore(database, Date.now);
    const expected: [isRelaxed: boolean, level: string][] = [
      [false, 'FULL'],
      [true, 'NORMAL'],
      [true, 'NORMAL'],
      [false, 'FULL'],
    ];
    for (const [n, [isRelaxed, level]] of expected.entries()) {
      await store.change('order-1', addInvoice(n), isRelaxed ? { isRelaxed } : {});
      assert.equal(lastLevel(), level);
    }
    await store.passThrottle('prune', 1_000);
    assert.equal(lastLevel(), 'NORMAL');
    await database.close();
  });

  it('is read and written by statements that are prepared once', async ({ url }) => {
    let prepared = 0;
    const database = await openSqlite(url, false, async (path) => {
      const driver = await openSqliteDriver(path);
      const prepare: typeof driver.prepare = (text) => {
        prepared += 1;
        return driver.prepare(text);
      };
      return { ...driver, prepare };
    });
    const store = createSqlStore(database, Date.now);
    const use = async (id: string) => {
      for (const n of upTo(3)) await store.change(id, addInvoice(n));
    };
    await use('order-1');
    const before = prepared;
    await use('order-2');
    assert.equal(prepared, before);
    await database.close();
  });

  it('is waited for, five seconds, while others write', async ({ store, url, open }) => {
    const another = await openSqliteDriver(url.slice('file:'.length));
    another.exec('BEGIN IMMEDIATE');
    let isWritten = false;
    const changing = store.change('order-1', addInvoice(1)).then(() => (isWritten = true));
    // Nothing else waits.
    const other = await open();
    assert.equal(await other.read('order-1'), null);
    assert.equal(isWritten, false);
    another.exec('COMMIT');
    await changing;
    assert.equal((await other.read('order-1'))?.invoices.length, 1);

    let nowMs = 0;
    const steady = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const database = await openSqlite(url, false, async (path) => {
      const driver = await openSqliteDriver(path);
      const exec = (text: string) => {
        if (text === 'BEGIN IMMEDIATE') nowMs += 1_000;
        driver.exec(text);
      };
      return { ...driver, exec };
    });
    another.exec('BEGIN IMMEDIATE');
    const late = createSqlStore(database, Date.now);
    await assert.rejects(late.change('order-1', addInvoice(2)), { code: 'SQLITE_BUSY' });
    assert.equal(nowMs, 6_000);
    await database.close();
    steady.mockRestore();
    another.exec('COMMIT');
    another.close();
    assert.equal(await store.change('order-1', addInvoice(3)), 2);
  });

  it('lets everything else have its turn, however much is asked of it', async ({ store }) => {
    await store.change('order-1', addInvoice(1));
    const most = 100_000;
    const its = { turns: 0, reads: 0 };
    const count = () => {
      its.turns += 1;
      if (its.turns < 3) setImmediate(count);
    };
    setImmediate(count);
    // Each waits for the one before, as a loop does that takes what is due; and many wait together, as requests do.
    const loop = async () => {
      for (; its.turns < 3 && its.reads < most; its.reads += 1) await store.read('order-1');
    };
    await Promise.all(upTo(50).map(loop));
    assert.ok(its.reads < most, `${its.turns} turns`);
  });

  it('lets everything else have its turn between changes that take long', async ({ url }) => {
    let nowMs = 0;
    let inTurn = 0;
    let most = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const database = await openSqlite(url, false, async (path) => {
      const driver = await openSqliteDriver(path);
      const exec = (text: string) => {
        driver.exec(text);
        if (text !== 'COMMIT') return;
        nowMs += 20;
        inTurn += 1;
        most = Math.max(most, inTurn);
      };
      return { ...driver, exec };
    });
    const store = createSqlStore(database, Date.now);
    const changing = upTo(20).map((n) => store.change(`order-${n}`, addInvoice(n)));
    const isDone = Promise.all(changing).then(() => true);
    while (!(await Promise.race([isDone, nextTurn()]))) inTurn = 0;
    assert.equal(most, 1);
    await database.close();
  });

  it('takes what it refused before, once its cause is gone', async ({ store, execute }) => {
    await store.change('order-1', addInvoice(1));
    await execute(
      `CREATE TRIGGER refuses BEFORE UPDATE ON pix_orders BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
    for (let n = 0; n < 2; n += 1) {
      await assert.rejects(store.change('order-1', addInvoice(2)), { name: 'LedgerError' });
    }
    await execute('DROP TRIGGER refuses');
    await store.change('order-1', addInvoice(3));
    assert.equal((await store.read('order-1'))?.invoices.length, 2);
  });

  it('takes no name that the driver would cut', async ({ store }) => {
    await assert.rejects(store.change('order-1\0x', addInvoice(1)), { code: 'NUL_IN_TEXT' });
    assert.equal(await store.read('order-1'), null);
  });

  it('holds values that its own functions read', async ({ store, execute }) => {
    await store.change('order-1', () => [toOrder('order-1', 1), null]);
    const query = "SELECT doc ->> '$.invoices[0].totalCents' AS cents FROM pix_orders";
    assert.deepEqual(await execute(query), [{ cents: 12_345 }]);
  });
});
