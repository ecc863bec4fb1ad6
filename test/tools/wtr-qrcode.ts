/**
 * Serves the module of `qrcode` that is bundled as an ES module to component tests.
 *
 * The package is CommonJS and the test runner serves modules as they are; the build folds the same file into the
 * bundle (vite.config.ts). Knows nothing else of the package.
 */
import { build } from 'esbuild';
import type { TestRunnerPlugin } from '@web/test-runner';
import { root } from './tools.js';

const specifier = 'qrcode/lib/core/qrcode.js';
const path = '/__modules/qrcode.js';

/** The plugin; the file is made once per run, when it is first asked for. */
export function qrcodeAsModule(): TestRunnerPlugin {
  let bundled: Promise<string> | undefined;
  return {
    name: 'qrcode-as-module',
    resolveImport: ({ source }) => (source === specifier ? path : undefined),
    serve: async (context) =>
      context.path === path ? { body: await (bundled ??= bundle()), type: 'js' } : undefined,
  };
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { create } from '${specifier}';`,
      resolveDir: root,
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
