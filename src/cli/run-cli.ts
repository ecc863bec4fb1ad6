/** Finds the command of a call, shows help, and turns errors into a line and an exit code. */

import { readCall, UsageError, type Command, type ExitCode } from './command.js';
import type { Terminal } from './terminal.js';

/** Each command's module is loaded only when it is called, because `check` needs no database, and `sandbox` no proxy. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  sandbox: async () => (await import('./sandbox-command.js')).sandboxCommand,
  serve: async () => (await import('./serve/serve-command.js')).serveCommand,
  check: async () => (await import('./check/check-command.js')).checkCommand,
  probe: async () => (await import('./probe/probe-command.js')).probeCommand,
  order: async () => (await import('./order-command.js')).orderCommand,
  move: async () => (await import('./move-command.js')).moveCommand,
  link: async () => (await import('./link-command.js')).linkCommand,
};

/** Runs a command. @param args the arguments after `pix-checkout` */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name, ...rest] = args;
  try {
    if (name === undefined || ['help', '--help', '-h'].includes(name)) {
      const [about] = rest;
      terminal.write(
        about === undefined
          ? await describeCommands()
          : describeCommand(about, await findCommand(about)),
      );
      return 0;
    }
    const command = await findCommand(name);
    const call = readCall(command, rest);
    if (!call.flags.has('help')) return await command.run(call, terminal);
    terminal.write(describeCommand(name, command));
    return 0;
  } catch (thrown) {
    // An error of the system, such as a port in use, has a message that is clear enough.
    if (thrown instanceof Error && 'syscall' in thrown) {
      terminal.warn(`pix-checkout ${name}: ${thrown.message}`);
      return 1;
    }
    if (!(thrown instanceof UsageError)) throw thrown;
    const about = name !== undefined && Object.hasOwn(commands, name) ? ` ${name}` : '';
    terminal.warn(`${thrown.message}\nSee: pix-checkout help${about}`);
    return 2;
  }
}

function findCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load) return load();
  throw new UsageError(`pix-checkout has no command ${JSON.stringify(name)}`);
}

async function describeCommands(): Promise<string> {
  const names = Object.keys(commands);
  const lines = names.map(async (name) => {
    const { summary } = await findCommand(name);
    return `  ${name.padEnd(9)}${summary}`;
  });
  return [
    'Usage: pix-checkout <command> [options]',
    '',
    ...(await Promise.all(lines)),
    '',
    'pix-checkout help <command> shows its options.',
  ].join('\n');
}

function describeCommand(
  name: string,
  { summary, positionals = [], options, more }: Command,
): string {
  const flags = Object.entries(options);
  const width = Math.max(...flags.map(([flag]) => flag.length)) + 2;
  return [
    `Usage: pix-checkout ${[name, ...positionals, '[options]'].join(' ')}`,
    '',
    summary,
    '',
    ...flags.map(([flag, text]) => `  --${flag.padEnd(width)}${text}`),
    ...(more === undefined ? [] : ['', more]),
  ].join('\n');
}
