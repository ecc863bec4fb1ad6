/** Cleaning up what was typed or pasted. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyMask, toAlphanumeric, toLine } from '../../src/domain/characters.js';
import { numRuns } from '../support/runs.js';

describe('toAlphanumeric', () => {
  const cases: readonly [name: string, text: string, plain: string][] = [
    ['separators of Brazilian numbers', '12.ABC.345/01DE-35', '12ABC34501DE35'],
    ['dashes and spaces of a PDF', '529\u00a0982\u2009247\u201325', '52998224725'],
    ['what nobody sees', '\ufeff529\u200b982\u200d247\u202c25\u00ad', '52998224725'],
    ['full-width characters', '１２．ＡＢＣ／ａ－９', '12ABCa9'],
    ['Arabic-Indic digits', '٠١٢٣٤٥٦٧٨٩', '0123456789'],
    ['Devanagari digits', '०१२३४५६७८९', '0123456789'],
    ['mathematical digits, whose five alphabets adjoin', '𝟎𝟗𝟘𝟡𝟢𝟫𝟬𝟵𝟶𝟿', '0909090909'],
    ['foreign letters and numbers, kept to be refused', 'é½Ω²', 'é½Ω²'],
    ['nothing but decoration', ' .-/()+🛒', ''],
  ];
  for (const [name, text, plain] of cases) {
    it(name, () => {
      assert.equal(toAlphanumeric(text), plain);
    });
  }

  it('gives every decimal digit of Unicode its value', () => {
    const zeros: number[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      if (!/\p{Nd}/u.test(String.fromCodePoint(code))) continue;
      const value = Number(toAlphanumeric(String.fromCodePoint(code)));
      if (value === 0) zeros.push(code);
      assert.equal(code - (zeros.at(-1) ?? Number.NaN), value);
    }
    assert.ok(zeros.length > 60);
  });
});

describe('toLine', () => {
  const cases: readonly [name: string, text: string, line: string][] = [
    ['white space around and within', ' \tAna \u00a0 Maria\r\nSouza ', 'Ana Maria Souza'],
    ['control characters', 'Ana\u0000Maria', 'Ana Maria'],
    ['invisible characters of a paste', '\u200bana@example.com\u2060', 'ana@example.com'],
    ['accents and apostrophes', "José D'Ávila", "José D'Ávila"],
  ];
  for (const [name, text, line] of cases) {
    it(name, () => {
      assert.equal(toLine(text), line);
    });
  }
});

it('applyMask ends with what was typed, never with a separator', () => {
  const mask = { 0: '(', 2: ') ' };
  assert.deepEqual(
    ['', '1', '11', '119'].map((text) => applyMask(text, mask)),
    ['', '(1', '(11', '(11) 9'],
  );
});

it('cleaning twice is cleaning once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(toAlphanumeric(toAlphanumeric(text)), toAlphanumeric(text));
      assert.equal(toLine(toLine(text)), toLine(text));
    }),
    { numRuns: numRuns(1_000) },
  );
});
