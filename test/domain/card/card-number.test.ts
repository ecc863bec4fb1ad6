/** Card numbers: check digit, lengths and groups, against published test cards and as people type. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cardBrands, parseAcceptedBrands } from '../../../src/domain/card/card-brand.js';
import {
  checkCardNumber,
  formatCardNumber,
  isLuhn,
  normalizeCardNumber,
} from '../../../src/domain/card/card-number.js';
import type { CardNumberFault } from '../../../src/domain/card/card-number.js';
import { numRuns } from '../../support/runs.js';
import vectors from '../../support/vectors/cards.json' with { type: 'json' };

const published = Object.values(vectors.numbers).flat();
const bare = (shown: string) => shown.replaceAll(' ', '');

describe('published test cards', () => {
  for (const { shown, source } of published) {
    it(`${shown} (${source})`, () => {
      const number = bare(shown);
      assert.equal(isLuhn(number), true);
      assert.equal(checkCardNumber(shown), null);
      assert.equal(formatCardNumber(number), shown);
      assert.equal(normalizeCardNumber(shown), number);
    });
  }
  it('cover every brand', () => {
    for (const brand of cardBrands) assert.ok(vectors.numbers[brand].length > 0, brand);
  });
});

describe('the check digit', () => {
  for (const { number, luhn, note } of vectors.luhn) {
    it(`${number} is ${luhn ? 'right' : 'wrong'} (${note})`, () => {
      assert.equal(isLuhn(number), luhn);
      assert.equal(checkCardNumber(number), 'invalid');
    });
  }
  for (const text of ['', ' ', '4111 1111 1111 1111', '-0', '0x0', '４']) {
    it(`is of bare digits only: ${JSON.stringify(text)}`, () => assert.equal(isLuhn(text), false));
  }

  const number = fc.constantFrom(...published.map(({ shown }) => bare(shown)));
  it('finds every single wrong digit', () => {
    fc.assert(
      fc.property(number, fc.nat(), fc.integer({ min: 1, max: 9 }), (right, at, change) => {
        const index = at % right.length;
        const digit = (Number(right[index]) + change) % 10;
        const wrong = right.slice(0, index) + String(digit) + right.slice(index + 1);
        assert.equal(isLuhn(wrong), false);
      }),
      { numRuns: numRuns(1_000) },
    );
  });
  it('finds neighbours that changed places, but for 0 and 9', () => {
    fc.assert(
      fc.property(number, fc.nat(), (right, at) => {
        const index = at % (right.length - 1);
        const pair = right.slice(index, index + 2);
        const [first = '', second = ''] = pair;
        fc.pre(first !== second && pair !== '09' && pair !== '90');
        const wrong = right.slice(0, index) + second + first + right.slice(index + 2);
        assert.equal(isLuhn(wrong), false);
      }),
      { numRuns: numRuns(1_000) },
    );
  });
});

describe('what is wrong with a number', () => {
  const cases: readonly [typed: string, fault: CardNumberFault | null][] = [
    ['', 'missing'],
    [' - \u200b', 'missing'],
    ['4111 1111 1111 1111', null],
    ['4111-1111-1111-1111', null],
    ['\u00a04111\u20091111\u200b11111111\n', null],
    ['４１１１　１１１１　１１１１　１１１１', null],
    ['٤١١١ ١١١١ ١١١١ ١١١١', null],
    ['4111 1111 1111 111', 'length'],
    ['4111 1111 1111 1', 'length'],
    ['4111 1111 1111 1111 1', 'length'],
    ['4111 1111 1111 1112', 'invalid'],
    ['4111 1111 1111 111l', 'invalid'],
    ['4111 1111 1111 111²', 'invalid'],
    ['3782 822463 1000', 'length'],
    ['5031 4332 1540 6351', null],
    ['5031 4332 1540 6352', 'invalid'],
    ['5031 4332 15', 'length'],
    ['3841 0000 0000 4', null],
    ['3841 000000 0007', null],
    ['3841 0000 0000 0007', null],
    ['3841 0000 0000 0000 004', null],
    ['3841 0000 0000 004', 'length'],
    ['5078 6018 7000 0127 9850', 'length'],
    ['0000 0000 0000 0000', 'invalid'],
    ['8888 8888 8888 8888', 'invalid'],
    ['ana', 'invalid'],
  ];
  for (const [typed, fault] of cases) {
    it(`${JSON.stringify(typed)}: ${fault ?? 'nothing'}`, () => {
      assert.equal(checkCardNumber(typed), fault);
    });
  }
  it('equal digits that satisfy the sum, in every length', () => {
    for (const digit of '0123456789') {
      for (let length = 1; length <= 25; length++) {
        assert.notEqual(checkCardNumber(digit.repeat(length)), null);
      }
    }
  });
  it('an old Hipercard where that is left out, and not where Diners is', () => {
    const number = '3841 4011 1122 2233 334';
    assert.equal(checkCardNumber(number, ['visa', 'hipercard']), null);
    assert.equal(checkCardNumber(number, ['visa', 'diners']), 'not_accepted');
  });
  it('a brand that the merchant left out, and never one that is unknown', () => {
    const { accepted } = parseAcceptedBrands('visa');
    assert.equal(checkCardNumber('5555 5555 5555 4444', accepted), 'not_accepted');
    assert.equal(checkCardNumber('5555 5555 5555 4445', accepted), 'invalid');
    assert.equal(checkCardNumber('5031 4332 1540 6351', accepted), null);
    assert.equal(checkCardNumber('4111 1111 1111 1111', accepted), null);
  });
});

describe('the groups while typing', () => {
  const cases: readonly [typed: string, shown: string][] = [
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
  ];
  for (const [typed, shown] of cases) {
    it(`${JSON.stringify(typed)} is shown as ${JSON.stringify(shown)}`, () => {
      assert.equal(formatCardNumber(typed), shown);
    });
  }
  it('lose no letter or digit, and stay the same when shown again', () => {
    const typed = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[\d -]{0,30}$/),
      fc.stringMatching(/^3[047][\d ]{0,20}$/),
    );
    fc.assert(
      fc.property(typed, (text) => {
        const shown = formatCardNumber(text);
        assert.equal(normalizeCardNumber(shown), normalizeCardNumber(text));
        assert.equal(formatCardNumber(shown), shown);
      }),
      { numRuns: numRuns(2_000) },
    );
  });
});
