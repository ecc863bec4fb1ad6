/** `pix-checkout move`: all orders go along, an empty ledger only, and none that proxies run with. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openLedger } from '../../src/ledger.js';
import type { OpenLedger } from '../../src/ledger.js';
import { storeOf } from '../support/proxy/kept-order.js';
import { toOrder, upTo } from '../proxy/store/samples.js';
import { createPostgresStore, createSqliteStore } from '../support/proxy/stores.js';
import { leftOutIf } from '../tools/runner/left-out.js';
import { runCommand } from '../support/cli/terminal.js';

const sqlite = createSqliteStore();
const postgres = createPostgresStore();

async function move(...args: string[]) {
  const run = runCommand(['move', ...args], {});
  return { code: await run.code, text: run.output(), warnings: run.warnings() };
}

async function using<T>(url: string, work: (ledger: OpenLedger) => Promise<T>): Promise<T> {
  const ledger = await openLedger({ url });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

async function fill(url: string, orders: number): Promise<void> {
  await using(url, async (ledger) => {
    for (const n of upTo(orders)) {
      await storeOf(ledger).change(`order-${n}`, () => [toOrder(`order-${n}`, 1), null]);
    }
  });
}

describe('pix-checkout move', () => {
  beforeAll(sqlite.open);
  afterAll(sqlite.close);

  it('moves no ledger that a proxy runs with, unless that was typed', async () => {
    const [from, to] = [await sqlite.createUrl(), await sqlite.createUrl()];
    await fill(from, 3);
    await using(from, (ledger) => storeOf(ledger).passThrottle('running', 60_000));
    const refused = await move(from, to);
    assert.equal(refused.code, 1);
    assert.match(refused.warnings, /Nothing is moved.*a process runs with it/);
    const { code, text } = await move(from, to, '--while-running');
    assert.deepEqual(
      [code, text.split('\n')[0]],
      [0, '3 orders in the old ledger, 3 in the new one'],
    );
    const again = await move(from, to, '--while-running');
    assert.match(again.warnings, /Nothing is moved.*there are orders in it/);
    assert.equal(again.code, 1);
  });

  it('says where there is nothing to move, and quotes no password', async () => {
    const { code, warnings } = await move(
      'postgres://shop:secret@127.0.0.1:1/shop',
      await sqlite.createUrl(),
    );
    assert.equal(code, 2);
    assert.doesNotMatch(warnings, /secret/);
    assert.equal((await move('mysql://secret', 'file:x')).code, 2);
  });

  describe('between SQLite and PostgreSQL', leftOutIf(postgres.whyNot), () => {
    beforeAll(postgres.open);
    afterAll(postgres.close);

    it('takes all orders there and back, with what falls due of them', async () => {
      const urls = [
        await sqlite.createUrl(),
        await postgres.createUrl(),
        await sqlite.createUrl(),
      ] as const;
      await fill(urls[0], 450);
      assert.equal((await move(urls[0], urls[1])).code, 0);
      assert.equal((await move(urls[1], urls[2])).code, 0);
      await using(urls[2], async (ledger) => {
        const store = storeOf(ledger);
        for (const n of [1, 200, 201, 450]) {
          assert.deepEqual(await store.read(`order-${n}`), toOrder(`order-${n}`, 1));
        }
        assert.equal((await store.count({ kinds: ['look_up'], most: 999 })).count, 450);
      });
    });
  });
});
