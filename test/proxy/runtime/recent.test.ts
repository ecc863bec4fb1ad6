import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createRecent } from '../../../src/proxy/runtime/running.js';

describe('what a process remembers', () => {
  it('is so much at most: what was set longest ago goes', () => {
    const recent = createRecent<number>(2);
    for (const name of ['a', 'b', 'a', 'c']) recent.set(name, 1);
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => recent.get(name)),
      [1, undefined, 1],
    );
  });

  it('is forgotten when it is not fresh any more, and does not come back', () => {
    let now = 0;
    const recent = createRecent<number>(Infinity, (at) => now - at < 10);
    recent.set('a', 0);
    recent.set('b', 5);
    now = 10;
    assert.deepEqual([recent.get('a'), recent.get('b'), recent.values()], [undefined, 5, [5]]);
    recent.set('c', 10);
    now = 0;
    assert.deepEqual([recent.get('a'), recent.get('b'), recent.get('c')], [undefined, 5, 10]);
  });
});
