/** Whether postbacks arrive: look-ups become rare while they do, usual again when two payments came without one, and the shop hears of none. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { secondMs } from '../../../src/domain/spans.js';
import { dataOf, eventsOf, openKeptShop, toSink } from '../../support/proxy/shop.js';

/** A shop whose payments are told by a postback or not. */
function open() {
  const found: string[] = [];
  const shop = openKeptShop({
    backgroundJobs: false,
    onPaid: () => undefined,
    metrics: toSink({
      count: (name, labels = {}) =>
        void (name === 'pix_payments_found_total' && found.push(labels['by']!)),
    }),
  });
  let orders = 0;

  /** @param afterMs between the look-up of its page that finds the payment, and its postback; null: none comes */
  async function pay(afterMs: number | null): Promise<void> {
    const externalId = `order-${(orders += 1)}`;
    const made = await dataOf(shop.create({ externalId }));
    const postbackUrl = shop.postbackUrl();
    shop.upstream.pay(made);
    if (afterMs !== 0) assert.equal((await dataOf(shop.lookUp(made)))['status'], 'paid');
    await shop.clock.advance(afterMs ?? 12 * secondMs);
    if (afterMs !== null) await shop.proxy.fetch(new Request(postbackUrl, { method: 'POST' }));
    await shop.clock.advance(secondMs);
  }

  return {
    ...shop,
    found,
    async payAll(times: number, afterMs: number | null) {
      for (let n = 0; n < times; n += 1) await pay(afterMs);
    },
    /** @returns how often a code is looked up in two hours whose page is closed */
    async countLookUps(): Promise<number> {
      const made = await dataOf(shop.create({ externalId: `order-${(orders += 1)}` }));
      await shop.live(2 * 3_600 * secondMs);
      return shop.upstream.sent.filter(({ url }) => url.endsWith(`/${made['invoice_id']}`)).length;
    },
  };
}

describe('while postbacks arrive', () => {
  it('an open code is looked up at a quarter of its ages, until two payments come without one', async () => {
    for (const afterMs of [0, 9 * secondMs]) {
      const shop = open();
      const usual = await shop.countLookUps();
      await shop.payAll(19, afterMs);
      await shop.payAll(1, null);
      await shop.payAll(19, afterMs);
      assert.equal(await shop.countLookUps(), usual, '19 in a row are too few');
      await shop.payAll(1, afterMs);
      assert.deepEqual([usual, await shop.countLookUps()], [8, 3]);
      await shop.payAll(1, null);
      assert.equal(await shop.countLookUps(), 3, 'one may be lost');
      await shop.payAll(1, null);
      assert.equal(await shop.countLookUps(), usual);
      const by = (name: string) => shop.found.filter((one) => one === name).length;
      assert.deepEqual([by('postback'), by('look_up')], [39, 3]);
    }
  });

  it('a waiting page causes a look-up when it asks, and few between', async () => {
    const shop = open();
    const wait = async () => {
      const made = await dataOf(shop.create({ externalId: `page-${shop.upstream.lookUps()}` }));
      const before = shop.upstream.lookUps();
      for (let n = 0; n < 4; n += 1) {
        const held = shop.lookUp(made, '?wait=25');
        await shop.clock.advance(26 * secondMs);
        await held;
      }
      return shop.upstream.lookUps() - before;
    };
    const usual = await wait();
    await shop.payAll(20, 0);
    const rare = await wait();
    assert.ok(rare >= 4 && rare <= usual / 2, `${rare} of ${usual}`);
  });
});

describe('where no postback comes', () => {
  it('the shop is told once, after five payments', async () => {
    const shop = open();
    const told = () => eventsOf(shop).filter((event) => event === 'postbacks_missing').length;
    await shop.payAll(4, null);
    assert.equal(told(), 0);
    await shop.payAll(4, null);
    assert.equal(told(), 1);
    await shop.payAll(1, 0);
    await shop.payAll(6, null);
    assert.equal(told(), 2);
  });

  it('nothing is said while some come, however late', async () => {
    const shop = open();
    for (let n = 0; n < 4; n += 1) {
      await shop.payAll(2, null);
      await shop.payAll(1, 30 * secondMs);
    }
    assert.ok(!eventsOf(shop).includes('postbacks_missing'));
  });
});
