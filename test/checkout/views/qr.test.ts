/** The symbols of our QR encoder: the same as those of `qrcode`, never larger, and read back by a decoder of another make. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import jsQR from 'jsqr';
import { create } from 'qrcode';
import type { QRCodeSegment } from 'qrcode';
import { createSymbol } from '../../../src/checkout/views/qr/symbol.js';
import type { QrSymbol } from '../../../src/checkout/views/qr/symbol.js';
import { numRuns } from '../../support/runs.js';
import vectors from '../../support/vectors/br-codes.json' with { type: 'json' };

const digits = fc.stringMatching(/^\d{1,20}$/);
const capitals = fc.stringMatching(/^[A-Z $%*+./:-]{1,20}$/);
const letters = fc.stringMatching(/^[a-z/@_=]{1,20}$/);
const words = fc.constantFrom('br.gov.bcb.pix', 'São José', '😀', '漢字', '5204000053039865802BR');
/** Texts in which every mode begins and ends everywhere, as in a Pix code. */
const texts = fc
  .array(fc.oneof(digits, capitals, letters, fc.uuid(), words), { minLength: 1, maxLength: 16 })
  .map((parts) => parts.join(''));

const levelM = { errorCorrectionLevel: 'M' } as const;

/** Whether a symbol is, module by module, what `qrcode` makes of a text or of segments. */
function isTheirs({ size, modules }: QrSymbol, data: string | QRCodeSegment[]): boolean {
  const theirs = create(data, levelM).modules;
  return theirs.size === size && theirs.data.every((dark, at) => dark === modules[at]);
}

/** What a decoder sees, with four pixels for a module and a quiet zone of four modules. */
function decode({ size, modules }: QrSymbol) {
  const side = 4 * (size + 8);
  const pixels = new Uint8ClampedArray(4 * side * side).fill(255);
  modules.forEach((dark, at) => {
    if (!dark) return;
    const [top, left] = [Math.floor(at / size) + 4, (at % size) + 4];
    for (let pixel = 0; pixel < 16; pixel++) {
      const place = (4 * top + (pixel >> 2)) * side + 4 * left + (pixel & 3);
      pixels.fill(0, 4 * place, 4 * place + 3);
    }
  });
  return jsQR(pixels, side, side);
}

/** The segments that a symbol is made of, read off it. */
function segmentsOf(symbol: QrSymbol): QRCodeSegment[] {
  return (decode(symbol)?.chunks ?? []).map((chunk): QRCodeSegment => {
    if ('bytes' in chunk) return { mode: 'byte', data: Uint8Array.from(chunk.bytes) };
    const text = 'text' in chunk ? chunk.text : '';
    return /^\d+$/.test(text)
      ? { mode: 'numeric', data: text }
      : { mode: 'alphanumeric', data: text };
  });
}

function check(text: string): void {
  const symbol = createSymbol(text);
  assert.ok(symbol.size <= create(text, levelM).modules.size, 'larger than theirs');
  // Theirs is not always the shortest way to write a text: then it is compared for the same segments.
  assert.ok(isTheirs(symbol, text) || isTheirs(symbol, segmentsOf(symbol)), 'not as theirs');
}

describe('a QR symbol', () => {
  it('is that of qrcode for published Pix codes, and is read back', () => {
    for (const { payload } of vectors.valid) {
      check(payload);
      assert.equal(decode(createSymbol(payload))?.data, payload);
    }
  });

  it('is that of qrcode for any text, and never larger', () => {
    fc.assert(fc.property(texts, check), { numRuns: numRuns(2_500) });
  });

  it('is that of qrcode in every version and mode', () => {
    const seen = new Set<number>();
    for (const [character, most] of [
      ['7', 5_596],
      ['K', 3_391],
      ['x', 2_331],
    ] as const) {
      for (let length = 1; length <= most; length += Math.ceil(length / 20)) {
        const symbol = createSymbol(character.repeat(length));
        assert.ok(isTheirs(symbol, character.repeat(length)), `${length} × ${character}`);
        seen.add(symbol.size);
      }
      assert.ok(isTheirs(createSymbol(character.repeat(most)), character.repeat(most)));
      assert.throws(() => createSymbol(character.repeat(most + 1)), RangeError);
    }
    assert.equal(seen.size, 40);
  });

  it('is made of half a character, too', () => {
    assert.equal(decode(createSymbol('a\ud83db'))?.data, 'a\ufffdb');
  });
});
