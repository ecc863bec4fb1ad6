/** What counts as an amount that can be owed. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isTotalCents } from '../../src/domain/money.js';

const cases: readonly [value: unknown, isTotal: boolean][] = [
  [1, true],
  [12345, true],
  [Number.MAX_SAFE_INTEGER, true],
  [Number.MAX_SAFE_INTEGER + 1, false],
  [0, false],
  [-1, false],
  [1.5, false],
  [Number.NaN, false],
  [Infinity, false],
  ['1', false],
  [1n, false],
  [null, false],
  [[1], false],
];
for (const [value, isTotal] of cases) {
  it(`${typeof value} ${String(value)} is ${isTotal ? 'one' : 'none'}`, () => {
    assert.equal(isTotalCents(value), isTotal);
  });
}
