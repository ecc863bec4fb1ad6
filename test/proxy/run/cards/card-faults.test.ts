/**
 * Whatever the service does to a charge, in each state of its key, with the order kept in memory, in SQLite and in
 * PostgreSQL: no card is charged twice, and no unknown outcome is called refused or worth another try.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openLedger } from '../../../../src/ledger.js';
import type { Fault } from '../../../../src/sandbox.js';
import {
  inProgress,
  networkError,
  openCardShop,
  orderPaid,
  outcomeOf,
  refused,
  unavailable,
  unknown,
} from '../../../support/proxy/card-shop.js';
import type { CardShop } from '../../../support/proxy/card-shop.js';
import { durableStores } from '../../../support/proxy/stores.js';
import type { TestStore } from '../../../support/proxy/stores.js';
import { createWorld, turnsUntil } from '../../../support/proxy/shop.js';
import { leftOutIf } from '../../../tools/runner/left-out.js';

const created = '200';
const reused = '422 key_reused';

/** What a request is told when it is the first, when it is repeated, and when its key comes back with another body. */
interface Told {
  readonly first: string;
  readonly again: string;
  readonly other: string;
}

/** What happened is not known. */
const isUnknown: Told = { first: unknown, again: unknown, other: reused };
/** The answer was wrong, but it named an invoice that a look-up finds right. */
const isFoundLater: Told = { first: unknown, again: created, other: reused };
/** Nothing was charged, and nothing will be: the next press has a key of its own. */
const isFailed: Told = { first: unavailable, again: reused, other: reused };
const isRefused: Told = { first: refused, again: refused, other: reused };
const isCreated: Told = { first: created, again: created, other: reused };

type Strike = (shop: CardShop) => void | Promise<void>;

/** Throws for as many creations, before the sandbox hears of them. */
function unsent(code: string, times: number): Strike {
  return (shop) => {
    let left = times;
    shop.network = ({ method }) => {
      if (method !== 'POST' || left === 0) return;
      left -= 1;
      throw networkError(code);
    };
  };
}

/** Once, so that a second creation would go through and be seen as a second charge. */
function once(kind: Fault['kind'], http_status?: number): Strike {
  const status = http_status === undefined ? {} : { http_status };
  return (shop) => shop.fail({ on: 'create', kind, times: 1, ...status });
}

const faults: [name: string, strike: Strike, told: Told][] = [
  ['no fault', () => {}, isCreated],
  ['refused', unsent('ECONNREFUSED', 2), isFailed],
  ['refused once', unsent('ECONNREFUSED', 1), isCreated],
  ['DNS', unsent('ENOTFOUND', 2), isFailed],
  ['DNS once', unsent('EAI_AGAIN', 1), isCreated],
  ['connect time-out', unsent('UND_ERR_CONNECT_TIMEOUT', 2), isFailed],
  ['connect time-out once', unsent('UND_ERR_CONNECT_TIMEOUT', 1), isCreated],
  ['reset before read', once('cut_before'), isUnknown],
  ['reset after effect', once('cut_after'), isUnknown],
  ['hang after effect', once('hang'), isUnknown],
  ['slow body', once('slow_body'), isUnknown],
  ['truncated', once('truncated'), isUnknown],
  ['empty 200', once('empty'), isUnknown],
  ['HTML 200', once('garbage'), isUnknown],
  ['wrong shape', once('wrong_shape'), isUnknown],
  ['no invoice id', once('no_invoice_id'), isUnknown],
  ['oversize', once('oversize'), isUnknown],
  ['foreign reference', once('foreign_reference'), isFoundLater],
  ['other total', once('wrong_total'), isFoundLater],
  ['unknown status', once('unknown_status'), isCreated],
  ['301', once('redirect_after_effect', 301), isUnknown],
  ['301 without effect', once('redirect', 301), isUnknown],
  ['307', once('redirect_after_effect', 307), isUnknown],
  ['307 without effect', once('redirect', 307), isUnknown],
  ['400', once('client_error', 400), isRefused],
  ['401', once('unauthorized'), isFailed],
  ['402', once('client_error', 402), isRefused],
  ['403', once('client_error', 403), isFailed],
  ['404', once('client_error', 404), isFailed],
  ['405', once('client_error', 405), isFailed],
  ['408', once('client_error_after_effect', 408), isUnknown],
  ['409', once('client_error_after_effect', 409), isUnknown],
  ['409 without effect', once('client_error', 409), isUnknown],
  ['413', once('client_error', 413), isFailed],
  ['422', once('client_error', 422), isRefused],
  ['425', once('client_error', 425), isFailed],
  ['429', once('rate_limited'), isFailed],
  ...[500, 502, 503, 504].flatMap((status): [string, Strike, Told][] => [
    [String(status), once('server_error_after_effect', status), isUnknown],
    [`${status} without effect`, once('server_error', status), isUnknown],
  ]),
];

/** One fault for each outcome: in memory there are all of them. */
const oneOfEach = faults.filter(
  ([, , told], index) => faults.findIndex((other) => other[2] === told) === index,
);

const pauseMs = 4_000;

/** A shop with a request to be made: its key belongs to one order. */
type Cell = Awaited<ReturnType<typeof openCell>>;

const columns: Record<string, (cell: Cell) => Promise<Response[]>> = {
  first: async ({ shop, ...order }) => [await shop.pay(undefined, order)],
  'same key again': async ({ shop, ...order }) => {
    const first = await shop.pay(undefined, order);
    await shop.clock.advance(pauseMs);
    return [first, await shop.pay(undefined, order)];
  },
  'two in flight': async ({ shop, ...order }) => {
    const release = shop.upstream.hold('POST');
    const first = shop.pay(undefined, order);
    await turnsUntil(() => shop.upstream.creates() === 1);
    const second = await shop.pay(undefined, order);
    release();
    return [await first, second];
  },
  'other body': async ({ shop, ...order }) => {
    const first = await shop.pay(undefined, order);
    await shop.clock.advance(pauseMs);
    return [first, await shop.pay({ token: 'tok_approve', installment: 2 }, order)];
  },
};

const expected: Record<string, (told: Told) => string[]> = {
  first: ({ first }) => [first],
  'same key again': ({ first, again }) => [first, again],
  'two in flight': ({ first }) => [first, inProgress],
  'other body': ({ first, other }) => [first, other],
};

/** Only these wait for a time-out: long enough for everything else, on a busy machine too, milliseconds. */
const timeoutMs = 750;
const silent: ReadonlySet<string> = new Set(['hang after effect', 'slow body']);

/** @param store where its orders are kept; null: in memory */
async function openCell(name: string, store: TestStore | null) {
  const world = createWorld();
  const { now } = world.clock;
  const ledger = store && (await openLedger({ url: await store.createUrl(), now }));
  const options = silent.has(name) ? { serviceTimeoutMs: timeoutMs } : {};
  const shop = openCardShop({ ...(ledger && { ledger }), ...options }, world);
  const close = async () => {
    await shop.proxy.close();
    await ledger?.close();
  };
  return { shop, close, key: randomUUID(), externalId: `order-${randomUUID()}` };
}

/** What money that may have moved must never be answered with. */
const saysNoCharge: ReadonlySet<string> = new Set([refused, unavailable]);

describe('creating by card, whatever the service does', () => {
  for (const store of [null, ...durableStores()]) {
    describe(`with orders in ${store?.name ?? 'memory'}`, leftOutIf(store?.whyNot ?? false), () => {
      if (store) beforeAll(store.open);
      if (store) afterAll(store.close);
      for (const [name, strike, told] of store ? oneOfEach : faults) {
        it(`${name}: ${told.first}`, async () => {
          for (const column of Object.keys(columns)) {
            const cell = await openCell(name, store);
            await strike(cell.shop);
            const responses = await columns[column]!(cell);
            await judge(cell, column, told, responses);
            await cell.close();
          }
        });
      }
    });
  }
});

async function judge(
  cell: Cell,
  column: string,
  told: Told,
  responses: readonly Response[],
): Promise<void> {
  const { shop } = cell;
  const answers = await Promise.all(responses.map(outcomeOf));
  const sends = shop.upstream.creates();
  const charges = shop.sandbox.charges().count;
  assert.deepEqual(answers, expected[column]!(told), column);
  assert.ok(charges <= 1, `${column}: charged ${charges} times`);
  const last = answers.at(-1)!;
  if (charges === 1) assert.ok(!saysNoCharge.has(last), `${column}: charged, ${last}`);
  if (told.first === unknown) {
    assert.equal(sends, 1, `${column}: sent again`);
    assert.ok(!answers.some((answer) => saysNoCharge.has(answer)), column);
    await staysOneDebt(cell, told);
  }
  if (saysNoCharge.has(told.first)) await takesAnotherCard(cell);
}

/** After a card that was not charged another one pays the order. */
async function takesAnotherCard({ shop, externalId }: Cell): Promise<void> {
  await shop.clock.advance(pauseMs);
  assert.equal(await outcomeOf(shop.pay(undefined, { externalId })), created);
  assert.equal(shop.sandbox.charges().count, 1);
}

/** After an unknown outcome neither another key nor Pix nor another page pays the order. */
async function staysOneDebt({ shop, key, externalId }: Cell, told: Told): Promise<void> {
  await shop.clock.advance(pauseMs);
  assert.equal(await outcomeOf(shop.ask(key)), told.again);
  const outcome = told.again === created ? orderPaid : inProgress;
  assert.equal(await outcomeOf(shop.pay(undefined, { externalId })), outcome);
  assert.equal(await outcomeOf(shop.create({ externalId })), outcome);
  assert.equal(shop.upstream.creates(), 1);
  assert.ok(shop.sandbox.charges().count <= 1);
}
