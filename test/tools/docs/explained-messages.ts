/** Reads src/IT-DOES-NOT-WORK.md, for the tests that provoke what it explains. Pure: it also runs in a browser. */

/** The messages of the list under a heading: what each point begins with. */
export function explainedUnder(page: string, heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [list = ''] = section.split('\n## ');
  const points = list.matchAll(/^- (?:`([^`]+)`|_([^_]+)_)/gm);
  return [...points].map(([, message, words = '']) => message ?? words);
}
