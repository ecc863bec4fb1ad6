/** Installs what the machine lacks from Debian's packages, where that is possible without asking anybody: as root. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Two tests may miss the same program at once: the one that comes second waits, seconds. */
const lockTimeoutSeconds = 300;

/** @returns whether they are there now */
export function installDebianPackages(packages: readonly string[]): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const startedAt = performance.now();
  // A list that cannot be renewed may still know the packages.
  aptGet('update', '-qq');
  const isDone = aptGet('install', '-y', '-qq', '--no-install-recommends', ...packages);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.error(
    `${isDone ? 'Installed' : 'Could not install'} ${packages.join(' ')} in ${seconds} s`,
  );
  return isDone;
}

/**
 * Why tests that need a program cannot run here; undefined: they can. With `CI` set they must: it is installed, as root where apt-get
 * exists.
 * @throws if `CI` is set and it is not there all the same
 */
export function whyMissing(
  title: string,
  packages: readonly string[],
  find: () => string | null,
): string | undefined {
  if (find() !== null) return undefined;
  const reason = `${title} is missing: install it (Debian: apt-get install ${packages.join(' ')})`;
  if (!process.env['CI']) return reason;
  installDebianPackages(packages);
  if (find() === null) throw new Error(reason);
  return undefined;
}

function aptGet(...args: string[]): boolean {
  const patience = ['-o', `DPkg::Lock::Timeout=${lockTimeoutSeconds}`];
  const { status } = spawnSync('apt-get', [...patience, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return status === 0;
}
