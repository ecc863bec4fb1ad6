/**
 * The runtimes and servers that the proxy is tried in, from a lock file of their own. They are large, so they come with
 * `CI=true` only, and stay until the lock file changes: below node_modules, where no tool walks through them.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../support/tools.js';

/** Where they are installed. */
export const folder = join(root, 'node_modules/.cache/runtimes');

/** Why tests with them are left out; false: they are not. */
export const whyLeftOut =
  process.env['CI'] && process.platform === 'linux' && process.arch === 'x64'
    ? false
    : 'Deno, Bun, workerd and the servers of the recipes are tried with CI=true, on Linux x64';

/** The programs, each from the package of this platform: no install script has to find it. */
const programs = {
  deno: '@deno/linux-x64-glibc/deno',
  bun: '@oven/bun-linux-x64/bin/bun',
  workerd: '@cloudflare/workerd-linux-64/bin/workerd',
};

/** Path of a program that they bring. */
export function programOf(name: keyof typeof programs): string {
  return join(folder, 'node_modules', programs[name]);
}

/** Installs them, unless they are there. */
export async function installRuntimes(): Promise<void> {
  const from = join(root, 'test/runtimes');
  const lock = 'package-lock.json';
  // Written last: what was cut off is installed anew.
  const installed = join(folder, 'installed.json');
  const wanted = readFileSync(join(from, lock), 'utf8');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', lock]) copyFileSync(join(from, name), join(folder, name));
  const quietly = ['--no-audit', '--no-fund', '--loglevel', 'error'];
  await promisify(execFile)('npm', ['ci', ...quietly], { cwd: folder });
  // As a shop has it: the built package.
  symlinkSync(root, join(folder, 'node_modules/pix-checkout'));
  copyFileSync(join(folder, lock), installed);
}
