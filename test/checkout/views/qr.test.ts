/** The QR that is drawn: a decoder of another make reads every text back from it. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import jsQR from 'jsqr';
import { create } from 'qrcode';
import { toText } from '../../../src/checkout/html/template-text.js';
import { renderQr } from '../../../src/checkout/views/qr/qr.js';
import vectors from '../../support/vectors/br-codes.json' with { type: 'json' };
import { forAny } from '../../support/tables.js';
import { toPixCode } from '../../support/pix-code.js';

const digits = fc.stringMatching(/^\d{1,20}$/);
const capitals = fc.stringMatching(/^[A-Z $%*+./:-]{1,20}$/);
const letters = fc.stringMatching(/^[a-z/@_=]{1,20}$/);
const words = fc.constantFrom('br.gov.bcb.pix', 'São José', '😀', '漢字', '5204000053039865802BR');
/** Texts in which every mode begins and ends everywhere, as in a Pix code. */
const texts = fc
  .array(fc.oneof(digits, capitals, letters, fc.uuid(), words), { minLength: 1, maxLength: 16 })
  .map((parts) => parts.join(''));

/** Modules of a square symbol, row by row: dark ones are not 0. */
interface Symbol {
  readonly size: number;
  readonly data: Uint8Array;
}

/** Reads the modules that the picture draws, with the quiet zone. */
function drawnSymbol(text: string): Symbol {
  const picture = toText(renderQr(text, 'QR'));
  const size = Number(/viewBox="0 0 (\d+) /.exec(picture)?.[1]);
  const data = new Uint8Array(size * size);
  for (const [, column, row, width] of picture.matchAll(/M(\d+) (\d+)h(\d+)v1h/g)) {
    const start = Number(row) * size + Number(column);
    data.fill(1, start, start + Number(width));
  }
  return { size, data };
}

/** What a decoder reads of it, four pixels for a module. */
function decode(text: string): string | undefined {
  const { size, data } = drawnSymbol(text);
  return read(4 * size, (x, y) => (data[(y >> 2) * size + (x >> 2)] ? 0 : 255));
}

function read(side: number, greyAt: (x: number, y: number) => number): string | undefined {
  const pixels = new Uint8ClampedArray(4 * side * side).fill(255);
  for (let at = 0; at < side * side; at++) {
    pixels.fill(greyAt(at % side, Math.floor(at / side)), 4 * at, 4 * at + 3);
  }
  return jsQR(pixels, side, side)?.data;
}

/** What a decoder reads off a tilted and blurred picture, 150 pixels wide. @param blur side of the square that a pixel sees */
function readSmall({ size, data }: Symbol, tilt: number, blur: number): string | undefined {
  const [cosine, sine] = [Math.cos(tilt), Math.sin(tilt)];
  const isDark = (x: number, y: number) => {
    const [across, down] = [x / 150 - 0.6, y / 150 - 0.6];
    const column = Math.floor((across * cosine + down * sine + 0.5) * size);
    const row = Math.floor((down * cosine - across * sine + 0.5) * size);
    return column >= 0 && column < size && data[row * size + column] === 1;
  };
  return read(180, (x, y) => {
    let light = 0;
    for (let look = 0; look < 16; look++) {
      const [across, down] = [((look % 4) - 1.5) / 4, ((look >> 2) - 1.5) / 4];
      if (!isDark(x + 0.5 + blur * across, y + 0.5 + blur * down)) light++;
    }
    return (255 * light) / 16;
  });
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

  it('has one mask whatever it says: to score all eight takes a third of the drawing', () => {
    for (const { payload } of vectors.valid) {
      const { size, data } = drawnSymbol(payload);
      // ISO/IEC 18004: the first bits of the format, for level M and mask 2, beside the finder pattern.
      assert.equal(data.slice(12 * size + 4, 12 * size + 9).join(''), '10111');
    }
  });

  it('is of a Pix code as small as the library itself would make it', () => {
    for (const { payload } of vectors.valid) {
      const { modules } = create(payload, { errorCorrectionLevel: 'M' });
      assert.equal(drawnSymbol(payload).size, modules.size + 8);
    }
  });

  it('is read off small pictures about as often as with the mask that scores best', () => {
    const names = ['LOJA', 'COMERCIO DE ROUPAS LTDA', 'A'.repeat(25)];
    let [own, best] = [0, 0];
    for (let index = 0; index < 30; index++) {
      const path = `qr/v2/${String(index * 7_919).repeat(1 + (index % 5))}`;
      const text = toPixCode({ totalCents: 100 + index * 131, path, name: names[index % 3]! });
      const { modules } = create(text, { errorCorrectionLevel: 'M' });
      const [tilt, blur] = [((index % 9) - 4) / 30, 2.6 + (index % 7) / 5];
      const { size, data } = drawnSymbol(text);
      if (readSmall({ size, data }, tilt, blur) === text) own++;
      if (readSmall(withQuietZone(modules), tilt, blur) === text) best++;
    }
    assert.ok(best > 10 && best < 28, `the pictures are too hard or too easy: ${best} of 30 read`);
    // Chance decides about one or two.
    assert.ok(own >= best - 3, `${own} of 30 read, ${best} with the best mask`);
  });
});

function withQuietZone({ size, data }: Symbol): Symbol {
  const side = size + 8;
  const wide = new Uint8Array(side * side);
  for (let row = 0; row < size; row++) {
    wide.set(data.slice(row * size, (row + 1) * size), (row + 4) * side + 4);
  }
  return { size: side, data: wide };
}
