/** Interpreters of other languages, for the proxies that the demo has in them: where they are, and how they come onto a machine. */
import { execFileSync } from 'node:child_process';
import { firstOnPath } from './browsers.js';
import { installDebianPackages } from './debian-packages.js';

const programs = {
  php: {
    names: ['php'],
    packages: ['php-cli'],
    title: 'PHP 8',
    isNew: 'exit((int)(PHP_VERSION_ID < 80100));',
  },
  python: {
    names: ['python3'],
    packages: ['python3-minimal', 'python3'],
    title: 'Python 3',
    isNew: 'import sys; sys.exit(sys.version_info < (3, 9))',
  },
} as const;

export type Program = keyof typeof programs;

/** Its path; null: it is not on this machine, or too old. */
export function findProgram(name: Program): string | null {
  const { names, isNew } = programs[name];
  const path = firstOnPath(names);
  try {
    if (path !== null)
      execFileSync(path, [name === 'php' ? '-r' : '-c', isNew], { stdio: 'ignore' });
    return path;
  } catch {
    return null;
  }
}

/**
 * Why tests with it cannot run here; undefined: they can. With `CI` set they must: it is installed, as root where apt-get
 * exists.
 * @throws if `CI` is set and there is none all the same
 */
export function whyNoProgram(name: Program): string | undefined {
  const { title, packages } = programs[name];
  if (findProgram(name) !== null) return undefined;
  const reason = `${title} is missing: install it (Debian: apt-get install ${packages.join(' ')})`;
  if (!process.env['CI']) return reason;
  installDebianPackages(packages);
  if (findProgram(name) === null) throw new Error(reason);
  return undefined;
}
