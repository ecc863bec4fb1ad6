/** The numbers that an operator's sink is told: all that are declared, with labels from closed lists, and at no risk to a payment. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { serveMetrics } from '../../src/node.js';
import { proxyMetrics } from '../../src/proxy.js';
import type { MetricsSink, ProxyOptions } from '../../src/proxy.js';
import { createMemoryStore } from '../../src/proxy/store/memory-store.js';
import { losesAnswer } from '../support/proxy/card-shop.js';
import { card, dataOf, json, openKeptShop, openShop, toSink } from '../support/proxy/shop.js';

/** Pays by Pix with a page that waits, has a card refused, and lets hooks and postbacks come. */
async function liveADay(options: Partial<ProxyOptions>) {
  const shop = openShop({ onPaid: () => undefined, serviceCallsPerMinute: 20, ...options });
  const { upstream, clock } = shop;
  const ticket = await dataOf(shop.create({ externalId: 'canary-order' }));
  const held = shop.lookUp(ticket, '?wait=25');
  await clock.advance(1_000);
  upstream.pay(ticket);
  await shop.postback();
  await clock.advance(26_000);
  assert.equal((await dataOf(held))['status'], 'paid');
  await shop.lookUp(ticket);
  upstream.behave = ({ method }) => (method === 'POST' ? json({}, 402) : undefined);
  const body = { method: 'credit_card', card: { token: 'tok_canary' } };
  assert.equal((await shop.create({ externalId: 'canary-card', body })).status, 402);
  upstream.behave = () => undefined;
  for (let i = 0; i < 20; i += 1) {
    await shop.lookUp(await dataOf(shop.create({ externalId: `canary-${i}` })));
  }
  await clock.advance(61_000);
  await shop.proxy.close();
  return shop;
}

describe('the numbers for operators', () => {
  it('are all told, by name, kind and label, and name no one', async () => {
    const told = new Map<string, Set<string>>();
    const note = (name: string, kind: string, labels: object = {}) => {
      assert.equal(Reflect.get(proxyMetrics, name)?.kind, kind, name);
      const of = told.get(name) ?? new Set();
      told.set(name, of.add(JSON.stringify(labels)));
    };
    await liveADay({
      metrics: {
        count: (name, labels) => note(name, 'counter', labels),
        observe: (name, seconds, labels) => {
          assert.ok(seconds >= 0);
          note(name, 'histogram', labels);
        },
        set: (name, value) => {
          assert.ok(value >= 0);
          note(name, 'gauge');
        },
      },
    });
    assert.deepEqual([...told.keys()].toSorted(), Object.keys(proxyMetrics).toSorted());
    const operations = Object.keys(createMemoryStore(Date.now));
    for (const [name, { labels }] of Object.entries(proxyMetrics)) {
      for (const text of told.get(name) ?? []) {
        const found = JSON.parse(text) as Record<string, string>;
        assert.deepEqual(Object.keys(found).toSorted(), Object.keys(labels).toSorted(), name);
        for (const [label, value] of Object.entries(found)) {
          const known = [...(labels[label] ?? []), ...operations];
          // Events of the log that alert no one.
          const isEvent = label === 'event' && /^[a-z_]+$/.test(value);
          assert.ok(isEvent || known.includes(value), `${name} ${text}`);
        }
      }
    }
    assert.doesNotMatch(JSON.stringify([...told].map(([, texts]) => [...texts])), /canary/i);
    const answers = [...(told.get('pix_look_ups_total') ?? [])].map((text) => JSON.parse(text));
    assert.deepEqual(
      new Set(answers.map(({ answer }) => answer)),
      new Set(['call', 'shared', 'throttled']),
    );
    assert.ok(
      told.get('pix_creations_total')?.has('{"method":"credit_card","outcome":"payment_refused"}'),
    );
  });

  it('never break a payment, and must be functions', async () => {
    const fail = () => {
      throw new Error('the sink is full');
    };
    // A rejection that nothing catches would end the process.
    const reject = async () => fail();
    for (const metrics of [fail, reject].map((tell) => ({
      count: tell,
      observe: tell,
      set: tell,
    }))) {
      await liveADay({ metrics, log: metrics.count });
    }
    for (const metrics of [null, {}, { count: fail, observe: fail }]) {
      assert.throws(
        () => openShop({ metrics: metrics as unknown as MetricsSink }),
        /^TypeError: metrics /,
      );
    }
  });

  it('are served to Prometheus, on loopback, and nothing else is', async () => {
    const { metrics, url, close } = await serveMetrics({ port: 0 });
    try {
      await liveADay({ metrics });
      const page = await fetch(url);
      assert.match(page.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
      const text = await page.text();
      assert.match(text, /^pix_payments_total 1$/m);
      assert.match(text, /^pix_creations_total\{method="pix",outcome="ok"\} 21$/m);
      assert.match(text, /^pix_creations_total\{method="pix",outcome="order_closed"\} 0$/m);
      assert.match(text, /^pix_hook_seconds_count\{hook="onPaid",outcome="ok"\} 1$/m);
      assert.match(text, /^pix_long_polls_open 0$/m);
      assert.doesNotMatch(text, /canary|tok_/i);
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
      assert.equal((await fetch(url.replace('metrics', ''))).status, 404);
      assert.equal((await fetch(url, { method: 'POST' })).status, 404);
    } finally {
      await close();
    }
    await assert.rejects(fetch(url));
  });

  it('of due work, told each minute or with runDue, are how late look-ups are, which events wait, and how many cards have an unknown end', async () => {
    const shop = openKeptShop({ backgroundJobs: false });
    const made = [];
    for (const externalId of ['order-1', 'order-2', 'order-3']) {
      made.push(await dataOf(shop.create({ externalId })));
    }
    shop.upstream.pay(made[0]!);
    await dataOf(shop.lookUp(made[0]!));
    shop.upstream.behave = ({ method }) => (method === 'POST' ? losesAnswer() : undefined);
    await shop.create({ externalId: 'order-4', body: card });
    shop.clock.skip(75_000);

    const numbers: Record<string, number> = {};
    const { proxy } = openKeptShop(
      {
        backgroundJobs: false,
        // Of two look-ups that are due one is made.
        serviceCallsPerMinute: 1,
        onPaid: () => Promise.reject(new Error('down')),
        onError: () => undefined,
        metrics: toSink({ set: (name, value) => void (numbers[name] = value) }),
      },
      shop,
    );
    await proxy.runDue();
    assert.deepEqual(numbers, {
      pix_reconciliation_lag_seconds: 60,
      pix_returns_lag_seconds: 0,
      pix_outbox_events: 1,
      pix_outbox_age_seconds: 75,
      pix_dead_events: 0,
      pix_unresolved_charges: 1,
    });
  });
});
