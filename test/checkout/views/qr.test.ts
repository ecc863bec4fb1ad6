/** The QR that is drawn: a decoder of another make reads every text back from it. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import jsQR from 'jsqr';
import { toText } from '../../../src/checkout/html/template-text.js';
import { renderQr } from '../../../src/checkout/views/qr/qr.js';
import vectors from '../../support/vectors/br-codes.json' with { type: 'json' };
import { forAny } from '../../support/tables.js';

const digits = fc.stringMatching(/^\d{1,20}$/);
const capitals = fc.stringMatching(/^[A-Z $%*+./:-]{1,20}$/);
const letters = fc.stringMatching(/^[a-z/@_=]{1,20}$/);
const words = fc.constantFrom('br.gov.bcb.pix', 'São José', '😀', '漢字', '5204000053039865802BR');
/** Texts in which every mode begins and ends everywhere, as in a Pix code. */
const texts = fc
  .array(fc.oneof(digits, capitals, letters, fc.uuid(), words), { minLength: 1, maxLength: 16 })
  .map((parts) => parts.join(''));

/** What a decoder sees: the picture as pixels, four for a module, with the quiet zone that is drawn. */
function decode(text: string): string | undefined {
  const picture = toText(renderQr(text, 'QR'));
  const [, modules = '0'] = /viewBox="0 0 (\d+) /.exec(picture) ?? [];
  const side = 4 * Number(modules);
  const pixels = new Uint8ClampedArray(4 * side * side).fill(255);
  for (const [, column, row, width] of picture.matchAll(/M(\d+) (\d+)h(\d+)v1h/g)) {
    for (let line = 4 * Number(row); line < 4 * Number(row) + 4; line++) {
      const start = line * side + 4 * Number(column);
      for (let at = start; at < start + 4 * Number(width); at++) pixels.fill(0, 4 * at, 4 * at + 3);
    }
  }
  return jsQR(pixels, side, side)?.data;
}

describe('the drawn QR', () => {
  it('says what a published Pix code says', () => {
    for (const { payload } of vectors.valid) assert.equal(decode(payload), payload);
  });

  it('says any text', () => {
    forAny(100, texts, (text) => assert.equal(decode(text), text));
  });

  it('is made of half a character, too', () => {
    assert.equal(decode('a\ud83db'), 'a\ufffdb');
  });

  it('is as large as level M makes it: a lower level would be smaller, and read less well', () => {
    const [, modules] = /viewBox="0 0 (\d+) /.exec(toText(renderQr('7'.repeat(100), 'QR'))) ?? [];
    // Version 4 holds 149 digits at level M; version 3 holds 101 of them at M, 127 at L.
    assert.equal(Number(modules), 29 + 8);
  });
});
