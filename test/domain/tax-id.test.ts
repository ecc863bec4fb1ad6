/** CPF and CNPJ against published numbers, and against an independent library. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import fc from 'fast-check';
import {
  formatTaxId,
  isCnpj,
  isCpf,
  isTaxId,
  normalizeTaxId,
  taxIdKind,
} from '../../src/domain/tax-id.js';
import { numRuns } from '../support/runs.js';
import vectors from '../support/vectors/tax-ids.json' with { type: 'json' };

describe('valid numbers', () => {
  for (const { masked, bare } of vectors.cpf.valid) {
    it(`CPF ${masked}`, () => {
      assert.deepEqual([isCpf(masked), isCpf(bare), isTaxId(masked)], [true, true, true]);
      assert.equal(isCnpj(bare), false);
      assert.equal(normalizeTaxId(masked), bare);
      assert.equal(formatTaxId(bare), masked);
      assert.equal(taxIdKind(masked), 'cpf');
    });
  }
  for (const { masked, bare } of vectors.cnpj.valid) {
    it(`CNPJ ${masked}`, () => {
      assert.deepEqual([isCnpj(masked), isCnpj(bare), isTaxId(masked)], [true, true, true]);
      assert.equal(isCpf(bare), false);
      assert.equal(normalizeTaxId(masked.toLowerCase()), bare);
      assert.equal(formatTaxId(bare.toLowerCase()), masked);
      assert.equal(taxIdKind(masked), 'cnpj');
    });
  }
  for (const { value, note } of vectors.cnpj.policy) {
    it(`CNPJ ${value} (${note})`, () => {
      assert.equal(isCnpj(value), true);
    });
  }
});

describe('invalid numbers', () => {
  for (const { value, reason } of vectors.cpf.invalid) {
    it(`no CPF: ${value} (${reason})`, () => {
      assert.deepEqual([isCpf(value), isTaxId(value)], [false, false]);
    });
  }
  for (const { value, reason } of vectors.cnpj.invalid) {
    it(`no CNPJ: ${value} (${reason})`, () => {
      assert.equal(isCnpj(value), false);
      assert.equal(isTaxId(value), reason === 'a CPF');
    });
  }
  const tooLong = ['11.222.333/0001-819', '12ABC34501DE355', '11222333000181 11222333000181'];
  for (const value of tooLong) {
    it(`a CNPJ and more is none, and none is made of it: ${value}`, () => {
      assert.deepEqual([isTaxId(value), isTaxId(formatTaxId(value))], [false, false]);
    });
  }
  const others = ['', ' ', '00000000000000', 'ÁÁ345678000A29', '529982247²5', '52998224725A'];
  for (const value of others) {
    it(`neither: ${JSON.stringify(value)}`, () => {
      assert.equal(isTaxId(value), false);
    });
  }
  it('every CPF of equal digits', () => {
    for (let digit = 0; digit <= 9; digit++) assert.equal(isCpf(String(digit).repeat(11)), false);
  });
});

describe('while typing', () => {
  const cases: readonly [typed: string, kind: 'cpf' | 'cnpj' | null, shown: string][] = [
    ['', null, ''],
    [' -', null, ''],
    ['5', 'cpf', '5'],
    ['529', 'cpf', '529'],
    ['5299', 'cpf', '529.9'],
    ['529.982.247', 'cpf', '529.982.247'],
    ['529.982.247-2', 'cpf', '529.982.247-2'],
    ['529.982.247-25', 'cpf', '529.982.247-25'],
    ['529.982.247-256', 'cnpj', '52.998.224/7256'],
    ['1122233300018', 'cnpj', '11.222.333/0001-8'],
    ['a', 'cnpj', 'A'],
    ['12a', 'cnpj', '12.A'],
    ['12abc34501de35', 'cnpj', '12.ABC.345/01DE-35'],
    ['12.ABC.345/01DE-35 and more', 'cnpj', '12.ABC.345/01DE-35ANDMORE'],
    ['11.222.333/0001-819', 'cnpj', '11.222.333/0001-819'],
    ['11222333000181 52998224725', 'cnpj', '11.222.333/0001-8152998224725'],
    ['５２９．９８２', 'cpf', '529.982'],
    ['\u200b529 982', 'cpf', '529.982'],
  ];
  for (const [typed, kind, shown] of cases) {
    it(`${JSON.stringify(typed)} is shown as ${JSON.stringify(shown)}`, () => {
      assert.equal(taxIdKind(typed), kind);
      assert.equal(formatTaxId(typed), shown);
    });
  }
});

describe('any text', () => {
  const digits = fc.stringMatching(/^\d{9}$/);
  const base = fc.stringMatching(/^[\dA-Z]{12}$/);
  const checkDigits = fc.stringMatching(/^\d\d$/);
  const nearlyCpf = fc.oneof(digits, fc.constantFrom('000000000', '777777777'));
  const nearlyCnpj = fc.oneof(base, fc.stringMatching(/^\d{12}$/), fc.constant('000000000000'));

  it('is a CPF exactly where an independent library says so', () => {
    fc.assert(
      fc.property(nearlyCpf, (base) => {
        // All hundred endings of a number: exactly one is right, but for equal digits.
        for (let end = 0; end < 100; end++) {
          const value = base + String(end).padStart(2, '0');
          assert.equal(isCpf(value), isValidCpf(value), value);
        }
      }),
      { numRuns: numRuns(100) },
    );
  });

  it('is a CNPJ exactly where an independent library says so', () => {
    fc.assert(
      fc.property(nearlyCnpj, (base) => {
        for (let end = 0; end < 100; end++) {
          const value = base + String(end).padStart(2, '0');
          assert.equal(isCnpj(value), isValidCnpj(value, { version: 2 }), value);
        }
      }),
      { numRuns: numRuns(100) },
    );
  });

  it('is shown without losing a letter or digit, and the same when shown again', () => {
    const typed = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[\dA-Za-z./ -]{0,20}$/),
      fc.tuple(base, checkDigits).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(typed, (text) => {
        const shown = formatTaxId(text);
        const carried = normalizeTaxId(text);
        assert.equal(normalizeTaxId(shown), carried);
        assert.equal(formatTaxId(shown), shown);
        assert.equal(normalizeTaxId(carried), carried);
      }),
      { numRuns: numRuns(2_000) },
    );
  });
});
