/** What a postback told and no look-up found: the service does not show it yet, does not answer, or said no before. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs, hourMs, minuteMs } from '../../../../src/domain/spans.js';
import { LedgerError } from '../../../../src/proxy/store/order-store.js';
import type { OrderStore } from '../../../../src/proxy/store/order-store.js';
import { loseCard, openKeptCardShop } from '../../../support/proxy/card-shop.js';
import { openInvoice } from '../../../support/proxy/open-invoice.js';
import {
  createGate,
  createWorld,
  dataOf,
  json,
  openKeptShop,
  settle,
} from '../../../support/proxy/shop.js';

/** A shop with a ledger, and so with reconciliation, whose Pix invoice is so old. */
async function openOld(ageMs: number) {
  const [shop, , invoice] = await openInvoice({}, openKeptShop);
  const { clock } = shop;
  // In memory an order is forgotten that was not asked for in a week.
  for (const part of [0.5, 0.5]) {
    clock.skip(part * ageMs);
    await shop.kept();
    await clock.advance(minuteMs);
  }
  const paidAfterMs = async (withinMs: number) => {
    const startMs = clock.now();
    while (!(await shop.kept()).paid && clock.now() - startMs < withinMs) {
      await clock.advance(5_000);
    }
    return clock.now() - startMs;
  };
  return { shop, clock, invoice, paidAfterMs };
}

describe('a postback of what the service does not show yet', () => {
  for (const [name, ageMs] of [
    ['between two look-ups that are hours apart', 7 * hourMs],
    ['after the last one', 8 * dayMs],
  ] as const) {
    it(`has it found seconds later: ${name}`, async () => {
      const { shop, clock, invoice, paidAfterMs } = await openOld(ageMs);
      await shop.postback();
      await clock.advance(5_000);
      invoice.status = 'paid';
      assert.ok((await paidAfterMs(hourMs)) <= 20_000);
    });

    it(`has it found a minute after that, at most: ${name}`, async () => {
      const { shop, clock, invoice, paidAfterMs } = await openOld(ageMs);
      await shop.postback();
      await clock.advance(30_000);
      invoice.status = 'paid';
      assert.ok((await paidAfterMs(hourMs)) <= 60_000);
    });
  }

  it('costs two look-ups more, and no crowd puts them off or makes many of them', async () => {
    const { shop, clock } = await openOld(7 * hourMs);
    const before = shop.upstream.lookUps();
    await shop.postback();
    await clock.advance(10 * 60_000);
    assert.equal(shop.upstream.lookUps() - before, 3);

    const crowded = shop.upstream.lookUps();
    for (let i = 0; i < 600; i++) {
      await shop.postback();
      await clock.advance(100);
    }
    // One in two seconds, and no pause of more than three.
    const inMinute = shop.upstream.lookUps() - crowded;
    assert.ok(inMinute >= 20 && inMinute <= 31, `${inMinute} look-ups`);
  });

  it('has a payment found that was seen, but could not be recorded', async () => {
    const { shop, invoice, paidAfterMs } = await openOld(7 * hourMs);
    invoice.status = 'paid';
    const { change } = shop.store;
    // The postback itself is kept.
    const kept = shop.upstream.lookUps();
    let fails = 1;
    const failing: OrderStore['change'] = (...given) => {
      if (shop.upstream.lookUps() > kept && fails-- > 0) throw new LedgerError('57P01');
      return change(...given);
    };
    Object.assign(shop.store, { change: failing });
    await shop.postback();
    assert.ok((await paidAfterMs(hourMs)) <= 20_000);
    assert.ok(fails < 1);
  });
});

const faults: [name: string, answer: () => Response][] = [
  ['fails', () => json({}, 503)],
  ['finds nothing yet', () => json({}, 404)],
];
for (const [name, answer] of faults) {
  it(`a postback that names the card of unknown outcome has it bound though its first look-up ${name}`, async () => {
    for (const outageMs of [1_000, 18_000, 70_000, 20 * 60_000]) {
      const { shop, key, id, tell } = await loseCard({}, openKeptCardShop);
      const endMs = shop.clock.now() + outageMs;
      let lookUps = 0;
      shop.network = () => {
        lookUps += 1;
        return shop.clock.now() < endMs ? answer() : undefined;
      };
      await tell({ id });
      await shop.clock.advance(2 * outageMs + 60_000);
      assert.equal((await dataOf(shop.ask(key))).invoice_id, id);
      assert.ok(lookUps <= 8, `${lookUps} look-ups`);
    }
  });
}

describe('a postback of a card that was refused, and is paid after all', () => {
  /** An order whose card a look-up found refused. */
  async function refuseCard(prune?: OrderStore['prune']) {
    const shop = openKeptCardShop({}, createWorld(prune && { prune }));
    const { clock } = shop;
    const made = await dataOf(shop.pay({ token: 'tok_pending_then_refused' }));
    for (let i = 0; i < 3; i++) {
      await shop.lookUp(made);
      await clock.advance(2_000);
    }
    assert.equal((await shop.kept()).cards[0]?.progress.state, 'refused');
    let fails = 0;
    shop.network = async (request) => {
      if (fails-- > 0) return json({}, 503);
      const { data } = await (await shop.sandbox.fetch(request)).json();
      return json({ data: { ...data, status: 'paid' }, message: '' });
    };
    const before = shop.upstream.lookUps();
    return {
      shop,
      clock,
      asked: () => shop.upstream.lookUps() - before,
      fail: (times: number) => void (fails = times),
      isPaid: async () => (await shop.kept()).paid?.invoiceId === made.invoice_id,
    };
  }

  it('has it found where it is named', async () => {
    const { shop, clock, asked, isPaid } = await refuseCard();
    await shop.postback();
    await clock.advance(60_000);
    assert.equal(asked(), 0);
    await shop.report();
    await shop.clock.advance(0);
    assert.equal(await isPaid(), true);
  });

  it('has it found though its first look-up fails', async () => {
    const { shop, clock, fail, isPaid } = await refuseCard();
    fail(1);
    await shop.report();
    await shop.clock.advance(0);
    assert.equal(await isPaid(), false);
    await clock.advance(10_000);
    assert.equal(await isPaid(), true);
  });

  it('has it found though the service shows it later than it tells of it', async () => {
    const { shop, clock, isPaid } = await refuseCard();
    const { network } = shop;
    shop.network = (request) => shop.sandbox.fetch(request);
    await shop.report();
    await shop.clock.advance(0);
    assert.equal(await isPaid(), false);
    shop.network = network;
    await clock.advance(10_000);
    assert.equal(await isPaid(), true);
  });

  it('has it found though the proxy is closed in the pause, or before the next try', async () => {
    for (const isTried of [false, true]) {
      const { shop, clock, fail, isPaid } = await refuseCard();
      if (isTried) fail(1);
      else await shop.postback();
      await shop.clock.advance(0);
      await shop.report();
      if (isTried) await shop.clock.advance(0);
      await shop.proxy.close();
      assert.equal(clock.dues().length, 0);
      // The id is in the ledger: another process goes on with it.
      const next = openKeptCardShop({}, shop);
      await next.proxy.runDue();
      await clock.advance(10_000);
      await next.proxy.runDue();
      assert.equal(await isPaid(), true);
      await next.proxy.close();
    }
  });

  it('has it found though the proxy is about to be closed', async () => {
    const { opened, release } = createGate();
    const { shop, clock, isPaid } = await refuseCard(() => opened.then(() => undefined));
    // Closing ends with the background jobs, and one of them has begun.
    await clock.advance(60_000);
    const closing = shop.proxy.close();
    await settle();
    await shop.report();
    release();
    await closing;
    assert.equal(await isPaid(), true);
  });
});
