/** Reads src/IT-DOES-NOT-WORK.md, for the tests that provoke what it explains. Pure: it also runs in a browser. */

/** The messages of the table under a heading: what stands in its first column. */
export function explainedUnder(page: string, heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  const rows = table.matchAll(/^\| (?:`([^`]+)`|_([^_]+)_)/gm);
  return [...rows].map(([, message, words = '']) => message ?? words);
}
