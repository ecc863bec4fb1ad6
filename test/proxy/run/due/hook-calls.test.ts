/** What the merchant's hooks are told: by each of them alone, and when a hook that failed is called again. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs, hourMs, minuteMs } from '../../../../src/domain/spans.js';
import type { PaidNotice, ProxyOptions } from '../../../../src/proxy.js';
import { hookNames } from '../../../../src/proxy/order/order.js';
import { loadRenderer } from '../../../../src/proxy/door/pay/qr-image.js';
import { createBrokenStore } from '../../../support/proxy/broken-store.js';
import { losesAnswer } from '../../../support/proxy/card-shop.js';
import {
  card,
  createWorld,
  dataOf,
  eventsOf,
  openKeptShop,
  openShop,
  settle,
  toSink,
  turnsUntil,
} from '../../../support/proxy/shop.js';
import type { Shop, Ticket } from '../../../support/proxy/shop.js';
import { openInvoice } from '../../../support/proxy/open-invoice.js';
import { column } from '../../../support/rows.js';

/** All that a retry may wait, half of it, and the least. */
const [whole, half, least] = ['ffffffff', '80000000', '00000000'].map(
  (digits) => () => `${digits}-0000-4000-8000-000000000000`,
);

const fail = () => {
  throw new RangeError('order-1 of canary@example.com');
};

// A hook is called in real time, once the package that draws pictures is there.
await loadRenderer();

const causes: Record<
  (typeof hookNames)[keyof typeof hookNames],
  (shop: Shop, made: Ticket) => unknown
> = {
  onPaid: ({ upstream }, made) => upstream.pay(made),
  onPixWaiting: () => undefined,
  onLapsed: () => undefined,
  onMismatch: ({ upstream }, made) =>
    Object.assign(upstream.of(made), { status: 'paid', total_cents: 1 }),
  async onOutcomeUnknown({ upstream, create }) {
    upstream.behave = ({ method }) => (method === 'POST' ? losesAnswer() : undefined);
    await create({ body: card });
  },
  async onReturned({ upstream, clock, postback }, made) {
    upstream.pay(made);
    await clock.advance(15_000);
    upstream.of(made).status = 'refunded';
    await postback({ id: made.invoice_id });
  },
};

for (const [kind, hook] of Object.entries(hookNames)) {
  it(`a hook that is the only one is called, and again after it failed: ${hook}`, async () => {
    const ids: string[] = [];
    const shop = openShop({
      resolveOrder: () => ({ total_price_cents: 12_345, expires_in: 600 }),
      [hook]({ deliveryId }: { deliveryId: string }) {
        ids.push(deliveryId);
        if (ids.length === 1) fail();
      },
    });
    await causes[hook](shop, await dataOf(shop.create()));
    await shop.clock.advance(11 * minuteMs);
    assert.equal(ids.length, 2);
    assert.match(ids[0] ?? '', new RegExp(`^${kind}~order-1~`));
    assert.equal(ids[1], ids[0]);
    const entries = shop.logged('delivery_failed');
    const about = { operation: 'deliver', delivery: kind, tries: 1, externalId: 'order-1' };
    const entry = { level: 'warn', event: 'delivery_failed', ...about };
    assert.deepEqual(entries, [{ ...entry, errorName: 'RangeError' }]);
  });
}

/** A paid order whose `onPaid` fails, unless told otherwise. No process stays: it is called when `runDue` said so. */
async function openFailing(options: Partial<ProxyOptions> = {}, world = createWorld()) {
  const tries: { notice: PaidNotice; ageSeconds: number }[] = [];
  const errors: [name: string, about: unknown][] = [];
  const { onPaid = fail, ...others } = options;
  const shop = openKeptShop(
    {
      backgroundJobs: false,
      watchReturns: false,
      randomUuid: whole!,
      onPaid(notice) {
        tries.push({ notice, ageSeconds: (shop.clock.now() - paidAtMs) / 1_000 });
        return onPaid(notice);
      },
      onError: (error, about) => errors.push([(error as Error).name, about]),
      ...others,
    },
    world,
  );
  const made = await dataOf(shop.create());
  shop.upstream.pay(made);
  const paidAtMs = shop.clock.now();
  await dataOf(shop.lookUp(made));
  await settle();
  const ages = () => tries.map(({ ageSeconds }) => ageSeconds);
  return { ...shop, made, tries, errors, ages };
}

describe('a hook that fails', () => {
  // Twice as long each time from five seconds to an hour, and once more when the day is over.
  const doubled = [0, 5, 15, 35, 75, 155, 315, 635, 1_275, 2_555, 5_115];
  const hourly = Array.from({ length: 22 }, (_, hour) => 5_115 + 3_600 * (hour + 1));

  it('is called again after a time that doubles up to an hour, for a day, then every six hours', async () => {
    const { ages, live } = await openFailing();
    await live(2 * dayMs);
    const later = [86_400, 108_000, 129_600, 151_200, 172_800];
    assert.deepEqual(ages(), [...doubled, ...hourly, ...later]);
  });

  it('is called after a random part of that time, and not within a second', async () => {
    const { ages, live } = await openFailing({ randomUuid: half! });
    await live(100_000);
    // `runDue` is called each five seconds at most.
    assert.deepEqual(ages().slice(0, 6), [0, 5, 10, 20, 40, 80]);
    let calls = 0;
    const soon = await openFailing({
      randomUuid: least!,
      onPaid: () => (++calls > 20 ? undefined : fail()),
    });
    await soon.proxy.runDue();
    assert.deepEqual(soon.ages(), [0]);
  });

  it('is called with the same notice each time, whatever it did to it', async () => {
    const { tries, live } = await openFailing({
      onPaid: (notice) => void Object.assign(notice, { totalCents: 1 }),
    });
    await live(5_000);
    const [first, second] = tries.map(({ notice }) => notice);
    assert.deepEqual([first?.totalCents, second], [12_345, first]);
    assert.notEqual(second, first);
  });

  it('is overdue then: a person is warned daily, and sees it in the numbers', async () => {
    const undelivered: unknown[] = [];
    const dead: number[] = [];
    const { proxy, log, tries, errors, made, live } = await openFailing({
      onUndelivered(notice) {
        undelivered.push(notice);
        assert.ok(Object.isFrozen(notice));
        fail();
      },
      metrics: toSink({
        set: (name, value) => void (name === 'pix_dead_events' && dead.push(value)),
      }),
    });
    await live(dayMs);
    const about = { kind: 'paid', deliveryId: `paid~order-1~${made.invoice_id}` };
    assert.deepEqual(undelivered, [{ ...about, externalId: 'order-1', tries: tries.length }]);
    const entry = { operation: 'deliver', delivery: 'paid', externalId: 'order-1' };
    assert.deepEqual(log.slice(-2), [
      { level: 'error', event: 'undelivered', ...entry, tries: tries.length },
      { level: 'error', event: 'unexpected_error', ...entry, errorName: 'RangeError' },
    ]);
    const [[, failed] = [], ...others] = errors;
    assert.deepEqual(failed, { hook: 'onPaid', externalId: 'order-1' });
    assert.deepEqual(others.at(-1)?.[1], { hook: 'onUndelivered', externalId: 'order-1' });
    const order = await proxy.describeOrder('order-1');
    assert.match(
      order?.waitsFor ?? '',
      /^your server: paid at .*; onPaid was called 34 times without success, and is due at .*$/,
    );
    assert.equal(dead.at(-1), 1);

    const told = tries.length;
    await live(dayMs);
    await proxy.runDue();
    assert.deepEqual([tries.length, undelivered.length, dead.at(-1)], [told + 4, 2, 1]);
  });

  it('is called ten times before, where no proxy ran for a day', async () => {
    const { clock, ages, log, live } = await openFailing();
    clock.skip(26 * hourMs);
    await live(dayMs);
    const early = ages().filter((age) => age < 26 * 3_600 + doubled[9]! + 1);
    assert.deepEqual([early.length, early[0], ages()[10]], [10, 26 * 3_600, early[9]! + 6 * 3_600]);
    assert.ok(eventsOf({ log }).includes('undelivered'));
  });
});

describe('a hook that hangs', () => {
  const hang = () => new Promise<void>(() => undefined);

  it('has half a minute', async () => {
    let calls = 0;
    const { clock, errors } = await openFailing({
      backgroundJobs: true,
      onPaid: () => (++calls === 1 ? hang() : undefined),
    });
    await turnsUntil(() => calls === 1);
    await clock.advance(29_999);
    assert.deepEqual(errors, []);
    await clock.advance(6_001);
    assert.deepEqual(errors, [['TimeoutError', { hook: 'onPaid', externalId: 'order-1' }]]);
    assert.equal(calls, 2);
  });

  it('keeps the run from its end for half a minute, `onUndelivered` too', async () => {
    const { clock, log, proxy } = await openFailing({ onUndelivered: hang });
    for (let tries = 0; tries < 9; tries += 1) {
      await proxy.runDue();
      clock.skip(3 * hourMs);
    }
    const last = proxy.runDue();
    await turnsUntil(() => eventsOf({ log }).includes('undelivered'));
    await settle();
    await clock.advance(30_000);
    await last;
    assert.equal(log.at(-1)?.errorName, 'TimeoutError');
  });

  it('is called twenty times at once, and more as those end; other hooks are called meanwhile', async () => {
    const ends: (() => void)[] = [];
    const waiting = new Set<string>();
    const { create, clock, upstream, heard } = openKeptShop({
      hears: ['onPaid'],
      onPixWaiting({ externalId }) {
        waiting.add(externalId);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
    });
    const made: Ticket[] = [];
    for (let n = 0; n < 45; n += 1) made.push(await dataOf(create({ externalId: `order-${n}` })));
    await clock.advance(2_000);
    assert.equal(waiting.size, 20);
    upstream.pay(made[44]!);
    await clock.advance(21_000);
    assert.deepEqual(column(heard.onPaid, 'externalId'), ['order-44']);
    assert.equal(waiting.size, 20);
    ends.shift()?.();
    await turnsUntil(() => waiting.size === 21);
    await settle();
    assert.equal(waiting.size, 21);
    while (ends.length > 0) {
      for (const end of ends.splice(0)) end();
      await settle();
    }
    // No reminder of the order that is paid.
    assert.equal(waiting.size, 44);
  });
});

describe('what could not be written down', () => {
  /** A store that fails when it is to keep what came of a call. */
  function openBroken() {
    const broken = createBrokenStore();
    return { fail: () => broken.break('change', 'down once'), world: broken.world };
  }

  it('is told again after a minute: that the hook was called', async () => {
    const { fail, world } = openBroken();
    let calls = 0;
    const onPaid = () => void (++calls === 1 && fail());
    const { log, live, ages } = await openFailing({ onPaid }, world);
    await live(hourMs);
    assert.deepEqual(ages(), [0, 60]);
    const entry = { event: 'ledger_failed', operation: 'deliver', errorName: 'LedgerError 57P03' };
    const over = { level: 'info', event: 'ledger_recovered' };
    assert.deepEqual(log, [{ level: 'error', ...entry }, over]);
  });

  it('is warned of again: that a person was warned', async () => {
    const { fail, world } = openBroken();
    let calls = 0;
    const onUndelivered = () => void (++calls === 1 && fail());
    const { live } = await openFailing({ onUndelivered }, world);
    await live(2 * dayMs);
    assert.equal(calls, 2);
  });
});

it('an event that no hook is there for waits for one, and is no number of this proxy', async () => {
  const numbers = new Map<string, number>();
  const metrics = toSink({ set: (name, value) => void numbers.set(name, value) });
  const [shop, made] = await openInvoice({ onLapsed: fail, metrics }, openKeptShop);
  shop.upstream.pay(made);
  await shop.clock.advance(minuteMs);
  assert.equal(numbers.get('pix_outbox_events'), 0);
  await shop.proxy.close();
  shop.clock.skip(80 * dayMs);
  await openKeptShop({ hears: ['onPaid'] }, shop).proxy.runDue();
  assert.deepEqual(column(shop.heard.onPaid, 'invoiceId'), [made.invoice_id]);
});
