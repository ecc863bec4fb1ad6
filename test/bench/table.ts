/** Numbers as cells of a Markdown table. */

/** Lines of a table: a name, then numbers. */
export function table(
  [name = '', ...numbers]: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const all = [[name, ...numbers], ['---', ...numbers.map(() => '--:')], ...rows];
  return all.map((cells) => `| ${cells.join(' | ')} |`);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Median, least and greatest, as in `30 (28–33)`. */
export function range(values: readonly number[], digits: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`;
}
