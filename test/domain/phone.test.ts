/** Phone numbers against published ones and the whole list of area codes. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { formatPhone, isPhone, normalizePhone } from '../../src/domain/payer.js';
import { anyText, groups, holds, maps } from '../support/tables.js';
import vectors from '../support/vectors/contacts.json' with { type: 'json' };

for (const { input, e164, national } of vectors.phones.valid) {
  it(`${input} is a number`, () => {
    assert.equal(isPhone(input), true);
    assert.equal(`+55${normalizePhone(input)}`, e164);
    assert.equal(formatPhone(input), national);
  });
}

describe('no numbers', () => {
  groups(isPhone, [
    [false, ...vectors.phones.invalid.map(({ input }) => input)],
    // Nothing, no area code, too long, an extension.
    [false, '', '98765-4321', '(11) 98765-43210', '(11) 98765-4321 ramal 2'],
    // Mobile numbers start with 7, 8 or 9, landlines with 2 to 5; a freephone number is of no area.
    [false, '(11) 68765-4321', '(11) 6000-0000', '0800 123 4567'],
    // Other countries: read as area code 34 without its plus sign, in any guise, or dialled.
    [false, '+34 912 345 678', '＋34 912345678', '\u200b +34 (912) 345678', '+34 055 99999-1234'],
    [false, '00 34 912 345 678', '00 1 202 555 0143'],
    // No area code behind that of the country; no carrier begins with 0.
    [false, '+55 999 991 234', '0 05 11 98765-4321'],
  ]);
});

it('knows each area code and no other', () => {
  const known = Array.from({ length: 100 }, (_, code) => code).filter((code) =>
    isPhone(`${String(code).padStart(2, '0')}987654321`),
  );
  assert.deepEqual(known, vectors.areaCodes);
});

describe('the country code', () => {
  groups(normalizePhone, [
    ['11987654321', '+55 11 98765-4321', '5511987654321', '00 55 11 98765-4321'],
    ['11987654321', '+55 (0)11 98765-4321', '＋55 011 98765-4321'],
    ['1130000000', '+55 (11) 3000-0000', '55 011 3000-0000'],
    ['55999991234', '55 55 99999-1234', '55999991234', '0055 055 99999-1234'],
    ['5533334444', '5533334444', '0055 (55) 3333-4444'],
    ['+55119876', '+55 11 9876'],
    ['', '+'],
  ]);
});

describe('what is dialled before an area code goes, and is shown as it was typed', () => {
  const dialled = (text: string) => [
    normalizePhone(text),
    isPhone(text),
    formatPhone(text) === text,
  ];
  groups(dialled, [
    [['11987654321', true, true], '(011) 98765-4321', '0 15 11 98765-4321', '(0xx11) 98765-4321'],
    [['1130000000', true, true], '011 3000-0000', '0XX11 3000-0000', '0**11 3000-0000'],
    [['55999991234', true, true], '055 99999-1234'],
    [['5533334444', true, true], '041 55 3333-4444'],
  ]);
});

describe('while typing', () => {
  groups(formatPhone, [
    ['', '', '('],
    ['(1', '1'],
    ['(11', '11', '(11) '],
    ['(11) 9', '119'],
    ['(11) 98765', '1198765'],
    ['(11) 98765-4', '11987654'],
    ['(11) 98765-4321', '11987654321', '+55 11 98765-4321'],
    ['(11) 78765-4', '11787654'],
    ['(11) 88765-4', '11887654'],
    ['(11) 3000', '113000'],
    ['(11) 3000-0', '1130000'],
  ]);
  // The last: a whole landline of area code 21, or half of a number of 31 dialled through carrier 21.
  const kept = ['+', '+5', '+55 11 9876', '+34 912 345 678', '0', '0 21 31 98765-4'];
  for (const text of kept) maps(formatPhone, [[text, text]]);
});

const typed = fc.oneof(
  fc.stringMatching(/^\+?[\d() -]{0,18}$/),
  fc.stringMatching(/^\+?55\d{8,14}$/),
  fc.stringMatching(/^\+?(00)?(55)?0(\d\d|xx)?\d{9,12}$/),
  anyText(),
);
holds('what is shown is what was typed, and is shown the same again', 2_000, typed, (text) => {
  const shown = formatPhone(text);
  assert.equal(normalizePhone(shown), normalizePhone(text));
  assert.equal(formatPhone(shown), shown);
  assert.equal(normalizePhone(normalizePhone(text)), normalizePhone(text));
});
