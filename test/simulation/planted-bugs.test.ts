/** The histories find what they are there for: each planted bug, within a bounded number of seeds. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleHistories } from './bundle.js';
import { plantedBugs } from './planted-bugs.js';

/** Most histories played for one bug. */
const most = 400;

for (const { name, rules, mutation, spoil, conditions = {} } of plantedBugs) {
  test(`found: ${name}`, async (context) => {
    const playHistory = await bundleHistories(mutation);
    const options = spoil === undefined ? { conditions } : { conditions, spoil };
    for (let seed = 1; seed <= most; seed += 1) {
      const { violation } = await playHistory(seed, options);
      if (violation === null) continue;
      context.diagnostic(`seed ${seed}: ${violation}`);
      const isMeant = rules.some((rule) => violation.startsWith(`${rule}: `));
      assert.ok(isMeant, `seed ${seed} found another thing: ${violation}`);
      return;
    }
    assert.fail(`${most} histories did not find it`);
  });
}
