/** Codes are read before they are shown, and deadlines are computed: each by a table. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  readCode,
  toSoonerDeadline,
  toDeadline,
} from '../../../src/checkout/machine/tracked-invoice.js';
import { object, pixTemplate, writeBrCode } from '../../domain/br-code-writer.js';
import { terms } from './samples.js';
import { dynamicCode, staticCode } from '../../support/pix-code.js';

const unverified = { ...terms, allowUnverifiedCode: true };
const recurrence = writeBrCode({
  // As the manual writes it: an account that names neither key nor location. Without field 26 nothing would be read.
  '26': pixTemplate('26'),
  '80': pixTemplate('80', object('25', 'pix.example.com/rec/1')),
});
/** What Pix Automático's third journey writes. */
const composite = writeBrCode({
  '26': pixTemplate('26', object('25', 'pix.example.com/v2/1')),
  '80': pixTemplate('80', object('25', 'pix.example.com/rec/1')),
});
const test = writeBrCode({
  '26': pixTemplate('26', object('25', 'pix.example.com/v2/1')),
  '59': object('59', 'TESTE NAO PAGAR'),
});

describe('reading a code', () => {
  for (const [name, text, warning] of [
    ['dynamic, same amount', dynamicCode(12_990), null],
    ['dynamic, other amount', dynamicCode(100), 'code_amount_differs'],
    ['static, same amount', staticCode(12_990), null],
    ['static without an amount', writeBrCode({ '54': '' }), null],
    ['with white space around it', ` ${staticCode(12_990)}\n`, null],
  ] as const) {
    it(`${name}: shown${warning ? ' with a warning' : ''}`, () => {
      const code = { text: text.trim(), receiverName: 'Loja Exemplo', test: false };
      assert.deepEqual(readCode(text, 12_990, terms), { code, warning });
    });
  }

  for (const [name, text, refused] of [
    ['empty', '', 'invalid_code'],
    ['no code', 'https://pay.example/1', 'invalid_code'],
    ['a wrong check sum', dynamicCode().replace('129.90', '129.91'), 'invalid_code'],
    ['one that only authorises a recurrence', recurrence, 'invalid_code'],
    ['a charge that also authorises a recurrence', composite, 'invalid_code'],
    ['static, other amount', staticCode(12_989), 'code_amount_differs'],
  ] as const) {
    it(`${name}: refused`, () => {
      assert.deepEqual(readCode(text, 12_990, terms), { refused });
    });
    it(`${name}: ${text ? 'shown and marked' : 'refused'} where unverified codes are allowed`, () => {
      const read = readCode(text, 12_990, unverified);
      const code = { text, receiverName: '', test: true };
      assert.deepEqual(read, text ? { code, warning: null } : { refused });
    });
  }

  it('white space around one that cannot be read is no part of it', () => {
    const code = { text: 'any', receiverName: '', test: true };
    assert.deepEqual(readCode(' any\n', 1, unverified), { code, warning: null });
  });

  it('one that no QR code should hold is refused everywhere', () => {
    assert.deepEqual(readCode('x'.repeat(513), 1, unverified), { refused: 'invalid_code' });
    assert.ok('code' in readCode('x'.repeat(512), 1, unverified), 'the longest that one holds');
  });

  it('a test code is marked', () => {
    const read = readCode(test, 1_000, terms);
    assert.equal('code' in read && read.code.test, true);
    const any = readCode(dynamicCode(12_990), 12_990, unverified);
    assert.equal(
      'code' in any && any.code.test,
      true,
      'and any where unverified codes are allowed',
    );
  });
});

describe('the deadline', () => {
  const yearMs = 31_536_000_000;
  for (const [name, expiresIn, ofPage, expected] of [
    ['none', undefined, null, null],
    ["the page's counts from the creation", undefined, 60, 61_000],
    ["the answer's counts from the answer, and wins", 30, 60, 35_000],
    ['over at once', 0, null, 5_000],
    ['further off than a year', Number.MAX_SAFE_INTEGER, null, 5_000 + yearMs],
    ["the page's further off than a year", undefined, 1e300, 1_000 + yearMs],
  ] as const) {
    it(name, () => {
      const said = { ...terms, expiresInSeconds: ofPage };
      assert.equal(toDeadline(expiresIn, said, 1_000, 5_000), expected);
    });
  }

  for (const [deadlineMs, expiresIn, expected] of [
    [null, undefined, null],
    [null, 10, 15_000],
    [20_000, undefined, 20_000],
    [20_000, 10, 15_000],
    [20_000, 60, 20_000],
    [null, Number.MAX_SAFE_INTEGER, 5_000 + yearMs],
  ] as const) {
    it(`${deadlineMs} and an answer of ${expiresIn} s make ${expected}`, () => {
      assert.equal(toSoonerDeadline(deadlineMs, expiresIn, 5_000), expected);
    });
  }
});
