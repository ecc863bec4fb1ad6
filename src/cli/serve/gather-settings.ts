/** Gathers the settings of `serve` from variables, from options of the command and from a config module, and lists their faults. */

import { UsageError, type CommandCall } from '../command.js';
import type { Terminal } from '../terminal.js';
import { readVariable } from '../variables.js';
import { functionOptions, replacedOptions, toVariableName, variables } from './serve-variables.js';
import type { Setting } from './serve-variables.js';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The gathered settings. They are parsed, but not checked yet. */
export interface Gathered {
  readonly data: ReadonlyMap<Setting, unknown>;
  readonly functions: ReadonlyMap<string, unknown>;
  /** The name of a setting as its author wrote it: `PIX_SERVICE_URL`, or `serviceUrl` of the module. */
  readonly nameOf: (setting: string) => string;
  /** Problems so far. */
  readonly problems: readonly string[];
}

/**
 * Gathers the settings, and lists everything that is wrong in `problems`.
 * @param options of the command. `config` names a module; an option with the name of a setting wins over its variable
 * @throws UsageError if the module cannot be loaded
 */
export async function gatherSettings(
  env: Terminal['env'],
  options: CommandCall['values'] = {},
): Promise<Gathered> {
  const { config } = options;
  const module = config === undefined ? {} : await loadConfigModule(config);
  const data = new Map<Setting, unknown>();
  const names = new Map<string, string>();
  const problems: string[] = [];
  const functions = new Map<string, unknown>();

  for (const [name, value] of Object.entries(module)) {
    if (value === undefined) continue;
    const isFunction = functionOptions.includes(name);
    if (isFunction) functions.set(name, value);
    else if (Object.hasOwn(variables, name)) data.set(name as Setting, value);
    else problems.push(describeUnknown(name));
    if (isFunction && typeof value !== 'function') problems.push(`${name} must be a function`);
  }
  for (const setting of Object.keys(variables) as Setting[]) await readOne(setting);
  return { data, functions, nameOf: (setting) => names.get(setting) ?? setting, problems };

  /** Reads one setting from its option, or else from its variable. */
  async function readOne(setting: Setting): Promise<void> {
    const option = options[setting];
    const isOption = option !== undefined;
    const name = isOption ? `--${setting}` : toVariableName(setting);
    try {
      const value = isOption ? readText(setting, name, option) : await readSetting(env, setting);
      if (value !== undefined && data.has(setting) && !isOption) {
        throw new UsageError(`Set ${name} or ${setting} of the config module, not both`);
      }
      if (value !== undefined || !data.has(setting)) names.set(setting, name);
      if (value !== undefined) data.set(setting, value);
    } catch (thrown) {
      // The setting is recorded as given, so that it is not reported as missing as well.
      if (!data.has(setting)) data.set(setting, undefined);
      if (!(thrown instanceof UsageError)) throw thrown;
      problems.push(thrown.message);
    }
  }
}

/** Reads a setting from its variable. @returns undefined if it is not set. @throws UsageError naming the variable */
export async function readSetting(env: Terminal['env'], setting: Setting): Promise<unknown> {
  const name = toVariableName(setting);
  const text = await readVariable(env, name);
  return text === undefined ? undefined : readText(setting, name, text);
}

/** Reads a setting for commands that run without a proxy. @throws UsageError naming the variable */
export async function requireSetting<T = string>(
  env: Terminal['env'],
  setting: Setting,
): Promise<T> {
  const value = await readSetting(env, setting);
  if (value !== undefined) return value as T;
  throw new UsageError(`Set ${toVariableName(setting)}, as for the proxy`);
}

/** Parses a setting's text by its form. @throws UsageError with the name that the author wrote */
function readText(setting: Setting, name: string, text: string): unknown {
  try {
    return variables[setting].form.read(text);
  } catch (thrown) {
    throw thrown instanceof TypeError ? new UsageError(`${name} ${thrown.message}`) : thrown;
  }
}

function describeUnknown(name: string): string {
  if (!Object.hasOwn(replacedOptions, name)) return `${name} is not an option`;
  const by = replacedOptions[name as keyof typeof replacedOptions];
  return `${name} is no option of serve: set ${toVariableName(by)}`;
}

// Loads the config module of `serve`: an ES module whose default export contains functions, and perhaps data.

/**
 * Loads the module. @throws UsageError. It shows only the name of an error that the module throws, because the message may
 * contain a secret
 */
async function loadConfigModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { default: given } = await importModule(path);
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return { ...given };
  throw new UsageError('--config must name a module whose default export is an object');
}

async function importModule(path: string): Promise<{ readonly default?: unknown }> {
  try {
    const { href } = pathToFileURL(resolve(path));
    return (await import(/* @vite-ignore */ href)) as object;
  } catch (thrown) {
    const place = thrown instanceof SyntaxError ? findSyntaxError(path) : '';
    throw new UsageError(`--config cannot be loaded: ${place}${describeFailure(thrown)}`);
  }
}

/**
 * Finds the line of a syntax error, which `import()` does not report. Empty if the error is at the end, or in an imported
 * module.
 */
function findSyntaxError(path: string): string {
  const { stderr } = spawnSync(process.execPath, ['--check', path], { encoding: 'utf8' });
  const [, line, carets = ''] = /:(\d+)\n.*\n( *)\^/.exec(stderr) ?? [];
  return line === undefined ? '' : `line ${line}, column ${carets.length + 1}: `;
}

/** Says why the module cannot be loaded, without a message that may contain a secret. */
function describeFailure(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'it throws';
  // A message of the module system or of the parser is about code, so it contains no secret.
  const isLoader =
    thrown instanceof SyntaxError || String(Reflect.get(thrown, 'code')).startsWith('ERR_');
  return isLoader ? thrown.message : `it throws ${thrown.name}; import it by itself to see why`;
}
