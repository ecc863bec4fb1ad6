/**
 * Serves the files of component tests in a few pieces, which are made once for all files and engines: module by module, three
 * engines would ask for fifteen thousand. What a test itself asks for by an address comes as it lies.
 */
import { relative } from 'node:path';
import { build } from 'esbuild';
import type { TestRunnerPlugin } from '@web/test-runner';
import { root } from '../tools.js';
import { endings, findTests } from './test-files.js';

/** The plugin. A file of tests is one line that loads its piece: as TypeScript it would be compiled again for each engine. */
export function testsInPieces(): TestRunnerPlugin {
  let pieces: Promise<Map<string, string>> | undefined;
  return {
    name: 'tests-in-pieces',
    async serve({ path }) {
      if (path.endsWith(endings.component)) {
        return { body: `import '${path.replace(/ts$/, 'js')}';`, type: 'js' };
      }
      const piece = (await (pieces ??= bundle())).get(path);
      return piece === undefined ? undefined : { body: piece, type: 'js' };
    },
  };
}

/** Code by path. */
async function bundle(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: findTests('component', [root]),
    absWorkingDir: root,
    // Nothing is written: places of faults are told from here.
    outdir: root,
    outbase: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    // As the test runner's own resolution has it.
    conditions: ['development'],
    // What is imported for its effect alone stays, whatever package.json says of shops.
    ignoreAnnotations: true,
    // The test runner's own files.
    external: ['/__*'],
    sourcemap: 'inline',
    // Only places are told, and each page loads them.
    sourcesContent: false,
    write: false,
  });
  return new Map(outputFiles.map(({ path, text }) => [`/${relative(root, path)}`, text]));
}
