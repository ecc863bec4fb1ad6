/** Phone numbers against published ones and the whole list of area codes. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatPhone, isPhone, normalizePhone } from '../../src/domain/phone.js';
import { numRuns } from '../support/runs.js';
import vectors from '../support/vectors/contacts.json' with { type: 'json' };

for (const { input, e164, national } of vectors.phones.valid) {
  it(`${input} is a number`, () => {
    assert.equal(isPhone(input), true);
    assert.equal(`+55${normalizePhone(input)}`, e164);
    assert.equal(formatPhone(input), national);
  });
}

describe('no numbers', () => {
  const foreign = [
    ['+34 912 345 678', 'reads as area code 34 without its plus sign'],
    ['＋34 912345678', 'the same with a full-width plus sign'],
    ['\u200b +34 (912) 345678', 'the same behind what nobody sees'],
  ].map(([input = '', reason = '']) => ({ input, reason }));
  const others = [
    { input: '', reason: 'nothing' },
    { input: '98765-4321', reason: 'no area code' },
    { input: '(11) 68765-4321', reason: 'mobile numbers start with 7, 8 or 9' },
    { input: '(11) 6000-0000', reason: 'landlines start with 2 to 5' },
    { input: '(11) 98765-43210', reason: 'too long' },
    { input: '(11) 98765-4321 ramal 2', reason: 'an extension' },
    { input: '0800 123 4567', reason: 'a freephone number, of no area' },
    { input: '00 34 912 345 678', reason: 'another country, dialled' },
    { input: '00 1 202 555 0143', reason: 'the same' },
    { input: '+55 999 991 234', reason: 'no area code behind that of the country' },
    { input: '+34 055 99999-1234', reason: 'a plus sign and another country' },
    { input: '0 05 11 98765-4321', reason: 'no carrier begins with 0' },
  ];
  for (const { input, reason } of [...vectors.phones.invalid, ...foreign, ...others]) {
    it(`${JSON.stringify(input)}: ${reason}`, () => {
      assert.equal(isPhone(input), false);
    });
  }
});

it('knows each area code and no other', () => {
  const known = Array.from({ length: 100 }, (_, code) => code).filter((code) =>
    isPhone(`${String(code).padStart(2, '0')}987654321`),
  );
  assert.deepEqual(known, vectors.areaCodes);
});

describe('the country code', () => {
  const cases: readonly [text: string, national: string][] = [
    ['+55 11 98765-4321', '11987654321'],
    ['5511987654321', '11987654321'],
    ['+55 (11) 3000-0000', '1130000000'],
    ['55 55 99999-1234', '55999991234'],
    ['55999991234', '55999991234'],
    ['5533334444', '5533334444'],
    ['+55 11 9876', '+55119876'],
    ['+', ''],
    ['00 55 11 98765-4321', '11987654321'],
    ['0055 (55) 3333-4444', '5533334444'],
    ['+55 (0)11 98765-4321', '11987654321'],
    ['55 011 3000-0000', '1130000000'],
    ['0055 055 99999-1234', '55999991234'],
    ['＋55 011 98765-4321', '11987654321'],
  ];
  for (const [text, national] of cases) {
    it(`${text} becomes ${JSON.stringify(national)}`, () => {
      assert.equal(normalizePhone(text), national);
    });
  }
});

describe('what is dialled before an area code', () => {
  const cases: readonly [text: string, national: string][] = [
    ['(011) 98765-4321', '11987654321'],
    ['011 3000-0000', '1130000000'],
    ['055 99999-1234', '55999991234'],
    ['0 15 11 98765-4321', '11987654321'],
    ['041 55 3333-4444', '5533334444'],
    ['(0xx11) 98765-4321', '11987654321'],
    ['0XX11 3000-0000', '1130000000'],
    ['0**11 3000-0000', '1130000000'],
  ];
  for (const [text, national] of cases) {
    it(`${text} becomes ${national}, and is shown as it was typed`, () => {
      assert.equal(normalizePhone(text), national);
      assert.equal(isPhone(text), true);
      assert.equal(formatPhone(text), text);
    });
  }
});

describe('while typing', () => {
  const cases: readonly [typed: string, shown: string][] = [
    ['', ''],
    ['(', ''],
    ['1', '(1'],
    ['11', '(11'],
    ['(11) ', '(11'],
    ['119', '(11) 9'],
    ['1198765', '(11) 98765'],
    ['11987654', '(11) 98765-4'],
    ['11987654321', '(11) 98765-4321'],
    ['113000', '(11) 3000'],
    ['1130000', '(11) 3000-0'],
    ['+', '+'],
    ['+5', '+5'],
    ['+55 11 9876', '+55 11 9876'],
    ['+55 11 98765-4321', '(11) 98765-4321'],
    ['+34 912 345 678', '+34 912 345 678'],
    ['0', '0'],
    // A whole landline of area code 21, or half of a number of 31 dialled through carrier 21.
    ['0 21 31 98765-4', '0 21 31 98765-4'],
  ];
  for (const [typed, shown] of cases) {
    it(`${JSON.stringify(typed)} is shown as ${JSON.stringify(shown)}`, () => {
      assert.equal(formatPhone(typed), shown);
    });
  }
});

it('what is shown is what was typed, and is shown the same again', () => {
  const typed = fc.oneof(
    fc.stringMatching(/^\+?[\d() -]{0,18}$/),
    fc.stringMatching(/^\+?55\d{8,14}$/),
    fc.stringMatching(/^\+?(00)?(55)?0(\d\d|xx)?\d{9,12}$/),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(typed, (text) => {
      const shown = formatPhone(text);
      assert.equal(normalizePhone(shown), normalizePhone(text));
      assert.equal(formatPhone(shown), shown);
      assert.equal(normalizePhone(normalizePhone(text)), normalizePhone(text));
    }),
    { numRuns: numRuns(2_000) },
  );
});
