/** The closing lines of a run in Node: what was left out, and the counts that test/run.ts reads. */
import type { Reporter, TestModule } from 'vitest/node';
import { printCounts, sum, toCommand } from './counts.js';

/** So many failed tests of a file are named one by one. */
const mostNamed = 3;

/** The reporter; Vitest's own prints what failed. */
export class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const total = sum(modules.map(countTests));
    total.failed += errors.length;
    printCounts(total);
  }
}

/** A file that cannot be loaded, or holds no test, is a failure, and so is a hook that fails. */
function countTests(module: TestModule) {
  const counts = sum([]);
  const reasons = new Set<string>();
  const failedNames: string[] = [];
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    counts[state === 'pending' ? 'failed' : state] += 1;
    if (state === 'failed') failedNames.push(test.fullName.replaceAll(' > ', ' '));
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
  const file = module.relativeModuleId;
  const areFew = failedNames.length > 0 && failedNames.length <= mostNamed;
  const again = areFew ? failedNames.map((name) => toCommand(file, name)) : [toCommand(file)];
  return { ...counts, leftOut: [...reasons], again: counts.failed > 0 ? again : [] };
}
