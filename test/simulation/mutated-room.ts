/**
 * Copies of the proxy's code with one string of one file replaced, bundled in memory. The files on the disk stay as they
 * are.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Room } from './room.js';

/** One change. */
export interface Mutation {
  /** Below `src/`. */
  readonly file: string;
  /** Must be there exactly once. */
  readonly from: string;
  readonly to: string;
}

const source = fileURLToPath(new URL('../../src', import.meta.url));
const entry = fileURLToPath(new URL('./room.ts', import.meta.url));

/** The proxy's code with a change. Fails if the code no longer holds what is to be changed. */
export async function buildMutatedRoom({ file, from, to }: Mutation): Promise<Room> {
  let isMutated = false;
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    // Drivers are loaded when a ledger is opened, which no history does.
    external: ['kysely', 'libsql', 'pg', 'undici'],
    plugins: [
      {
        name: 'mutation',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            if (relative(source, path) !== join(file)) return undefined;
            const text = await readFile(path, 'utf8');
            assert.equal(text.split(from).length, 2, `${file} must hold exactly once: ${from}`);
            isMutated = true;
            return { contents: text.replace(from, () => to), loader: 'ts' };
          });
        },
      },
    ],
  });
  assert.ok(isMutated, `${file} is no part of the proxy`);
  const text = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const module = (await import(`data:text/javascript;base64,${text}`)) as { room: Room };
  return module.room;
}
