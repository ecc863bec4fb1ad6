/** No right proxy is blamed, in whatever way it uses the freedom that the contract leaves. */
import assert from 'node:assert/strict';
import { afterAll, describe } from 'vitest';
import { useInstantCrypto } from '../../simulation/processes/instant-crypto.js';
import { itFew } from '../../support/runner/long.js';
import { check, idsOf, openCheckedShop } from './checked-shop.js';
import { rightVariants } from './proxies/right-variants.js';

const itSome = itFew(6);

afterAll(useInstantCrypto());

describe('a right proxy that', () => {
  for (const { name, plant, options, given, left = [], notes = [] } of rightVariants) {
    itSome(`${name} passes without a word`, async () => {
      const shop = await openCheckedShop(options);
      const all = { ...(await shop.given()), cardToken: 'tok_pending', ...given };
      const results = await check(plant?.(shop) ?? shop.answer, all);
      const failed = results.filter(({ outcome }) => outcome === 'failed');
      assert.deepEqual(failed, []);
      assert.deepEqual(idsOf(results, 'not_checked').toSorted(), left.toSorted());
      const said = results.flatMap(({ note }) => note ?? []);
      assert.equal(said.length, notes.length, said.join('\n'));
      for (const [at, one] of notes.entries()) assert.match(said[at] ?? '', one);
    });
  }
});
