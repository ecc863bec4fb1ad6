/** The security code, by the brand beside it. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CardBrand } from '../../../src/domain/card/card-brand.js';
import { checkCardCode, normalizeCardCode } from '../../../src/domain/card/card-code.js';
import type { CardCodeFault } from '../../../src/domain/card/card-code.js';

describe('the security code', () => {
  const cases: readonly [typed: string, brand: CardBrand | null, fault: CardCodeFault | null][] = [
    ['', 'visa', 'missing'],
    [' ', null, 'missing'],
    ['123', 'visa', null],
    ['１２３', 'visa', null],
    [' 1 2 3 ', 'elo', null],
    ['000', 'mastercard', null],
    ['1234', 'visa', 'invalid'],
    ['12', 'visa', 'invalid'],
    ['1234', 'amex', null],
    ['123', 'amex', 'invalid'],
    ['123', null, null],
    ['1234', null, null],
    ['12', null, 'invalid'],
    ['12345', null, 'invalid'],
    ['12a', null, 'invalid'],
    ['12a', 'visa', 'invalid'],
  ];
  for (const [typed, brand, fault] of cases) {
    it(`${JSON.stringify(typed)} for ${brand ?? 'any brand'}: ${fault ?? 'nothing wrong'}`, () => {
      assert.equal(checkCardCode(typed, brand), fault);
    });
  }
  it('is carried bare', () => assert.equal(normalizeCardCode(' ０1-2 '), '012'));
});
