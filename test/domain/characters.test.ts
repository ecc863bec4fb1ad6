/** Cleaning up what was typed or pasted. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { applyMask, toAlphanumeric, toLine } from '../../src/domain/characters.js';
import { anyText, holds, maps } from '../support/tables.js';

describe('toAlphanumeric', () => {
  maps(toAlphanumeric, [
    ['12.ABC.345/01DE-35', '12ABC34501DE35'],
    // Dashes and spaces of a PDF, and what is invisible.
    ['529\u00a0982\u2009247\u201325', '52998224725'],
    ['\ufeff529\u200b982\u200d247\u202c25\u00ad', '52998224725'],
    ['１２．ＡＢＣ／ａ－９', '12ABCa9'],
    ['٠١٢٣٤٥٦٧٨٩', '0123456789'],
    ['०१२३४५६७८९', '0123456789'],
    // Mathematical digits, whose five alphabets adjoin.
    ['𝟎𝟗𝟘𝟡𝟢𝟫𝟬𝟵𝟶𝟿', '0909090909'],
    // Foreign letters and numbers are kept to be refused.
    ['é½Ω²', 'é½Ω²'],
    [' .-/()+🛒', ''],
  ]);

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
  maps(toLine, [
    [' \tAna \u00a0 Maria\r\nSouza ', 'Ana Maria Souza'],
    ['Ana\u0000Maria', 'Ana Maria'],
    ['\u200bana@example.com\u2060', 'ana@example.com'],
    ["José D'Ávila", "José D'Ávila"],
  ]);
});

describe('a mask ends with what was typed, never with a separator', () => {
  const mask = (text: string) => applyMask(text, { 0: '(', 2: ') ' });
  maps(mask, [
    ['', ''],
    ['1', '(1'],
    ['11', '(11'],
    ['119', '(11) 9'],
  ]);
});

holds('cleaning twice is cleaning once', 1_000, anyText(), (text) => {
  assert.equal(toAlphanumeric(toAlphanumeric(text)), toAlphanumeric(text));
  assert.equal(toLine(toLine(text)), toLine(text));
});
