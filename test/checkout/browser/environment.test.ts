/** The keys of attempts: random, and of the form that the contract asks for. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { browserEnvironment } from '../../../src/checkout/browser/environment.js';

describe('an attempt’s key', () => {
  const keys = Array.from({ length: 2_000 }, () => browserEnvironment.uuid());

  it('is a UUID of version 4', () => {
    for (const key of keys) {
      assert.match(key, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    }
  });

  it('comes once, and takes every digit in every place that is drawn', () => {
    assert.equal(new Set(keys).size, keys.length);
    for (let place = 0; place < 36; place += 1) {
      const digits = new Set(keys.map((key) => key[place]));
      const fixed = [8, 13, 14, 18, 23].includes(place);
      assert.equal(digits.size, fixed ? 1 : place === 19 ? 4 : 16, String(place));
    }
  });
});
