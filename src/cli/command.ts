/** What a command is: its options for people and for `parseArgs`, and what it runs. */

import { parseArgs } from 'node:util';
import type { Terminal } from './terminal.js';

/** 0: done. 1: it ran, and what it was asked to do failed. 2: it was called wrongly, and nothing ran. Higher: `check`. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5;

/** An option as help shows it and `parseArgs` reads it. */
interface CommandOption {
  readonly type: 'string' | 'boolean';
  /** What stands for the value in help, as in `<port>`. */
  readonly value?: string;
  /** One sentence, with the default. */
  readonly text: string;
  readonly isRequired?: true;
}

/** The values of a call: `--port 8081` is `{port: '8081'}`. */
export type CommandValues = Readonly<Record<string, string | boolean | undefined>>;

/** One command of `pix-checkout`. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** What stands without a name, as in `<endpoint>`. */
  readonly positionals?: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  /** What else help says: variables, examples. */
  readonly more?: string;
  /** Runs until it is done, or until `terminal.signal` aborts. @throws UsageError */
  run(call: CommandCall, terminal: Terminal): Promise<ExitCode>;
}

/** A call of a command, read. */
export interface CommandCall {
  readonly values: CommandValues;
  readonly positionals: readonly string[];
}

/** A command that was called wrongly. Its message names the option and never repeats a secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError for an unknown option, a missing value, a missing or surplus positional */
export function readCall(command: Command, args: readonly string[]): CommandCall {
  const { positionals: names = [] } = command;
  const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const call = parseArgs({ args: [...args], options, allowPositionals: true });
    // Help is asked for by people who do not know yet what stands there.
    if (call.values['help'] === true) return call;
    const missing = names.slice(call.positionals.length);
    if (missing.length > 0) throw new UsageError(`${missing.join(' ')} is missing`);
    if (call.positionals.length > names.length) throw new UsageError('Too many arguments');
    return call;
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new UsageError(thrown.message.split('. ', 1)[0]);
    throw thrown;
  }
}

/** @throws UsageError naming the option */
export function readPort(name: string, value: CommandValues[string], fallback: number): number {
  if (value === undefined) return fallback;
  const port = Number(value);
  if (typeof value === 'string' && /^\d{1,5}$/.test(value) && port < 65_536) return port;
  throw new UsageError(`${name} must be a port: 0 (any free one) to 65535`);
}
