/** Long polls on several machines: changes made by another are told within a second, on one schedule, with no idle query. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import Database from 'libsql';
import { openLedger } from '../../../../src/ledger.js';
import { LedgerError } from '../../../../src/proxy/store/order-store.js';
import type { OrderStore } from '../../../../src/proxy/store/order-store.js';
import { findInternals } from '../../../../src/proxy/door/request.js';
import { withFile } from '../../store/bench.js';
import { hold } from '../../../support/proxy/open-invoice.js';
import {
  createGate,
  createWorld,
  dataOf,
  json,
  openKeptShop,
  openShop,
  settle,
  turnsUntil,
} from '../../../support/proxy/shop.js';

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

describe('a long poll on another machine', () => {
  it('is answered within a second of the change, by a look-up of its own', async () => {
    const { clock, one, other, made, lookUps } = await openMachines();
    const held = await hold(other, made);
    await clock.advance(2_500);
    await one.seePaid(made);
    const before = lookUps();
    await clock.advance(499);
    assert.equal(held.isAnswered, false);
    await clock.advance(1);
    assert.equal((await dataOf(held.response))['status'], 'paid');
    assert.equal(lookUps(), before + 1);
  });

  it('is not told paid by the ledger alone', async () => {
    const { clock, one, other, made } = await openMachines();
    const held = await hold(other, made);
    await clock.advance(2_500);
    await one.seePaid(made);
    one.upstream.behave = () => json({}, 500);
    await clock.advance(3_000);
    assert.equal(held.isAnswered, false);
    one.upstream.behave = () => undefined;
    await clock.advance(8_000);
    assert.equal((await dataOf(held.response))['status'], 'paid');
  });

  it('acts once on each change, and on none without a long poll', async () => {
    const { clock, one, other, made, lookUps } = await openMachines();
    const second = await dataOf(one.create({ externalId: 'order-2' }));
    await hold(other, made);
    await clock.advance(1_500);
    const before = lookUps();
    await one.seePaid(second);
    await one.seePaid(made);
    await dataOf(other.lookUp(second, '?wait=25'));
    // Three so far; then one more for the invoice that a page waits for.
    assert.equal(lookUps(), before + 3);
    await clock.advance(60_000);
    assert.equal(lookUps(), before + 4);
  });

  it('acts on no change of an invoice whose client has gone', async () => {
    const { clock, one, other, made, lookUps } = await openMachines();
    const second = await dataOf(one.create({ externalId: 'order-2' }));
    const leaving = new AbortController();
    const left = await hold(other, made, '?wait=25', leaving.signal);
    await hold(other, second);
    leaving.abort();
    await left.response;
    await one.seePaid(made);
    const before = lookUps();
    await clock.advance(7_000);
    assert.equal(lookUps(), before);
  });

  it('asks the service once for a change, even if it knows better', async () => {
    let invoiceId = '';
    const machines = await openMachines({ settled: async () => [toFound(invoiceId)] });
    invoiceId = machines.made.invoice_id;
    await hold(machines.other, machines.made);
    const before = machines.lookUps();
    await machines.clock.advance(7_000);
    assert.equal(machines.lookUps(), before + 1);
  });

  it('asks the ledger four times in three seconds, however many wait, a minute back', async () => {
    const { clock, one, other, questions } = await openMachines();
    const tickets = [];
    for (let i = 0; i < 20; i++) {
      tickets.push(await dataOf(one.create({ externalId: `order-${i + 10}` })));
    }
    const idle = clock.dues().length;
    const startedMs = clock.now();
    const held = await Promise.all(tickets.map((ticket) => hold(other, ticket)));
    assert.equal(clock.dues().length, idle + 20 * 2 + 1);
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
    const { clock, other, made, questions } = await openMachines();
    const idle = clock.dues().length;
    const leaving = new AbortController();
    const held = await hold(other, made, '?wait=25', leaving.signal);
    await clock.advance(1_500);
    leaving.abort();
    await turnsUntil(() => held.isAnswered);
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
      const { clock, other, made, lookUps } = await openMachines({ [operation]: ask });
      const idle = clock.dues().length;
      const leaving = new AbortController();
      const held = await hold(other, made, '?wait=25', leaving.signal);
      await clock.advance(afterMs);
      const before = lookUps();
      leaving.abort();
      await turnsUntil(() => held.isAnswered);
      release();
      await settle();
      assert.equal(clock.dues().length, idle);
      assert.equal(asked, 1);
      assert.equal(lookUps(), before);
    });
  }

  it('is asked for in one schedule for all machines', async () => {
    const { clock, one, other, lookUps, made } = await openMachines();
    const held = [await hold(one, made)];
    await clock.advance(1_700);
    held.push(await hold(other, made));
    const before = lookUps();
    await clock.advance(20_000);
    // As many as one machine makes: at 8, 12, 16 and 20 s.
    assert.equal(lookUps() - before, 4);
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
    const held = await Promise.all(tickets.map((ticket) => hold(shop, ticket)));
    await turnsUntil(() => clock.dues().length === idle + 20 * 2 + 1);
    const before = shop.upstream.lookUps();
    const isWritten = watchFile(url);
    // At 8 and 12 s, when nothing else falls due.
    await clock.advance(12_500);
    await turnsUntil(() => shop.upstream.lookUps() === before + 40);
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
  const { clock, other, invoice, made } = await openMachines({ settled: down, passThrottle: down });
  const held = await hold(other, made);
  invoice.status = 'paid';
  await clock.advance(8_000);
  assert.equal((await dataOf(held.response))['status'], 'paid');
  const entry = { level: 'error', event: 'ledger_failed', operation: 'look_up' };
  assert.deepEqual(other.logged('ledger_failed'), [{ ...entry, errorName: 'LedgerError 57P01' }]);
});
