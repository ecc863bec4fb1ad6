/** The runtimes and servers that the proxy is tried in, from a lock file of their own. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf, installPackages } from '../tools/machine/own-packages.js';
import { root } from '../tools/tools.js';

/** Where they are installed. */
export const folder = homeOf('test/runtimes');

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
  'workerd of a year ago': 'workerd-year-old/bin/workerd',
};

/** Path of a program that they bring. */
export function programOf(name: keyof typeof programs): string {
  return join(folder, 'node_modules', programs[name]);
}

/** Installs them, unless they are there, and beside them this package as a shop has it: built. */
export async function installRuntimes(): Promise<void> {
  await installPackages('test/runtimes');
  const own = join(folder, 'node_modules/pix-checkout');
  if (!existsSync(own)) symlinkSync(root, own);
}
