/** How the payer's texts leave: composed, and names with the apostrophe of keyboards. */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import { dataOf, openShop } from '../support/shop.js';

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
