/** The built command as a process of its own, which can be killed. Reads dist/. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
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
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code);
  let written = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      written += chunk.toString();
      for (const look of waiting) look();
    });
  }
  return {
    output: () => written,
    /** Resolves with what its output shows. @throws with the output, once the process has ended */
    untilWritten: (what: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const found = what.exec(written);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`It ended without ${what}\n${written}`)));
      }),
    /** The exit code, or the signal it died by. */
    ended,
    /** @returns as `ended` */
    end(signal: 'SIGTERM' | 'SIGKILL') {
      child.kill(signal);
      return ended;
    },
  };
}
