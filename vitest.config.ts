/**
 * Tests that run in Node: `*.test.ts` as `unit`, those that need a process of their own as `unit-alone`, and `*.e2e.ts`,
 * which steer a browser. Tests in a page: web-test-runner.config.mjs.
 */
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { alone, longTier, onOneNode } from './test/tools/runner/tiers.js';
import { Summary } from './test/tools/runner/vitest-summary.js';
import { isOtherNode, isShort } from './test/tools/runs.js';

const leftOut = isOtherNode ? onOneNode : isShort ? longTier : [];
const exclude = ['test/output/**', ...leftOut];

/** The files of the demo that people copy name the package; here it is our own source, as for the compiler of types. */
const ownSource = {
  find: /^pix-checkout\/([\w-]+)$/,
  replacement: `${import.meta.dirname}/src/$1.ts`,
};

export default defineConfig({
  resolve: { alias: [ownSource] },
  test: {
    // Starting a Node and loading the code takes longer than most files do.
    isolate: false,
    pool: 'forks',
    // One more than there are cores: some wait for a browser, a clock, or a database.
    maxWorkers: availableParallelism() + 1,
    maxConcurrency: 4,
    // What one run has compiled, the next one reads: other Nodes, and a second `npm test`.
    experimental: { fsModuleCache: true },
    // A file of tests opens more pages and signals in one process than a shop does, and leaves them behind: more room for
    // what is young saves 7 % of the CPU time.
    execArgv: ['--disable-warning=MaxListenersExceededWarning', '--max-semi-space-size=64'],
    // A busy machine is no sign of a hang.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    restoreMocks: true,
    setupFiles: ['test/tools/runner/after-each.ts'],
    reporters: ['minimal', new Summary()],
    silent: 'passed-only',
    // What a test writes is loaded as a merchant's Node loads it.
    server: { deps: { external: [new RegExp(`^(?!${import.meta.dirname}/)${tmpdir()}/`)] } },
    // Without names `--watch` has loaded nothing yet: a file of src/ runs the folder of tests that mirrors it.
    ...(process.argv.includes('--standalone') && {
      watchTriggerPatterns: [
        {
          pattern: /\/src\/(.+)\/[^/]+\.ts$/,
          testsToRun: (_: string, [, folder = '']: RegExpMatchArray) => testsIn(`test/${folder}`),
        },
      ],
    }),
    // The summary counts a file without a test as failed.
    passWithNoTests: true,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [...exclude, ...alone] },
      },
      {
        extends: true,
        test: { name: 'unit-alone', include: [...alone], exclude, isolate: true },
      },
      { extends: true, test: { name: 'e2e', include: ['test/**/*.e2e.ts'], exclude } },
    ],
  },
});

function testsIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => `${folder}/${name}`);
}
