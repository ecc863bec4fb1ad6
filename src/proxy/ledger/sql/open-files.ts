/**
 * Whether the files at a database's path are those that are open. One that was deleted or replaced can still be written to,
 * but what is written ends with this process: a card would be charged again after a restart.
 */

import { realpathSync, statSync } from 'node:fs';
import { LedgerError } from '../ledger-error.js';

/** The driver opens the others beside the file itself, wherever links led it. */
const besides = ['-wal', '-shm'];

/**
 * Remembers which files are at the path now.
 * @returns fails once they are others
 * @throws LedgerError if there is no file
 */
export function rememberFiles(path: string): () => void {
  const real = guard(() => realpathSync(path));
  // The path as it was given: a link that leads elsewhere is another file, too.
  const paths = [path, ...besides.map((suffix) => real + suffix)];
  const opened = identify(paths);
  return () => {
    if (identify(paths) !== opened) throw toLoss();
  };
}

function identify(paths: readonly string[]): string {
  const found = paths.map((path) => guard(() => statSync(path, { bigint: true })));
  return found.map(({ dev, ino }) => `${dev}:${ino}`).join(' ');
}

/** What cannot be found is not there after a restart either. */
function guard<T>(run: () => T): T {
  try {
    return run();
  } catch {
    throw toLoss();
  }
}

function toLoss(): LedgerError {
  return new LedgerError('FILE_REPLACED');
}
