/**
 * Programs that run beside a test. The tests' own are bundled: with the packages they take, they start ten times faster than
 * compiled on the way.
 */
import assert from 'node:assert/strict';
import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../tools/tools.js';
import { until } from './until.js';

/** Packages that are loaded where they are needed, or hold a program of the machine. */
const optional = ['libsql', 'pg', 'prom-client', 'qrcode', 'undici'];

/** Bundles a TypeScript file of this repository. @returns the JavaScript file */
export async function bundleProgram(path: string): Promise<string> {
  const folder = join(root, 'test/output');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${basename(path, '.ts')}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(root, path)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: optional,
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return outfile;
}

/** Waits until a program does something. @throws with all that it wrote, if it ends or hangs without */
export async function untilSeen<T>(
  look: () => T | Promise<T>,
  isOver: () => boolean,
  output: () => string,
) {
  try {
    return await until(async () => {
      const wasOver = isOver();
      const seen = await look();
      assert.ok(seen || !wasOver, 'it ended too soon');
      return seen;
    });
  } catch (cause) {
    throw new Error(output(), { cause });
  }
}

/** Starts a program. @param options `detached`: all that it starts ends with it */
export function startProgram(
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'detached'>,
) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (written += text));
  }
  const output = () => written;
  let isOver = false;
  const ended = once(child, 'close').then(([code, signal]): number | NodeJS.Signals => {
    isOver = true;
    return signal ?? code;
  });
  const untilDone = <T>(look: () => T | Promise<T>) => untilSeen(look, () => isOver, output);
  return {
    /** All that it wrote on its standard output and error. */
    output,
    until: untilDone,
    untilWritten: (what: RegExp) => untilDone(() => what.exec(written)),
    /** The exit code, or the signal it died by. */
    ended,
    /** @returns as `ended` */
    end(signal: NodeJS.Signals = 'SIGTERM') {
      const isRunning = child.exitCode === null && child.signalCode === null;
      if (isRunning) process.kill(options.detached ? -child.pid! : child.pid!, signal);
      return ended;
    },
  };
}
