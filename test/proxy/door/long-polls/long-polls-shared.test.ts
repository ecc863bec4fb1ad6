/** Long polls on several machines: changes made by another are told within a second, on one schedule, with no idle query. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import Database from 'libsql';
import { openLedger } from '../../../../src/ledger.js';
import { LedgerError } from '../../../../src/proxy/store/ledger-error.js';
import type { OrderStore } from '../../../../src/proxy/store/order-store.js';
import { findInternals } from '../../../../src/proxy/door/request.js';
import { withFile } from '../../store/bench.js';
import { hold } from '../../support/open-invoice.js';
import {
  createGate,
  createWorld,
  dataOf,
  json,
  openKeptShop,
  openShop,
  settle,
  until,
} from '../../support/shop.js';
import type { Shop } from '../../support/shop.js';

type Machines = Awaited<ReturnType<typeof openMachines>>;

/** Two proxies on one ledger and one service, with an open invoice. No background job runs, only long polls. */
async function openMachines({
  settled,
  ...changes
}: Partial<OrderStore> & { readonly settled?: OrderStore['search'] } = {}) {
  const world = createWorld();
  const { clock } = world;
  const questions: number[] = [];
  const store: OrderStore = {
    ...world.store,
    isShared: true,
    throttlesLookUps: true,
    async search(search) {
      // No background job does what is due, only long polls look things up.
      if (search.kinds[0] !== 'settled') return [];
      questions.push(search.fromMs ?? 0);
      return settled ? settled(search) : world.store.search(search);
    },
    ...changes,
  };
  const one = openKeptShop({}, { ...world, store });
  const other = openKeptShop({}, one);
  for (const { proxy } of [one, other]) findInternals(proxy.fetch)?.startListening();
  const made = await dataOf(one.create());
  const invoice = one.upstream.of(made);
  return {
    clock,
    one,
    other,
    made,
    invoice,
    /** Questions for news, and what each was asked back to. */
    questions,
    lookUps: one.upstream.lookUps,
  };
}

/** That an invoice was settled just now. */
const toFound = (id: string) =>
  ({ kind: 'settled', id, externalId: 'order-1', atMs: 0, rank: 0 }) as const;

/** Begins a long poll, and waits until it is open: it has a timer then, the schedule one, and the change feed one. */
async function holdAt(shop: Shop, { clock, made }: Machines) {
  const before = clock.dues().length;
  const held = hold(shop, made);
  await until(() => clock.dues().length >= before + 2);
  await settle();
  return held;
}

describe('a long poll on another machine', () => {
  it('is answered within a second of the change, by a look-up of its own', async () => {
    const machines = await openMachines();
    const { clock, one, other, made, invoice } = machines;
    const held = await holdAt(other, machines);
    await clock.advance(2_500);
    invoice.status = 'paid';
    assert.equal((await dataOf(one.lookUp(made)))['status'], 'paid');
    const before = machines.lookUps();
    await clock.advance(499);
    assert.equal(held.isAnswered, false);
    await clock.advance(1);
    await until(() => held.isAnswered);
    assert.equal((await dataOf(held.response))['status'], 'paid');
    assert.equal(machines.lookUps(), before + 1);
  });

  it('is not told paid by the ledger alone', async () => {
    const machines = await openMachines();
    const { clock, one, other, made, invoice } = machines;
    const held = await holdAt(other, machines);
    await clock.advance(2_500);
    invoice.status = 'paid';
    await dataOf(one.lookUp(made));
    one.upstream.behave = () => json({}, 500);
    await clock.advance(3_000);
    assert.equal(held.isAnswered, false);
    one.upstream.behave = () => undefined;
    await clock.advance(8_000);
    await until(() => held.isAnswered);
    assert.equal((await dataOf(held.response))['status'], 'paid');
  });

  it('acts once on each change, and on none without a long poll', async () => {
    const machines = await openMachines();
    const { clock, one, other, made, invoice } = machines;
    const second = await dataOf(one.create({ externalId: 'order-2' }));
    await holdAt(other, machines);
    await clock.advance(1_500);
    const before = machines.lookUps();
    one.upstream.pay(second);
    await dataOf(one.lookUp(second));
    invoice.status = 'paid';
    await dataOf(one.lookUp(made));
    const held = hold(other, second);
    await until(() => held.isAnswered);
    // Three so far; then one more for the invoice that a page waits for.
    assert.equal(machines.lookUps(), before + 3);
    await clock.advance(60_000);
    assert.equal(machines.lookUps(), before + 4);
  });

  it('acts on no change of an invoice whose client has gone', async () => {
    const machines = await openMachines();
    const { clock, one, other, made, invoice } = machines;
    const second = await dataOf(one.create({ externalId: 'order-2' }));
    const leaving = new AbortController();
    const idle = clock.dues().length;
    const left = hold(other, made, '?wait=25', leaving.signal);
    await until(() => clock.dues().length === idle + 3);
    await holdAt(other, { ...machines, made: second });
    leaving.abort();
    await left.response;
    invoice.status = 'paid';
    await dataOf(one.lookUp(made));
    const before = machines.lookUps();
    await clock.advance(7_000);
    assert.equal(machines.lookUps(), before);
  });

  it('asks the service once for a change, even if it knows better', async () => {
    let invoiceId = '';
    const machines = await openMachines({ settled: async () => [toFound(invoiceId)] });
    invoiceId = machines.made.invoice_id;
    await holdAt(machines.other, machines);
    const before = machines.lookUps();
    await machines.clock.advance(7_000);
    assert.equal(machines.lookUps(), before + 1);
  });

  it('asks the ledger four times in three seconds, however many wait, a minute back', async () => {
    const machines = await openMachines();
    const { clock, one, other, questions } = machines;
    const tickets = [];
    for (let i = 0; i < 20; i++) {
      tickets.push(await dataOf(one.create({ externalId: `order-${i + 10}` })));
    }
    const idle = clock.dues().length;
    const startedMs = clock.now();
    const held = tickets.map((ticket) => hold(other, ticket));
    await until(() => clock.dues().length === idle + 20 * 2 + 1);
    await clock.advance(3_000);
    assert.deepEqual(
      questions,
      [750, 1_500, 2_250, 3_000].map((ms) => startedMs + ms - 60_000),
    );
    await clock.advance(22_000);
    await Promise.all(held.map(({ response }) => response));
    const asked = questions.length;
    await clock.advance(60_000);
    assert.equal(questions.length, asked);
  });

  it('asks nothing once its client has gone', async () => {
    const machines = await openMachines();
    const { clock, other, made, questions } = machines;
    const idle = clock.dues().length;
    const leaving = new AbortController();
    const held = hold(other, made, '?wait=25', leaving.signal);
    await until(() => clock.dues().length === idle + 3);
    await clock.advance(1_500);
    leaving.abort();
    await until(() => held.isAnswered);
    assert.equal(clock.dues().length, idle);
    const asked = questions.length;
    await clock.advance(4_000);
    assert.equal(questions.length, asked);
  });

  const questions: [operation: 'settled' | 'passThrottle', answer: unknown, afterMs: number][] = [
    ['settled', [], 1_000],
    ['passThrottle', true, 8_000],
  ];
  for (const [operation, answer, afterMs] of questions) {
    it(`asks nothing more when its client goes while the ledger is asked: ${operation}`, async () => {
      const { opened, release } = createGate();
      let asked = 0;
      const ask = async (what: unknown) => {
        if (what === 'running') return true;
        asked += 1;
        await opened;
        return answer;
      };
      const machines = await openMachines({ [operation]: ask });
      const { clock, other, made } = machines;
      const idle = clock.dues().length;
      const leaving = new AbortController();
      const held = hold(other, made, '?wait=25', leaving.signal);
      await until(() => clock.dues().length === idle + 3);
      await clock.advance(afterMs);
      const lookUps = machines.lookUps();
      leaving.abort();
      await until(() => held.isAnswered);
      release();
      await settle();
      assert.equal(clock.dues().length, idle);
      assert.equal(asked, 1);
      assert.equal(machines.lookUps(), lookUps);
    });
  }

  it('is asked for in one schedule for all machines', async () => {
    const machines = await openMachines();
    const { clock, one, other } = machines;
    const held = [await holdAt(one, machines)];
    await clock.advance(1_700);
    held.push(await holdAt(other, machines));
    const before = machines.lookUps();
    await clock.advance(20_000);
    // As many as one machine makes: at 8, 12, 16 and 20 s.
    assert.equal(machines.lookUps() - before, 4);
    await clock.advance(10_000);
    await Promise.all(held.map(({ response }) => response));
  });
});

it('long polls with a ledger in a file write nothing to it, however many wait and however often they ask', () =>
  withFile(async ({ url }) => {
    const world = createWorld();
    const { clock } = world;
    const ledger = await openLedger({ url, now: clock.now });
    const shop = openShop({ ledger }, world);
    const tickets = [];
    for (let i = 0; i < 20; i++) {
      tickets.push(await dataOf(shop.create({ externalId: `order-${i}` })));
    }
    // What a process tells of itself once a minute is written before.
    await clock.advance(2_000);
    const idle = clock.dues().length;
    const held = tickets.map((ticket) => hold(shop, ticket));
    await until(() => clock.dues().length === idle + 20 * 2 + 1);
    const before = shop.upstream.lookUps();
    const isWritten = watchFile(url);
    // At 8 and 12 s, when nothing else falls due.
    await clock.advance(12_500);
    await until(() => shop.upstream.lookUps() === before + 40);
    assert.equal(isWritten(), false);
    await clock.advance(12_500);
    await Promise.all(held.map(({ response }) => response));
    await shop.proxy.close();
    await ledger.close();
  }));

/** @returns tells whether any transaction has changed the file since */
function watchFile(url: string): () => boolean {
  const database = new Database(url.slice('file:'.length));
  const read = () => JSON.stringify(database.prepare('PRAGMA data_version').all());
  const before = read();
  return () => {
    const isChanged = read() !== before;
    database.close();
    return isChanged;
  };
}

it('a ledger that fails during long polls is in the log once, and they are answered all the same', async () => {
  const down = () => Promise.reject(new LedgerError('57P01'));
  const machines = await openMachines({ settled: down, passThrottle: down });
  const { clock, other, invoice } = machines;
  const held = await holdAt(other, machines);
  invoice.status = 'paid';
  await clock.advance(8_000);
  await until(() => held.isAnswered);
  assert.equal((await dataOf(held.response))['status'], 'paid');
  assert.deepEqual(
    other.log.filter(({ event }) => event === 'ledger_failed'),
    [
      {
        level: 'error',
        event: 'ledger_failed',
        operation: 'look_up',
        errorName: 'LedgerError 57P01',
      },
    ],
  );
});
