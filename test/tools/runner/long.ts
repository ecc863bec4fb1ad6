/** `it` for the long tier: `npm run test:all`, `CI=true`, and files that are named run all of them. */
import { it } from 'vitest';
import { isChosen, isThorough } from '../runs.js';

const isWhole = isThorough || isChosen;

/** A test of the long tier only. */
export const itLong = itFew(0);

/** For a loop over cases of one kind: the first `count` of them stand for the others in the short tier. */
export function itFew(count: number): typeof it {
  let left = isWhole ? Infinity : count;
  const few = (...args: Parameters<typeof it>) => {
    left -= 1;
    return left >= 0 ? it(...args) : Promise.resolve();
  };
  return few as typeof it;
}
