/**
 * Whatever the service does to a charge, in each state of its key: no card is charged twice, and no outcome that nobody
 * knows is called refused or worth another try. The run writes what it saw to `test/output/card-faults.md`.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import type { Fault } from '../../src/sandbox.js';
import { createGate, networkError, openCardShop, outcomeOf } from './card-shop.js';
import type { CardShop } from './card-shop.js';
import { until } from './support.js';

const created = '200';
const refused = '402 payment_refused';
const inProgress = '409 in_progress';
const reused = '422 key_reused';
const unknown = '502 outcome_unknown';
const unavailable = '503 service_unavailable';

/** What a request is told when it is the first, when it is repeated, and when its key comes back with another body. */
interface Told {
  readonly first: string;
  readonly again: string;
  readonly other: string;
}

/** Nobody can say what happened. */
const isUnknown: Told = { first: unknown, again: unknown, other: reused };
/** The answer was wrong, but it named an invoice that a look-up finds right. */
const isFoundLater: Told = { first: unknown, again: created, other: reused };
/** Nothing was charged, and the key is free again. */
const isFailed: Told = { first: unavailable, again: created, other: created };
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

interface Cell {
  readonly answers: string[];
  readonly sends: number;
  readonly charges: number;
}

const pauseMs = 4_000;

const columns: Record<string, (shop: CardShop, key: string) => Promise<Response[]>> = {
  first: async (shop, key) => [await shop.pay(undefined, { key })],
  'same key again': async (shop, key) => {
    const first = await shop.pay(undefined, { key });
    await shop.clock.advance(pauseMs);
    return [first, await shop.pay(undefined, { key })];
  },
  'two in flight': async (shop, key) => {
    const gate = createGate();
    const { network } = shop;
    shop.network = async (request) => {
      if (request.method === 'POST') await gate.opened;
      return network(request);
    };
    const first = shop.pay(undefined, { key });
    await until(() => shop.sends() === 1);
    const second = await shop.pay(undefined, { key });
    gate.release();
    return [await first, second];
  },
  'other body': async (shop, key) => {
    const first = await shop.pay(undefined, { key });
    await shop.clock.advance(pauseMs);
    return [first, await shop.pay({ token: 'tok_approve', installment: 2 }, { key })];
  },
};

const expected: Record<string, (told: Told) => string[]> = {
  first: ({ first }) => [first],
  'same key again': ({ first, again }) => [first, again],
  'two in flight': ({ first }) => [first, inProgress],
  'other body': ({ first, other }) => [first, other],
};

/** Only these wait for a time-out, and it may come as early as it likes: the outcome is unknown. */
const silent: ReadonlySet<string> = new Set(['hang after effect', 'slow body']);

async function runCell(
  name: string,
  strike: Strike,
  column: string,
): Promise<[Cell, CardShop, string]> {
  const shop = openCardShop(silent.has(name) ? { serviceTimeoutMs: 60 } : {});
  const key = randomUUID();
  await strike(shop);
  const responses = await columns[column]!(shop, key);
  const answers = await Promise.all(responses.map(outcomeOf));
  return [{ answers, sends: shop.sends(), charges: shop.sandbox.charges().count }, shop, key];
}

/** What money that may have moved must never be answered with. */
const saysNoCharge: ReadonlySet<string> = new Set([refused, unavailable]);

describe('creating by card, whatever the service does', () => {
  const rows: string[] = [];
  for (const [name, strike, told] of faults) {
    it(`${name}: ${told.first}`, async () => {
      const row: string[] = [];
      for (const column of Object.keys(columns)) {
        const [cell, shop, key] = await runCell(name, strike, column);
        assert.deepEqual(cell.answers, expected[column]!(told), column);
        assert.ok(cell.charges <= 1, `${column}: charged ${cell.charges} times`);
        const last = cell.answers.at(-1)!;
        if (cell.charges === 1) assert.ok(!saysNoCharge.has(last), `${column}: charged, ${last}`);
        if (told.first === unknown) {
          assert.equal(cell.sends, 1, `${column}: sent again`);
          assert.ok(!cell.answers.some((answer) => saysNoCharge.has(answer)), column);
          await staysOneDebt(shop, key, told);
        }
        row.push(`${cell.answers.join(', then ')} · ${cell.sends} sent · ${cell.charges} charged`);
      }
      rows.push(`| ${[name, ...row].join(' | ')} |`);
    });
  }

  after(() => {
    const heads = ['fault', ...Object.keys(columns)];
    const rule = heads.map(() => '---');
    const table = [heads, rule].map((line) => `| ${line.join(' | ')} |`);
    mkdirSync('test/output', { recursive: true });
    writeFileSync('test/output/card-faults.md', `${[...table, ...rows].join('\n')}\n`);
  });
});

/** After an unknown outcome neither another key nor Pix nor another page pays the order. */
async function staysOneDebt(shop: CardShop, key: string, told: Told): Promise<void> {
  await shop.clock.advance(pauseMs);
  assert.equal(await outcomeOf(await shop.ask(key)), told.again);
  assert.equal(
    await outcomeOf(await shop.pay()),
    told.again === created ? '409 order_paid' : inProgress,
  );
  const byPix = await outcomeOf(await shop.create());
  assert.equal(byPix, told.again === created ? '409 order_paid' : inProgress);
  assert.equal(shop.sends(), 1);
  assert.ok(shop.sandbox.charges().count <= 1);
}
