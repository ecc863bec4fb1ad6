/**
 * What following an invoice costs and how soon a payment is seen, over some hundred payers through the whole proxy, in
 * virtual time: half pay within 45 s, 95 % within 180 s (log-normal); any way there and back takes 150 ms.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { afterAnswer, startLookUp } from '../../../src/checkout/machine/polling.js';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import { terms, watching } from '../../checkout/machine/samples.js';
import { seeded } from '../../checkout/machine/model/virtual-proxy.js';
import { rounds } from '../../support/runs.js';
import { dataOf, json, openShop, toWireInvoice } from '../support/shop.js';
import type { Shop, WireFields } from '../support/shop.js';
import { createVirtualTime } from '../support/virtual-time.js';
import type { VirtualTime } from '../support/virtual-time.js';
import { itLong } from '../../support/runner/long.js';

const wayMs = 75;

/** Seen by one payer's page. */
interface Seen {
  readonly requests: number;
  readonly delayMs: number;
}

/** How many payers there are. Set `FOLLOWING_PAYERS` for more. */
const payers = rounds('FOLLOWING_PAYERS', { quick: 200, thorough: 300 });

/** When each payer pays, milliseconds after the code was shown. */
function paymentTimes(): number[] {
  const random = seeded(20_260_302);
  const sigma = Math.log(180 / 45) / 1.645;
  return Array.from({ length: payers }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.round(45_000 * Math.exp(sigma * normal));
  });
}

interface World {
  readonly machines: number;
  readonly hasPostbacks: boolean;
}

interface Service {
  readonly fetch: typeof fetch;
  readonly invoices: Map<string, WireFields>;
  readonly postbackUrls: Map<string, string>;
  lookUps: number;
}

/** One that answers what it knows when a request has come to it. */
function createService({ sleep }: VirtualTime): Service {
  const invoices = new Map<string, WireFields>();
  const postbackUrls = new Map<string, string>();
  const service: Service = {
    invoices,
    postbackUrls,
    lookUps: 0,
    async fetch(input, init) {
      await sleep(wayMs);
      const url = typeof input === 'string' ? input : assert.fail('the client has texts');
      const { body } = init ?? {};
      if (typeof body !== 'string') service.lookUps += 1;
      const data =
        typeof body === 'string'
          ? create(JSON.parse(body))
          : { ...invoices.get(url.split('/').at(-1)!) };
      await sleep(wayMs);
      return json({ data, message: '' });
    },
  };
  return service;

  function create(request: Record<string, unknown>): WireFields {
    const invoice = toWireInvoice(request);
    invoices.set(invoice.invoice_id, invoice);
    postbackUrls.set(invoice.invoice_id, String(request['postback_url']));
    return { ...invoice };
  }
}

async function follow({ machines, hasPostbacks }: World) {
  const time = createVirtualTime();
  const service = createService(time);
  const { now, startTimer, sleep } = time;
  const memory = createMemoryLedger(now);
  const shared: Partial<ProxyOptions> =
    machines > 1 ? { ledger: { ...memory, isShared: true, areLookUpsClaimed: true } } : {};
  const shops = Array.from({ length: machines }, () =>
    openShop({ fetch: service.fetch, now, startTimer, ...shared }),
  );
  const random = seeded(7);
  const anyShop = () => shops[Math.floor(random() * shops.length)]!;
  const seen: Seen[] = [];

  async function beAPayer(paysAfterMs: number, index: number): Promise<void> {
    await sleep(wayMs);
    const made = await dataOf(anyShop().create({ externalId: `order-${index}` }));
    await sleep(wayMs);
    const paidAtMs = now() + paysAfterMs;
    startTimer(() => {
      service.invoices.get(made.invoice_id)!.status = 'paid';
      if (hasPostbacks) void notify(made.invoice_id, anyShop());
    }, paysAfterMs);

    let watch = watching(1, now());
    let requests = 0;
    for (;;) {
      await sleep((watch.dueMs ?? now()) - now());
      const asking = startLookUp(watch, now());
      requests += 1;
      await sleep(wayMs);
      const response = await anyShop().lookUp(made, `?wait=${asking.lookUp.waitSeconds}`);
      await sleep(wayMs);
      const { status } = await dataOf(response);
      if (status === 'paid') break;
      watch = afterAnswer(asking.watch, { nowMs: now(), random: 0, terms });
    }
    seen.push({ requests, delayMs: now() - paidAtMs });
  }

  async function notify(invoiceId: string, { proxy }: Shop): Promise<void> {
    await sleep(wayMs);
    const body = JSON.stringify({ id: invoiceId });
    const request = new Request(service.postbackUrls.get(invoiceId)!, { method: 'POST', body });
    assert.equal((await proxy.fetch(request)).status, 200);
  }

  try {
    const all = Promise.all(paymentTimes().map(beAPayer));
    await time.runUntil(() => seen.length === payers);
    await all;
    await Promise.all(shops.map(({ proxy }) => proxy.close()));
  } finally {
    time.restore();
  }
  return toFigures(seen, service.lookUps);
}

function toFigures(seen: readonly Seen[], calls: number) {
  const delays = seen.map(({ delayMs }) => delayMs).toSorted((one, other) => one - other);
  return {
    requests: mean(seen.map(({ requests }) => requests)),
    calls: calls / seen.length,
    delayMs: mean(delays),
    p95DelayMs: delays[Math.floor(delays.length * 0.95)]!,
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

/** A figure may be better than its goal; it may not be worse. */
async function assertAtMost(test: TestContext, world: World, most: Record<string, number>) {
  const figures: Record<string, number> = await follow(world);
  const text = Object.entries(figures).map(([name, figure]) => `${name} ${figure.toFixed(2)}`);
  test.diagnostic(text.join(', '));
  for (const [name, limit] of Object.entries(most)) {
    const figure = figures[name]!;
    assert.ok(figure <= limit, `${name}: ${figure} is more than ${limit}`);
  }
}

describe('payers', () => {
  it('see their payment in half a second, in four look-ups, where postbacks come', (test) =>
    assertAtMost(
      test,
      { machines: 1, hasPostbacks: true },
      { requests: 4, delayMs: 500, p95DelayMs: 500 },
    ));

  itLong('see it in two and a half, in four look-ups, where none comes', (test) =>
    assertAtMost(
      test,
      { machines: 1, hasPostbacks: false },
      { requests: 4, delayMs: 2_500, p95DelayMs: 5_000 },
    ),
  );

  itLong('see it within a second more where the postback comes to another machine', (test) =>
    assertAtMost(test, { machines: 3, hasPostbacks: true }, { delayMs: 1_000, p95DelayMs: 1_500 }),
  );
});
