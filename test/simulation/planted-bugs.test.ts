/** The histories find what they are there for: each planted bug, within a bounded number of seeds. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { chosenCases } from '../tools/runs.js';
import { bundleHistories, source } from './bundle.js';
import { plantedBugs } from './planted-bugs.js';

/** Most histories played for one bug. */
const most = 600;

/** Without `CI=true` one bug in so many is looked for. */
const oneIn = 9;

describe('planted bugs', () => {
  const chosen = chosenCases(plantedBugs, (bug) => plantedBugs.indexOf(bug) % oneIn === 0);
  for (const { name, rules, mutations, spoil, plant, conditions = {} } of chosen) {
    it(`found: ${name}`, async () => {
      const playHistory = await bundleHistories(mutations);
      const options = { conditions, ...(spoil && { spoil }), ...(plant && { plant }) };
      for (let seed = 1; seed <= most; seed += 1) {
        const { violation } = await playHistory(seed, options);
        if (violation === null) continue;
        console.log(`seed ${seed}: ${violation}`);
        const isMeant = rules.some((rule) => violation.startsWith(`${rule}: `));
        assert.ok(isMeant, `seed ${seed} found another thing: ${violation}`);
        return;
      }
      assert.fail(`${most} histories did not find it`);
    });
  }

  it('name what stands in the code exactly once', async () => {
    for (const { name, mutations = [] } of plantedBugs) {
      for (const [file, from] of mutations) {
        const text = await readFile(join(source, file), 'utf8');
        assert.equal(text.split(from).length, 2, `${name}: ${file} must hold once: ${from}`);
      }
    }
  });
});
