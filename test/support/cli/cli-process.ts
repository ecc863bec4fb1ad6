/** The built command as a process of its own, which can be killed. Reads dist/. */
import { join } from 'node:path';
import { startProgram } from '../program.js';
import { isChosen, isThorough } from '../../tools/runs.js';
import { root } from '../../tools/tools.js';

/** Processes cost seconds: without `CI=true` a run of everything leaves them out. */
export const whyNoProcesses =
  isThorough || isChosen
    ? false
    : 'processes of the command run with CI=true, or when they are named';

/** Where programs are, and the clock of `faketime` (CONTRIBUTING.md), if there is one. */
const inherited = ['PATH', 'LD_PRELOAD', 'FAKETIME', 'DONT_FAKE_MONOTONIC'];

/**
 * @param env all of it: nothing else of this process is handed on but `inherited`
 * @param cwd the folder it runs in
 */
export function startCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = root,
) {
  return startProgram(process.execPath, [join(root, 'dist/cli.js'), ...args], {
    env: { ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])), ...env },
    cwd,
  });
}
