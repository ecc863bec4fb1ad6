/** How texts leave: composed, names with the apostrophe of keyboards, and nothing that is no character. */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import type { ResolveOrder } from '../../../src/proxy.js';
import { card, dataOf, openShop } from '../../support/proxy/shop.js';

it('Names and addresses leave in NFC, and a name with a plain apostrophe', async () => {
  const shop = openShop();
  const payer = {
    name: 'João D’Ávila'.normalize('NFD'),
    address_line: 'Praça da Sé'.normalize('NFD'),
    address_city: 'Santa Bárbara d’Oeste'.normalize('NFD'),
  };
  await dataOf(shop.create({ body: { payer } }));
  assert.deepEqual(shop.upstream.sent[0]?.body?.['payer'], {
    name: "João D'Ávila".normalize('NFC'),
    address_line: 'Praça da Sé'.normalize('NFC'),
    address_city: 'Santa Bárbara d’Oeste'.normalize('NFC'),
  });
});

/** NUL, and the halves of a character that was cut. */
const broken = ['\0', '\ud83d', '\ude00'];

for (const half of broken) {
  it(`${JSON.stringify(half)} never leaves: a database of the service would refuse the invoice`, async () => {
    const text = `Ana ${half}Souza`;
    const item = { name: text, description: half, quantity: 1 };
    const known = { address_city: `${half}Santos` };
    const order = { total_price_cents: 100, product_fisical: `${half}digital` };
    const resolveOrder: ResolveOrder = () => ({ ...order, items: [item], payer: known });
    const shop = openShop({ resolveOrder });
    const payer = { name: text, address_line: `Rua ${half}A`, address_complement: half };
    await dataOf(shop.create({ body: { payer } }));
    const cardOf = { ...card.card, first_name: `Ana${half}`, last_name: `${half}Souza` };
    await dataOf(shop.create({ externalId: 'b', body: { ...card, card: cardOf } }));
    const [pix, byCard] = shop.upstream.sent.map(({ body }) => body);
    assert.deepEqual(pix?.['payer'], {
      name: 'Ana Souza',
      address_line: 'Rua A',
      address_city: 'Santos',
    });
    assert.deepEqual(pix?.['items'], [{ name: 'Ana Souza', description: '', quantity: 1 }]);
    assert.equal(pix?.['product_fisical'], 'digital');
    const { first_name, last_name } = (byCard?.['card'] ?? {}) as Record<string, string>;
    assert.deepEqual([first_name, last_name], ['Ana', 'Souza']);
    assert.ok(!JSON.stringify(shop.upstream.sent).includes(JSON.stringify(half).slice(1, -1)));
  });
}

it('a whole character beyond the first plane leaves as it came', async () => {
  const shop = openShop({
    resolveOrder: () => ({ total_price_cents: 100, items: [{ name: 'Café ☕ 😀' }] }),
  });
  await dataOf(shop.create());
  assert.deepEqual(shop.upstream.sent[0]?.body?.['items'], [{ name: 'Café ☕ 😀' }]);
});
