/**
 * Packages that only one folder of tests needs, in a lock file of their own: a newcomer's `npm ci` stays short. They are
 * installed with `CI=true` only, outside of the repository, once for each state of the lock file.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root, runProgram } from './tools.js';

/** Installs them, unless another test has. @returns the folder that holds node_modules */
export async function installPackages(folder: string): Promise<string> {
  const source = join(root, folder);
  const lock = readFileSync(join(source, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).update(process.version).digest('hex');
  const name = `pix-checkout-${basename(folder)}-`;
  const home = join(tmpdir(), name + hash.slice(0, 16));
  if (existsSync(home)) return home;
  // Whoever is ready first gives the folder its name: a half installed one never bears it.
  const own = mkdtempSync(join(tmpdir(), name));
  for (const file of ['package.json', 'package-lock.json']) {
    cpSync(join(source, file), join(own, file));
  }
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, output } = await runProgram('npm', args, { cwd: own });
  if (code !== 0) throw new Error(output);
  try {
    renameSync(own, home);
  } catch (error) {
    if (!existsSync(home)) throw error;
    rmSync(own, { recursive: true });
  }
  return home;
}
