/**
 * `npm test`: every check of this repository, a line with its duration for each phase, and one closing line of counts.
 * All phases run even if one fails. Vitest runs what runs in Node (vitest.config.ts), @web/test-runner what runs in a page.
 *
 *   npm test                                      the short tier (tools/runner/tiers.ts)
 *   npm run test:all                              everything, as with CI=true
 *   npm test -- test/domain/money.test.ts         one file, or a folder, of any kind of test
 *   npm test -- test/domain -t 'a part of a name'  the tests of that name (not of tests in a page)
 *   npm test -- --watch                           after each change the tests in Node of what was changed
 *   npm test -- --watch test/domain               these at once, and after each change
 *   npm test -- --only unit,e2e                   some of the phases
 *   npm test -- --firefox test/checkout/views     component tests in the named engines
 */
import { spawn, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { findChromium } from './tools/machine/browsers.js';
import { countsLine, parseCounts, sum, type Counts } from './tools/runner/counts.js';
import { runOnNodes } from './tools/runner/nodes.js';
import { endings, findTests, isBuildOutdated, readsBuild } from './tools/runner/test-files.js';
import { root, runProgram, runScript, runTool, toolPath, type Outcome } from './tools/tools.js';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean' },
    watch: { type: 'boolean' },
    name: { type: 'string', short: 't' },
    only: { type: 'string' },
    chromium: { type: 'boolean' },
    firefox: { type: 'boolean' },
    webkit: { type: 'boolean' },
  },
});

/** Most milliseconds that one phase may take, on a slow and busy machine too. */
const timeoutMs = 1_800_000;

// See tools/runs.ts.
if (flags.all === true) process.env['CI'] = 'true';
if (positionals.length > 0) process.env['TEST_CHOSEN'] = 'true';
const isLong = process.env['CI'] === 'true';
/** Vitest reads a pattern. */
const ofName = flags.name === undefined ? [] : ['-t', flags.name.replaceAll(/[^\w\s]/g, '\\$&')];
const engines = (['chromium', 'firefox', 'webkit'] as const).filter((engine) => flags[engine]);
if (engines.length > 0) process.env['TEST_ENGINES'] = engines.join(' ');

/** The command of each phase: a script of package.json, or a runner of tests with its arguments. */
const phases = {
  format: checkFormat,
  lint: () => runScript('lint'),
  types: () => runScript('types'),
  build: () => runScript('build'),
  unit: () => runTool('vitest', inNode('unit'), { timeoutMs }),
  component: () => runTool('wtr', chosenOf('component'), { timeoutMs, nodeArgs }),
  e2e: () => runTool('vitest', inNode('e2e'), { timeoutMs }),
  // `prepack` rewrites package.json while npm packs: tests beside it could copy half a file.
  package: () => runProgram('npm', ['run', '--silent', '--ignore-scripts', 'package']),
  // They run side by side: a few processes each, which load the code once.
  nodes: () => runOnNodes(['run', '--project', 'unit', '--maxWorkers', '2'], timeoutMs),
} as const;
type Phase = keyof typeof phases;

/** The settings of the component tests are TypeScript. */
const nodeArgs = ['--import', 'tsx'];

/**
 * Phases of a group run side by side. Three engines need most of two cores for themselves; the short tier's one browser
 * leaves room for all the rest. Tests need the build.
 */
const groups: readonly (readonly Phase[])[] = isLong
  ? [['build', 'types', 'lint', 'format'], ['unit', 'component'], ['e2e', 'package'], ['nodes']]
  : [['build'], ['types', 'lint', 'format', 'unit', 'component', 'e2e'], ['package'], ['nodes']];

/** Phases of the long tier. */
const longPhases: readonly Phase[] = ['package', 'nodes'];

const startedAt = performance.now();
const chosen = choosePhases();
if (flags.watch === true) await watch();
else await runAll();

async function runAll(): Promise<void> {
  installBrowser();
  const results: Counts[] = [];
  for (const group of groups) {
    const names = group.filter((name) => chosen.includes(name));
    results.push(...(await Promise.all(names.map(runPhase))));
  }
  const total = sum(results);
  for (const reason of total.leftOut) console.log(`Left out: ${reason}`);
  if (total.again.length > 0) console.log('What failed, alone:');
  for (const command of total.again) console.log(`  ${command}`);
  console.log(`All of it in ${secondsSince(startedAt)} s`);
  console.log(countsLine(total));
  process.exitCode = total.failed > 0 ? 1 : 0;
}

/** Before the phases, so that its seconds are in none of them. Those that miss a browser say so themselves. */
function installBrowser(): void {
  if (!chosen.includes('component') && !chosen.includes('e2e')) return;
  try {
    findChromium();
  } catch {}
}

function choosePhases(): Phase[] {
  if (positionals.length > 0) return phasesOfFiles();
  const names = Object.keys(phases) as Phase[];
  // A build of these sources is good for the short tier.
  const isLeftOut = (name: Phase) =>
    longPhases.includes(name) || (name === 'build' && !isBuildOutdated());
  const only = flags.only?.split(',') ?? names.filter((name) => isLong || !isLeftOut(name));
  const unknown = only.filter((name) => !names.includes(name as Phase));
  if (unknown.length > 0) {
    exitWith(`No phase is called ${unknown.join(', ')}: there are ${names.join(', ')}`);
  }
  return only as Phase[];
}

/** The phases that run the named files; the build only if one of them reads it and it is older than src. */
function phasesOfFiles(): Phase[] {
  const found = (['unit', 'component', 'e2e'] as const).filter((kind) => chosenOf(kind).length > 0);
  if (found.length === 0) exitWith(`No test lies at ${positionals.join(', ')}`);
  const needsBuild = found.some((kind) => chosenOf(kind).some(readsBuild)) && isBuildOutdated();
  return needsBuild ? ['build', ...found] : found;
}

/** A command that prints no counts is one test. One that tests nothing has failed. */
async function runPhase(name: Phase): Promise<Counts> {
  const phaseStartedAt = performance.now();
  const { code, output } = await phases[name]();
  const told = parseCounts(output);
  const counts = told ?? { ...sum([]), passed: name in endings || code !== 0 ? 0 : 1 };
  if (counts.failed === 0 && (code !== 0 || counts.passed === 0)) counts.failed = 1;
  if (counts.failed > 0 && counts.again.length === 0)
    counts.again.push(`npm test -- --only ${name}`);
  // Only the closing line of the whole run may look like one.
  if (told !== null || name === 'build' || code !== 0) {
    console.log(output.replace(countsLine(counts), '').trim());
  }
  console.log(`── ${name}: ${countsLine(counts)} in ${secondsSince(phaseStartedAt)} s`);
  return counts;
}

/** Hands the terminal over to the runner of the named files; without names to one that waits for a change. */
async function watch(): Promise<void> {
  const kinds = chosen.filter((name) => name in endings) as (keyof typeof endings)[];
  const [kind = 'unit', ...others] = positionals.length === 0 ? (['unit'] as const) : kinds;
  if (others.length > 0) exitWith('Name tests of one kind: those in a page are watched apart');
  if (positionals.length > 0 && chosen.includes('build')) await phases.build();
  const args =
    kind === 'component'
      ? [...nodeArgs, toolPath('wtr'), '--watch', ...chosenOf(kind)]
      : [toolPath('vitest'), 'watch', ...(positionals.length === 0 ? ['--standalone'] : [])];
  if (kind !== 'component') args.push('--project', `${kind}*`, ...ofName, ...chosenOf(kind));
  const runner = spawn(process.execPath, args, { stdio: 'inherit' });
  process.once('SIGTERM', () => runner.kill());
}

/** Of all files with `CI=true`, else of those that differ from the main branch: a first look at all of them takes longer than the rules. */
function checkFormat(): Promise<Outcome> {
  const files = isLong ? null : findChangedFiles();
  if (files === null) return runScript('format:check');
  if (files.length === 0) return Promise.resolve({ code: 0, output: '' });
  return runTool('prettier', ['--check', '--log-level', 'warn', '--ignore-unknown', ...files]);
}

/** Files that differ from the main branch, committed or not; null where Git or that branch is not there. */
function findChangedFiles(): string[] | null {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8', cwd: root });
  const bases = ['origin/HEAD', 'main'].map((main) => git('merge-base', 'HEAD', main));
  const base = bases.find(({ status }) => status === 0)?.stdout.trim();
  if (base === undefined) return null;
  const changed = git('diff', '--name-only', '--diff-filter=d', base);
  const added = git('ls-files', '--others', '--exclude-standard');
  return `${changed.stdout}${added.stdout}`.split('\n').filter(Boolean);
}

function inNode(kind: 'unit' | 'e2e'): string[] {
  return ['run', '--project', `${kind}*`, ...ofName, ...chosenOf(kind)];
}

/** The named files of a kind; none: all. */
function chosenOf(kind: keyof typeof endings): string[] {
  return positionals.length === 0 ? [] : findTests(kind, positionals);
}

/** Ends with a message about the arguments. */
function exitWith(message: string): never {
  console.error(message);
  process.exit(2);
}

function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1000).toFixed(1);
}
