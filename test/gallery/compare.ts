/**
 * Compares two pictures of one screen. Another version of a browser draws the edges of letters otherwise, and may put a
 * line of text a pixel higher: that is no difference. A letter, a colour, a border or two pixels of space is.
 */
import type { PNG } from 'pngjs';

/** Side of the squares whose mean colours are compared, pixels. */
const side = 4;
/** Pixels by which a square may have moved. */
const reach = 1;
/** Largest difference of a mean colour, of 255. */
const tolerance = 24;
/** Squares that may differ: less than a letter. */
const mostSquares = 3;
/** Rows by which the heights may differ: fractions of a pixel add up. */
const mostRows = 2;

/** Says how two pictures differ; null: they do not. */
export function findDifference(expected: PNG, actual: PNG): string | null {
  const rows = Math.abs(expected.height - actual.height);
  if (expected.width !== actual.width || rows > mostRows) {
    return `${sizeOf(actual)} instead of ${sizeOf(expected)}`;
  }
  const [before, after] = [meansOf(expected), meansOf(actual)];
  const found: string[] = [];
  for (let y = reach; y + side + reach <= Math.min(expected.height, actual.height); y += side) {
    for (let x = reach; x + side + reach <= expected.width; x += side) {
      // Content that went counts, and so does content that is new.
      if (!isAround(before, after, x, y) || !isAround(after, before, x, y))
        found.push(`${x}, ${y}`);
    }
  }
  return found.length > mostSquares ? `${found.length} squares differ, first at ${found[0]}` : null;
}

/** The mean of a channel in the square that begins at a pixel. */
type Means = (channel: number, x: number, y: number) => number;

/** By sums over all that lies above and left of each pixel. */
function meansOf({ width, height, data }: PNG): Means {
  const row = (width + 1) * 3;
  const sums = new Float64Array(row * (height + 1));
  for (let y = 1; y <= height; y += 1) {
    for (let x = 1; x <= width; x += 1) {
      for (let channel = 0; channel < 3; channel += 1) {
        const at = y * row + x * 3 + channel;
        const pixel = data[((y - 1) * width + x - 1) * 4 + channel]!;
        sums[at] = pixel + sums[at - 3]! + sums[at - row]! - sums[at - row - 3]!;
      }
    }
  }
  return (channel, x, y) => {
    const at = y * row + x * 3 + channel;
    const below = at + side * row;
    return (sums[below + side * 3]! - sums[below]! - sums[at + side * 3]! + sums[at]!) / side ** 2;
  };
}

/** Whether a square's colour is one of those that are at its place now, moved a little. */
function isAround(before: Means, after: Means, x: number, y: number): boolean {
  return [0, 1, 2].every((channel) => {
    const wanted = before(channel, x, y);
    let [least, most] = [255, 0];
    for (let down = -reach; down <= reach; down += 1) {
      for (let right = -reach; right <= reach; right += 1) {
        const mean = after(channel, x + right, y + down);
        least = Math.min(least, mean);
        most = Math.max(most, mean);
      }
    }
    return wanted >= least - tolerance && wanted <= most + tolerance;
  });
}

function sizeOf({ width, height }: PNG): string {
  return `${width} × ${height}`;
}
