/** Whether a refused card is done with, although a look-up calls its invoice `pending`. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import type { ProxyOptions } from '../../../../src/proxy.js';
import { inProgress, orderPaid, outcomeOf, refused } from '../../../support/proxy/card-shop.js';
import { card, json, openKeptShop } from '../../../support/proxy/shop.js';

/** A shop with a card that was refused, and whose look-ups say pending. */
async function openRefused(options: Partial<ProxyOptions>) {
  const shop = openKeptShop(options);
  shop.upstream.behave = ({ method, body }) => {
    if (method !== 'POST' || body?.['method'] !== 'credit_card') return undefined;
    return json({ data: { ...shop.upstream.make(body), status: 'refused' }, message: '' });
  };
  const key = randomUUID();
  assert.equal(await outcomeOf(shop.create({ key, body: card })), refused);
  const [wire] = shop.upstream.invoices.values();
  assert.ok(wire);
  assert.equal(wire.status, 'pending');
  await shop.clock.advance(4_000);
  const payByPix = () => outcomeOf(shop.create());
  const payByCard = () => outcomeOf(shop.create({ body: card }));
  return { shop, wire, key, payByPix, payByCard };
}

describe('refusalIsFinal', () => {
  it('is true by default: another card and a code may follow', async () => {
    for (const options of [{}, { refusalIsFinal: true }]) {
      const { shop, payByPix, payByCard } = await openRefused(options);
      assert.equal(await payByCard(), refused);
      await shop.clock.advance(4_000);
      assert.equal(await payByPix(), '200');
      assert.equal(shop.upstream.creates(), 3);
    }
  });

  it('false: no other card and no code leaves, until the card ends', async () => {
    for (const first of ['payByCard', 'payByPix'] as const) {
      const { shop, wire, key, payByPix, payByCard, ...pay } = await openRefused({
        refusalIsFinal: false,
      });
      assert.equal(await { payByPix, payByCard, ...pay }[first](), inProgress);
      for (let days = 0; days < 3; days += 1) {
        shop.clock.skip(24 * 3_600_000);
        assert.equal(await payByCard(), inProgress);
        assert.equal(await payByPix(), inProgress);
      }
      assert.equal(shop.upstream.creates(), 1);
      assert.equal(await outcomeOf(shop.ask(key)), refused);
      wire.status = 'refused';
      await shop.clock.advance(4_000);
      assert.equal(await payByPix(), '200');
    }
  });

  it('false: a card that is paid after all pays the order', async () => {
    const { shop, wire, payByPix } = await openRefused({ refusalIsFinal: false, onPaid: () => {} });
    assert.equal(await payByPix(), inProgress);
    wire.status = 'paid';
    await shop.clock.advance(4_000);
    assert.equal(await payByPix(), orderPaid);
  });
});
