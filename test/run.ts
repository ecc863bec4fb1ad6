/**
 * `npm test`: every check of this repository in order, each with its duration, and one closing line of counts.
 *
 * Owns the list of phases; how tests are run and counted lies in test/support. All phases run even if one fails.
 *
 *   npm test -- --only unit,e2e
 *   npm test -- --component test/checkout/some.browser-test.ts --chromium
 */
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countsLine, emptyCounts, parseCounts, type Counts } from './support/counts.js';
import { runNodeTests } from './support/node-tests.js';
import { root, runNode, runTool, type Outcome } from './support/tools.js';

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    component: { type: 'string', multiple: true },
    chromium: { type: 'boolean' },
    firefox: { type: 'boolean' },
    webkit: { type: 'boolean' },
  },
});

/** Most that one file of tests may take, milliseconds: on a slow machine that is busy, too. */
const timeoutMs = 300_000;

/** What this machine lacks, each reason once. */
const leftOut = new Set<string>();
const onLeftOut = (reason: string) => void leftOut.add(reason);

const phases: Readonly<Record<string, () => Promise<Counts>>> = {
  format: () => check(runTool('prettier', ['--check', '--log-level', 'warn', '.'])),
  lint: () => check(runTool('oxlint', ['--type-aware', '--deny-warnings', 'src', 'demo', 'test'])),
  types: () => check(runTool('tsc', ['-p', 'tsconfig.json'])),
  build,
  unit: () =>
    runNodeTests(filesEndingWith('.test.ts'), {
      concurrency: availableParallelism(),
      timeoutMs,
      onLeftOut,
    }),
  component,
  e2e: () => runNodeTests(filesEndingWith('.e2e.ts'), { concurrency: 1, timeoutMs, onLeftOut }),
  package: async () =>
    sum([
      await check(runTool('publint', ['--strict'])),
      await check(runTool('attw', ['--pack', '.', '--profile', 'esm-only'])),
    ]),
};

const total = sum(await runAll(chosenPhases()));
for (const reason of leftOut) console.log(`Left out: ${reason}`);
console.log(countsLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;

function chosenPhases(): string[] {
  const names = Object.keys(phases);
  const chosen = flags.component === undefined ? (flags.only?.split(',') ?? names) : ['component'];
  const unknown = chosen.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(`No phase is called ${unknown.join(', ')}: there are ${names.join(', ')}`);
  }
  return chosen;
}

async function runAll(names: readonly string[]): Promise<Counts[]> {
  const results: Counts[] = [];
  for (const name of names) {
    console.log(`── ${name}`);
    const startedAt = performance.now();
    const counts = await runPhase(name);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`   ${countsLine(counts)} in ${seconds} s`);
    results.push(counts);
  }
  return results;
}

/** A phase that breaks, or finds nothing to do, is a failure and no end of the others. */
async function runPhase(name: string): Promise<Counts> {
  try {
    const counts = await phases[name]?.();
    if (counts !== undefined && counts.passed + counts.failed > 0) return counts;
    console.log('Nothing was tested.');
  } catch (error) {
    console.log(error);
  }
  return { ...emptyCounts(), failed: 1 };
}

/** A tool counts as one test. Its output matters only if it failed. */
async function check(running: Promise<Outcome>): Promise<Counts> {
  const { code, output } = await running;
  if (code === 0) return { ...emptyCounts(), passed: 1 };
  console.log(output);
  return { ...emptyCounts(), failed: 1 };
}

async function build(): Promise<Counts> {
  const running = runNode(['--import', 'tsx', 'test/support/build.ts']);
  const counts = await check(running);
  if (counts.failed === 0) console.log((await running).output.trim());
  return counts;
}

async function component(): Promise<Counts> {
  const engines = (['chromium', 'firefox', 'webkit'] as const).filter((engine) => flags[engine]);
  const { code, output } = await runTool('wtr', flags.component ?? [], {
    nodeArgs: ['--import', 'tsx'],
    ...(engines.length > 0 && { env: { TEST_ENGINES: engines.join(' ') } }),
  });
  const counts = parseCounts(output) ?? emptyCounts();
  // Only the closing line of the whole run may look like one.
  console.log(output.replace(countsLine(counts), '').trim());
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

function filesEndingWith(ending: string): string[] {
  return (readdirSync(join(root, 'test'), { recursive: true }) as string[])
    .filter((path) => path.endsWith(ending))
    .toSorted()
    .map((path) => join(root, 'test', path));
}

function sum(results: readonly Counts[]): Counts {
  const all = emptyCounts();
  for (const { passed, failed, skipped } of results) {
    all.passed += passed;
    all.failed += failed;
    all.skipped += skipped;
  }
  return all;
}
