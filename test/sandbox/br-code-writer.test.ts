/** The sandbox's codes: right for a reader that was written apart from the writer. */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import fc from 'fast-check';
import { isValidPixPayload } from '@brazilian-utils/brazilian-utils';
import { parseBrCode } from '../../src/domain/br-code.js';
import { maxCodeCents, writeBrCode } from '../../src/sandbox/br-code-writer.js';
import { forAny } from '../support/tables.js';

const chargeId = '8b3da2f39a4140d1a91abd93113bd441';

it('writes the fields of a dynamic code in their order', () => {
  assert.equal(
    writeBrCode(12_345, chargeId).slice(0, -4),
    '00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441' +
      '5204000053039865406123.455802BR5915TESTE NAO PAGAR6009SAO PAULO62070503***6304',
  );
});

const amounts = [
  [1, '54040.01'],
  [99, '54040.99'],
  [100, '54041.00'],
  [1_005, '540510.05'],
  [maxCodeCents, '54139999999999.99'],
] as const;
for (const [cents, field] of amounts) {
  it(`writes ${cents} cents as ${field}`, () => {
    assert.ok(writeBrCode(cents, chargeId).includes(`53039865${field.slice(1)}5802BR`));
  });
}

it('any total reads back, here and elsewhere', () => {
  forAny(200, fc.integer({ min: 1, max: maxCodeCents }), fc.uuid(), (cents, uuid) => {
    const id = uuid.replaceAll('-', '');
    const code = writeBrCode(cents, id);
    const read = parseBrCode(code);
    assert.equal(read.kind, 'dynamic');
    assert.equal(read.amountCents, cents);
    assert.equal(read.merchantName, 'TESTE NAO PAGAR');
    assert.equal(read.location, `pix.example.com/qr/v2/${id}`);
    assert.equal(read.text, code);
    assert.equal(isValidPixPayload(code), true);
  });
});
