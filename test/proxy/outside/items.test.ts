/** The lines of an order only describe it: whatever they hold, the order is sold, and what was wrong is told once a minute. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import type { ResolveOrder } from '../../../src/proxy.js';
import { dataOf, openShop } from '../../support/proxy/shop.js';
import { forAnyAsync } from '../../support/tables.js';

const selling = (items: unknown) =>
  openShop({ resolveOrder: (() => ({ total_price_cents: 100, items })) as ResolveOrder });

describe('items', () => {
  const good = { name: 'Pão', description: 'de queijo', quantity: 2, unit_price: -50 };
  const cases: [items: unknown, sent: unknown, changed: string | null][] = [
    [[good], [good], null],
    [[], [], null],
    [undefined, undefined, null],
    [[{ name: 'Pão', quantity: undefined }], [{ name: 'Pão' }], null],
    [[{ name: 'Pão', title: 'x' }], [{ name: 'Pão' }], 'items.0.title'],
    [[{ name: 'Pão', 'not a name': 1 }], [{ name: 'Pão' }], 'items.0'],
    [
      [good, { name: 'Pão', quantity: '2' }],
      [good, { name: 'Pão', quantity: 2 }],
      'items.1.quantity',
    ],
    [[{ name: 'Pão', quantity: 0.5 }], [{ name: 'Pão' }], 'items.0.quantity'],
    [[{ name: 'Pão', unit_price: '12,90' }], [{ name: 'Pão' }], 'items.0.unit_price'],
    [[{ name: 'Pão', unit_price: 12.9 }], [{ name: 'Pão' }], 'items.0.unit_price'],
    [[{ name: 'Pão', description: null }], [{ name: 'Pão' }], 'items.0.description'],
    [[{ name: 42 }], [{ name: '42' }], 'items.0.name'],
    [[{ name: { pt: 'Pão' }, quantity: 1 }], [{ quantity: 1 }], 'items.0.name'],
    [[null, good], [good], 'items.0'],
    [['Pão', {}], [], 'items.0'],
    [null, undefined, 'items'],
    [{}, undefined, 'items'],
    ['Pão', undefined, 'items'],
  ];
  for (const [items, sent, field] of cases) {
    it(`${JSON.stringify(items)} are sold as ${JSON.stringify(sent)}`, async () => {
      const shop = selling(items);
      await dataOf(shop.create());
      assert.deepEqual(shop.upstream.sent[0]?.body?.['items'], sent);
      const entry = { level: 'warn', event: 'items_mended', externalId: 'order-1', field };
      assert.deepEqual(shop.log, field === null ? [] : [entry]);
    });
  }

  it('that are wrong are told once a minute', async () => {
    const shop = selling([{ title: 'x' }]);
    for (const externalId of ['a', 'b']) await dataOf(shop.create({ externalId }));
    assert.equal(shop.log.length, 1);
    await shop.clock.advance(60_000);
    await dataOf(shop.create({ externalId: 'c' }));
    assert.equal(shop.log.length, 2);
  });

  it('of any shape sell the order', async () => {
    await forAnyAsync(200, fc.anything({ withNullPrototype: true, maxDepth: 3 }), async (items) => {
      await dataOf(selling(items).create());
    });
  });
});
