/**
 * The closing lines of a component run: tests per engine, then the counts that test/run.ts reads.
 *
 * Counts only; failures are printed by the runner's own reporter.
 */
import type { Reporter, TestSession, TestSuiteResult } from '@web/test-runner';
import { relative } from 'node:path';
import { root } from '../tools.js';
import { printCounts, sum, toCommand, type Counts } from './counts.js';

/** The reporter. A file that could not be loaded or did not finish counts as one failure. */
export function summary(): Reporter {
  return {
    stop({ sessions }) {
      const all: Counts[] = [];
      for (const [engine, ofEngine] of groupByEngine(sessions)) {
        const counts = sum(ofEngine.map(toCounts));
        console.log(`${engine}: ${counts.passed} of ${counts.passed + counts.failed} passed`);
        all.push(counts);
      }
      printCounts(sum(all));
    },
  };
}

function groupByEngine(sessions: readonly TestSession[]): Map<string, TestSession[]> {
  const groups = new Map<string, TestSession[]>();
  for (const session of sessions) {
    const { name } = session.browser;
    groups.set(name, [...(groups.get(name) ?? []), session]);
  }
  return groups;
}

function toCounts({ testResults, passed, testFile }: TestSession): Counts {
  const counts = sum([]);
  if (testResults !== undefined) addSuite(counts, testResults);
  if (passed !== true && counts.failed === 0) counts.failed = 1;
  if (counts.failed > 0 && testFile !== undefined)
    counts.again.push(toCommand(relative(root, testFile)));
  return counts;
}

function addSuite(counts: Counts, suite: TestSuiteResult): void {
  for (const { skipped, passed } of suite.tests) {
    counts[skipped ? 'skipped' : passed ? 'passed' : 'failed'] += 1;
  }
  for (const inner of suite.suites) addSuite(counts, inner);
}
