/** Codes that some banks refuse: they are shown, and the log says once what is unusual. And placeholders of a test environment. */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import { crc16 } from '../../../../src/domain/br-code.js';
import { toPixCode } from '../../../support/pix-code.js';
import { outcomeOf, unavailable } from '../../../support/proxy/card-shop.js';
import { dataOf, openShop } from '../../../support/proxy/shop.js';
import { columns } from '../../../support/rows.js';

const usual = toPixCode({ totalCents: 12_345 });

/** The same with another text in it, and its checksum. */
function change(from: string, to: string): string {
  assert.ok(usual.includes(from), from);
  const body = usual.replace(from, to).slice(0, -4);
  return body + crc16(body);
}

const codes = {
  '54': change('5406123.45', '5405123.4'),
  '59': toPixCode({ totalCents: 12_345, name: 'Padaria São João' }),
  '62': change('62070503***', ''),
};

it('A code that banks may refuse is shown, and logged once with its field', async () => {
  for (const [field, code] of Object.entries(codes)) {
    const shop = openShop();
    shop.upstream.makes = { qr_code_pix: code };
    for (const externalId of ['order-1', 'order-2']) {
      assert.equal((await dataOf(shop.create({ externalId })))['qr_code_pix'], code);
    }
    assert.deepEqual(columns(shop.log, 'event', 'externalId', 'field'), [
      ['code_unusual', 'order-1', field],
    ]);
  }
});

it('A placeholder is shown where that was typed out, and what cannot be a code is not', async () => {
  for (const [allowUnverifiedCodes, code, outcome] of [
    [true, 'PLACEHOLDER', '200'],
    [false, 'PLACEHOLDER', unavailable],
    [true, usual, '200'],
    [true, '', unavailable],
    [true, 'two\nlines', unavailable],
    [true, 'CPF 529.982.247-25', unavailable],
  ] as const) {
    const shop = openShop({ allowUnverifiedCodes });
    shop.upstream.makes = { qr_code_pix: code };
    assert.equal(await outcomeOf(shop.create()), outcome, code);
    const logged = outcome === '200' ? [] : [['create', 'invalid_code', 'order-1']];
    assert.deepEqual(columns(shop.log, 'operation', 'event', 'externalId'), logged);
  }
});
