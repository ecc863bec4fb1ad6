/**
 * Makes the symbol of a QR code at error correction level M: from a text to its modules.
 *
 * Our own, because a payer downloads it and waits for it: without the levels, modes and searches that a Pix code has no
 * use for it is a third of `qrcode`'s encoder. The arithmetic of error correction is that of `qrcode`; tests compare whole symbols.
 * Source: ISO/IEC 18004, sections 6 to 8.
 */

import { generateECPolynomial, mod } from 'qrcode/lib/core/polynomial.js';
import { applyBestMask } from './mask.js';
import { toBits } from './segments.js';

/** A square of modules, row by row, 1 where dark. */
export interface QrSymbol {
  readonly size: number;
  readonly modules: Uint8Array;
}

/** Puts a module that no mask changes. */
type Put = (row: number, column: number, dark: unknown) => void;

/** Into how many blocks the data of each version are parted at level M. */
const blockCounts = [
  0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25,
  26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
];

/** Codewords that correct one block; 28 in all versions from 22 up. */
const correctionLengths = [
  0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26,
];

/** What the rings of a pattern are, from its middle outwards, 1 where dark: the eye in a corner with its border, the small one. */
const eye = '11010';
const smallEye = '101';

/** The smallest symbol of a text. @throws RangeError where no symbol holds it */
export function createSymbol(text: string): QrSymbol {
  const { version, bits } = toBits(text, versionOf);
  const size = 4 * version + 17;
  // 2 and 3 are modules that no mask changes, until one is chosen.
  const modules = new Uint8Array(size * size);
  const put: Put = (row, column, dark) => {
    modules[row * size + column] = dark ? 3 : 2;
  };
  putPatterns(version, size, put);
  putFormat(size, 0, put);
  placeData(size, modules, toCodewords(version, bits));
  return { size, modules: applyBestMask(size, modules, (mask, put) => putFormat(size, mask, put)) };
}

/** The least version with room for so many bits. */
function versionOf(bits: number): number {
  let version = 1;
  while (version <= 40 && bits > 8 * dataLengthOf(version)) version++;
  return version;
}

function correctionLengthOf(version: number): number {
  return correctionLengths[version] ?? 28;
}

/** Codewords that hold data. */
function dataLengthOf(version: number): number {
  // All modules but the eyes, the lines between them and what names the mask; then small eyes, and what names the version.
  let modules = (16 * version + 128) * version + 64;
  const eyes = Math.floor(version / 7) + 2;
  if (version > 1) modules -= (25 * eyes - 10) * eyes - 55;
  if (version > 6) modules -= 36;
  return Math.floor(modules / 8) - blockCounts[version]! * correctionLengthOf(version);
}

/** Codewords as they stand in the symbol: the blocks of data with one another, then their corrections. */
function toCodewords(version: number, bits: string): number[] {
  const length = dataLengthOf(version);
  const ended = `${bits}0000`.slice(0, 8 * length);
  const filled = ended
    .padEnd(8 * Math.ceil(ended.length / 8), '0')
    .padEnd(8 * length, '1110110000010001');
  const data = Uint8Array.from(filled.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
  const count = blockCounts[version]!;
  const generator = generateECPolynomial(correctionLengthOf(version));
  let start = 0;
  const blocks = Array.from({ length: count }, (_, index) => {
    // The last ones are longer by one, where the data do not come out even.
    const end = start + Math.floor((length + index) / count);
    const block = data.subarray(start, end);
    start = end;
    return block;
  });
  return [
    ...interleave(blocks),
    ...interleave(blocks.map((block) => correctionsOf(block, generator))),
  ];
}

/** What corrects a block (Reed–Solomon): the remainder of its division. */
function correctionsOf(block: Uint8Array, generator: Uint8Array): Uint8Array {
  const length = generator.length - 1;
  const padded = new Uint8Array(block.length + length);
  padded.set(block);
  const rest = mod(padded, generator);
  const corrections = new Uint8Array(length);
  corrections.set(rest, length - rest.length);
  return corrections;
}

function interleave(blocks: readonly Uint8Array[]): number[] {
  return Array.from(blocks.at(-1)!, (_, index) =>
    blocks.filter((block) => index < block.length).map((block) => block[index]!),
  ).flat();
}

function putPatterns(version: number, size: number, put: Put): void {
  const putRings = (row: number, column: number, rings: string) => {
    const radius = rings.length - 1;
    for (let y = Math.max(0, row - radius); y <= Math.min(size - 1, row + radius); y++) {
      for (let x = Math.max(0, column - radius); x <= Math.min(size - 1, column + radius); x++) {
        put(y, x, +rings[Math.max(Math.abs(y - row), Math.abs(x - column))]!);
      }
    }
  };
  for (let at = 8; at < size - 8; at++) {
    put(6, at, at % 2 === 0);
    put(at, 6, at % 2 === 0);
  }
  putRings(3, 3, eye);
  putRings(3, size - 4, eye);
  putRings(size - 4, 3, eye);
  for (const row of smallEyePlaces(version, size)) {
    for (const column of smallEyePlaces(version, size)) {
      const inCorner = [row, column].every((at) => at === 6 || at === size - 7);
      // Only the last corner has no eye.
      if (!inCorner || row + column > size) putRings(row, column, smallEye);
    }
  }
  if (version < 7) return;
  const bits = withCheck(version, 12, 0x1f25);
  for (let bit = 0; bit < 18; bit++) {
    const [near, far] = [Math.floor(bit / 3), (bit % 3) + size - 11];
    put(near, far, (bits >> bit) & 1);
    put(far, near, (bits >> bit) & 1);
  }
}

/** Rows, and columns, in which small eyes have their middle. */
function smallEyePlaces(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 1;
  const step = version === 32 ? 26 : 2 * Math.ceil((size - 13) / (2 * count));
  return [6, ...Array.from({ length: count }, (_, index) => size - 7 - index * step)];
}

/** Level and mask, twice. */
function putFormat(size: number, mask: number, put: Put): void {
  const bits = withCheck(mask, 10, 0x537) ^ 0x5412;
  for (let bit = 0; bit < 15; bit++) {
    const dark = (bits >> bit) & 1;
    put(bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, 8, dark);
    put(8, bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit, dark);
  }
  put(size - 8, 8, true);
}

/** A number with its check bits (BCH) behind it. */
function withCheck(value: number, length: number, generator: number): number {
  let rest = value;
  for (let bit = 0; bit < length; bit++) rest = (rest << 1) ^ ((rest >> (length - 1)) * generator);
  return (value << length) | rest;
}

/** Up and down in pairs of columns from the right, around what is there. */
function placeData(size: number, modules: Uint8Array, codewords: readonly number[]): void {
  let bit = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right--;
    const upwards = ((right + 1) & 2) === 0;
    for (let step = 0; step < 2 * size; step++) {
      const row = upwards ? size - 1 - (step >> 1) : step >> 1;
      const at = row * size + right - (step & 1);
      if (modules[at]! > 1) continue;
      modules[at] = (codewords[bit >> 3]! >> (7 - (bit & 7))) & 1;
      bit++;
    }
  }
}
