/** Variables of the environment. Each may also stand in a file that `NAME_FILE` names, as secrets of containers do. */

import { readFile } from 'node:fs/promises';
import { UsageError } from './command.js';
import type { Terminal } from './terminal.js';

/**
 * @returns without white space around it; undefined if neither variable is set, or empty
 * @throws UsageError naming the variable, if both are set or the file cannot be read
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

/** Set by many platforms and shells, for programs of any kind. */
const ofAllPrograms: ReadonlySet<string> = new Set(['PORT', 'HOST']);

/** A variable without its prefix must not be passed over in silence. @throws UsageError naming both */
function refuseBareName(env: Terminal['env'], name: string): void {
  const bare = name.replace(/^PIX_/, '');
  if (bare === name || ofAllPrograms.has(bare)) return;
  const found = [bare, `${bare}_FILE`].find((one) => env[one]?.trim());
  if (found) throw new UsageError(`${found} is not read: set PIX_${found}`);
}

/** An option of the command, or the variable in its place. @throws UsageError, as for {@link readVariable} */
export async function readOption(
  value: string | undefined,
  env: Terminal['env'],
  name: string,
): Promise<string | undefined> {
  return value || readVariable(env, name);
}

/** @throws UsageError in place of the TypeError of a check that names an option and never quotes its value */
export function checkOption<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof TypeError ? new UsageError(thrown.message) : thrown;
  }
}
