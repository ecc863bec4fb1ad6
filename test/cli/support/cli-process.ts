/** The built command as a process of its own, which can be killed. Reads dist/. */
import { join } from 'node:path';
import { startProgram } from '../../support/program.js';
import { isChosen, isThorough } from '../../tools/runs.js';
import { root } from '../../tools/tools.js';

/** Processes cost seconds: without `CI=true` a run of everything leaves them out. */
export const whyNoProcesses =
  isThorough || isChosen
    ? false
    : 'processes of the command run with CI=true, or when they are named';

/**
 * @param env all of it: nothing of this process is handed on but where programs are
 * @param cwd the folder it runs in
 */
export function startCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = root,
) {
  return startProgram(process.execPath, [join(root, 'dist/cli.js'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    cwd,
  });
}
