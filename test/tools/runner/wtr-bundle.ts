/**
 * Serves each file of component tests with all that it imports in one piece: module by module, three engines would ask for
 * fifteen thousand. What a test itself asks for by an address comes as it lies.
 */
import { join } from 'node:path';
import { build } from 'esbuild';
import type { TestRunnerPlugin } from '@web/test-runner';
import { root } from '../tools.js';
import { endings } from './test-files.js';

/** The plugin; a file is bundled once, when the first engine asks for it. */
export function testsInOnePiece(): TestRunnerPlugin {
  const bundles = new Map<string, Promise<string>>();
  return {
    name: 'tests-in-one-piece',
    async serve({ path }) {
      if (!path.endsWith(endings.component)) return undefined;
      const bundled = bundles.get(path) ?? bundle(path);
      bundles.set(path, bundled);
      return { body: await bundled, type: 'js' };
    },
  };
}

async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, path)],
    // Nothing is written: places of faults are told from here.
    outfile: join(root, `${path}.js`),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    // As the test runner's own resolution has it.
    conditions: ['development'],
    // What is imported for its effect alone stays, whatever package.json says of shops.
    ignoreAnnotations: true,
    // The test runner's own files.
    external: ['/__*'],
    sourcemap: 'inline',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
