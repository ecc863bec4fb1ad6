/** Reads variables of the environment. `NAME_FILE` may name a file with the value, as containers provide secrets. */

import { readFile } from 'node:fs/promises';
import { UsageError } from './command.js';
import type { Terminal } from './terminal.js';

/**
 * Reads a variable.
 * @returns the value without white space around it; undefined if neither variable is set, or both are empty
 * @throws UsageError naming the variable, if both are set, only the name without `PIX_` is set, or the file cannot be read
 */
export async function readVariable(
  env: Terminal['env'],
  name: string,
): Promise<string | undefined> {
  const value = env[name]?.trim() || undefined;
  const path = env[`${name}_FILE`]?.trim() || undefined;
  if (path === undefined && value === undefined) refuseBareName(env, name);
  if (path === undefined) return value;
  if (value !== undefined) throw new UsageError(`Set ${name} or ${name}_FILE, not both`);
  try {
    return (await readFile(path, 'utf8')).trim() || undefined;
  } catch {
    throw new UsageError(`${name}_FILE names a file that cannot be read`);
  }
}

/** Names that many platforms and shells set for programs of any kind. */
const ofAllPrograms: ReadonlySet<string> = new Set(['PORT', 'HOST']);

/** Refuses a variable without its prefix, because its author believes that it is read. @throws UsageError naming both */
function refuseBareName(env: Terminal['env'], name: string): void {
  const bare = name.replace(/^PIX_/, '');
  if (bare === name || ofAllPrograms.has(bare)) return;
  const found = [bare, `${bare}_FILE`].find((one) => env[one]?.trim());
  if (found) throw new UsageError(`${found} is not read: set PIX_${found}`);
}

/** Reads an option of the command, or else the variable for it. @throws UsageError, as for {@link readVariable} */
export async function readOption(
  value: string | undefined,
  env: Terminal['env'],
  name: string,
): Promise<string | undefined> {
  return value || readVariable(env, name);
}

/** Turns the TypeError of a check, which names an option and never quotes its value, into a UsageError. */
export function checkOption<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof TypeError ? new UsageError(thrown.message) : thrown;
  }
}
