/**
 * How far a request travels: the files of src/ that run for it, and the operations of its ledger. The numbers are printed;
 * they may only go down. Goal: 25 files for a Pix creation, 18 for a look-up.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { openLedger } from '../src/ledger.js';
import { signOrder } from '../src/proxy.js';
import {
  createTestClock,
  dataOf,
  openShop,
  publicUrl,
  secrets,
  shopOrigin,
} from './proxy/support/shop.js';
import type { Shop } from './proxy/support/shop.js';

type OpenLedger = Awaited<ReturnType<typeof openLedger>>;

const most = {
  creation: { files: 25, operations: 7 },
  'look-up': { files: 17, operations: 0 },
};

const payer = { name: 'Maria Silva', cpf_cnpj: '52998224725', email: 'maria@example.com' };

const session = new Session();
const clock = createTestClock();
const operations: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'hops-'));
let ledger: OpenLedger;
let shop: Shop;

before(async () => {
  ledger = await openLedger({ url: `file:${join(folder, 'ledger.db')}`, now: clock.now });
  shop = openShop({ now: clock.now, startTimer: clock.startTimer, ledger: withNames(ledger) });
  session.connect();
  await session.post('Profiler.enable');
  // Once before: what runs only at the start does not count.
  await shop.lookUp(await dataOf(await shop.proxy.fetch(await toCreation('first'))));
});

after(async () => {
  session.disconnect();
  await shop.proxy.close();
  await ledger.close();
  rmSync(folder, { recursive: true });
});

it('a creation and a look-up pass through few files', async () => {
  const request = await toCreation('second');
  let invoice!: Awaited<ReturnType<typeof dataOf>>;
  const creation = await measure(async () => {
    invoice = await dataOf(await shop.proxy.fetch(request, { remoteAddress: '203.0.113.7' }));
  });
  await clock.advance(2_000);
  const lookUp = await measure(async () => void (await dataOf(await shop.lookUp(invoice))));
  for (const [name, { files, called }] of Object.entries({ creation, 'look-up': lookUp })) {
    console.log(
      `${name}: ${files.length} files, ${called.length} operations (${called.join(' ')})`,
    );
    const limit = most[name as keyof typeof most];
    assert.ok(files.length <= limit.files, files.join('\n'));
    assert.ok(called.length <= limit.operations);
  }
});

async function toCreation(externalId: string): Promise<Request> {
  const orderToken = await signOrder({ secrets, publicUrl, externalId, now: clock.now });
  return new Request(`${publicUrl}/invoices`, {
    method: 'POST',
    headers: {
      origin: shopOrigin,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({
      method: 'pix',
      external_id: externalId,
      order_token: orderToken,
      payer,
    }),
  });
}

/** The ledger, each call of it noted by name. */
function withNames(whole: OpenLedger): OpenLedger {
  return new Proxy(whole, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        operations.push(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
}

/** The files of which a function ran meanwhile, and the operations called. */
async function measure(work: () => Promise<void>) {
  operations.length = 0;
  const options = { callCount: true, detailed: false };
  await session.post('Profiler.startPreciseCoverage', options);
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0),
  );
  const files = ran.flatMap(({ url }) => /\/(src\/.*)$/.exec(url)?.[1] ?? []);
  return { files: files.toSorted(), called: [...operations] };
}
