/** Reads the config module of `serve`: an ES module whose default export gives functions, and data if it likes. */

import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../command.js';

/** @throws UsageError. Of errors that the module itself throws only the name is told: their text may hold a secret */
export async function loadConfigModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { default: given } = await load(path);
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return { ...given };
  throw new UsageError('--config must name a module whose default export is an object');
}

async function load(path: string): Promise<{ readonly default?: unknown }> {
  try {
    const { href } = pathToFileURL(resolve(path));
    return (await import(/* @vite-ignore */ href)) as object;
  } catch (thrown) {
    const place = thrown instanceof SyntaxError ? findPlace(path) : '';
    throw new UsageError(`--config cannot be loaded: ${place}${toReason(thrown)}`);
  }
}

/** Where a module's fault is, which `import()` does not tell; empty if it lies at the end, or in what the module imports. */
function findPlace(path: string): string {
  const { stderr } = spawnSync(process.execPath, ['--check', path], { encoding: 'utf8' });
  const [, line, carets = ''] = /:(\d+)\n.*\n( *)\^/.exec(stderr) ?? [];
  return line === undefined ? '' : `line ${line}, column ${carets.length + 1}: `;
}

function toReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'it throws';
  // What the module system and the parser say is about code.
  const isLoader =
    thrown instanceof SyntaxError || String(Reflect.get(thrown, 'code')).startsWith('ERR_');
  return isLoader ? thrown.message : `it throws ${thrown.name}; import it by itself to see why`;
}
