/**
 * What the service reports of an order is looked up before it is dropped, whatever was told of the order before: a card that
 * was called refused, one that a person said was not charged, a Pix creation whose answer was lost.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { minuteMs } from '../../../../src/domain/spans.js';
import { openLedger } from '../../../../src/ledger.js';
import type { ProxyOptions } from '../../../../src/proxy.js';
import type { StartTimer } from '../../../../src/proxy/runtime/running.js';
import { maxNamed } from '../../../../src/proxy/order/due.js';
import { storeOf, resolveNow } from '../../../support/proxy/kept-order.js';
import {
  inProgress,
  losesAnswer,
  openKeptCardShop,
  orderPaid,
  outcomeOf,
  refused,
  unavailable,
  unknown,
} from '../../../support/proxy/card-shop.js';
import type { CardShop } from '../../../support/proxy/card-shop.js';
import { createGate, createWorld, json, settle } from '../../../support/proxy/shop.js';
import type { World } from '../../../support/proxy/shop.js';
import { createSqliteStore } from '../../../support/proxy/stores.js';
import { column } from '../../../support/rows.js';

const externalId = 'order-1';

/** Told to the merchant: `paid`, or `paid twice` of a duplicate, or `mismatch total_cents`. */
type Told = string;

interface Bench {
  readonly shop: CardShop;
  readonly told: Told[];
  /** Waits, while the clock goes on a little at a time. */
  readonly until: (isTrue: () => boolean | Promise<boolean>, stepMs?: number) => Promise<void>;
  /** Waits until as much is told, and that is all. */
  readonly hears: (...expected: Told[]) => Promise<void>;
  /** None of its timers runs any more. */
  readonly die: () => void;
  /** Another process on the same ledger. */
  readonly restart: () => CardShop;
}

/** Runs with an empty ledger. */
type WithLedger = (run: (bench: Bench) => Promise<void>) => Promise<void>;

function openBench(world: World): Bench {
  const { clock, store } = world;
  const told: Told[] = [];
  const options: Partial<ProxyOptions> = {
    onPaid: ({ duplicate }) => void told.push(duplicate ? 'paid twice' : 'paid'),
    onMismatch: ({ field }) => void told.push(`mismatch ${field}`),
    onOutcomeUnknown: () => undefined,
  };
  let isDead = false;
  const startTimer: StartTimer = (run, delayMs) =>
    clock.startTimer(() => void (isDead || run()), delayMs);
  const shop = openKeptCardShop({ ...options, startTimer }, world);
  const until: Bench['until'] = async (isTrue, stepMs = 500) => {
    const giveUpAtMs = performance.now() + 60_000;
    while (!(await isTrue())) {
      if (performance.now() > giveUpAtMs) assert.fail('what the test waits for never came');
      // A database answers in its own time.
      await settle();
      if (store.isShared) await delay(5);
      await clock.advance(stepMs);
    }
  };
  return {
    shop,
    told,
    until,
    async hears(...expected) {
      await until(() => told.length >= expected.length);
      assert.deepEqual(told, expected);
    },
    die: () => void (isDead = true),
    restart: () => openKeptCardShop(options, shop),
  };
}

/** A card that the service takes and calls refused. */
async function payCalledRefused(shop: CardShop, card?: object): Promise<void> {
  shop.answerNext(() => json({}, 422));
  assert.equal(await outcomeOf(shop.pay(card)), refused);
}

/** The tests that every store passes. */
function describeReports(name: string, withLedger: WithLedger): void {
  describe(`a payment that the service reports, in ${name}`, () => {
    const test = (title: string, run: (bench: Bench) => Promise<void>) =>
      it(title, () => withLedger(run));

    test('is told of a card that the service charged and called refused', async (bench) => {
      const { shop, told, hears } = bench;
      await payCalledRefused(shop);
      assert.equal((await shop.report()).status, 200);
      await hears('paid');
      assert.equal(await outcomeOf(shop.pay()), orderPaid);
      assert.equal(shop.upstream.creates(), 1);
      assert.equal(told.length, 1);
    });

    test('is told of a card that a person said was not charged', async (bench) => {
      const { shop, told, hears } = bench;
      shop.answerNext(losesAnswer);
      assert.equal(await outcomeOf(shop.pay()), unknown);
      assert.equal(await resolveNow(shop, externalId, null), true);
      assert.equal((await shop.report()).status, 200);
      await hears('paid');
      assert.equal(await outcomeOf(shop.pay()), orderPaid);
      assert.equal(shop.upstream.creates(), 1);
      assert.equal(told.length, 1);
    });

    test('is told of a Pix code whose creation was never answered', async (bench) => {
      const { shop, told, hears } = bench;
      shop.answerNext(losesAnswer);
      assert.equal(await outcomeOf(shop.create()), unavailable);
      await shop.settle(shop.newest());
      assert.equal((await shop.report()).status, 200);
      await hears('paid');
      assert.equal(await outcomeOf(shop.create()), orderPaid);
      assert.equal(told.length, 1);
    });

    test('is told as a duplicate where the order is paid already', async (bench) => {
      const { shop, hears } = bench;
      await payCalledRefused(shop);
      const first = shop.newest();
      await shop.clock.advance(4_000);
      assert.equal(await outcomeOf(shop.pay()), '200');
      await shop.report();
      await hears('paid');
      await shop.report(first);
      await hears('paid', 'paid twice');
    });

    test('blocks the order for another card while it pends, and pays it', async (bench) => {
      const { shop, hears, until } = bench;
      await payCalledRefused(shop, { token: 'tok_any' });
      await shop.report();
      const isOpen = async () => (await shop.kept()).cards.length > 1;
      await until(isOpen);
      await shop.clock.advance(4_000);
      assert.equal(await outcomeOf(shop.pay()), inProgress);
      assert.equal(await outcomeOf(shop.create()), inProgress);
      await shop.settle(shop.newest());
      await hears('paid');
      assert.equal(shop.upstream.creates(), 1);
    });

    test('that pends frees its order where a person says it was not charged', async (bench) => {
      const { shop, until } = bench;
      await payCalledRefused(shop, { token: 'tok_any' });
      await shop.report();
      await until(async () => (await shop.kept()).cards.length > 1);
      assert.equal(await resolveNow(shop, externalId, null), true);
      await shop.clock.advance(4_000);
      assert.equal(await outcomeOf(shop.pay()), '200');
    });

    test('blocks the order as soon as the card beside it has ended', async (bench) => {
      const { shop, hears, until } = bench;
      await payCalledRefused(shop, { token: 'tok_any' });
      const first = shop.newest();
      await shop.clock.advance(4_000);
      const made = await shop.pay({ token: 'tok_pending_then_refused' }, { key: randomUUID() });
      assert.equal(await outcomeOf(made), '200');
      const second = shop.newest();
      await shop.report(first);
      await until(async () => (await shop.kept()).invoices.length === 2);
      const ended = async () =>
        (await shop.kept()).cards.every(({ progress }) => progress.state === 'refused');
      for (let i = 0; i < 3; i++)
        await shop.control(`/invoices/${second}/status`, { status: 'refused' });
      await shop.report(second);
      await until(ended);
      const sends = shop.upstream.creates();
      await shop.clock.advance(4_000);
      assert.equal(await outcomeOf(shop.pay()), inProgress);
      await until(async () => (await shop.kept()).named.length === 0, 5_000);
      assert.equal(await outcomeOf(shop.pay()), inProgress);
      await shop.settle(first);
      await hears('paid');
      assert.equal(shop.upstream.creates(), sends);
    });

    test('of an unseen code is waited for, and the code is shown to no one', async (bench) => {
      const { shop, hears, until } = bench;
      shop.answerNext(losesAnswer);
      await shop.create();
      const unseen = shop.newest();
      await shop.report();
      await until(async () => (await shop.kept()).invoices.length > 0);
      const { data } = await (await shop.create()).json();
      assert.notEqual(data.invoice_id, unseen);
      assert.notEqual(data.qr_code_pix, '');
      await shop.settle(unseen);
      await hears('paid');
    });

    test('is found by another process where its own died after the answer', async (bench) => {
      const { shop, hears, die, restart } = bench;
      await payCalledRefused(shop);
      const stuck = createGate();
      shop.network = () => stuck.opened;
      assert.equal((await shop.report()).status, 200);
      die();
      shop.network = () => undefined;
      await restart().request('/health');
      await hears('paid');
      stuck.release();
    });

    test('with another total is a mismatch; of another order it is only logged', async (bench) => {
      const { shop, hears, until } = bench;
      shop.totalCents = 999;
      shop.answerNext(() => json({}, 422));
      await shop.pay(undefined, { externalId: 'order-2' });
      const foreign = shop.newest();
      shop.totalCents = 12_345;
      await shop.pay({ token: 'tok_refuse' });
      await shop.report(foreign);
      await until(() => column(shop.logged('mismatch'), 'field').includes('external_id'));
      shop.network = async (request) => {
        const response = await shop.sandbox.fetch(request);
        const { data } = await response.json();
        return json({ data: { ...data, external_id: externalId }, message: '' });
      };
      await shop.clock.advance(minuteMs);
      await shop.report(foreign);
      await hears('mismatch total_cents');
      assert.equal((await shop.kept()).paid, null);
      await until(async () => (await shop.kept()).named.length === 0);
      assert.deepEqual(shop.logged('postback_dropped'), []);
    });

    test('is told again by the service where the ledger could not keep its id', async (bench) => {
      const { shop, hears } = bench;
      await payCalledRefused(shop);
      const { change } = shop.store;
      Object.assign(shop.store, { change: () => Promise.reject(new Error('down')) });
      assert.equal((await shop.report()).status, 503);
      Object.assign(shop.store, { change });
      assert.equal((await shop.report()).status, 200);
      await hears('paid');
    });
  });
}

/** What takes a long time of the clock is shown in memory. The contract of ledgers says that a database keeps ids alike. */
function describePatience(withLedger: WithLedger): void {
  describe('an id that a postback named', () => {
    const test = (title: string, run: (bench: Bench) => Promise<void>) =>
      it(title, () => withLedger(run));

    test('which the service does not know is asked for six times, given up and logged', async (bench) => {
      const { shop, until } = bench;
      await payCalledRefused(shop);
      const id = randomUUID();
      await shop.report(id);
      await until(async () => (await shop.kept()).named.length === 0, 5_000);
      const entries = shop.logged('postback_dropped');
      const about = { operation: 'postback', externalId, invoiceId: id };
      assert.deepEqual(entries, [{ level: 'warn', event: 'postback_dropped', ...about }]);
      const asked = shop.logged('service_failed').filter(({ kind }) => kind === 'not_found');
      assert.equal(asked.length, 6);
    });

    test('is asked for again while the service fails', async (bench) => {
      const { shop, told, hears } = bench;
      await payCalledRefused(shop);
      const { network } = shop;
      shop.network = () => json({}, 503);
      await shop.report();
      await shop.clock.advance(20 * minuteMs);
      assert.deepEqual(told, []);
      shop.network = network;
      await hears('paid');
    });

    test('finds room among three hundred ids that a stranger made up', async (bench) => {
      const { shop, hears } = bench;
      await payCalledRefused(shop);
      const id = shop.newest();
      const statuses: number[] = [];
      for (let i = 0; i < 300; i++) statuses.push((await shop.report(randomUUID())).status);
      // One that was looked up makes room for another.
      const kept = statuses.filter((status) => status === 200).length;
      assert.ok(kept >= maxNamed && kept <= maxNamed + 3, `${kept} kept`);
      assert.ok(statuses.every((status) => status === 200 || status === 503));
      assert.equal((await shop.kept()).named.length, maxNamed);
      const entries = shop.logged('postback_dropped');
      assert.equal(entries.length, 1);
      await shop.clock.advance(minuteMs);
      assert.equal((await shop.report(id)).status, 200);
      await hears('paid');
    });
  });
}

const inMemory: WithLedger = async (run) => {
  const bench = openBench(createWorld());
  await run(bench);
  await bench.shop.proxy.close();
};
describeReports('memory', inMemory);
describePatience(inMemory);

const sqlite = createSqliteStore();

describe('in a database', () => {
  beforeAll(() => sqlite.open());
  afterAll(() => sqlite.close());
  describeReports(sqlite.name, async (run) => {
    const world = createWorld();
    const ledger = await openLedger({ url: await sqlite.createUrl(), now: world.clock.now });
    const bench = openBench({ ...world, store: storeOf(ledger) });
    await run(bench);
    await bench.shop.proxy.close();
    await ledger.close();
  });
});
