/** Expiry as typed, filled in and pasted, against a given month. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkExpiry, formatExpiry, parseExpiry } from '../../../src/domain/card/card-expiry.js';
import type { ExpiryFault } from '../../../src/domain/card/card-expiry.js';
import { toAlphanumeric } from '../../../src/domain/characters.js';
import { numRuns } from '../../support/runs.js';

describe('reading', () => {
  const may = [
    '05/30',
    '05/2030',
    '0530',
    '052030',
    '5/30',
    '530',
    '5/2030',
    '2030-05',
    '2030/05',
    ' 05 / 30 ',
    '05-30',
    '05.30',
    '05 30',
    '5 30',
    '203005',
    '(05/30)',
    '2030-05 ',
    '０５／３０',
    '٠٥/٣٠',
    '05\u200b/\u200e30',
    '0\u200b5/30',
    '\u206605/30\u2069',
    '05／２０３０',
  ];
  for (const text of may) {
    it(`${JSON.stringify(text)} is May 2030`, () => {
      assert.deepEqual(parseExpiry(text), { month: 5, year: 2030 });
    });
  }
  const others: readonly [text: string, month: number, year: number][] = [
    ['1230', 12, 2030],
    ['130', 1, 2030],
    ['1/29', 1, 2029],
    ['01/29', 1, 2029],
    ['10/00', 10, 2000],
    ['2020-12', 12, 2020],
    ['1220', 12, 2020],
    ['122020', 12, 2020],
  ];
  for (const [text, month, year] of others) {
    it(`${JSON.stringify(text)} is ${year}-${month}`, () => {
      assert.deepEqual(parseExpiry(text), { month, year });
    });
  }
  const none = [
    '',
    '/',
    '5',
    '05',
    '05/',
    '/30',
    '05/3',
    '05/203',
    '05/20300',
    '13/30',
    '00/30',
    '0/30',
    '20/30',
    '2030-13',
    '2030',
    '1930-05',
    '05/1930',
    '01/05/2030',
    '1/2/30',
    'mai/30',
    '05/3o',
    '0²/30',
    '123',
    '005/30',
  ];
  for (const text of none) {
    it(`${JSON.stringify(text)} is none`, () => assert.equal(parseExpiry(text), null));
  }
});

describe('what is wrong with an expiry, in July 2026', () => {
  const cases: readonly [text: string, fault: ExpiryFault | null][] = [
    ['', 'missing'],
    [' / ', 'missing'],
    ['7', 'invalid'],
    ['13/30', 'invalid'],
    ['07/26', null],
    ['06/26', 'past'],
    ['08/26', null],
    ['12/25', 'past'],
    ['01/27', null],
    ['2026-06', 'past'],
    ['12/51', null],
    ['01/52', 'invalid'],
    ['05/99', 'invalid'],
    ['05/20', 'past'],
  ];
  for (const [text, fault] of cases) {
    it(`${JSON.stringify(text)}: ${fault ?? 'nothing'}`, () => {
      assert.equal(checkExpiry(text, { year: 2026, month: 7 }), fault);
    });
  }
  it('December is over in January', () => {
    assert.equal(checkExpiry('12/26', { year: 2026, month: 12 }), null);
    assert.equal(checkExpiry('12/26', { year: 2027, month: 1 }), 'past');
  });
});

describe('the slash while typing', () => {
  const cases: readonly [typed: string, shown: string][] = [
    ['', ''],
    [' ', ''],
    ['/', ''],
    ['0', '0'],
    ['1', '1'],
    ['5', '5'],
    ['05', '05'],
    ['05/', '05/'],
    ['05 ', '05/'],
    ['5/', '5/'],
    ['053', '05/3'],
    ['53', '5/3'],
    ['13', '1/3'],
    ['12', '12'],
    ['129', '12/9'],
    ['1/29', '1/29'],
    ['0530', '05/30'],
    ['05/30', '05/30'],
    ['052030', '05/2030'],
    ['2030-05', '05/30'],
    ['0/30', '0/30'],
    ['/30', '/30'],
    ['105/30', '10/530'],
    ['05//30', '05/30'],
    ['０５３', '05/3'],
    ['abc', 'a/bc'],
  ];
  for (const [typed, shown] of cases) {
    it(`${JSON.stringify(typed)} is shown as ${JSON.stringify(shown)}`, () => {
      assert.equal(formatExpiry(typed), shown);
    });
  }
});

describe('any expiry', () => {
  it('is read alike in every spelling', () => {
    const month = fc.integer({ min: 1, max: 12 });
    const year = fc.integer({ min: 2000, max: 2099 });
    fc.assert(
      fc.property(month, year, (month, year) => {
        const mm = String(month).padStart(2, '0');
        const yy = String(year).slice(2);
        const spellings = [
          `${mm}/${yy}`,
          `${mm}/${year}`,
          mm + yy,
          `${month}/${yy}`,
          `${year}-${mm}`,
        ];
        for (const text of [...spellings, `${mm}${year}`]) {
          assert.deepEqual(parseExpiry(text), { month, year }, text);
          assert.deepEqual(parseExpiry(formatExpiry(text)), { month, year }, text);
        }
      }),
      { numRuns: numRuns(500) },
    );
  });

  it('is shown without losing a letter or digit, and the same when shown again', () => {
    const typed = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[\d/ -]{0,10}$/),
      fc.stringMatching(/^\d{0,8}$/),
    );
    fc.assert(
      fc.property(typed, (text) => {
        const shown = formatExpiry(text);
        assert.equal(formatExpiry(shown), shown);
        if (!/^20\d{4}$/.test(toAlphanumeric(text))) {
          assert.equal(toAlphanumeric(shown), toAlphanumeric(text));
        }
      }),
      { numRuns: numRuns(2_000) },
    );
  });
});
