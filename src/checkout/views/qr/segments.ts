/**
 * The text of a QR as bits: digits, capitals and bytes each in segments of their own wherever that makes it shorter.
 *
 * Source: ISO/IEC 18004, section 7.4. Kanji are written as bytes: no Pix code holds any.
 */

/** The modes by what they know: digits, alphanumerics, bytes. */
const modes = [0, 1, 2] as const;
type Mode = (typeof modes)[number];

/** Bits of six characters, so that the numbers are whole. */
const bitsOfSix = [20, 33, 48] as const;

/** Bits of a segment's length in the three modes, and the greatest version that this is written for. */
const lengthBits = [
  { bits: [10, 9, 8], lastVersion: 9 },
  { bits: [12, 11, 16], lastVersion: 26 },
  { bits: [14, 13, 16], lastVersion: 40 },
] as const;

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

/** Runs that are never cut: of digits, of other alphanumerics, of all else. */
const runs = /(\d+)|([A-Z $%*+./:-]+)|[^\dA-Z $%*+./:-]+/g;

/** The shortest way to write the text so far whose last segment is of this mode: that segment, and the way before it. */
interface Path {
  readonly mode: Mode;
  readonly text: string;
  /** Characters of the segment; bytes in the mode of bytes. */
  readonly length: number;
  /** Of all segments. */
  readonly bits: number;
  readonly before: Path | null;
}

/**
 * The bits of a text in the first row of {@link lengthBits} in which it fits.
 *
 * @param versionOf the least version with room for so many bits, Infinity if there is none
 */
export function toBits(text: string, versionOf: (bits: number) => number) {
  for (const { bits, lastVersion } of lengthBits) {
    const path = shortestPath(text, bits);
    const version = versionOf(path?.bits ?? 0);
    if (version <= lastVersion) return { version, bits: write(path, bits) };
  }
  throw new RangeError('no QR holds so long a text');
}

function shortestPath(text: string, sizes: readonly number[]): Path | null {
  let paths: readonly (Path | null)[] = [null];
  for (const [run, digits, others] of text.matchAll(runs)) {
    const bytes = new TextEncoder().encode(run).length;
    paths = modes
      .slice(digits ? 0 : others ? 1 : 2)
      .map((mode) =>
        shortest(
          paths.map((path) => append(path, mode, run, mode === 2 ? bytes : run.length, sizes)),
        ),
      );
  }
  return shortest(paths);
}

function append(
  path: Path | null,
  mode: Mode,
  run: string,
  size: number,
  sizes: readonly number[],
): Path {
  const joined = path?.mode === mode;
  const before = joined ? path.before : path;
  const length = joined ? path.length + size : size;
  const bits = (before?.bits ?? 0) + 4 + sizes[mode]! + Math.ceil((length * bitsOfSix[mode]) / 6);
  return { mode, text: joined ? path.text + run : run, length, bits, before };
}

function shortest<T extends Path | null>(paths: readonly T[]): T {
  return paths.reduce((one, other) => (other && one && other.bits < one.bits ? other : one));
}

function write(path: Path | null, sizes: readonly number[]): string {
  if (!path) return '';
  const { mode, text, length, before } = path;
  const head = toBinary(1 << mode, 4) + toBinary(length, sizes[mode]!);
  return write(before, sizes) + head + (mode === 2 ? writeBytes(text) : writeGroups(text, mode));
}

function writeBytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => toBinary(byte, 8)).join('');
}

/** Three digits in ten bits, two alphanumerics in eleven; what is left at the end takes fewer. */
function writeGroups(text: string, mode: 0 | 1): string {
  const [base, bits] = mode ? [45, 5] : [10, 3];
  return text.replace(mode ? /..?/g : /..?.?/g, (group) =>
    toBinary(
      Array.from(group).reduce((sum, one) => sum * base + alphanumerics.indexOf(one), 0),
      group.length * bits + 1,
    ),
  );
}

/** A number in so many bits, as text of 0 and 1. */
function toBinary(value: number, length: number): string {
  return value.toString(2).padStart(length, '0');
}
