/**
 * Starts the command-line tools of the development dependencies and collects what they print.
 *
 * Owns where each tool's file lies, so that no shell and no PATH is needed; knows nothing of what a tool's answer means.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** Absolute path of the repository, without a trailing slash. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

const files = {
  attw: '@arethetypeswrong/cli/dist/index.js',
  cem: '@custom-elements-manifest/analyzer/cem.js',
  depcruise: 'dependency-cruiser/bin/dependency-cruise.mjs',
  knip: 'knip/bin/knip.js',
  oxlint: 'oxlint/bin/oxlint',
  prettier: 'prettier/bin/prettier.cjs',
  publint: 'publint/src/cli.js',
  tsc: 'typescript/bin/tsc',
  vitest: 'vitest/vitest.mjs',
  wtr: '@web/test-runner/dist/bin.js',
} as const;

/** A tool this repository runs. */
export type Tool = keyof typeof files;

/** What a finished process left behind. */
export interface Outcome {
  /** Exit code; 1 if a signal ended the process. */
  readonly code: number;
  /** Standard output and standard error, in the order they came, without colours. */
  readonly output: string;
}

/** Runs a tool at the root of the repository. Extra `nodeArgs` go to Node, before the tool's file. */
export function runTool(
  tool: Tool,
  args: readonly string[],
  options: RunOptions & { readonly nodeArgs?: readonly string[] } = {},
): Promise<Outcome> {
  return runNode([...(options.nodeArgs ?? []), toolPath(tool), ...args], options);
}

/** Runs a script of package.json that is one tool with its arguments. npm itself would take half a second of CPU. */
export function runScript(name: string): Promise<Outcome> {
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  const [program, ...args] = scripts[name]?.split(' ') ?? [];
  return program === 'node' ? runNode(args) : runTool(program as Tool, args);
}

/** Where the program of a tool lies. */
export function toolPath(tool: Tool): string {
  return `${root}/node_modules/${files[tool]}`;
}

/** Settings of one process. */
export interface RunOptions {
  /** Added to this process's own environment; undefined takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which the process is ended. Default: ten minutes. */
  readonly timeoutMs?: number;
  /** The folder it runs in. Default: the root of the repository. */
  readonly cwd?: string;
}

/** Runs this same Node with the given arguments. */
export function runNode(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return runProgram(process.execPath, args, options);
}

/** Runs a program of the machine, such as npm. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? root,
      // npm is no program on Windows, but a script.
      shell: process.platform === 'win32' && program === 'npm',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
      timeout: options.timeoutMs ?? 600_000,
    });
    let output = '';
    const collect = (chunk: string) => (output += chunk);
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== null) output += `\nEnded by ${signal}.\n`;
      resolve({ code: code ?? 1, output: stripVTControlCharacters(output) });
    });
  });
}
