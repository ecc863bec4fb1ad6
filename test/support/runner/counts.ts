/** How many tests passed, failed and were skipped, and the one line that says so. Knows no test runner. */

/** Counts of finished tests. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Nothing counted yet. */
export function emptyCounts(): Counts {
  return { passed: 0, failed: 0, skipped: 0 };
}

/** `N passed, N failed`, and the skipped only if there are some. */
export function countsLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Reads the last such line of a text; null if there is none. */
export function parseCounts(text: string): Counts | null {
  const lines = text.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm);
  const last = [...lines].at(-1);
  if (last === undefined) return null;
  return { passed: Number(last[1]), failed: Number(last[2]), skipped: Number(last[3] ?? 0) };
}
