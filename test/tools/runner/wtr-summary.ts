/**
 * The closing lines of a component run: tests per engine, then the counts that test/run.ts reads.
 *
 * Counts only; failures are printed by the runner's own reporter.
 */
import type { Reporter, TestSession, TestSuiteResult } from '@web/test-runner';
import { countsLine, sum, type Counts } from './counts.js';

/** The reporter. A file that could not be loaded or did not finish counts as one failure. */
export function summary(): Reporter {
  return {
    stop({ sessions }) {
      const total = sum([]);
      for (const [engine, ofEngine] of groupByEngine(sessions)) {
        const counts = sum([]);
        for (const session of ofEngine) addSession(counts, session);
        console.log(`${engine}: ${counts.passed} of ${counts.passed + counts.failed} passed`);
        total.passed += counts.passed;
        total.failed += counts.failed;
        total.skipped += counts.skipped;
      }
      console.log(countsLine(total));
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

function addSession(counts: Counts, session: TestSession): void {
  const failedBefore = counts.failed;
  if (session.testResults !== undefined) addSuite(counts, session.testResults);
  if (session.passed !== true && counts.failed === failedBefore) counts.failed += 1;
}

function addSuite(counts: Counts, suite: TestSuiteResult): void {
  for (const { skipped, passed } of suite.tests) {
    counts[skipped ? 'skipped' : passed ? 'passed' : 'failed'] += 1;
  }
  for (const inner of suite.suites) addSuite(counts, inner);
}
