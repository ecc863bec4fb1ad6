/**
 * Chooses the mask of a QR: of eight patterns the one that leaves the fewest marks which confuse a camera.
 *
 * The dearest step of the first screen. Each row is dealt with by small functions: a browser compiles what is called often,
 * while one loop over all modules would be interpreted to its end. Sums equal those of `qrcode`, so that the choice does.
 * Source: ISO/IEC 18004, section 7.8.
 */

/** The number of a module in a pattern, which turns over those with zero. */
type Pattern = (row: number, column: number) => number;

const patterns: readonly Pattern[] = [
  (row, column) => (row + column) % 2,
  (row) => row % 2,
  (_, column) => column % 3,
  (row, column) => (row + column) % 3,
  (row, column) => ((row >> 1) + ((column / 3) | 0)) % 2,
  (row, column) => ((row * column) % 2) + ((row * column) % 3),
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2,
  (row, column) => (((row * column) % 3) + ((row + column) % 2)) % 2,
];

/**
 * Chooses a mask and puts it on.
 *
 * @param modules 0 and 1, 2 and 3 where no mask reaches
 * @param name writes into a symbol which mask it has
 * @returns 1 where dark
 */
export function applyBestMask(
  size: number,
  modules: Uint8Array,
  name: (mask: number, put: (row: number, column: number, dark: unknown) => void) => void,
): Uint8Array {
  let best = modules;
  let least = Infinity;
  patterns.forEach((pattern, mask) => {
    const masked = modules.slice();
    for (let row = 0; row < size; row++) turnRow(masked, row, size, pattern);
    name(mask, (row, column, dark) => {
      masked[row * size + column] = +Boolean(dark);
    });
    const penalty = penaltyOf(size, masked);
    if (penalty < least) [best, least] = [masked, penalty];
  });
  return best;
}

/** 2 and 3 become 0 and 1. */
function turnRow(modules: Uint8Array, row: number, size: number, pattern: Pattern): void {
  for (let column = 0, at = row * size; column < size; column++, at++) {
    const module = modules[at]!;
    if (module > 1) modules[at] = module - 2;
    else if (pattern(row, column) === 0) modules[at] = 1 - module;
  }
}

function penaltyOf(size: number, modules: Uint8Array): number {
  let penalty = 0;
  for (let line = 0; line < size; line++) {
    penalty += penaltyOfLine(modules, line * size, 1, size);
    penalty += penaltyOfLine(modules, line, size, size);
    if (line > 0) penalty += penaltyOfSquares(modules, line * size, size);
  }
  // In steps of a twentieth from half dark.
  const twentieths = (20 * modules.filter(Boolean).length) / size ** 2;
  return penalty + 10 * Math.abs(Math.ceil(twentieths) - 10);
}

/** Eleven modules in a line that look like the eye in a corner. */
const eyeThenLight = 0b10111010000;
const lightThenEye = 0b00001011101;

/** Five of one colour in a row, or a column, and each one more; and what looks like an eye. */
function penaltyOfLine(modules: Uint8Array, start: number, step: number, size: number): number {
  let penalty = 0;
  let run = 0;
  let eleven = 0;
  for (let index = 0, at = start; index < size; index++, at += step) {
    const module = modules[at]!;
    run = index > 0 && module === (eleven & 1) ? run + 1 : 1;
    if (run > 4) penalty += run > 5 ? 1 : 3;
    eleven = ((eleven << 1) | module) & 0x7ff;
    if (index > 9 && (eleven === eyeThenLight || eleven === lightThenEye)) penalty += 40;
  }
  return penalty;
}

/** Two by two modules of one colour, in this row and the one above. */
function penaltyOfSquares(modules: Uint8Array, start: number, size: number): number {
  let penalty = 0;
  let left = 1;
  for (let at = start; at < start + size; at++) {
    const right = modules[at]! + modules[at - size]!;
    if (right !== 1 && right === left) penalty += 3;
    left = right;
  }
  return penalty;
}
