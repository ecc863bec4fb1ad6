/** A terminal whose lines a test reads, and the command run in it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.js';
import { untilSeen } from '../program.js';

type Env = Readonly<Record<string, string>>;

/** Runs `pix-checkout` in this process. @param t ends it with the test, however that ends */
export function runCommand(
  args: readonly string[],
  env: Env = {},
  t?: Pick<TestContext, 'onTestFinished'>,
) {
  const ending = new AbortController();
  const [written, warned]: [string[], string[]] = [[], []];
  let all = '';
  let isOver = false;
  const add = (to: string[]) => (line: string) => {
    to.push(line);
    all += `${line}\n`;
  };
  const code = runCli(args, {
    env,
    write: add(written),
    warn: add(warned),
    ask: async () => null,
    style: (_, text) => text,
    signal: ending.signal,
  }).finally(() => (isOver = true));
  /** As Ctrl-C does. */
  const end = () => {
    ending.abort();
    return code;
  };
  t?.onTestFinished(async () => void (await end()));
  return {
    /** What was written so far. */
    output: () => written.join('\n'),
    warnings: () => warned.join('\n'),
    /** Resolves with what either stream shows, also what was written before. */
    untilWritten: (what: RegExp) =>
      untilSeen(
        () => what.exec(all),
        () => isOver,
        () => all,
      ),
    end,
    code,
  };
}

/** Calls a command that does nothing but say why. @returns what it said */
export async function assertRefused(
  args: readonly string[],
  env: Env,
  said: RegExp,
): Promise<string> {
  const run = runCommand(args, env);
  assert.equal(await run.code, 2);
  assert.match(run.warnings(), said);
  assert.equal(run.output(), '');
  return run.warnings();
}
