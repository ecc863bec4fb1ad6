/** Says in words why a file cannot be opened as a database: drivers have one code for all of it. */

import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LedgerError } from '../ledger-error.js';

/** Causes that the code names, whatever the file system says. */
const causes: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is a file of another kind',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_FULL: 'there is no room on its disk',
  SQLITE_BUSY: 'another process holds it',
};

/** The same error, with the file's path and what is wrong with it. */
export function withFileFault(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof LedgerError)) return thrown;
  const cause = causes[thrown.code ?? ''] ?? findCause(path);
  return new LedgerError(thrown.code, `${path}${cause && `: ${cause}`}`);
}

function findCause(path: string): string {
  const folder = dirname(path);
  const above = find(folder);
  if (above === null) return `there is no folder ${folder}`;
  if (!above.isDirectory()) return `${folder} is no folder`;
  const file = find(path);
  if (file?.isDirectory()) return 'it is a folder';
  const { R_OK, W_OK, X_OK } = constants;
  if (!mayUse(folder, W_OK | X_OK)) return `this user may not write to the folder ${folder}`;
  if (file === null) return 'there is no such file';
  return mayUse(path, R_OK | W_OK) ? '' : 'this user may not read and write it';
}

function find(path: string) {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function mayUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
