/** What the merchant's server fails to take for days: it is told all the same, in its order, and a person is warned. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs, hourMs } from '../../../../src/domain/spans.js';
import type { PaidNotice, ProxyOptions, ReturnedNotice } from '../../../../src/proxy.js';
import { createWorld, dataOf, openKeptShop, toSink } from '../../../support/proxy/shop.js';
import type { Ticket } from '../../../support/proxy/shop.js';

/** A shop whose hooks fail until it is mended, and what they took. */
function openDown(options: Partial<ProxyOptions> = {}, world = createWorld()) {
  const shopState = { isDown: true };
  const told: string[] = [];
  const notices: (PaidNotice | ReturnedNotice)[] = [];
  const warnings: number[] = [];
  const dead: number[] = [];
  const take = (hook: string, notice: PaidNotice | ReturnedNotice) => {
    if (shopState.isDown) throw new Error('down');
    told.push(`${hook} ${notice.externalId}`);
    notices.push(notice);
  };
  const shop = openKeptShop(
    {
      backgroundJobs: false,
      randomUuid: () => 'ffffffff-0000-4000-8000-000000000000',
      onError: () => undefined,
      onPaid: (notice) => take('onPaid', notice),
      onReturned: (notice) => take('onReturned', notice),
      onUndelivered() {
        warnings.push(Math.round((shop.clock.now() - startMs) / hourMs));
        if (shopState.isDown) throw new Error('down');
      },
      metrics: toSink({
        set: (name, value) => void (name === 'pix_dead_events' && dead.push(value)),
      }),
      ...options,
    },
    world,
  );
  const startMs = shop.clock.now();
  async function pay(externalId = 'order-1'): Promise<Ticket> {
    const made = await dataOf(shop.create({ externalId }));
    await shop.seePaid(made);
    return made;
  }
  return { ...shop, shopState, told, notices, warnings, dead, pay };
}

describe('a hook that fails for days', () => {
  it('is called every six hours after a day, and of five payments none is lost', async () => {
    const { shopState, told, pay, live, warnings } = openDown();
    for (let n = 0; n < 5; n += 1) await pay(`order-${n}`);
    await live(10 * dayMs);
    assert.deepEqual(told, []);
    assert.equal(warnings.length, 5 * 10, 'one a day for each');
    assert.deepEqual([...new Set(warnings)], [24, 48, 72, 96, 120, 144, 168, 192, 216, 240]);
    shopState.isDown = false;
    await live(6 * hourMs);
    assert.deepEqual(
      told.toSorted((a, b) => (a < b ? -1 : 1)),
      Array.from({ length: 5 }, (_, n) => `onPaid order-${n}`),
    );
  });

  it('warns until one warning is taken, and is counted for as long as it lasts', async () => {
    let isHeard = false;
    const { pay, live, warnings, dead, proxy } = openDown({
      onUndelivered() {
        warnings.push(warnings.length);
        if (!isHeard) throw new Error('down');
      },
    });
    await pay();
    await live(dayMs);
    assert.deepEqual([warnings.length, dead.at(-1)], [1, 1]);
    isHeard = true;
    await live(8 * dayMs);
    assert.equal(warnings.length, 2);
    assert.equal(dead.at(-1), 1);
    const order = await proxy.describeOrder('order-1');
    assert.match(order?.waitsFor ?? '', /^your server: paid at .*; onPaid was called \d+ times/);
  });

  it('is called at once when a person says so, with all that waits behind it', async () => {
    const { shopState, told, upstream, pay, live, proxy, postback, dead } = openDown();
    const made = await pay();
    await live(3 * dayMs);
    upstream.of(made).status = 'refunded';
    await postback({ id: made.invoice_id });
    await live(hourMs);
    shopState.isDown = false;
    assert.equal(await proxy.tellAgain({ externalId: 'order-1' }), true);
    assert.deepEqual(told, ['onPaid order-1', 'onReturned order-1']);
    assert.equal(await proxy.tellAgain({ externalId: 'order-1' }), false);
    assert.equal(await proxy.tellAgain({ externalId: 'order-2' }), false);
    await proxy.runDue();
    assert.equal(dead.at(-1), 0);
  });
});

it('a payment that went back meanwhile is told as that, and before its return', async () => {
  const { shopState, told, notices, upstream, pay, live, postback } = openDown();
  const made = await pay();
  await live(hourMs);
  upstream.of(made).status = 'refunded';
  await postback({ id: made.invoice_id });
  await live(dayMs);
  shopState.isDown = false;
  await live(dayMs);
  assert.deepEqual(told, ['onPaid order-1', 'onReturned order-1']);
  assert.equal((notices[0] as PaidNotice).returned, true);
});
