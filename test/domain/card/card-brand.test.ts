/** Brands against published test cards, and against the edges of an independent table. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  cardBrand,
  cardBrands,
  codeLength,
  isAcceptedBrand,
  isCardLength,
  parseAcceptedBrands,
} from '../../../src/domain/card/card-brand.js';
import type { CardBrand } from '../../../src/domain/card/card-brand.js';
import { numRuns } from '../../support/runs.js';
import vectors from '../../support/vectors/cards.json' with { type: 'json' };

const { numbers, oracle } = vectors;

/** Eight digits each. */
const edgesOf = (brand: keyof typeof oracle.prefixes) => oracle.prefixes[brand].map(String);

describe('the brand of a whole number', () => {
  for (const brand of cardBrands) {
    for (const { shown, source } of numbers[brand]) {
      it(`${shown} is ${brand} (${source})`, () => assert.equal(cardBrand(shown), brand));
    }
  }
  for (const { shown, source } of numbers.unknown) {
    it(`${shown} is unknown (${source})`, () => assert.equal(cardBrand(shown), null));
  }
});

describe('the table agrees with credit-card-type', () => {
  for (const brand of [...cardBrands, 'unknown'] as const) {
    it(`at every edge of what is ${brand}`, () => {
      for (const prefix of edgesOf(brand)) {
        assert.equal(cardBrand(prefix) ?? 'unknown', brand, prefix);
      }
    });
  }
  for (const brand of cardBrands) {
    it(`in lengths of ${brand}`, () => {
      const lengths = Array.from({ length: 25 }, (_, length) => length);
      // That library does not know 3841.
      const known = brand === 'hipercard' ? [13, 14, 16, 19] : oracle.lengths[brand];
      assert.deepEqual(
        lengths.filter((length) => isCardLength(length, brand)),
        known,
      );
      assert.equal(codeLength(brand), oracle.codeLengths[brand]);
    });
  }
});

describe('the brand while a number is typed', () => {
  const cases: readonly [typed: string, brand: CardBrand | null][] = [
    ['', null],
    [' -', null],
    ['4', null],
    ['41', 'visa'],
    ['40', null],
    ['4011', null],
    ['4011 7', null],
    ['4011 78', 'elo'],
    ['4011 77', 'visa'],
    ['6', null],
    ['65', null],
    ['6550 0', 'elo'],
    ['6550 20', 'discover'],
    ['646', 'discover'],
    ['50', null],
    ['509', 'elo'],
    ['5031 4332', null],
    ['5', null],
    ['55', 'mastercard'],
    ['222', null],
    ['2221', 'mastercard'],
    ['3', null],
    ['34', 'amex'],
    ['30', null],
    ['305', 'diners'],
    ['306', null],
    ['38', null],
    ['380', 'diners'],
    ['384', null],
    ['3840', 'diners'],
    ['3841', 'hipercard'],
    ['3842', 'diners'],
    ['3852', 'diners'],
    ['352', null],
    ['353', 'jcb'],
    ['6370', null],
    ['6373 7423', 'hiper'],
    ['６０６２ ８２', 'hipercard'],
    ['3４', 'amex'],
    ['41a', null],
    ['four', null],
    ['4²', null],
  ];
  for (const [typed, brand] of cases) {
    it(`${JSON.stringify(typed)}: ${brand ?? 'open'}`, () => assert.equal(cardBrand(typed), brand));
  }

  const edges = [...cardBrands, 'unknown' as const].flatMap(edgesOf);
  const start = fc.oneof(
    fc.stringMatching(/^\d{1,9}$/),
    fc
      .tuple(fc.constantFrom(...edges), fc.nat({ max: 7 }))
      .map(([edge, end]) => edge.slice(0, end)),
  );

  it('is never taken back, whatever follows', () => {
    fc.assert(
      fc.property(start, fc.stringMatching(/^\d{0,10}$/), (typed, rest) => {
        const brand = cardBrand(typed);
        if (brand) assert.equal(cardBrand(typed + rest), brand);
      }),
      { numRuns: numRuns(2_000) },
    );
  });

  it('is named as soon as every next digit gives the same', () => {
    fc.assert(
      fc.property(start, (typed) => {
        const next = new Set(Array.from('0123456789', (digit) => cardBrand(typed + digit)));
        if (next.size === 1) assert.equal(cardBrand(typed), [...next][0]);
      }),
      { numRuns: numRuns(2_000) },
    );
  });
});

describe('an unknown brand', () => {
  it('has 12 to 19 digits', () => {
    const lengths = [11, 12, 16, 19, 20].map((length) => isCardLength(length, null));
    assert.deepEqual(lengths, [false, true, true, true, false]);
  });
  it('has a code of three or four', () => assert.equal(codeLength(null), null));
});

describe('what the merchant accepts', () => {
  const cases: readonly [text: string, accepted: readonly string[], unknown: readonly string[]][] =
    [
      ['', cardBrands, []],
      [' \n ', cardBrands, []],
      ['visa mastercard', ['visa', 'mastercard'], []],
      [' Elo  VISA\telo ', ['elo', 'visa'], []],
      ['visa aura', ['visa'], ['aura']],
      ['vsa', cardBrands, ['vsa']],
      ['constructor __proto__ visa', ['visa'], ['constructor', '__proto__']],
    ];
  for (const [text, accepted, unknown] of cases) {
    it(`${JSON.stringify(text)} is ${accepted.join(' ')}`, () => {
      assert.deepEqual(parseAcceptedBrands(text), { accepted, unknown });
    });
  }

  const verdicts: readonly [CardBrand | null, accepted: readonly CardBrand[], boolean][] = [
    ['visa', ['visa'], true],
    ['mastercard', ['visa'], false],
    ['elo', ['visa', 'discover'], false],
    [null, ['visa'], true],
    ['discover', ['visa'], false],
    ['discover', ['visa', 'elo'], true],
    ['visa', ['elo'], false],
  ];
  for (const [brand, accepted, passes] of verdicts) {
    it(`${brand ?? 'an unknown brand'} ${passes ? 'passes' : 'is refused'} by ${accepted.join(' ')}`, () => {
      assert.equal(isAcceptedBrand(brand, accepted), passes);
    });
  }
});
