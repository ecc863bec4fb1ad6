/** The outbox: which hook gets which event, retries, when it gives up, and that a hook that hangs stops no other. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createOutbox, toRetryDelayMs } from '../../../src/proxy/outbox/outbox.js';
import { untimed } from '../../../src/proxy/runtime/work.js';
import type { Hooks } from '../../../src/proxy/config/read-options.js';
import type { PaidNotice } from '../../../src/proxy/order/outbox-events.js';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import type { LogEntry } from '../../../src/proxy/config/options.js';
import { toCard, toInvoice as toKept } from '../ledger/contract/samples.js';
import { createGate, createTestClock, settle, until } from '../support/shop.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Half of what a retry may wait. */
const half = '7fffffff-0000-4000-8000-000000000000';

/** All of it. */
const whole = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

function openOutbox(hooks: Hooks = {}, randomUuid: () => string = () => half) {
  const clock = createTestClock();
  const ledger = createMemoryLedger(clock.now);
  const log: LogEntry[] = [];
  const errors: unknown[][] = [];
  const { now, startTimer } = clock;
  const deliveries = createOutbox({
    ledger,
    time: untimed,
    hooks,
    addLinks: async (notice) => notice,
    now,
    startTimer,
    randomUuid,
    log: (entry) => log.push(entry),
    onError: (error, context) => errors.push([error, context]),
  });
  return {
    errors,
    clock,
    ledger,
    log,
    deliveries,
    /** As the worker does it, every second. */
    async live(forMs: number) {
      for (let passedMs = 0; passedMs < forMs; passedMs += 1_000) {
        await clock.advance(1_000);
        await deliveries.deliverDue();
      }
      await settle();
    },
    async deliver() {
      await deliveries.deliverDue();
      await deliveries.ended();
    },
    pay: (name = '1') => ledger.recordPaid(toInvoice(name), { endToEndId: null }),
    events: () => log.map(({ event }) => event),
  };
}

const card = toCard({ holder: 'holder' });

const toInvoice = (name: string) =>
  toKept({ invoiceId: `invoice-${name}`, externalId: `order-${name}`, totalCents: 100 });

const paidNotice = {
  externalId: 'order-1',
  invoiceId: 'invoice-1',
  orderCode: 'código 1',
  totalCents: 100,
  method: 'pix',
  deliveryId: 'paid~order-1~invoice-1',
  late: false,
  duplicate: false,
};

const fail = () => {
  throw new RangeError('order-1 of canary@example.com');
};

const hang = () => new Promise(() => undefined);

describe('the outbox', () => {
  it('tells each kind to its hook, once', async () => {
    const told: string[] = [];
    const tell = (hook: string) => (notice: { deliveryId: string }) => {
      told.push(`${hook} ${notice.deliveryId}`);
    };
    const { ledger, deliver } = openOutbox({
      onPaid: tell('onPaid'),
      onPixWaiting: tell('onPixWaiting'),
      onLapsed: tell('onLapsed'),
      onOutcomeUnknown: tell('onOutcomeUnknown'),
      onMismatch: tell('onMismatch'),
      onUndelivered: fail,
    });
    await ledger.recordInvoice(toInvoice('1'));
    await ledger.recordExpired(toInvoice('1'));
    await ledger.recordInvoice(toInvoice('4'));
    await ledger.recordPaid(toInvoice('2'), { endToEndId: 'E1' });
    await ledger.recordMismatch(toInvoice('3'), 'total_cents');
    await ledger.claimAttempt(card);
    await ledger.advanceAttempt(card, { state: 'unknown', candidate: null });
    await deliver();
    await deliver();
    assert.deepEqual(told.toSorted(), [
      'onLapsed lapsed~order-1~invoice-1',
      'onMismatch mismatch~order-3~invoice-3',
      'onOutcomeUnknown outcome_unknown~order-1~holder',
      'onPaid paid~order-2~invoice-2',
      'onPixWaiting waiting~order-4~invoice-4',
    ]);
    assert.equal((await ledger.readState()).undelivered, 0);
  });

  it('leaves what no hook is there for to a process that has one', async () => {
    const { ledger, deliver, deliveries, pay } = openOutbox({ onLapsed: fail });
    await pay();
    await deliver();
    const [left, ...more] = await ledger.claimEvents(['paid'], 10, 1);
    assert.deepEqual(more, []);
    assert.deepEqual([left?.tries, left?.notice], [1, paidNotice]);
    assert.equal((await ledger.readState(deliveries.kinds)).undelivered, 0);
    assert.equal((await ledger.readState(['paid', 'lapsed'])).undelivered, 1);
    assert.equal((await ledger.readState()).undelivered, 1);
  });

  it('asks the ledger for nothing where there is no hook', async () => {
    const { ledger, deliver, events } = openOutbox({ onUndelivered: fail });
    ledger.claimEvents = async () => fail();
    await deliver();
    assert.deepEqual(events(), []);
  });

  it('gives each try a notice of its own that cannot be changed', async () => {
    const told: PaidNotice[] = [];
    const { pay, live } = openOutbox({
      onPaid(notice) {
        told.push(notice);
        if (told.length < 2) Object.assign(notice, { totalCents: 1 });
      },
    });
    await pay();
    await live(10_000);
    assert.deepEqual(told, [paidNotice, paidNotice]);
    assert.notEqual(told[0], told[1]);
  });

  it('tries again with the same id after a throw, a rejection and half a minute without an end', async () => {
    const ids: string[] = [];
    const faults = [fail, async () => fail(), hang, () => undefined];
    const { log, errors, live, pay } = openOutbox({
      onPaid: (notice) => {
        ids.push(notice.deliveryId);
        return faults[ids.length - 1]?.();
      },
    });
    await pay();
    await live(2 * minuteMs);
    assert.deepEqual(ids, Array(4).fill(paidNotice.deliveryId));
    const entry = { level: 'warn', event: 'delivery_failed', operation: 'deliver' };
    const about = { ...entry, delivery: 'paid', externalId: 'order-1' };
    assert.deepEqual(log, [
      { ...about, tries: 1, errorName: 'RangeError' },
      { ...about, tries: 2, errorName: 'RangeError' },
      { ...about, tries: 3, errorName: 'TimeoutError' },
    ]);
    const context = { hook: 'onPaid', externalId: 'order-1' };
    assert.deepEqual(
      errors.map(([error, about]) => [(error as Error).name, about]),
      ['RangeError', 'RangeError', 'TimeoutError'].map((one) => [one, context]),
    );
  });

  it('lets no timer stay behind', async () => {
    const { clock, deliver, pay } = openOutbox({ onPaid: () => undefined });
    await pay();
    await deliver();
    assert.equal(clock.pending(), 0);
  });

  it('does not let a hook that hangs keep another from its events', async () => {
    const told: string[] = [];
    const { ledger, clock, deliveries, pay } = openOutbox({
      onPixWaiting: hang,
      onPaid: ({ externalId }) => told.push(externalId),
    });
    for (let i = 0; i < 200; i++) await ledger.recordInvoice(toInvoice(`waiting-${i}`));
    for (let i = 0; i < 50; i++) await pay(`${i}`);
    const closing = new AbortController();
    const delivering = deliveries.deliverDue(closing.signal);
    await until(() => told.length === 50);

    await pay('late');
    await clock.advance(1_000);
    assert.equal(told.length, 51);

    closing.abort();
    await clock.advance(1_000);
    await delivering;
  });

  it('has few calls of one hook under way, and goes on as they end', async () => {
    const ends: (() => void)[] = [];
    const told: string[] = [];
    const { deliveries, pay } = openOutbox({
      onPaid: ({ externalId }) => {
        told.push(externalId);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
    });
    for (let i = 0; i < 45; i++) await pay(`${i}`);
    const delivering = deliveries.deliverDue();
    await settle();
    assert.equal(told.length, 20);
    ends.shift()?.();
    await until(() => told.length === 30);
    while (ends.length > 0) {
      for (const end of ends.splice(0)) end();
      await settle();
    }
    await delivering;
    assert.equal(new Set(told).size, 45);
    assert.equal(told.length, 45);
  });

  it('gives up after a day, and says so once', async () => {
    const undelivered: unknown[] = [];
    let tries = 0;
    let lastMs = 0;
    const { clock, ledger, log, live, pay, events } = openOutbox(
      {
        onPaid: () => {
          tries += 1;
          lastMs = clock.now();
          return fail();
        },
        onUndelivered(notice) {
          undelivered.push(notice);
          assert.ok(Object.isFrozen(notice));
          fail();
        },
      },
      () => whole,
    );
    const queuedMs = clock.now();
    await pay();
    await live(minuteMs);
    for (let hour = 0; hour < 30; hour++) {
      for (let step = 0; step < 30; step++) {
        await clock.advance(2 * minuteMs);
        await live(1_000);
      }
    }
    assert.ok(tries > 25, `${tries} tries`);
    assert.ok(lastMs - queuedMs >= 24 * hourMs && lastMs - queuedMs < 24 * hourMs + 3 * minuteMs);
    const { deliveryId, externalId } = paidNotice;
    assert.deepEqual(undelivered, [{ kind: 'paid', deliveryId, externalId, tries }]);
    assert.deepEqual(events().slice(-3), ['delivery_failed', 'undelivered', 'unexpected_error']);
    const about = { level: 'error', operation: 'deliver', delivery: 'paid', externalId };
    assert.deepEqual(log.at(-2), { ...about, event: 'undelivered', tries });
    assert.deepEqual(log.at(-1), {
      ...about,
      event: 'unexpected_error',
      errorName: 'RangeError',
    });
    assert.equal((await ledger.readState()).undelivered, 0);
  });

  it('does not give up at once what could not be tried for a day', async () => {
    let tries = 0;
    const { clock, live, pay, events } = openOutbox({
      onPaid: () => {
        tries += 1;
        return tries < 10 ? fail() : undefined;
      },
    });
    await pay();
    await clock.advance(26 * hourMs);
    await live(20 * minuteMs);
    for (let step = 0; step < 60; step++) {
      await clock.advance(2 * minuteMs);
      await live(1_000);
    }
    assert.equal(tries, 10);
    assert.ok(!events().includes('undelivered'));
  });

  it('calls again if the ledger could not record that it was delivered', async () => {
    let told = 0;
    const { ledger, deliver, clock, log, pay } = openOutbox({ onPaid: () => void (told += 1) });
    const { endEvent } = ledger;
    ledger.endEvent = async () => fail();
    await pay();
    await deliver();
    const entry = { level: 'error', event: 'ledger_failed', operation: 'deliver' };
    assert.deepEqual(log, [{ ...entry, errorName: 'RangeError' }]);
    ledger.endEvent = endEvent;
    await clock.advance(minuteMs - 1);
    await deliver();
    assert.equal(told, 1);
    await clock.advance(1);
    await deliver();
    assert.equal(told, 2);
    await clock.advance(hourMs);
    await deliver();
    assert.equal(told, 2);
  });

  it('tells that an event is given up before that is recorded, and again if it could not be', async () => {
    const undelivered: unknown[] = [];
    const { ledger, clock, deliver, pay, events } = openOutbox({
      onPaid: fail,
      onUndelivered: (notice) => undelivered.push(notice),
    });
    await pay();
    for (let tries = 1; tries < 9; tries++) {
      await clock.advance(hourMs);
      await deliver();
    }
    await clock.advance(24 * hourMs);
    await deliver();
    assert.deepEqual(undelivered, []);
    const { endEvent } = ledger;
    // What a process leaves behind that dies at this moment.
    ledger.endEvent = async () => fail();
    await clock.advance(hourMs);
    await deliver();
    assert.equal(undelivered.length, 1);
    ledger.endEvent = endEvent;
    for (let hour = 0; hour < 5; hour++) {
      await clock.advance(hourMs);
      await deliver();
    }
    assert.equal(undelivered.length, 2);
    assert.equal(events().filter((event) => event === 'undelivered').length, 2);
  });

  it('loses nothing while the ledger cannot be read', async () => {
    let told = 0;
    const { ledger, deliver, events, pay } = openOutbox({ onPaid: () => void (told += 1) });
    const { claimEvents } = ledger;
    ledger.claimEvents = async () => fail();
    await pay();
    await deliver();
    assert.deepEqual(events(), ['ledger_failed']);
    ledger.claimEvents = claimEvents;
    await deliver();
    assert.equal(told, 1);
  });

  it('begins nothing new when the proxy closes, and waits for what it began', async () => {
    const closing = new AbortController();
    const { opened, release } = createGate();
    let told = 0;
    const { deliveries, pay } = openOutbox({
      onPaid: () => {
        told += 1;
        closing.abort();
        return opened;
      },
    });
    for (let i = 0; i < 15; i++) await pay(`${i}`);
    await deliveries.deliverDue(closing.signal);
    assert.equal(told, 10);
    let hasEnded = false;
    const ended = deliveries.ended().then(() => (hasEnded = true));
    await settle();
    assert.equal(hasEnded, false);
    release();
    await ended;
  });

  it('waits for a random part of a time that doubles from five seconds to an hour', () => {
    const most = 'ffffffff-';
    const tries = [1, 2, 3, 10, 11, 50, 5_000];
    assert.deepEqual(
      tries.map((each) => toRetryDelayMs(each, most)),
      [5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000, 3_600_000],
    );
    assert.equal(toRetryDelayMs(50, '40000000-'), 900_000);
    assert.equal(toRetryDelayMs(50, '00000000-'), 1_000);
    assert.equal(toRetryDelayMs(3, 'not a uuid'), 20_000);
  });
});
