/**
 * Packages that only one folder of tests needs, in a lock file of their own: a newcomer's `npm ci` stays short. They are
 * installed with `CI=true` only, in the machine's folder for temporary files, once for each state of the lock file: nothing
 * of theirs belongs into the repository, where tests, compiler and documents would find it.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root, runProgram } from '../tools.js';

/** Where the packages of a folder are installed, or will be. */
export function homeOf(folder: string): string {
  const hash = createHash('sha256').update(root).update(process.version);
  hash.update(readFileSync(join(root, folder, 'package-lock.json')));
  const name = `pix-checkout-${basename(folder)}-${hash.digest('hex').slice(0, 16)}`;
  return join(tmpdir(), name);
}

/** Installs them, unless another test has. @returns the folder that holds node_modules */
export function installPackages(folder: string): Promise<string> {
  return makeOnce(homeOf(folder), async (cwd) => {
    cpSync(join(root, folder), cwd, {
      recursive: true,
      filter: (path) => /(^|\/)package(-lock)?\.json$/.test(path) || statSync(path).isDirectory(),
    });
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    const { code, output } = await runProgram('npm', args, { cwd });
    if (code !== 0) throw new Error(output);
  });
}

/** Makes a folder for all tests of this machine, unless one of them has. @returns it */
export async function makeOnce(
  home: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string> {
  if (existsSync(home)) return home;
  // Whichever is ready first gives the folder its name: a half made one never bears it.
  const own = mkdtempSync(`${home}-`);
  await fill(own);
  try {
    renameSync(own, home);
  } catch (error) {
    if (!existsSync(home)) throw error;
    rmSync(own, { recursive: true });
  }
  return home;
}
