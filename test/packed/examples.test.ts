/** The examples are installed one by one: none waits for another. With `CI=true` only: it installs packages. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { isThorough } from '../tools/runs.js';
import { root, runProgram } from '../tools/tools.js';
import { words } from '../support/rows.js';
import { makeFolder } from '../support/folder.js';

/** What each brings of frameworks. */
const examples: Readonly<Record<string, readonly string[]>> = {
  html: [],
  react: ['react-dom', 'vite'],
  vue: ['vite', 'vue'],
};
const frameworks = /^(next|react-dom|svelte|vite|vue)$/;

describe.skipIf(!isThorough)('an example', () => {
  for (const [name, brought] of Object.entries(examples)) {
    it(`${name} is installed without the others`, async (t) => {
      const place = makeFolder(t);
      for (const path of words('package.json dist demo/examples test/tools/build/prepare.mjs')) {
        mkdirSync(join(place, path, '..'), { recursive: true });
        cpSync(join(root, path), join(place, path), { recursive: true });
      }
      const cwd = join(place, 'demo/examples');
      rmSync(join(cwd, 'node_modules'), { recursive: true, force: true });
      const args = ['install', '-w', name, '--no-audit', '--no-fund', '--prefer-offline'];
      const { code, output } = await runProgram('npm', args, { cwd });
      assert.equal(code, 0, output);
      const installed = readdirSync(join(cwd, 'node_modules'));
      assert.ok(installed.includes('pix-checkout'));
      assert.deepEqual(
        installed.filter((one) => frameworks.test(one)),
        brought,
      );
    });
  }
});
