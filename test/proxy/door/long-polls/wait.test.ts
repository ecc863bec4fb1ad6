/** What `?wait=` may say, and how long the long poll is. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { openHeld, openInvoice } from '../../../support/proxy/open-invoice.js';
import { dataOf, refusalOf } from '../../../support/proxy/shop.js';

describe('?wait=', () => {
  for (const [query, seconds] of [
    ['?wait=1', 1],
    ['?wait=25', 25],
    ['?wait=26', 25],
    ['?wait=999', 25],
    ['?other=1&wait=3', 3],
  ] as const) {
    it(`${query} holds for ${seconds} s`, async () => {
      const { shop, held } = await openHeld({}, query);
      await shop.clock.advance(seconds * 1_000 - 1);
      assert.equal(held.isAnswered, false);
      await shop.clock.advance(1);
      assert.equal((await dataOf(held.response))['status'], 'pending');
      assert.equal(shop.clock.dues().length, 0);
    });
  }

  for (const query of ['', '?wait=0', '?Wait=25', '?waits=25']) {
    it(`${query || '(nothing)'} is answered at once`, async () => {
      const [shop, made] = await openInvoice();
      await dataOf(shop.lookUp(made, query));
      assert.equal(shop.clock.dues().length, 0);
    });
  }

  for (const wait of [
    '',
    ' 5',
    'abc',
    '-1',
    '1.5',
    '1e1',
    '+5',
    '0x5',
    '1000',
    '٥',
    'NaN',
    'Infinity',
  ]) {
    it(`${JSON.stringify(wait)} is refused, after the token`, async () => {
      const [shop, made] = await openInvoice();
      const query = `?wait=${encodeURIComponent(wait)}`;
      assert.equal(await refusalOf(shop.lookUp(made, query)), '400 invalid_request wait');
      const noToken = { ...made, lookup_token: 'x' };
      assert.equal(await refusalOf(shop.lookUp(noToken, query)), '401 unauthorized');
      assert.equal(shop.upstream.lookUps(), 0);
    });
  }

  it('holdSeconds: bounds it, and 0 never holds', async () => {
    const { shop: short, held } = await openHeld({ holdSeconds: 3 });
    await short.clock.advance(3_000);
    await held.response;
    const [never, made] = await openInvoice({ holdSeconds: 0 });
    await dataOf(never.lookUp(made, '?wait=25'));
    assert.equal(never.clock.dues().length, 0);
  });

  it('counts the deadline down while it holds', async () => {
    const { shop, held } = await openHeld({
      resolveOrder: () => ({ total_price_cents: 100, expires_in: 60 }),
    });
    await shop.clock.advance(25_000);
    assert.equal((await dataOf(held.response))['expires_in'], 35);
  });
});
