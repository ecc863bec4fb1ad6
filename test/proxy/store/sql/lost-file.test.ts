/**
 * A SQLite file that is deleted or replaced under a proxy that runs: what is written to it then is lost with the process, so
 * no payment may rest on it.
 */

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { openLedger } from '../../../../src/ledger.js';
import type { OpenLedger } from '../../../../src/ledger.js';
import { readKept, storeOf } from '../../../support/proxy/kept-order.js';
import { openCardShop, outcomeOf } from '../../../support/proxy/card-shop.js';
import type { CardShop } from '../../../support/proxy/card-shop.js';
import { publicUrl } from '../../../support/proxy/shop.js';
import { until } from '../../../support/until.js';

const lost = '503 service_unavailable';

/** A shop on a file that is reached by a link, as the folder of a release or of a mounted disk may be. */
async function withFile(run: (bench: Bench) => Promise<void>): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), 'pix-lost-'));
  try {
    const bench = await openBench(base);
    await run(bench);
    await bench.shop.proxy.close();
    for (const handle of bench.handles) await handle.close();
  } finally {
    rmSync(base, { recursive: true });
  }
}

async function openBench(base: string) {
  const [folder, link] = [join(base, 'data'), join(base, 'current')];
  mkdirSync(folder);
  symlinkSync(folder, link);
  const handles: OpenLedger[] = [];
  const open = async () => {
    const handle = await openLedger({ url: `file:${join(link, 'pix.db')}` });
    handles.push(handle);
    return handle;
  };
  const ledger = await open();
  const shop = openCardShop({ ledger });
  return { folder, link, file: join(folder, 'pix.db'), shop, ledger, open, handles };
}

type Bench = Awaited<ReturnType<typeof openBench>>;

/** Never answered from a second ago. */
async function ready({ proxy, clock }: CardShop): Promise<number> {
  await clock.advance(1_000);
  return (await proxy.fetch(new Request(`${publicUrl}/ready`))).status;
}

const losses: Readonly<Record<string, (bench: Bench) => void>> = {
  'is deleted': ({ file }) => rmSync(file),
  'is deleted with its folder': ({ folder }) => rmSync(folder, { recursive: true }),
  'is replaced by a copy': ({ file }) => {
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
  },
  'is left behind by its link': ({ folder, link }) => {
    rmSync(link);
    mkdirSync(`${folder}-2`);
    symlinkSync(`${folder}-2`, link);
  },
  'loses what was written last': ({ file }) => rmSync(`${file}-wal`),
  'loses what other processes write by': ({ file }) => rmSync(`${file}-shm`),
};

describe('a ledger’s file', () => {
  for (const [name, lose] of Object.entries(losses)) {
    it(`that ${name} takes no payment, and the proxy is not ready`, () =>
      withFile(async (bench) => {
        const { shop } = bench;
        await shop.create({ externalId: 'order-0' });
        assert.equal(await ready(shop), 200);
        lose(bench);
        assert.equal(await outcomeOf(await shop.pay()), lost);
        assert.equal(await outcomeOf(await shop.create({ externalId: 'order-2' })), lost);
        assert.equal(await ready(shop), 503);
        assert.equal(shop.upstream.creates(), 1);
        const names = new Set(shop.log.filter((e) => e.level === 'error').map((e) => e.errorName));
        assert.deepEqual([...names], ['LedgerError FILE_REPLACED']);
      }));
  }

  it('that is lost while a card is on its way leaves an unknown outcome', () =>
    withFile(async ({ shop, file }) => {
      shop.network = ({ method }) => (method === 'POST' ? rmSync(file) : undefined);
      const paying = shop.pay();
      await until(() => shop.sandbox.charges().count === 1);
      // So long it is tried to write down what was answered.
      await shop.clock.advance(15_000);
      assert.equal(await outcomeOf(await paying), '502 outcome_unknown');
      // What was read before still says that a card is open.
      assert.equal(await outcomeOf(await shop.pay()), '409 in_progress');
      assert.equal(shop.sandbox.charges().count, 1);
    }));

  it('that comes back is written to again, and keeps nothing of what was refused', () =>
    withFile(async ({ shop, ledger, file, open }) => {
      renameSync(file, `${file}.away`);
      assert.equal(await outcomeOf(await shop.pay()), lost);
      renameSync(`${file}.away`, file);
      assert.deepEqual((await readKept(storeOf(ledger), 'order-1')).cards, []);
      assert.equal(await ready(shop), 200);
      assert.equal(await outcomeOf(await shop.pay()), '200');
      assert.equal((await readKept(storeOf(await open()), 'order-1')).cards.length, 1);
    }));
});
