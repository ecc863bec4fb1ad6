/** The loop of due work: how much of it at once, what comes later and is not lost, failures, and that a closed proxy begins nothing. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { dayMs, hourMs, minuteMs } from '../../../../src/domain/spans.js';
import { findInternals } from '../../../../src/proxy/door/request.js';
import { loadRenderer } from '../../../../src/proxy/door/pay/qr-image.js';
import { createBrokenStore } from '../../../support/proxy/broken-store.js';
import { loseCode } from '../../../support/proxy/open-invoice.js';
import {
  card,
  closeOnly,
  createGate,
  createWorld,
  dataOf,
  eventsOf,
  json,
  openKeptShop,
  settle,
  toSink,
  turnsUntil,
} from '../../../support/proxy/shop.js';
import type { Shop, ShopOptions, Ticket, World } from '../../../support/proxy/shop.js';
import { column } from '../../../support/rows.js';

await loadRenderer();

/** A shop with so many orders without a page any more, one made a second after the other. */
async function openClosedPages(
  orders: number,
  options: ShopOptions = {},
  world: World = createWorld(),
) {
  const shop = openKeptShop({ hears: ['onPaid'], ...options }, world);
  const made: Ticket[] = [];
  for (let n = 0; n < orders; n += 1) {
    made.push(await dataOf(shop.create({ externalId: `order-${n}` })));
    shop.clock.skip(1_000);
  }
  return { ...shop, made, paid: () => column(shop.heard.onPaid, 'externalId') };
}

/** The service answers look-ups only when they are let go. */
function holdLookUps({ upstream }: Shop) {
  const waiting: (() => void)[] = [];
  upstream.behave = ({ method }) =>
    method === 'GET' ? new Promise((go) => waiting.push(() => go(undefined))) : undefined;
  return {
    waiting,
    async letGo() {
      for (const go of waiting.splice(0)) go();
      await settle();
    },
  };
}

/** Orders that were looked up, in this order. */
function lookedUp({ upstream }: Shop): number[] {
  const ids = [...upstream.invoices.keys()];
  return upstream.sent.flatMap(({ method, url }) =>
    method === 'GET' ? [ids.indexOf(url.split('/').at(-1)!)] : [],
  );
}

const byNumber = (one: number, other: number) => one - other;
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('look-ups without a page that waits', () => {
  it('are four at once, and more as those end, five in a second', async () => {
    const shop = await openClosedPages(9);
    const { waiting, letGo } = holdLookUps(shop);
    await shop.clock.advance(15_000);
    assert.equal(waiting.length, 4);
    await letGo();
    assert.equal(waiting.length, 1);
    assert.equal(shop.upstream.lookUps(), 5);
    await shop.clock.advance(1_000);
    assert.equal(waiting.length, 4);
    await letGo();
    await letGo();
    assert.equal(new Set(lookedUp(shop)).size, 9);
  });

  it('are begun though postbacks make those due again that are under way', async () => {
    const shop = await openClosedPages(3);
    const { waiting } = holdLookUps(shop);
    await shop.clock.advance(15_000);
    assert.equal(waiting.length, 3);
    await dataOf(shop.create({ externalId: 'order-3' }));
    for (const { body } of shop.upstream.sent.slice(0, 3)) {
      const url = String(body?.['postback_url']);
      assert.equal((await shop.proxy.fetch(new Request(url, { method: 'POST' }))).status, 200);
    }
    await shop.clock.advance(16_000);
    assert.deepEqual(lookedUp(shop), upTo(4));
  });

  it('are ten, and more each second while the service answers, also where the clock was set back; a third are of the oldest, the others of the latest', async () => {
    for (const isSetBack of [false, true]) {
      const shop = await openClosedPages(100);
      shop.clock.skip(7 * hourMs);
      await shop.clock.advance(1_000);
      const begun = shop.upstream.lookUps();
      assert.ok(begun >= 10 && begun < 20, `${begun}`);
      if (isSetBack) shop.clock.setBack(hourMs);
      await shop.clock.advance(20_000);
      assert.deepEqual(
        [0, 1, 98, 99].filter((n) => !lookedUp(shop).slice(0, 4).includes(n)),
        [],
      );
      assert.deepEqual(lookedUp(shop).toSorted(byNumber), upTo(100));
    }
  });

  it('are few while the service is in trouble, those of ids that postbacks named among them, the latest not last', async () => {
    const shop = await openClosedPages(70);
    shop.upstream.behave = ({ method }) => (method === 'GET' ? json({}, 503) : undefined);
    const named: string[] = [];
    for (const { body } of shop.upstream.sent.slice()) {
      named.push(randomUUID());
      const init = { method: 'POST', body: JSON.stringify({ id: named.at(-1) }) };
      await shop.proxy.fetch(new Request(String(body?.['postback_url']), init));
      shop.clock.skip(10);
    }
    await settle();
    const before = shop.upstream.lookUps();
    shop.clock.skip(10_000);
    await shop.clock.advance(60_000);
    const begun = shop.upstream.lookUps() - before;
    assert.ok(begun > 4 && begun <= 60, `${begun}`);
    const first = shop.upstream.sent.slice(-begun).slice(0, 4);
    const places = first.map(({ url }) => named.indexOf(url.split('/').at(-1)!));
    assert.deepEqual(places.toSorted(byNumber), [0, 1, 68, 69]);
  });

  it('come before those of paid invoices, of which one begins beside them', async () => {
    const shop = await openClosedPages(7);
    const [paid] = shop.made;
    await shop.seePaid(paid!);
    await settle();
    shop.clock.skip(8 * hourMs + dayMs);
    for (const isSlow of [true, false]) {
      const before = shop.upstream.lookUps();
      const { waiting, letGo } = holdLookUps(shop);
      if (!isSlow) shop.upstream.behave = () => undefined;
      await shop.clock.advance(1_000);
      if (isSlow) assert.equal(waiting.length, 5);
      for (let n = 0; n < 3; n += 1) {
        await letGo();
        await shop.clock.advance(1_000);
      }
      assert.deepEqual(lookedUp(shop).slice(before), [1, 2, 3, 4, 0, 5, 6]);
      shop.clock.skip(7 * dayMs);
    }
  });
});

describe('too many', () => {
  it('for the rate limit are later, and none is lost', async () => {
    for (const isSetBack of [false, true]) {
      const shop = await openClosedPages(30, { serviceCallsPerMinute: 20 });
      shop.clock.skip(7 * hourMs);
      for (const made of shop.made) shop.upstream.pay(made);
      await shop.clock.advance(minuteMs);
      const early = shop.paid().length;
      assert.ok(early > 0 && early < 25, `${early} of 30`);
      if (isSetBack) shop.clock.setBack(hourMs);
      await shop.clock.advance(4 * minuteMs);
      assert.equal(new Set(shop.paid()).size, 30);
    }
  });

  it('are no tries of an id that a postback named', async () => {
    const crowded = openKeptShop({ serviceCallsPerMinute: 1 });
    const lost = await loseCode(crowded);
    lost.status = 'paid';
    assert.equal((await crowded.postback({ id: lost.invoice_id })).status, 200);
    for (let n = 0; n < 20; n += 1) {
      await crowded.create({ externalId: `another-${n}` });
      await crowded.clock.advance(30_000);
    }
    assert.equal(crowded.upstream.lookUps(), 0);
    await crowded.proxy.close();
    let unknown = 5;
    crowded.upstream.behave = () => (unknown-- > 0 ? json({}, 404) : undefined);
    const shop = await openClosedPages(0, {}, crowded);
    findInternals(shop.proxy.fetch)?.startListening();
    await shop.clock.advance(2 * hourMs);
    assert.deepEqual(shop.paid(), ['order-1']);
  });

  for (const isNamed of [false, true]) {
    it(`for the service are asked when it says so: ${isNamed ? 'a named id' : 'an invoice'}`, async () => {
      const shop = await openClosedPages(isNamed ? 0 : 1);
      const lost = isNamed ? await loseCode(shop) : null;
      const ages: number[] = [];
      const bornMs = shop.clock.now();
      shop.upstream.behave = () => {
        ages.push((shop.clock.now() - bornMs) / 1_000);
        return json({}, 429, { 'retry-after': '110' });
      };
      if (lost) await shop.postback({ id: lost.invoice_id });
      await shop.clock.advance(5 * minuteMs);
      assert.deepEqual(ages, lost ? [0, 110, 220] : [14, 124, 234]);
    });
  }
});

describe('a store that fails', () => {
  for (const operation of ['search', 'change', 'count', 'passThrottle', 'prune'] as const) {
    it(`does not end the loop, and is in the log: ${operation}`, async () => {
      const { world, ...broken } = createBrokenStore();
      const shop = await openClosedPages(2, { metrics: toSink({}) }, world);
      for (const made of shop.made) shop.upstream.pay(made);
      broken.break(operation, 'down');
      await shop.clock.advance(2 * minuteMs);
      broken.mend();
      const failed = shop.logged('ledger_failed');
      const expected = { search: 'sweep', change: 'sweep', count: 'count', passThrottle: 'sweep' };
      assert.equal(failed.at(-1)?.operation, Reflect.get(expected, operation) ?? 'prune');
      assert.equal(failed.at(-1)?.errorName, 'LedgerError 57P03');
      const seen = broken.watch();
      await shop.clock.advance(hourMs + minuteMs);
      assert.deepEqual(shop.paid().toSorted(), ['order-0', 'order-1']);
      assert.ok(seen.has('prune') && seen.has('count'), 'each job goes on');
    });
  }

  it('does so while a look-up is under way: what was found is found again', async () => {
    const { world, ...broken } = createBrokenStore();
    const shop = await openClosedPages(1, {}, world);
    shop.upstream.pay(shop.made[0]!);
    shop.upstream.behave = () => broken.break('change', 'down');
    await shop.clock.advance(15_000);
    assert.ok(eventsOf(shop).includes('ledger_failed'));
    broken.mend();
    shop.upstream.behave = () => undefined;
    await shop.clock.advance(2 * minuteMs);
    assert.deepEqual(shop.paid(), ['order-0']);
  });

  it('does so while the order of a postback is looked up: it is found by the loop', async () => {
    const { world, ...broken } = createBrokenStore();
    const shop = await openClosedPages(1, {}, world);
    shop.upstream.pay(shop.made[0]!);
    broken.break('read', 'down once');
    assert.equal((await shop.postback()).status, 200);
    await settle();
    assert.deepEqual(eventsOf(shop), ['ledger_failed']);
    await shop.clock.advance(minuteMs);
    assert.deepEqual(shop.paid(), ['order-0']);
  });

  it('has `runDue` come again in a minute', async () => {
    const { world, ...broken } = createBrokenStore();
    const shop = await openClosedPages(1, { backgroundJobs: false }, world);
    broken.break(null, 'down');
    const nextAt = new Date(shop.clock.now() + minuteMs);
    assert.deepEqual(await shop.proxy.runDue(), { nextAt });
    // Once says it.
    assert.deepEqual(column(shop.log, 'operation'), ['sweep']);
  });
});

describe('a proxy that is closed', () => {
  it('waits for the look-ups it began, keeps what they found, and leaves the others to the next', async () => {
    const shop = await openClosedPages(9);
    for (const made of shop.made) shop.upstream.pay(made);
    const { letGo } = holdLookUps(shop);
    await shop.clock.advance(15_000);
    await closeOnly(shop, letGo);
    await shop.clock.advance(minuteMs);
    assert.deepEqual([shop.upstream.lookUps(), shop.clock.dues().length], [4, 0]);
    shop.upstream.behave = () => undefined;
    const next = await openClosedPages(0, {}, shop);
    await next.proxy.runDue();
    assert.deepEqual(lookedUp(shop), upTo(9));
    assert.equal(new Set(next.paid()).size, 9);
  });

  for (const backgroundJobs of [true, false]) {
    it(`calls no further hook, and waits for the calls it began: ${backgroundJobs ? 'loop' : 'runDue'}`, async () => {
      const gate = createGate();
      let isClosed = false;
      const told: string[] = [];
      const shop = await openClosedPages(45, {
        backgroundJobs,
        onPixWaiting({ externalId }) {
          told.push(externalId);
          if (told.length === 1) void shop.proxy.close().then(() => (isClosed = true));
          return told.length === 20 ? gate.opened : undefined;
        },
      });
      const run = backgroundJobs ? shop.clock.advance(1_000) : shop.proxy.runDue();
      await turnsUntil(() => told.length >= 20);
      await settle();
      assert.deepEqual([told.length, isClosed], [20, false]);
      gate.release();
      await turnsUntil(() => isClosed);
      await run;
      assert.deepEqual(await shop.proxy.runDue(), { nextAt: null });
      // A request may still come.
      await shop.create({ externalId: 'order-0' });
      await shop.clock.advance(minuteMs);
      assert.deepEqual([told.length, shop.clock.dues().length], [20, 0]);
    });
  }
});

/** A world in whose store the loop waits when it searches for this kind first. */
function openWaiting(kind: string) {
  const { opened, release } = createGate();
  const world = createWorld();
  const { search } = world.store;
  const waiting: typeof search = async (what) => {
    if (what.kinds[0] === kind) await opened;
    return search(what);
  };
  return { world: { ...world, store: { ...world.store, search: waiting } }, release };
}

describe('the loop', () => {
  it('begins nothing that it found when the proxy was closed, and sets no timer any more', async () => {
    const { world, release } = openWaiting('look_up');
    const shop = await openClosedPages(2, {}, world);
    await shop.clock.advance(15_000);
    const closing = shop.proxy.close();
    release();
    await closing;
    await shop.proxy.describeOrder('order-0');
    assert.equal(shop.clock.dues().length, 0);
    assert.ok(shop.upstream.lookUps() <= 2);
  });

  it('runs once more at once when it was woken meanwhile', async () => {
    const { world, release } = openWaiting('named_paid');
    const shop = await openClosedPages(2, {}, world);
    // The look-up of the first order is due, that of the second not yet.
    await shop.clock.advance(13_000);
    shop.upstream.pay(shop.made[1]!);
    await dataOf(shop.lookUp(shop.made[1]!));
    await settle();
    assert.deepEqual(shop.paid(), []);
    release();
    await settle();
    assert.deepEqual(shop.paid(), ['order-1']);
  });
});

describe('old orders', () => {
  /** When the store is asked to forget, in minutes. */
  function openCounting() {
    const askedAt: number[] = [];
    const prune = async () => void askedAt.push((world.clock.now() - startMs) / minuteMs);
    const world = createWorld({ prune });
    const startMs = world.clock.now();
    return { world, askedAt };
  }

  it('are forgotten after a minute, and then each hour', async () => {
    const { world, askedAt } = openCounting();
    const shop = openKeptShop({}, world);
    findInternals(shop.proxy.fetch)?.startListening();
    await shop.clock.advance(3 * hourMs);
    assert.deepEqual(askedAt, [1, 61, 121]);
  });

  it('are forgotten by `runDue`, twice an hour at most, however often it is called', async () => {
    const { world, askedAt } = openCounting();
    const shops = [0, 1].map(() => openKeptShop({ backgroundJobs: false }, world));
    for (let minute = 0; minute < 120; minute += 1) {
      for (const { proxy } of shops) await proxy.runDue();
      await world.clock.advance(minuteMs);
    }
    assert.deepEqual(askedAt, [0, 30, 60, 90]);
  });

  it('are gone once they are not needed: nothing left for one after 30 days, a code for another after 90', async () => {
    const shop = openKeptShop({ backgroundJobs: false });
    await dataOf(shop.create());
    shop.upstream.behave = () => json({}, 422);
    assert.notEqual((await shop.create({ externalId: 'order-2' })).status, 200);
    const known = async () => {
      await shop.live(hourMs);
      const orders = ['order-1', 'order-2'].map((name) => shop.store.read(name));
      return (await Promise.all(orders)).map((order) => order !== null);
    };
    shop.clock.skip(89 * dayMs);
    assert.deepEqual(await known(), [true, true]);
    // By the end of the day, and of two prunings.
    for (let day = 0; day < 4; day += 1) {
      shop.clock.skip(dayMs);
      await shop.live(hourMs);
    }
    assert.deepEqual(await known(), [false, false]);
  });
});

describe('runDue', () => {
  it('tells of a payment whose look-up ended last, in the same call', async () => {
    const shop = await openClosedPages(2, { backgroundJobs: false });
    for (const made of shop.made) shop.upstream.pay(made);
    const { opened, release } = createGate();
    shop.upstream.behave = ({ url }) =>
      url.endsWith(shop.made[1]!.invoice_id) ? opened : undefined;
    shop.clock.skip(15_000);
    const run = shop.proxy.runDue();
    await turnsUntil(() => shop.paid().length === 1);
    await settle();
    release();
    await run;
    assert.deepEqual(shop.paid(), ['order-0', 'order-1']);
  });

  it('waits for the pace, and ends once all is done', async () => {
    const shop = await openClosedPages(40, { backgroundJobs: false });
    shop.clock.skip(15_000);
    let isOver = false;
    const run = shop.proxy.runDue().then(() => (isOver = true));
    await shop.clock.advance(1_000);
    assert.equal(isOver, false);
    await shop.clock.advance(30_000);
    await run;
    assert.deepEqual([...new Set(lookedUp(shop))].toSorted(byNumber), upTo(40));
  });

  it('asks to be called in five seconds at the earliest', async () => {
    const { proxy, clock } = await openClosedPages(1, { backgroundJobs: false });
    clock.skip(13_000);
    assert.deepEqual(await proxy.runDue(), { nextAt: new Date(clock.now() + 5_000) });
  });

  it('asks to be called when a card that was sent has had its time', async () => {
    const shop = openKeptShop({ backgroundJobs: false });
    shop.upstream.behave = () => new Promise(() => undefined);
    void shop.create({ body: card });
    await turnsUntil(() => shop.upstream.creates() === 1);
    const next = openKeptShop({ backgroundJobs: false }, shop);
    const { nextAt } = await next.proxy.runDue();
    shop.clock.skip(nextAt!.getTime() - shop.clock.now());
    await next.proxy.runDue();
    assert.deepEqual(next.log, [
      { level: 'error', event: 'outcome_unknown', operation: 'sweep', externalId: 'order-1' },
    ]);
  });
});
