/** The interface of a command, and how its arguments are read. */

import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Terminal } from './terminal.js';

/** 0: done. 1: the command ran, and its task failed. 2: it was called wrongly, and nothing ran. Higher codes: see `check`. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5;

/** One command of `pix-checkout`. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** Names of the positional arguments, such as `<endpoint>`. */
  readonly positionals?: readonly string[];
  /**
   * For each option, a sentence with its default, by its form in the help: `port <port>` takes a value, `json` takes none.
   */
  readonly options: Readonly<Record<string, string>>;
  /** More text of the help: variables, examples. */
  readonly more?: string;
  /** Runs until the command is done, or until `terminal.signal` aborts. @throws UsageError */
  run(call: CommandCall, terminal: Terminal): Promise<ExitCode>;
}

/** The arguments of a call. */
export interface CommandCall {
  /** The options with a value: `--port 8081` is `{port: '8081'}`. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** The given options without a value. */
  readonly flags: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

/** A command was called wrongly. The message names the option and never repeats a secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Reads the arguments of a command. @throws UsageError for an unknown option, a missing value, a missing or surplus
 * positional
 */
export function readCall(command: Command, args: readonly string[]): CommandCall {
  const { positionals: names = [] } = command;
  const options: NonNullable<ParseArgsConfig['options']> = {
    help: { type: 'boolean', short: 'h' },
  };
  for (const option of Object.keys(command.options)) {
    const [name = '', value] = option.split(' ');
    options[name] = { type: value === undefined ? 'boolean' : 'string' };
  }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const flags = new Set(Object.keys(values).filter((name) => values[name] === true));
    const call = { values: values as CommandCall['values'], flags, positionals };
    // `--help` works without the positional arguments.
    if (flags.has('help')) return call;
    const missing = names.slice(positionals.length);
    if (missing.length > 0) throw new UsageError(`${missing.join(' ')} is missing`);
    if (positionals.length > names.length) throw new UsageError('Too many arguments');
    return call;
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new UsageError(thrown.message.split('. ', 1)[0]);
    throw thrown;
  }
}

/** Reads a port. @throws UsageError naming the option */
export function readPort(name: string, value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) < 65_536) return Number(value);
  throw new UsageError(`${name} must be a port: 0 (any free one) to 65535`);
}
