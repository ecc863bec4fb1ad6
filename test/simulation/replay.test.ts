/** A seed that failed must fail again: the same seed is the same history, whatever ran before it. */

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { playHistory } from './history.js';

test('the same seed plays the same history, to the millisecond', async () => {
  const seeds = [11, 12, 13, 14, 15, 16, 17, 18];
  const play = async (seed: number) => {
    const { lines, counts } = await playHistory(seed, { isTraced: true });
    return { lines, counts: [...counts] };
  };
  const first = new Map<number, unknown>();
  for (const seed of seeds) first.set(seed, await play(seed));
  for (const seed of seeds.toReversed()) {
    const again = await play(seed);
    assert.ok(again.lines.length > 20);
    assert.deepEqual(again, first.get(seed));
  }
});

test('another seed plays another history', async () => {
  const [one, other] = [
    await playHistory(1, { isTraced: true }),
    await playHistory(2, { isTraced: true }),
  ];
  assert.notDeepEqual(one.lines, other.lines);
});
