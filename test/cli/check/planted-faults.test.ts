/** Each fault that a proxy may have is named by exactly the points that it breaks. */
import assert from 'node:assert/strict';
import { afterAll, describe, it } from 'vitest';
import { answerPoints } from '../../../src/cli/check/points/answers.js';
import { contractPoints } from '../../../src/cli/check/points/contract-points.js';
import { useInstantCrypto } from '../../simulation/processes/instant-crypto.js';
import { check, idsOf, openCheckedShop } from './checked-shop.js';
import { plantedFaults } from './proxies/planted-faults.js';
import { itFew } from '../../support/runner/long.js';

const itSome = itFew(6);

// Five thousand requests, each with several signatures: threads would cost more than all the rest.
afterAll(useInstantCrypto());

describe('a proxy that', () => {
  for (const { name, breaks, plant, given } of plantedFaults) {
    itSome(name, async () => {
      const shop = await openCheckedShop();
      const all = await shop.given();
      const results = await check(plant(shop), { ...all, ...given });
      assert.deepEqual(idsOf(results, 'failed').toSorted(), breaks.toSorted());
    });
  }
});

describe('the planted faults', () => {
  it('break each point that a careful proxy could fail', () => {
    const broken = new Set(plantedFaults.flatMap(({ breaks }) => breaks));
    const all = [...contractPoints, ...answerPoints].map(({ id }) => id);
    assert.deepEqual(
      all.filter((id) => !broken.has(id)),
      [],
    );
  });
});
