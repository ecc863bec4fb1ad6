/**
 * Whatever the service does to a charge, in each state of its key, with the order kept in memory, in SQLite and in
 * PostgreSQL: no card is charged twice, and no unknown outcome is called refused or worth another try.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openLedger } from '../../../../src/ledger.js';
import type { OpenLedger } from '../../../../src/ledger.js';
import type { ProxyOptions } from '../../../../src/proxy.js';
import type { Fault } from '../../../../src/sandbox.js';
import {
  inProgress,
  networkError,
  openCardShop,
  outcomeOf,
  refused,
  unavailable,
  unknown,
} from '../../support/card-shop.js';
import type { CardShop } from '../../support/card-shop.js';
import { createPostgresStore, createSqliteStore } from '../../support/stores.js';
import type { TestStore } from '../../support/stores.js';
import { createGate, createTestClock, until } from '../../support/shop.js';
import type { TestClock } from '../../support/shop.js';
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
  ['422', once('client_error', 422), isRefused],
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
type Cell = ReturnType<typeof openCell>;

const columns: Record<string, (cell: Cell) => Promise<Response[]>> = {
  first: async ({ shop, ...order }) => [await shop.pay(undefined, order)],
  'same key again': async ({ shop, clock, ...order }) => {
    const first = await shop.pay(undefined, order);
    await clock.advance(pauseMs);
    return [first, await shop.pay(undefined, order)];
  },
  'two in flight': async ({ shop, ...order }) => {
    const gate = createGate();
    const { network } = shop;
    shop.network = async (request) => {
      if (request.method === 'POST') await gate.opened;
      return network(request);
    };
    const first = shop.pay(undefined, order);
    await until(() => shop.upstream.creates() === 1);
    const second = await shop.pay(undefined, order);
    gate.release();
    return [await first, second];
  },
  'other body': async ({ shop, clock, ...order }) => {
    const first = await shop.pay(undefined, order);
    await clock.advance(pauseMs);
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

/** Where orders are kept. Each cell has a clock of its own; they all begin at the same time. */
type Place = ReturnType<typeof inStore>;

const inMemory: Place = {
  name: 'memory',
  whyNot: false,
  open: async () => undefined,
  toOptions: () => ({}),
  close: async () => undefined,
};

function inStore(store: TestStore) {
  let ledger: OpenLedger | null = null;
  let now = Date.now;
  return {
    name: store.name as string,
    whyNot: store.whyNot,
    async open(): Promise<void> {
      await store.open();
      ledger = await openLedger({ url: await store.createUrl(), now: () => now() });
    },
    /** Options that a shop keeps its orders there with. */
    toOptions(clock: TestClock): Partial<ProxyOptions> {
      now = clock.now;
      return ledger === null ? {} : { ledger };
    },
    async close() {
      await ledger?.close();
      await store.close();
    },
  };
}

function openCell(name: string, place: Place) {
  const clock = createTestClock();
  const { now, startTimer } = clock;
  const shop = openCardShop({
    now,
    startTimer,
    ...place.toOptions(clock),
    ...(silent.has(name) && { serviceTimeoutMs: timeoutMs }),
  });
  return { shop, clock, key: randomUUID(), externalId: `order-${randomUUID()}` };
}

/** What money that may have moved must never be answered with. */
const saysNoCharge: ReadonlySet<string> = new Set([refused, unavailable]);

describe('creating by card, whatever the service does', () => {
  for (const place of [inMemory, inStore(createSqliteStore()), inStore(createPostgresStore())]) {
    describe(`with orders in ${place.name}`, leftOutIf(place.whyNot), () => {
      beforeAll(place.open);
      afterAll(place.close);
      for (const [name, strike, told] of place === inMemory ? faults : oneOfEach) {
        it(`${name}: ${told.first}`, async () => {
          for (const column of Object.keys(columns)) {
            const cell = openCell(name, place);
            await strike(cell.shop);
            const responses = await columns[column]!(cell);
            await judge(cell, column, told, responses);
            await cell.shop.proxy.close();
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
}

/** After an unknown outcome neither another key nor Pix nor another page pays the order. */
async function staysOneDebt({ shop, clock, key, externalId }: Cell, told: Told): Promise<void> {
  await clock.advance(pauseMs);
  assert.equal(await outcomeOf(shop.ask(key)), told.again);
  assert.equal(
    await outcomeOf(shop.pay(undefined, { externalId })),
    told.again === created ? '409 order_paid' : inProgress,
  );
  const byPix = await outcomeOf(shop.create({ externalId }));
  assert.equal(byPix, told.again === created ? '409 order_paid' : inProgress);
  assert.equal(shop.upstream.creates(), 1);
  assert.ok(shop.sandbox.charges().count <= 1);
}
