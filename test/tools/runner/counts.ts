/** How many tests passed, failed and were skipped, and the one line that says so. Knows no test runner. */

/** Counts of finished tests. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** Why tests were left out, each reason once. */
  leftOut: string[];
  /** The commands that run what failed, each alone. */
  again: string[];
}

/** All of them together. */
export function sum(all: readonly Counts[]): Counts {
  const total: Counts = { passed: 0, failed: 0, skipped: 0, leftOut: [], again: [] };
  for (const { passed, failed, skipped, leftOut, again } of all) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
    total.leftOut = [...new Set([...total.leftOut, ...leftOut])];
    total.again = [...new Set([...total.again, ...again])];
  }
  return total;
}

/** `N passed, N failed`, and the skipped only if there are some. */
export function countsLine({ passed, failed, skipped }: Omit<Counts, 'leftOut' | 'again'>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The command that runs one file, or one test of it, alone. */
export function toCommand(file: string, name?: string): string {
  const quoted = name === undefined ? '' : ` -t '${name.replaceAll("'", String.raw`'\''`)}'`;
  return `npm test -- ${file}${quoted}`;
}

/** The last lines of a runner's output, as {@link parseCounts} reads them. */
export function printCounts(counts: Counts): void {
  for (const reason of counts.leftOut) console.log(`Left out: ${reason}`);
  for (const command of counts.again) console.log(`Alone: ${command}`);
  console.log(countsLine(counts));
}

/** Reads what {@link printCounts} wrote last; null if there is none. */
export function parseCounts(text: string): Counts | null {
  const lines = text.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm);
  const last = [...lines].at(-1);
  if (last === undefined) return null;
  const linesOf = (word: string) =>
    [...text.matchAll(new RegExp(`^${word}: (.+)$`, 'gm'))].map(([, rest = '']) => rest);
  return {
    passed: Number(last[1]),
    failed: Number(last[2]),
    skipped: Number(last[3] ?? 0),
    leftOut: linesOf('Left out'),
    again: linesOf('Alone'),
  };
}
