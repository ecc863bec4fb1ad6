/** Each alert of demo/operations fires when what it warns of happens to a real proxy, and none while all is well. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { createOrderCall } from '../../../src/cli/merchant-server/merchant-calls.js';
import { serveMetrics } from '../../../src/node.js';
import { proxyMetrics } from '../../../src/proxy.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import { root } from '../../tools/tools.js';
import { createBrokenStore } from '../../support/proxy/broken-store.js';
import type { BrokenStore } from '../../support/proxy/broken-store.js';
import { card, dataOf, json, openKeptShop } from '../../support/proxy/shop.js';
import type { Shop } from '../../support/proxy/shop.js';
import { createPrometheus, namesOf, readAlerts, readSamples } from './prometheus.js';

const folder = join(root, 'demo/operations');
const alerts = readAlerts(readFileSync(join(folder, 'alerts.yaml'), 'utf8'));
const dashboard = readFileSync(join(folder, 'dashboard.json'), 'utf8');

const scrapeEveryMs = 15_000;
const server = await serveMetrics({ port: 0 });

/** A shop that is watched, with what can go wrong with it. */
interface Watched {
  readonly shop: Shop;
  readonly broken: BrokenStore;
  readonly order: { failing: boolean };
  readonly hooks: { failing: boolean };
  /** Moves the wall clock, without what timers would do meanwhile. */
  readonly skip: (ms: number) => void;
}

interface Scenario {
  readonly options?: Partial<ProxyOptions>;
  /** Alerts beside its own that are right to fire. */
  readonly also?: readonly string[];
  readonly begin: (watched: Watched) => void | Promise<void>;
  /** Every fifteen seconds; default: one order. */
  readonly again?: (watched: Watched, round: number) => void | Promise<void>;
  readonly rounds?: number;
}

const nothing = () => undefined;

const scenarios: Readonly<Record<string, Scenario>> = {
  PixTokenRefused: {
    begin: ({ shop }) => void (shop.upstream.behave = () => json({}, 401)),
  },
  PixServiceFailing: {
    begin: ({ shop }) => void (shop.upstream.behave = () => json({}, 500)),
    rounds: 40,
  },
  PixPriceSourceDown: { begin: ({ order }) => void (order.failing = true) },
  PixHookFailing: {
    begin: async (watched) => {
      watched.hooks.failing = true;
      await payOne(watched, 'order-paid');
    },
    rounds: 40,
  },
  PixEventsDead: {
    // The clock jumps by hours: what falls due meanwhile is late at once.
    also: ['PixHookFailing', 'PixReconciliationLate'],
    begin: async (watched) => {
      watched.hooks.failing = true;
      await payOne(watched, 'order-paid');
    },
    again: (watched, round) =>
      watched.hooks.failing ? watched.skip(3_600_000) : orderOne(watched, round),
    rounds: 34,
  },
  PixLedgerFailing: {
    begin: ({ broken }) => broken.break(null, 'down'),
    again: ({ shop }) => void shop.create().then(nothing),
  },
  PixLedgerSlow: {
    begin: ({ broken }) => broken.break(null, 'slow'),
    again: ({ shop }) => void shop.create().then(nothing),
    rounds: 30,
  },
  PixUnresolvedCharge: {
    begin: async ({ shop }) => {
      shop.upstream.behave = ({ method }) => {
        if (method === 'POST') throw new TypeError('fetch failed');
        return undefined;
      };
      await shop.create({ body: card });
      shop.upstream.behave = nothing;
    },
  },
  PixNoWorker: {
    options: { backgroundJobs: false },
    begin: nothing,
    rounds: 30,
  },
  PixReconciliationLate: {
    begin: async ({ shop, broken }) => {
      await dataOf(shop.create({ externalId: 'order-late' }));
      broken.break('change', 'down');
    },
    also: ['PixLedgerFailing'],
    rounds: 40,
  },
  PixReturned: {
    begin: async ({ shop }) => {
      const { invoice_id: id, ...ticket } = await dataOf(shop.create({ externalId: 'order-back' }));
      const invoice = shop.upstream.invoices.get(id)!;
      invoice.status = 'paid';
      await dataOf(shop.lookUp({ ...ticket, invoice_id: id }));
      invoice.status = 'refunded';
      await shop.postback({ id });
    },
  },
  PixMismatch: {
    begin: async ({ shop }) => {
      const { invoice_id: id } = await dataOf(shop.create({ externalId: 'order-odd' }));
      Object.assign(shop.upstream.invoices.get(id)!, { status: 'paid', total_cents: 1 });
    },
  },
};

/** A shop whose web server knows no such path: one deployment with a wrong `ORDER_URL`. */
const wrongOrderUrl = createOrderCall({
  url: 'https://shop.example/ordr',
  secrets: [`whsec_${Buffer.alloc(32, 1).toString('base64')}`],
  fetch: async () => Response.json({ detail: 'Not Found' }, { status: 404 }),
});

/** Pays an order; its page is closed. */
async function payOne({ shop }: Watched, externalId: string): Promise<void> {
  const { invoice_id: id } = await dataOf(shop.create({ externalId }));
  shop.upstream.pay({ invoice_id: id });
}

async function orderOne({ shop }: Watched, round: number): Promise<void> {
  const response = await shop.create({ externalId: `order-${round}` });
  await response.text();
}

function openWatched(options: Partial<ProxyOptions>) {
  const broken = createBrokenStore();
  const order = { failing: false };
  const hooks = { failing: false };
  const faults: Partial<ProxyOptions> = {
    resolveOrder: () => {
      if (order.failing) throw new Error('the shop is down');
      return { total_price_cents: 12_345 };
    },
    onPaid: () => {
      if (hooks.failing) throw new Error('the shop is down');
    },
  };
  const shop = openKeptShop({ ...faults, ...options }, broken.world);
  const { clock } = shop;
  return { watched: { shop, broken, order, hooks, skip: clock.skip }, clock, now: clock.now };
}

/** @returns the names of the alerts that fired at any time */
async function run({
  options,
  begin,
  again = orderOne,
  rounds = 24,
}: Scenario): Promise<Set<string>> {
  const { metrics, url, close } = await serveMetrics({ port: 0 });
  const { watched, clock, now } = openWatched({ metrics, ...options });
  const prometheus = createPrometheus(now, async () => (await fetch(url)).text());
  const fired = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    // After the first minute, when the state of the ledger is told.
    if (round === 5) await begin(watched);
    await again(watched, round);
    await clock.advance(scrapeEveryMs);
    await prometheus.scrape();
    for (const alert of alerts) if (prometheus.isFiring(alert)) fired.add(alert.name);
  }
  await close();
  return fired;
}

describe('the rules for Prometheus', () => {
  afterAll(() => server.close());

  it('name only numbers that a proxy tells, and so does the dashboard', async () => {
    const gauges = Object.entries(proxyMetrics).filter(([, { kind }]) => kind === 'gauge');
    const told = new Set(gauges.map(([name]) => name));
    const { metrics } = server;
    metrics.observe('pix_ledger_seconds', 1, { operation: 'find', outcome: 'ok' });
    for (const { name } of readSamples(await (await fetch(server.url)).text())) told.add(name);
    const asked = [...alerts.flatMap(({ expr }) => namesOf(expr)), ...namesOf(dashboard)];
    assert.ok(asked.length > 20);
    assert.deepEqual(
      asked.filter((name) => !told.has(name)),
      [],
    );
  });

  it('count each way in which a call of the service fails', () => {
    const { expr } = alerts.find(({ name }) => name === 'PixServiceFailing')!;
    const [, failures = ''] = /outcome=~"([^"]+)"/.exec(expr) ?? [];
    const answers = new Set(['ok', 'not_found', 'refused_request']);
    // It has an alert of its own.
    answers.add('unauthorized');
    const { outcome } = proxyMetrics.pix_service_call_seconds.labels;
    assert.deepEqual(
      failures.split('|').toSorted(),
      outcome?.filter((one) => !answers.has(one)).toSorted(),
    );
  });

  it('are silent while all is well', async () => {
    const fired = await run({
      begin: (watched) => payOne(watched, 'order-paid'),
      rounds: 30,
    });
    assert.deepEqual([...fired], []);
  });

  it('tell of a wrong path in ORDER_URL', async () => {
    let isWrong = false;
    const fired = await run({
      options: {
        resolveOrder: (question) =>
          isWrong ? wrongOrderUrl(question) : { total_price_cents: 12_345 },
      },
      begin: () => void (isWrong = true),
    });
    assert.deepEqual([...fired], ['PixPriceSourceDown']);
  });

  for (const { name, summary } of alerts) {
    it(`${name} fires: ${summary.toLowerCase()}`, async () => {
      const scenario = scenarios[name] ?? assert.fail('no test provokes it');
      const fired = await run(scenario);
      const allowed = [name, ...(scenario.also ?? [])];
      assert.ok(fired.has(name), [...fired].join(', ') || 'none fired');
      assert.deepEqual(
        [...fired].filter((one) => !allowed.includes(one)),
        [],
      );
    });
  }
});
