/** The built command as a process of its own, which can be killed. Reads dist/. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isChosen, isThorough } from '../../tools/runs.js';
import { root } from '../../tools/tools.js';
import { createLines } from './lines.js';

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
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code);
  const lines = createLines(() => ended);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => lines.add(chunk.toString()));
  }
  return {
    output: lines.written,
    untilWritten: lines.untilWritten,
    /** The exit code, or the signal it died by. */
    ended,
    /** @returns as `ended` */
    end(signal: 'SIGTERM' | 'SIGKILL') {
      child.kill(signal);
      return ended;
    },
  };
}
