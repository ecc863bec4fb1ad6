/** Expiry as typed, filled in and pasted, against a given month. */

import assert from 'node:assert/strict';
import { describe } from 'vitest';
import fc from 'fast-check';
import { checkExpiry, formatExpiry, parseExpiry } from '../../../src/domain/card/card-fields.js';
import { toAlphanumeric } from '../../../src/domain/characters.js';
import { anyText, groups, holds, maps } from '../../support/tables.js';

describe('reading', () => {
  const may = { month: 5, year: 2030 };
  groups(parseExpiry, [
    [may, '05/30', '05/2030', '0530', '052030', '5/30', '530', '5/2030', '05-30', '05.30', '05 30'],
    [may, '2030-05', '2030/05', '203005', '2030-05 ', ' 05 / 30 ', '5 30', '(05/30)'],
    [may, '０５／３０', '٠٥/٣٠', '05／２０３０'],
    [may, '05\u200b/\u200e30', '0\u200b5/30', '\u206605/30\u2069'],
    [{ month: 12, year: 2030 }, '1230'],
    [{ month: 1, year: 2030 }, '130'],
    [{ month: 1, year: 2029 }, '1/29', '01/29'],
    [{ month: 10, year: 2000 }, '10/00'],
    [{ month: 12, year: 2020 }, '2020-12', '1220', '122020'],
    [null, '', '/', '5', '05', '05/', '/30', '05/3', '05/203', '05/20300', '123', '005/30'],
    [null, '13/30', '00/30', '0/30', '20/30', '2030-13', '2030', '1930-05', '05/1930'],
    [null, '01/05/2030', '1/2/30', 'mai/30', '05/3o', '0²/30'],
  ]);
});

describe('what is wrong with an expiry', () => {
  const july = { year: 2026, month: 7 };
  maps(checkExpiry, [
    ['', july, 'missing'],
    [' / ', july, 'missing'],
    ['7', july, 'invalid'],
    ['13/30', july, 'invalid'],
    ['07/26', july, null],
    ['06/26', july, 'past'],
    ['08/26', july, null],
    ['12/25', july, 'past'],
    ['01/27', july, null],
    ['2026-06', july, 'past'],
    ['12/51', july, null],
    ['01/52', july, 'invalid'],
    ['05/99', july, 'invalid'],
    ['05/20', july, 'past'],
    // December is over in January.
    ['12/26', { year: 2026, month: 12 }, null],
    ['12/26', { year: 2027, month: 1 }, 'past'],
  ]);
});

describe('the slash while typing', () => {
  groups(formatExpiry, [
    ['', '', ' ', '/'],
    ['05/', '05/', '05 '],
    ['05/3', '053', '０５３'],
    ['05/30', '0530', '05/30', '2030-05', '05//30'],
  ]);
  maps(formatExpiry, [
    ['0', '0'],
    ['1', '1'],
    ['5', '5'],
    ['05', '05'],
    ['5/', '5/'],
    ['53', '5/3'],
    ['13', '1/3'],
    ['12', '12'],
    ['129', '12/9'],
    ['1/29', '1/29'],
    ['052030', '05/2030'],
    ['0/30', '0/30'],
    ['/30', '/30'],
    ['105/30', '10/530'],
    ['abc', 'a/bc'],
  ]);
});

describe('any expiry', () => {
  const [months, years] = [fc.integer({ min: 1, max: 12 }), fc.integer({ min: 2000, max: 2099 })];
  holds('is read alike in every spelling', 500, months, years, (month, year) => {
    const mm = String(month).padStart(2, '0');
    const yy = String(year).slice(2);
    const slashed = [`${mm}/${yy}`, `${mm}/${year}`, `${month}/${yy}`];
    for (const text of [...slashed, `${mm}${yy}`, `${year}-${mm}`, `${mm}${year}`]) {
      assert.deepEqual(parseExpiry(text), { month, year }, text);
      assert.deepEqual(parseExpiry(formatExpiry(text)), { month, year }, text);
    }
  });

  const typed = fc.oneof(
    anyText(),
    fc.stringMatching(/^[\d/ -]{0,10}$/),
    fc.stringMatching(/^\d{0,8}$/),
  );
  holds('is shown without losing a letter or digit, and the same again', 2_000, typed, (text) => {
    const shown = formatExpiry(text);
    assert.equal(formatExpiry(shown), shown);
    if (!/^20\d{4}$/.test(toAlphanumeric(text))) {
      assert.equal(toAlphanumeric(shown), toAlphanumeric(text));
    }
  });
});
