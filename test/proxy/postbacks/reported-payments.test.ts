/**
 * What the service reports of an order is looked up before it is dropped, whatever was told of the order before: a card that
 * was called refused, one that a person said was not charged, a Pix creation whose answer was lost.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openLedger } from '../../../src/ledger.js';
import type { OpenLedger } from '../../../src/ledger.js';
import { createMemoryStore } from '../../../src/proxy/store/memory/memory-store.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import type { StartTimer } from '../../../src/proxy/config/options.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { maxNamed } from '../../../src/proxy/order/due.js';
import { readKept, storeOf } from '../support/kept-order.js';
import {
  inProgress,
  networkError,
  openCardShop,
  orderPaid,
  outcomeOf,
  refused,
  unavailable,
  unknown,
} from '../support/card-shop.js';
import type { CardShop } from '../support/card-shop.js';
import { newestOf, post, toTimes } from '../support/postback-shop.js';
import { createGate, createTestClock, json, publicUrl, settle } from '../support/shop.js';
import { createSqliteStore } from '../support/stores.js';

const externalId = 'order-1';
const minuteMs = 60_000;

/** Told to the merchant: `paid`, or `paid twice` of a duplicate, or `mismatch total_cents`. */
type Told = string;

interface Bench {
  readonly shop: CardShop;
  readonly ledger: OrderStore;
  readonly told: Told[];
  /** The service does this with the next creation, and answers so, or not at all. */
  readonly answer: (respond: () => Response) => void;
  /** The service reports an invoice of its own, the newest unless another is named. */
  readonly report: (id?: string) => Promise<Response>;
  readonly settleInvoice: (id: string) => Promise<void>;
  /** Waits, while the clock goes on a little at a time. */
  readonly until: (isTrue: () => boolean | Promise<boolean>, stepMs?: number) => Promise<void>;
  /** None of its timers runs any more. */
  readonly die: () => void;
  /** Another process on the same ledger. */
  readonly restart: () => CardShop;
}

/** Runs with an empty ledger. */
type WithLedger = (run: (bench: Bench) => Promise<void>) => Promise<void>;

const lost = () => {
  throw networkError('ECONNRESET');
};

/** A shop whose service may take a creation and answer otherwise. */
async function openBench(toLedger: (now: () => number) => Promise<OrderStore>): Promise<Bench> {
  const clock = createTestClock();
  const ledger = await toLedger(clock.now);
  const { isShared } = ledger;
  const told: Told[] = [];
  const options: Partial<ProxyOptions> = {
    ledger,
    ...toTimes(clock),
    onPaid: ({ duplicate }) => void told.push(duplicate ? 'paid twice' : 'paid'),
    onMismatch: ({ field }) => void told.push(`mismatch ${field}`),
    onOutcomeUnknown: () => undefined,
  };
  let isDead = false;
  const startTimer: StartTimer = (run, delayMs) =>
    clock.startTimer(() => void (isDead || run()), delayMs);
  const shop = Object.assign(openCardShop({ ...options, startTimer }), { clock });
  let respond: (() => Response) | null = null;
  let url = '';
  const network: CardShop['network'] = async (request) => {
    if (request.method !== 'POST') return undefined;
    ({ postback_url: url } = await request.clone().json());
    if (!respond) return undefined;
    await shop.sandbox.fetch(request.clone());
    const once = respond;
    respond = null;
    return once();
  };
  shop.network = network;
  return {
    shop,
    ledger,
    told,
    answer: (next) => void (respond = next),
    report: async (id) => {
      const body = JSON.stringify({ id: id ?? (await newestOf(shop)) });
      return post(shop, url, { body });
    },
    async settleInvoice(id) {
      assert.equal((await shop.control(`/invoices/${id}/settle`)).status, 200);
    },
    async until(isTrue, stepMs = 500) {
      const giveUpAtMs = performance.now() + 60_000;
      while (!(await isTrue())) {
        if (performance.now() > giveUpAtMs) assert.fail('what the test waits for never came');
        // A database answers in its own time.
        await settle();
        if (isShared) await delay(5);
        await clock.advance(stepMs);
      }
    },
    die: () => void (isDead = true),
    restart: () =>
      Object.assign(openCardShop({ ...options, fetch: (...call) => shop.sandbox.fetch(...call) }), {
        clock,
      }),
  };
}

/** The tests that every store passes. */
function describeReports(name: string, withLedger: WithLedger): void {
  describe(`a payment that the service reports, in ${name}`, () => {
    const test = (title: string, run: (bench: Bench) => Promise<void>) =>
      it(title, () => withLedger(run));

    test('is told of a card that the service charged and called refused', async (bench) => {
      const { shop, told, answer, report, until } = bench;
      answer(() => json({}, 422));
      assert.equal(await outcomeOf(shop.pay()), refused);
      assert.equal((await report()).status, 200);
      await until(() => told.length > 0);
      assert.equal(await outcomeOf(shop.pay(undefined, { key: randomUUID() })), orderPaid);
      assert.equal(shop.sends(), 1);
      assert.deepEqual(told, ['paid']);
    });

    test('is told of a card that a person said was not charged', async (bench) => {
      const { shop, told, answer, report, until } = bench;
      answer(lost);
      assert.equal(await outcomeOf(shop.pay()), unknown);
      assert.equal(await shop.proxy.resolveOutcome({ externalId, invoiceId: null }), true);
      assert.equal((await report()).status, 200);
      await until(() => told.length > 0);
      assert.equal(await outcomeOf(shop.pay(undefined, { key: randomUUID() })), orderPaid);
      assert.equal(shop.sends(), 1);
      assert.deepEqual(told, ['paid']);
    });

    test('is told of a Pix code whose creation was never answered', async (bench) => {
      const { shop, told, answer, report, settleInvoice, until } = bench;
      answer(lost);
      assert.equal(await outcomeOf(shop.create()), unavailable);
      await settleInvoice(await newestOf(shop));
      assert.equal((await report()).status, 200);
      await until(() => told.length > 0);
      assert.equal(await outcomeOf(shop.create()), orderPaid);
      assert.deepEqual(told, ['paid']);
    });

    test('is told as a duplicate where the order is paid already', async (bench) => {
      const { shop, told, answer, report, until } = bench;
      answer(() => json({}, 422));
      await shop.pay();
      const first = await newestOf(shop);
      await shop.clock.advance(4_000);
      assert.equal(await outcomeOf(shop.pay(undefined, { key: randomUUID() })), '200');
      await report();
      await until(() => told.length > 0);
      await report(first);
      await until(() => told.length > 1);
      assert.deepEqual(told, ['paid', 'paid twice']);
    });

    test('blocks the order for another card while it pends, and pays it', async (bench) => {
      const { shop, ledger, told, answer, report, settleInvoice, until } = bench;
      answer(() => json({}, 422));
      assert.equal(await outcomeOf(shop.pay({ token: 'tok_any' })), refused);
      await report();
      const isOpen = async () => (await readKept(ledger, externalId)).cards.length > 1;
      await until(isOpen);
      await shop.clock.advance(4_000);
      assert.equal(await outcomeOf(shop.pay(undefined, { key: randomUUID() })), inProgress);
      assert.equal(await outcomeOf(shop.create()), inProgress);
      await settleInvoice(await newestOf(shop));
      await until(() => told.length > 0);
      assert.deepEqual([told, shop.sends()], [['paid'], 1]);
    });

    test('that pends frees its order where a person says it was not charged', async (bench) => {
      const { shop, ledger, answer, report, until } = bench;
      answer(() => json({}, 422));
      await shop.pay({ token: 'tok_any' });
      await report();
      await until(async () => (await readKept(ledger, externalId)).cards.length > 1);
      assert.equal(await shop.proxy.resolveOutcome({ externalId, invoiceId: null }), true);
      await shop.clock.advance(4_000);
      assert.equal(await outcomeOf(shop.pay(undefined, { key: randomUUID() })), '200');
    });

    test('blocks the order as soon as the card beside it has ended', async (bench) => {
      const { shop, ledger, told, answer, report, settleInvoice, until } = bench;
      answer(() => json({}, 422));
      await shop.pay({ token: 'tok_any' });
      const first = await newestOf(shop);
      await shop.clock.advance(4_000);
      const made = await shop.pay({ token: 'tok_pending_then_refused' }, { key: randomUUID() });
      assert.equal(await outcomeOf(made), '200');
      const second = await newestOf(shop);
      await report(first);
      await until(async () => (await readKept(ledger, externalId)).invoices.length === 2);
      const ended = async () =>
        (await readKept(ledger, externalId)).cards.every(
          ({ progress }) => progress.state === 'refused',
        );
      for (let i = 0; i < 3; i++)
        await shop.control(`/invoices/${second}/status`, { status: 'refused' });
      await report(second);
      await until(ended);
      const sends = shop.sends();
      await shop.clock.advance(4_000);
      assert.equal(await outcomeOf(shop.pay(undefined, { key: randomUUID() })), inProgress);
      await until(async () => (await readKept(ledger, externalId)).named.length === 0, 5_000);
      assert.equal(await outcomeOf(shop.pay(undefined, { key: randomUUID() })), inProgress);
      await settleInvoice(first);
      await until(() => told.length > 0);
      assert.deepEqual([told, shop.sends()], [['paid'], sends]);
    });

    test('of an unseen code is waited for, and the code is shown to no one', async (bench) => {
      const { shop, ledger, told, answer, report, settleInvoice, until } = bench;
      answer(lost);
      await shop.create();
      const unseen = await newestOf(shop);
      await report();
      await until(async () => (await readKept(ledger, externalId)).invoices.length > 0);
      const { data } = await (await shop.create()).json();
      assert.notEqual(data.invoice_id, unseen);
      assert.notEqual(data.qr_code_pix, '');
      await settleInvoice(unseen);
      await until(() => told.length > 0);
      assert.deepEqual(told, ['paid']);
    });

    test('is found by another process where its own died after the answer', async (bench) => {
      const { shop, told, answer, report, until, die, restart } = bench;
      answer(() => json({}, 422));
      await shop.pay();
      const stuck = createGate();
      shop.network = () => stuck.opened;
      assert.equal((await report()).status, 200);
      die();
      await restart().proxy.fetch(new Request(`${publicUrl}/health`));
      await until(() => told.length > 0);
      assert.deepEqual(told, ['paid']);
      stuck.release();
    });

    test('with another total is a mismatch; of another order it is only logged', async (bench) => {
      const { shop, ledger, told, answer, report, until } = bench;
      shop.totalCents = 999;
      answer(() => json({}, 422));
      await shop.pay(undefined, { externalId: 'order-2' });
      const foreign = await newestOf(shop);
      shop.totalCents = 12_345;
      await shop.pay({ token: 'tok_refuse' });
      const isLogged = (field: string) =>
        shop.log.some((one) => one.event === 'mismatch' && one.field === field);
      await report(foreign);
      await until(() => isLogged('external_id'));
      shop.network = async (request) => {
        const response = await shop.sandbox.fetch(request);
        const { data } = await response.json();
        return json({ data: { ...data, external_id: externalId }, message: '' });
      };
      await shop.clock.advance(minuteMs);
      await report(foreign);
      await until(() => told.length > 0);
      assert.deepEqual(told, ['mismatch total_cents']);
      assert.equal((await readKept(ledger, externalId)).paid, null);
      await until(async () => (await readKept(ledger, externalId)).named.length === 0);
    });

    test('is told again by the service where the ledger could not keep its id', async (bench) => {
      const { shop, ledger, told, answer, report, until } = bench;
      answer(() => json({}, 422));
      await shop.pay();
      const { change } = ledger;
      Object.assign(ledger, { change: () => Promise.reject(new Error('down')) });
      assert.equal((await report()).status, 503);
      Object.assign(ledger, { change });
      assert.equal((await report()).status, 200);
      await until(() => told.length > 0);
    });
  });
}

/** What takes a long time of the clock is shown in memory. The contract of ledgers says that a database keeps ids alike. */
function describePatience(withLedger: WithLedger): void {
  describe('an id that a postback named', () => {
    const test = (title: string, run: (bench: Bench) => Promise<void>) =>
      it(title, () => withLedger(run));

    test('which the service does not know is asked for six times, given up and logged', async (bench) => {
      const { shop, ledger, answer, report, until } = bench;
      answer(() => json({}, 422));
      await shop.pay();
      const id = randomUUID();
      await report(id);
      await until(async () => (await readKept(ledger, externalId)).named.length === 0, 5_000);
      const entries = shop.log.filter(({ event }) => event === 'postback_dropped');
      const about = { operation: 'postback', externalId, invoiceId: id };
      assert.deepEqual(entries, [{ level: 'warn', event: 'postback_dropped', ...about }]);
      const asked = shop.log.filter(
        ({ event, kind }) => event === 'service_failed' && kind === 'not_found',
      );
      assert.equal(asked.length, 6);
    });

    test('is asked for again while the service fails', async (bench) => {
      const { shop, told, answer, report, until } = bench;
      answer(() => json({}, 422));
      await shop.pay();
      const { network } = shop;
      shop.network = () => json({}, 503);
      await report();
      await shop.clock.advance(20 * minuteMs);
      assert.deepEqual(told, []);
      shop.network = network;
      await until(() => told.length > 0, 5_000);
    });

    test('finds room among three hundred ids that a stranger made up', async (bench) => {
      const { shop, ledger, told, answer, report, until } = bench;
      answer(() => json({}, 422));
      await shop.pay();
      const id = await newestOf(shop);
      const statuses: number[] = [];
      for (let i = 0; i < 300; i++) statuses.push((await report(randomUUID())).status);
      // One that was looked up makes room for another.
      const kept = statuses.filter((status) => status === 200).length;
      assert.ok(kept >= maxNamed && kept <= maxNamed + 3, `${kept} kept`);
      assert.ok(statuses.every((status) => status === 200 || status === 503));
      assert.equal((await readKept(ledger, externalId)).named.length, maxNamed);
      const entries = shop.log.filter(({ event }) => event === 'postback_dropped');
      assert.equal(entries.length, 1);
      await shop.clock.advance(minuteMs);
      assert.equal((await report(id)).status, 200);
      await until(() => told.length > 0, 5_000);
    });
  });
}

const inMemory: WithLedger = async (run) => {
  const bench = await openBench(async (now) => createMemoryStore(now));
  await run(bench);
  await bench.shop.proxy.close();
};
describeReports('memory', inMemory);
describePatience(inMemory);

const store = createSqliteStore();

describe('in a database', () => {
  beforeAll(() => store.open());
  afterAll(() => store.close());
  describeReports(store.name, async (run) => {
    let opened: OpenLedger | undefined;
    const url = await store.createUrl();
    const bench = await openBench(async (now) =>
      storeOf((opened = await openLedger({ url, now }))),
    );
    await run(bench);
    await bench.shop.proxy.close();
    await opened?.close();
  });
});
