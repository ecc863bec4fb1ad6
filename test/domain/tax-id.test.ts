/** CPF and CNPJ against published numbers, and against an independent library. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import fc from 'fast-check';
import {
  formatTaxId,
  isCnpj,
  isCpf,
  isTaxId,
  countMissingDigits,
  normalizeTaxId,
  findTaxIdKind,
} from '../../src/domain/tax-id.js';
import { anyText, groups, holds, maps } from '../support/tables.js';
import vectors from '../support/vectors/tax-ids.json' with { type: 'json' };

describe('valid numbers', () => {
  for (const kind of ['cpf', 'cnpj'] as const) {
    const [is, isOther] = kind === 'cpf' ? [isCpf, isCnpj] : [isCnpj, isCpf];
    for (const { masked, bare } of vectors[kind].valid) {
      it(`${kind} ${masked}`, () => {
        assert.deepEqual([is(masked), is(bare), isTaxId(masked)], [true, true, true]);
        assert.equal(isOther(bare), false);
        assert.equal(normalizeTaxId(masked.toLowerCase()), bare);
        assert.equal(formatTaxId(bare.toLowerCase()), masked);
        assert.equal(findTaxIdKind(masked), kind);
      });
    }
  }
  groups(isCnpj, [[true, ...vectors.cnpj.policy.map(({ value }) => value)]]);
});

describe('a number among words', () => {
  maps(normalizeTaxId, [
    ['CPF: 529 982 247 25', '52998224725'],
    ['Meu CPF é 529.982.247-25 (titular)', '52998224725'],
    ['CNPJ 11.222.333/0001-81, matriz', '11222333000181'],
    ['CNPJ: 12.ABC.345/01DE-35', '12ABC34501DE35'],
    // A slip is told, and no letter that may belong to a CNPJ is lost.
    ['CPF 529 982 247 26', '52998224726'],
    ['52998224725A', '52998224725A'],
  ]);
});

for (const [text, count] of [
  ['280.012.38', 3],
  ['5299822472', 1],
  ['529.982.247-26', 0],
  ['11.222.333/0001', 2],
  ['12.ABC', 0],
] as const) {
  it(`what is missing of a number ${text}: ${count}`, () =>
    assert.equal(countMissingDigits(text), count));
}

describe('invalid numbers', () => {
  for (const { value, reason } of vectors.cpf.invalid) {
    it(`no CPF: ${value} (${reason})`, () => {
      assert.deepEqual([isCpf(value), isTaxId(value)], [false, false]);
    });
  }
  for (const { value, reason } of vectors.cnpj.invalid) {
    it(`no CNPJ: ${value} (${reason})`, () => {
      assert.deepEqual([isCnpj(value), isTaxId(value)], [false, reason === 'a CPF']);
    });
  }
  const tooLong = ['11.222.333/0001-819', '12ABC34501DE355', '11222333000181 11222333000181'];
  groups(isTaxId, [
    // A CNPJ and more is none, and none is made of it.
    [false, ...tooLong, ...tooLong.map(formatTaxId)],
    [false, '', ' ', '00000000000000', 'ÁÁ345678000A29', '529982247²5', '52998224725A'],
    [false, ...Array.from('0123456789', (digit) => digit.repeat(11))],
    // Twelve digits whose last two are right for the ten before.
    [false, '123456789090'],
    // Two more characters that are right for the fourteen before, a CNPJ.
    [false, '1122233300018180', '12ABC34501DE3548'],
  ]);
});

describe('the kind and the mask while typing', () => {
  const shown = (typed: string) => `${findTaxIdKind(typed)} ${formatTaxId(typed)}`;
  maps(shown, [
    ['', 'null '],
    [' -', 'null '],
    ['5', 'cpf 5'],
    ['529', 'cpf 529'],
    ['5299', 'cpf 529.9'],
    ['529.982.247', 'cpf 529.982.247'],
    ['529.982.247-2', 'cpf 529.982.247-2'],
    ['529.982.247-25', 'cpf 529.982.247-25'],
    ['529.982.247-256', 'cnpj 52.998.224/7256'],
    ['1122233300018', 'cnpj 11.222.333/0001-8'],
    ['a', 'cnpj A'],
    ['12a', 'cnpj 12.A'],
    ['12abc34501de35', 'cnpj 12.ABC.345/01DE-35'],
    ['12.ABC.345/01DE-35 and more', 'cnpj 12.ABC.345/01DE-35ANDMORE'],
    ['11.222.333/0001-819', 'cnpj 11.222.333/0001-819'],
    ['11222333000181 52998224725', 'cnpj 11.222.333/0001-8152998224725'],
    ['５２９．９８２', 'cpf 529.982'],
    ['\u200b529 982', 'cpf 529.982'],
  ]);
});

describe('any text', () => {
  const base = fc.stringMatching(/^[\dA-Z]{12}$/);
  const checkDigits = fc.stringMatching(/^\d\d$/);
  const nearlyCpf = fc.oneof(
    fc.stringMatching(/^\d{9}$/),
    fc.constantFrom('000000000', '777777777'),
  );
  const nearlyCnpj = fc.oneof(base, fc.stringMatching(/^\d{12}$/), fc.constant('000000000000'));

  for (const [kind, nearly, ours, theirs] of [
    ['CPF', nearlyCpf, isCpf, isValidCpf],
    ['CNPJ', nearlyCnpj, isCnpj, (value: string) => isValidCnpj(value, { version: 2 })],
  ] as const) {
    holds(`is a ${kind} exactly where an independent library says so`, 100, nearly, (base) => {
      // All hundred endings of a number: exactly one is right, but for equal digits.
      for (let end = 0; end < 100; end++) {
        const value = base + String(end).padStart(2, '0');
        assert.equal(ours(value), theirs(value), value);
      }
    });
  }

  const typed = fc.oneof(
    anyText(),
    fc.stringMatching(/^[\dA-Za-z./ -]{0,20}$/),
    fc.tuple(base, checkDigits).map((parts) => parts.join('')),
  );
  holds('is shown without losing a letter or digit, and the same again', 2_000, typed, (text) => {
    const shown = formatTaxId(text);
    const carried = normalizeTaxId(text);
    assert.equal(normalizeTaxId(shown), carried);
    assert.equal(formatTaxId(shown), shown);
    assert.equal(normalizeTaxId(carried), carried);
  });
});
