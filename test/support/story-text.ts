/**
 * Tests that are told in a template: a name, and indented below it how it begins, what then happens (`>`), and what is so
 * then (`=`). Knows no words of its own.
 */

/** What begins or happens, and what is so then. */
type Told = readonly [word: string, expected?: string];

/** @returns the stories, and what was put into the template, by its word there; texts and numbers stand there as they are */
export function readStories<Value>(texts: TemplateStringsArray, values: readonly Value[]) {
  const isText = (value: Value) => typeof value === 'string' || typeof value === 'number';
  const all = values.map((value, at) => (isText(value) ? value : `@${at}`));
  const lines = String.raw({ raw: texts }, ...all).split('\n');
  const stories: [name: string, play: string][] = [];
  const indent = /^ */.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0] ?? '';
  for (const line of lines.filter((one) => one.trim() !== '')) {
    const last = stories.at(-1);
    if (line.startsWith(`${indent} `) && last) last[1] += ` ${line.trim()}`;
    else stories.push([line.trim(), '']);
  }
  return {
    stories: stories.map(
      ([name, play]) =>
        [
          name,
          play
            .trim()
            .split(/ > /)
            .map((step) => step.split(' = ') as unknown as Told),
        ] as const,
    ),
    valueOf: (word: string) => (/^@\d+$/.test(word) ? values[Number(word.slice(1))] : undefined),
  };
}
