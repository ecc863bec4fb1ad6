/** The closing lines of a run in Node: what was left out, and the counts that test/run.ts reads. */
import type { Reporter, TestModule } from 'vitest/node';
import { countsLine, sum } from './counts.js';

/** The reporter; Vitest's own prints what failed. */
export class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const total = sum(modules.map(countTests));
    total.failed += errors.length;
    for (const reason of total.leftOut) console.log(`Left out: ${reason}`);
    console.log(countsLine(total));
  }
}

/** A file that cannot be loaded, or holds no test, is a failure, and so is a hook that fails. */
function countTests(module: TestModule) {
  const counts = sum([]);
  const reasons = new Set<string>();
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    counts[state === 'pending' ? 'failed' : state] += 1;
    const { leftOut } = test.meta();
    if (leftOut !== undefined) reasons.add(leftOut);
  }
  const suites = [...module.children.allSuites()];
  counts.failed += suites.filter((suite) => suite.errors().length > 0).length;
  if (module.errors().length > 0 || counts.passed + counts.failed + counts.skipped === 0) {
    counts.failed += 1;
  }
  if (module.children.size === 0 && module.errors().length === 0) {
    console.log(`${module.relativeModuleId}: This file holds no test`);
  }
  return { ...counts, leftOut: [...reasons] };
}
