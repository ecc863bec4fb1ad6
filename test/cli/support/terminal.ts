/** A terminal whose lines a test reads, and the command run in it. */
import { runCli } from '../../../src/cli/run-cli.js';
import type { Terminal } from '../../../src/cli/terminal.js';

/** Runs `pix-checkout` in this process. */
export function runCommand(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const ending = new AbortController();
  const lines: { readonly written: string[]; readonly warned: string[] } = {
    written: [],
    warned: [],
  };
  const waiting = new Set<() => void>();
  const add = (to: string[]) => (line: string) => {
    to.push(line);
    for (const look of waiting) look();
  };
  const terminal: Terminal = {
    env,
    write: add(lines.written),
    warn: add(lines.warned),
    ask: async () => null,
    style: (_, text) => text,
    signal: ending.signal,
  };
  const code = runCli(args, terminal);
  return {
    /** What was written so far. */
    output: () => lines.written.join('\n'),
    warnings: () => lines.warned.join('\n'),
    /** Resolves with the first line of either stream that matches, also one that was written before. */
    untilWritten: (what: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const found = what.exec([...lines.written, ...lines.warned].join('\n'));
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        code.then(() => reject(new Error(`It ended without ${what}`)), reject);
      }),
    /** As Ctrl-C does. */
    end() {
      ending.abort();
      return code;
    },
    code,
  };
}
