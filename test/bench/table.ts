/** Numbers as cells of a Markdown table. */

export const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Median, least and greatest, as in `30 (28–33)`. */
export function range(values: readonly number[], digits: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`;
}
