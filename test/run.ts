/**
 * `npm test`: every check of this repository, a line with its duration for each phase, and one closing line of counts.
 * All phases run even if one fails.
 *
 *   npm test                                      the short tier (support/runner/tiers.ts)
 *   npm run test:all                              everything, as with CI=true
 *   npm test -- test/domain/money.test.ts         one file, or a folder, of any kind of test
 *   npm test -- --only unit,e2e                   some of the phases
 *   npm test -- --firefox test/checkout/views     component tests in the named engines
 */
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { compiledPath, compileTests } from './support/runner/compile.js';
import { countsLine, emptyCounts, parseCounts, type Counts } from './support/runner/counts.js';
import { runNodeTests } from './support/runner/node-tests.js';
import {
  endings,
  findTests,
  isBuildOutdated,
  readsBuild,
  type Kind,
} from './support/runner/test-files.js';
import { toProcesses } from './support/runner/tiers.js';
import { root, runNode, runTool, type Outcome } from './support/tools.js';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    chromium: { type: 'boolean' },
    firefox: { type: 'boolean' },
    webkit: { type: 'boolean' },
    all: { type: 'boolean' },
  },
});

/** Most milliseconds that one process of tests may take, on a slow and busy machine too. */
const timeoutMs = 1_800_000;

/** How often the running phases are shown, milliseconds. */
const progressMs = 15_000;

/** Remembers what was looked at, by its content: a second run costs a tenth. */
const cached = ['--cache', '--cache-strategy', 'content'];

/** Runs one phase. `show` tells how far it is. */
type Phase = (show: (progress: string) => void) => Promise<Counts>;

const phases: Readonly<Record<string, Phase>> = {
  format: () => check(runTool('prettier', ['--check', '--log-level', 'warn', ...cached, '.'])),
  lint: async () =>
    sum([
      // First, for an arrow that is forbidden may be why others of these complain.
      await check(runTool('depcruise', ['src', 'demo'])),
      await check(runTool('oxlint', ['--type-aware', '--deny-warnings', 'src', 'demo', 'test'])),
      await check(runTool('knip', [])),
    ]),
  types: () => check(runTool('tsc', ['-p', 'tsconfig.json'])),
  build,
  unit: (show) => nodeTests('unit', show),
  component,
  e2e,
  package: async () =>
    sum([
      await check(runTool('publint', ['--strict'])),
      await check(
        runTool('attw', [
          '--pack',
          '.',
          '--profile',
          'esm-only',
          '--exclude-entrypoints',
          'pix-checkout.css',
        ]),
      ),
    ]),
};

/** One file more at a time than there are cores: some wait for a browser, a clock, or a database. */
const concurrency = availableParallelism() + 1;

/** Phases of a group run side by side. What follows needs the build, and its browsers need most of two cores. */
const groups: readonly (readonly string[])[] = [
  ['build', 'types', 'lint', 'format'],
  ['unit', 'component'],
  ['e2e', 'package'],
];

/** Reasons why tests were skipped, each once. */
const leftOut = new Set<string>();

// See support/runs.ts.
if (flags.all === true) process.env['CI'] = 'true';
if (positionals.length > 0) process.env['TEST_CHOSEN'] = 'true';
const startedAt = performance.now();
const chosen = choosePhases();
if (chosen.some((name) => name === 'unit' || name === 'e2e')) await compileTests();
const results: Counts[] = [];
for (const group of groups) {
  const names = group.filter((name) => chosen.includes(name));
  if (names.length > 0) results.push(...(await runSideBySide(names)));
}
for (const reason of leftOut) console.log(`Left out: ${reason}`);
console.log(`All of it in ${secondsSince(startedAt)} s`);
const total = sum(results);
console.log(countsLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;

function choosePhases(): string[] {
  if (positionals.length > 0) return phasesOfFiles();
  const names = Object.keys(phases);
  const only = flags.only?.split(',') ?? names;
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(`No phase is called ${unknown.join(', ')}: there are ${names.join(', ')}`);
  }
  return only;
}

/** The phases that run the named files; the build only if one of them reads it and it is older than src. */
function phasesOfFiles(): string[] {
  const kinds = Object.keys(endings) as Kind[];
  const files = kinds.map((kind) => [kind, findTests(kind, positionals)] as const);
  const found = files.filter(([, paths]) => paths.length > 0).map(([kind]) => kind);
  if (found.length === 0) throw new Error(`No test lies at ${positionals.join(', ')}`);
  const needsBuild = files.some(([, paths]) => paths.some(readsBuild)) && isBuildOutdated();
  return needsBuild ? ['build', ...found] : found;
}

async function runSideBySide(names: readonly string[]): Promise<Counts[]> {
  const progress = new Map(names.map((name) => [name, '']));
  const timer = setInterval(() => {
    const running = [...progress].map(([name, text]) => (text === '' ? name : `${name}: ${text}`));
    console.log(`   … ${secondsSince(startedAt)} s, ${running.join(' · ')}`);
  }, progressMs);
  const all = await Promise.all(
    names.map(async (name) => {
      const phaseStartedAt = performance.now();
      const counts = await runPhase(name, (text) => progress.set(name, text));
      progress.delete(name);
      console.log(`── ${name}: ${countsLine(counts)} in ${secondsSince(phaseStartedAt)} s`);
      return counts;
    }),
  );
  clearInterval(timer);
  return all;
}

/** A phase that breaks, or finds nothing to do, is a failure and does not end the others. */
async function runPhase(name: string, show: (progress: string) => void): Promise<Counts> {
  try {
    const counts = await phases[name]?.(show);
    if (counts !== undefined && counts.passed + counts.failed > 0) return counts;
    console.log(`${name}: nothing was tested.`);
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
  const running = runNode(['--import', 'tsx', 'test/support/build/build.ts']);
  const counts = await check(running);
  if (counts.failed === 0) console.log((await running).output.trim());
  return counts;
}

async function e2e(show: (progress: string) => void): Promise<Counts> {
  const { lendBrowsers } = await import('./e2e/support/browsers.js');
  const takeBack = await lendBrowsers();
  try {
    return await nodeTests('e2e', show);
  } finally {
    await takeBack();
  }
}

function nodeTests(kind: 'unit' | 'e2e', show: (progress: string) => void): Promise<Counts> {
  // The runner starts each file with the arguments of this process: compiled files need no compiler.
  process.execArgv = ['--enable-source-maps'];
  const files = findTests(kind, positionals);
  // A file of end-to-end tests is lent a browser of its own.
  const processes = kind === 'e2e' ? files.map((path) => [path]) : toProcesses(files, concurrency);
  return runNodeTests(
    processes.map((list) => list.map(compiledPath)),
    {
      concurrency,
      timeoutMs,
      onLeftOut: (reason) => leftOut.add(reason),
      onCount: (counts) => show(countsLine(counts)),
    },
  );
}

async function component(): Promise<Counts> {
  const engines = (['chromium', 'firefox', 'webkit'] as const).filter((engine) => flags[engine]);
  const files = positionals.length === 0 ? [] : findTests('component', positionals);
  const { code, output } = await runTool(
    'wtr',
    files.map((path) => relative(root, path)),
    {
      nodeArgs: ['--import', 'tsx'],
      ...(engines.length > 0 && { env: { TEST_ENGINES: engines.join(' ') } }),
    },
  );
  const counts = parseCounts(output) ?? emptyCounts();
  // Only the closing line of the whole run may look like one.
  console.log(output.replace(countsLine(counts), '').trim());
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

function sum(all: readonly Counts[]): Counts {
  const added = emptyCounts();
  for (const { passed, failed, skipped } of all) {
    added.passed += passed;
    added.failed += failed;
    added.skipped += skipped;
  }
  return added;
}

function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1000).toFixed(1);
}
