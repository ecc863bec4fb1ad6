/** Interpreters of other languages, for the proxies that the demo has in them: where they are, and how they come onto a machine. */
import { execFileSync } from 'node:child_process';
import { firstOnPath } from './browsers.js';
import { whyMissing } from './debian-packages.js';

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

/** @see {@link whyMissing} */
export function whyNoProgram(name: Program): string | undefined {
  const { title, packages } = programs[name];
  return whyMissing(title, packages, () => findProgram(name));
}
