/** How many tests passed, failed and were skipped, and the one line that says so. Knows no test runner. */

/** Counts of finished tests. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** Why tests were left out, each reason once. */
  leftOut: string[];
}

/** All of them together. */
export function sum(all: readonly Counts[]): Counts {
  const total: Counts = { passed: 0, failed: 0, skipped: 0, leftOut: [] };
  for (const { passed, failed, skipped, leftOut } of all) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
    total.leftOut = [...new Set([...total.leftOut, ...leftOut])];
  }
  return total;
}

/** `N passed, N failed`, and the skipped only if there are some. */
export function countsLine({ passed, failed, skipped }: Omit<Counts, 'leftOut'>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Reads the last such line of a text, and what it says was left out; null if there is none. */
export function parseCounts(text: string): Counts | null {
  const lines = text.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm);
  const last = [...lines].at(-1);
  if (last === undefined) return null;
  const leftOut = [...text.matchAll(/^Left out: (.+)$/gm)].map(([, reason = '']) => reason);
  return {
    passed: Number(last[1]),
    failed: Number(last[2]),
    skipped: Number(last[3] ?? 0),
    leftOut,
  };
}
