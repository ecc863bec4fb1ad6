/** What counts as a difference between two pictures, and what does not. */
import assert from 'node:assert/strict';
import { it } from 'vitest';
import { PNG } from 'pngjs';
import { findDifference } from './compare.js';

type Box = readonly [x: number, y: number, width: number, height: number, grey: number];

/** White, with boxes on it. */
function draw(boxes: readonly Box[], height = 120): PNG {
  const picture = new PNG({ width: 100, height });
  picture.data.fill(255);
  for (const [left, top, width, tall, grey] of boxes) {
    for (let y = top; y < top + tall; y += 1) {
      for (let x = left; x < left + width; x += 1)
        picture.data.fill(grey, (y * 100 + x) * 4, (y * 100 + x) * 4 + 3);
    }
  }
  return picture;
}

const button: Box = [10, 60, 80, 24, 60];
const letter: readonly Box[] = [
  [20, 20, 2, 12, 0],
  [26, 20, 2, 12, 0],
  [20, 25, 8, 2, 0],
];
const screen = draw([button, ...letter]);

const same: [what: string, picture: PNG][] = [
  ['byte by byte', draw([button, ...letter])],
  [
    'where text is a pixel lower',
    draw([button, ...letter.map(([x, y, ...rest]): Box => [x, y + 1, ...rest])]),
  ],
  ['where edges are softer', draw([button, [19, 20, 4, 12, 200], [25, 20, 4, 12, 200], ...letter])],
  ['where one is two rows taller', draw([button, ...letter], 122)],
  ['where a colour is rounded otherwise', draw([[10, 60, 80, 24, 66], ...letter])],
];
for (const [what, picture] of same) {
  it(`two pictures are the same ${what}`, () =>
    assert.equal(findDifference(screen, picture), null));
}

const other: [what: string, picture: PNG, says: RegExp][] = [
  ['by a letter', draw([button]), /squares differ, first at 25, 17$/],
  ['by a colour', draw([[10, 60, 80, 24, 100], ...letter]), /squares differ/],
  ['by three pixels of space', draw([[10, 63, 80, 24, 60], ...letter]), /squares differ/],
  ['by a border', draw([button, ...letter, [0, 100, 100, 2, 120]]), /squares differ/],
  ['by their size', draw([button, ...letter], 123), /100 × 123 instead of 100 × 120/],
];
for (const [what, picture, says] of other) {
  it(`two pictures differ ${what}`, () => {
    assert.match(findDifference(screen, picture) ?? '', says);
    assert.ok(findDifference(picture, screen), 'in either order');
  });
}
