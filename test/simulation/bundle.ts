/**
 * The histories with the proxy's code in one piece, in memory: as it is, or with one string of one file replaced. The
 * files on the disk stay as they are. One piece runs half as fast again as files that are transformed one by one.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { root } from '../tools/tools.js';
import type { playHistory } from './history.js';

/** One change: a file of the proxy, what stands there exactly once, and what in its place. */
export type Mutation = readonly [file: string, from: string, to: string];

/** Where the mutated files are. */
export const source = join(root, 'src/proxy');
const entry = fileURLToPath(new URL('./history.ts', import.meta.url));

/**
 * @param mutations what is planted in the proxy's code
 * @throws AssertionError if the file is no part of the proxy
 */
export async function bundleHistories(
  mutations: readonly Mutation[] = [],
): Promise<typeof playHistory> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    // Drivers are loaded when a ledger is opened, which no history does.
    external: ['libsql', 'pg', 'prom-client', 'sql-template-tag', 'undici'],
    plugins: [plant(mutations)],
  });
  const text = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const module = (await import(`data:text/javascript;base64,${text}`)) as {
    playHistory: typeof playHistory;
  };
  return module.playHistory;
}

function plant(mutations: readonly Mutation[]): Plugin {
  return {
    name: 'mutation',
    setup({ onLoad, onEnd }) {
      const planted = new Set<Mutation>();
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const here = mutations.filter(([file]) => path === join(source, file));
        if (here.length === 0) return undefined;
        let contents = await readFile(path, 'utf8');
        for (const [, from, to] of here) contents = contents.replace(from, () => to);
        for (const one of here) planted.add(one);
        return { contents, loader: 'ts' };
      });
      onEnd(() => assert.equal(planted.size, mutations.length, 'each file is part of the proxy'));
    },
  };
}
