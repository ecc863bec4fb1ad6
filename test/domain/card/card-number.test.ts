/** Card numbers: check digit, lengths and groups, against published test cards and as people type. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { cardBrands, parseAcceptedBrands } from '../../../src/domain/card/card-brand.js';
import type { CardBrand } from '../../../src/domain/card/card-brand.js';
import {
  checkCardNumber,
  formatCardNumber,
  isLuhn,
  normalizeCardNumber,
} from '../../../src/domain/card/card-fields.js';
import { anyText, groups, holds, maps } from '../../support/tables.js';
import vectors from '../../support/vectors/cards.json' with { type: 'json' };

const published = Object.values(vectors.numbers).flat();
const bare = (shown: string) => shown.replaceAll(' ', '');

describe('published test cards', () => {
  for (const { shown, source } of published) {
    it(`${shown} (${source})`, () => {
      const number = bare(shown);
      assert.deepEqual([isLuhn(number), checkCardNumber(shown)], [true, null]);
      assert.deepEqual([formatCardNumber(number), normalizeCardNumber(shown)], [shown, number]);
    });
  }
  it('cover every brand', () => {
    for (const brand of cardBrands) assert.ok(vectors.numbers[brand].length > 0, brand);
  });
});

describe('the check digit', () => {
  for (const { number, luhn, note } of vectors.luhn) {
    it(`${number} is ${luhn ? 'right' : 'wrong'} (${note})`, () => {
      assert.deepEqual([isLuhn(number), checkCardNumber(number)], [luhn, 'invalid']);
    });
  }
  // It is of bare digits only.
  groups(isLuhn, [[false, '', ' ', '4111 1111 1111 1111', '-0', '0x0', '４']]);

  const number = fc.constantFrom(...published.map(({ shown }) => bare(shown)));
  const changed = fc.integer({ min: 1, max: 9 });
  holds('finds every wrong digit', 1_000, number, fc.nat(), changed, (right, at, change) => {
    const index = at % right.length;
    const digit = (Number(right[index]) + change) % 10;
    assert.equal(isLuhn(right.slice(0, index) + String(digit) + right.slice(index + 1)), false);
  });
  holds('finds swapped neighbours, but for 0 and 9', 1_000, number, fc.nat(), (right, at) => {
    const index = at % (right.length - 1);
    const pair = right.slice(index, index + 2);
    const [first = '', second = ''] = pair;
    fc.pre(first !== second && pair !== '09' && pair !== '90');
    assert.equal(isLuhn(right.slice(0, index) + second + first + right.slice(index + 2)), false);
  });
});

describe('what is wrong with a number', () => {
  const check = (typed: string) => checkCardNumber(typed);
  groups(check, [
    ['missing', '', ' - \u200b'],
    [null, '4111 1111 1111 1111', '4111-1111-1111-1111', '\u00a04111\u20091111\u200b11111111\n'],
    [null, '４１１１　１１１１　１１１１　１１１１', '٤١١١ ١١١١ ١١١١ ١١١١'],
    [null, '5031 4332 1540 6351', '3841 0000 0000 4', '3841 000000 0007', '3841 0000 0000 0007'],
    [null, '3841 0000 0000 0000 004'],
    ['length', '4111 1111 1111 111', '4111 1111 1111 1', '4111 1111 1111 1111 1'],
    [
      'length',
      '3782 822463 1000',
      '5031 4332 15',
      '3841 0000 0000 004',
      '5078 6018 7000 0127 9850',
    ],
    ['invalid', '4111 1111 1111 1112', '4111 1111 1111 111l', '4111 1111 1111 111²', 'ana'],
    ['invalid', '5031 4332 1540 6352', '0000 0000 0000 0000', '8888 8888 8888 8888'],
  ]);
  it('equal digits that satisfy the sum, in every length', () => {
    for (const digit of '0123456789') {
      for (let length = 1; length <= 25; length++) {
        assert.notEqual(checkCardNumber(digit.repeat(length)), null);
      }
    }
  });
  const { accepted } = parseAcceptedBrands('visa');
  const checkAccepted = (typed: string, brands: readonly CardBrand[]) =>
    checkCardNumber(typed, brands);
  maps(checkAccepted, [
    // An old Hipercard where that is left out, and not where Diners is.
    ['3841 4011 1122 2233 334', ['visa', 'hipercard'], null],
    ['3841 4011 1122 2233 334', ['visa', 'diners'], 'not_accepted'],
    // A brand that the merchant left out, and never one that is unknown.
    ['5555 5555 5555 4444', accepted, 'not_accepted'],
    ['5555 5555 5555 4445', accepted, 'invalid'],
    ['5031 4332 1540 6351', accepted, null],
    ['4111 1111 1111 1111', accepted, null],
  ]);
});

describe('the groups while typing', () => {
  maps(formatCardNumber, [
    ['', ''],
    [' ', ''],
    ['4111', '4111'],
    ['4111 ', '4111'],
    ['41111', '4111 1'],
    ['4111-1111', '4111 1111'],
    ['4111x', '4111 x'],
    ['37', '37'],
    ['37828224631000', '3782 822463 1000'],
    ['3782822463100051', '3782 822463 100051'],
    ['30569', '3056 9'],
    ['3852000002323', '3852 000002 323'],
    ['3841401111222233334', '3841 4011 1122 2233 334'],
    ['5031433215406351', '5031 4332 1540 6351'],
    ['41111111111111111111', '4111 1111 1111 1111 1111'],
    ['411111111111111111111111', '4111 1111 1111 1111 11111111'],
    ['６５５０００', '6550 00'],
  ]);
  const typed = fc.oneof(
    anyText(),
    fc.stringMatching(/^[\d -]{0,30}$/),
    fc.stringMatching(/^3[047][\d ]{0,20}$/),
  );
  holds('lose no letter or digit, and stay the same when shown again', 2_000, typed, (text) => {
    const shown = formatCardNumber(text);
    assert.equal(normalizeCardNumber(shown), normalizeCardNumber(text));
    assert.equal(formatCardNumber(shown), shown);
  });
});
