/** Brands against published test cards, and against the edges of an independent table. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import {
  findCardBrand,
  cardBrands,
  findCodeLength,
  isAcceptedBrand,
  isCardLength,
  parseAcceptedBrands,
} from '../../../src/domain/card/card-brand.js';
import { groups, holds, maps } from '../../support/tables.js';
import vectors from '../../support/vectors/cards.json' with { type: 'json' };

const { numbers, oracle } = vectors;

/** Eight digits each. */
const edgesOf = (brand: keyof typeof oracle.prefixes) => oracle.prefixes[brand].map(String);

for (const brand of [...cardBrands, 'unknown'] as const) {
  describe(`numbers of a brand that is ${brand}`, () => {
    const found = brand === 'unknown' ? null : brand;
    groups(findCardBrand, [[found, ...numbers[brand].map(({ shown }) => shown)]]);

    it('begin as credit-card-type says, at every edge', () => {
      for (const prefix of edgesOf(brand)) {
        assert.equal(findCardBrand(prefix), found, prefix);
      }
    });

    it('are as long as it says, and their codes', () => {
      const lengths = Array.from({ length: 25 }, (_, length) => length);
      const known = lengths.filter((length) => isCardLength(length, found));
      if (found === null) {
        assert.deepEqual(known, [12, 13, 14, 15, 16, 17, 18, 19]);
        assert.equal(findCodeLength(found), null, 'three or four');
        return;
      }
      // That library does not know 3841.
      assert.deepEqual(known, found === 'hipercard' ? [13, 14, 16, 19] : oracle.lengths[found]);
      assert.equal(findCodeLength(found), oracle.codeLengths[found]);
    });
  });
}

describe('the brand while a number is typed', () => {
  groups(findCardBrand, [
    [null, '', ' -', '4', '40', '4011', '4011 7', '6', '65', '50', '5031 4332', '5', '222', '3'],
    [null, '30', '306', '38', '384', '352', '6370', '41a', 'four', '4²'],
    ['visa', '41', '4011 77'],
    ['elo', '4011 78', '6550 0', '509'],
    ['discover', '6550 20', '646'],
    ['mastercard', '55', '2221'],
    ['amex', '34', '3４'],
    ['diners', '305', '380', '3840', '3842', '3852'],
    ['hipercard', '3841', '６０６２ ８２'],
    ['jcb', '353'],
    ['hiper', '6373 7423'],
  ]);

  const edges = Object.values(oracle.prefixes).flat().map(String);
  const start = fc.oneof(
    fc.stringMatching(/^\d{1,9}$/),
    fc
      .tuple(fc.constantFrom(...edges), fc.nat({ max: 7 }))
      .map(([edge, end]) => edge.slice(0, end)),
  );
  const rest = fc.stringMatching(/^\d{0,10}$/);
  holds('is never taken back, whatever follows', 2_000, start, rest, (typed, rest) => {
    const brand = findCardBrand(typed);
    if (brand) assert.equal(findCardBrand(typed + rest), brand);
  });
  holds('is named as soon as every next digit gives the same', 2_000, start, (typed) => {
    const next = new Set(Array.from('0123456789', (digit) => findCardBrand(typed + digit)));
    if (next.size === 1) assert.equal(findCardBrand(typed), [...next][0]);
  });
});

describe('what the merchant accepts', () => {
  maps(parseAcceptedBrands, [
    ['', { accepted: cardBrands, unknown: [] }],
    [' \n ', { accepted: cardBrands, unknown: [] }],
    ['visa mastercard', { accepted: ['visa', 'mastercard'], unknown: [] }],
    [' Elo  VISA\telo ', { accepted: ['elo', 'visa'], unknown: [] }],
    ['visa aura', { accepted: ['visa'], unknown: ['aura'] }],
    ['vsa', { accepted: cardBrands, unknown: ['vsa'] }],
    ['constructor __proto__ visa', { accepted: ['visa'], unknown: ['constructor', '__proto__'] }],
  ]);
  maps(isAcceptedBrand, [
    ['visa', ['visa'], true],
    ['mastercard', ['visa'], false],
    ['elo', ['visa', 'discover'], false],
    [null, ['visa'], true],
    ['discover', ['visa'], false],
    ['discover', ['visa', 'elo'], true],
    ['visa', ['elo'], false],
  ]);
});
