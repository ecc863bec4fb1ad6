/**
 * Chooses the mask of a QR: of eight patterns the one that leaves the fewest marks which confuse a camera.
 *
 * One pass over rows and columns for each pattern, because a payer waits for it: this is the dearest step of the first screen.
 * Source: ISO/IEC 18004, section 7.8. Sums equal those of `qrcode`, so that the choice does.
 */

/** Where a pattern turns a module over: where its number is zero. */
const patterns: readonly ((row: number, column: number) => number)[] = [
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
    const masked = modules.map((module, at) =>
      module > 1 ? module - 2 : module ^ +!pattern(Math.floor(at / size), at % size),
    );
    name(mask, (row, column, dark) => {
      masked[row * size + column] = +Boolean(dark);
    });
    const penalty = penaltyOf(size, masked);
    if (penalty < least) [best, least] = [masked, penalty];
  });
  return best;
}

/** Eleven modules in a line that look like the eye in a corner. */
const eyeThenLight = 0b10111010000;
const lightThenEye = 0b00001011101;

function penaltyOf(size: number, modules: Uint8Array): number {
  let penalty = 0;
  let dark = 0;
  for (let one = 0; one < size; one++) {
    // The last eleven modules of a row, and of the column of the same number.
    let across = 0;
    let down = 0;
    for (let other = 0; other < size; other++) {
      const at = one * size + other;
      across = ((across << 1) | modules[at]!) & 0x7ff;
      down = ((down << 1) | modules[other * size + one]!) & 0x7ff;
      penalty += penaltyOfLine(across, other) + penaltyOfLine(down, other);
      dark += modules[at]!;
      if (one === 0 || other === 0) continue;
      const square =
        modules[at]! + modules[at - 1]! + modules[at - size]! + modules[at - size - 1]!;
      if (square % 4 === 0) penalty += 3;
    }
  }
  return penalty + 10 * Math.abs(Math.ceil((dark * 20) / size ** 2) - 10);
}

/** What the latest module of a line adds: the fifth of one colour, each one after it, the end of an eye. */
function penaltyOfLine(line: number, index: number): number {
  if (index > 9 && (line === eyeThenLight || line === lightThenEye)) return 40;
  const five = line & 31;
  if (index < 4 || (five !== 0 && five !== 31)) return 0;
  return index > 4 && ((line >> 5) & 1) === (line & 1) ? 1 : 3;
}
