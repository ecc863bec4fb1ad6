/** Finds misspelt variables: without a hint, their settings would just seem to be missing. */

import type { Terminal } from '../terminal.js';
import { toVariableName, variables } from './serve-variables.js';

/** How many letters may be wrong, missing or extra. */
const mostWrong = 2;

const prefix = 'PIX_';

/** Names without `PIX_`, because the prefix may be missing. */
const known = Object.keys(variables)
  .map((setting) => toVariableName(setting).slice(prefix.length))
  .flatMap((name) => [name, `${name}_FILE`]);

/** Finds misspelt variables. @returns a sentence for each variable whose name begins or is spelt nearly like a known name */
export function findMisspelt(env: Terminal['env']): string[] {
  return Object.keys(env).flatMap((name) => {
    if (isUnread(env, name)) return [`${name} is not read: ${prefix}${name} is set`];
    const isOurs = known.includes(name.replace(prefix, ''));
    const nearest = env[name] && !isOurs && findNearest(name.toUpperCase());
    return nearest ? [`${name} is no variable of serve: is ${prefix}${nearest} meant?`] : [];
  });
}

/**
 * Whether the bare name is set beside the right one, so that its author may believe that it is read. Names that other
 * programs read (PORT, HOST and ROLE) do not count.
 */
function isUnread(env: Terminal['env'], name: string): boolean {
  const isBare = name.length > 4 && known.includes(name);
  return isBare && Boolean(env[name]?.trim() && env[prefix + name]?.trim());
}

/** Finds the most similar name. Names of four letters, such as HOST, are skipped, because they resemble too many others. */
function findNearest(name: string): string | undefined {
  const bare = name.replace(prefix, '');
  const [nearest] = known
    .filter((one) => one.length > 4 || bare !== name)
    .map((one) => ({ one, wrong: countEdits(one, bare) }))
    .filter(({ one, wrong }) => wrong <= mostWrong || bare.startsWith(one))
    .toSorted((a, b) => a.wrong - b.wrong);
  return nearest?.one;
}

/** Computes Levenshtein's distance, row by row. */
function countEdits(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [line, letter] of Array.from(one).entries()) {
    const row = [line + 1];
    for (const [at, its] of Array.from(other).entries()) {
      row.push(Math.min(above[at]! + Number(letter !== its), above[at + 1]! + 1, row[at]! + 1));
    }
    above = row;
  }
  return above.at(-1)!;
}
