/** Runs tests on the other Nodes that the package is for: the lines that are kept up, each at one version (test/nodes). */
import { join } from 'node:path';
import { installPackages } from '../machine/own-packages.js';
import { runProgram, toolPath, type Outcome } from '../tools.js';
import { countsLine, parseCounts, sum } from './counts.js';

const lines = [22, 24, 26];

/** @param args of Vitest. Each Node runs the short tier, all side by side; the one that runs this has had its turn */
export async function runOnNodes(args: readonly string[], timeoutMs: number): Promise<Outcome> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return {
      code: 0,
      output: 'Left out: the other Nodes come for Linux on x64\n1 passed, 0 failed',
    };
  }
  const home = await installPackages('test/nodes');
  const env = { CI: undefined, TEST_OTHER_NODE: 'true', PROPERTY_RUNS_FACTOR: '0.05' };
  const others = lines.filter((each) => !process.version.startsWith(`v${each}.`));
  const runs = await Promise.all(
    others.map(async (line) => {
      const node = join(home, `node_modules/node${line}/bin/node`);
      const run = await runProgram(node, [toolPath('vitest'), ...args], { timeoutMs, env });
      const counts = parseCounts(run.output) ?? { ...sum([]), failed: 1 };
      const outputs = [`Node ${line}: ${countsLine(counts)}`];
      if (run.code !== 0) outputs.push(run.output.replace(countsLine(counts), ''));
      return { counts, outputs };
    }),
  );
  // What is left out here has run in the phases before.
  const total = sum(runs.map(({ counts }) => ({ ...counts, skipped: 0, leftOut: [], again: [] })));
  const outputs = runs.flatMap((run) => run.outputs);
  return { code: total.failed, output: [...outputs, countsLine(total)].join('\n') };
}
