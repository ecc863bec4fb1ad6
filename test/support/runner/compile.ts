/**
 * Compiles every TypeScript file of src, demo and test to JavaScript below test/output/js, file by file. A test then
 * starts in a tenth of a second, where compiling in its own process takes almost two.
 */
import { readdirSync, rmSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, transform, type Plugin } from 'esbuild';
import { root } from '../tools.js';

const output = join(root, 'test/output/js');
const compilerOptions = { useDefineForClassFields: false, verbatimModuleSyntax: true };
const target = 'node20.19';

/** Compiles all of it, in about a second. */
export async function compileTests(): Promise<void> {
  const entryPoints = ['src', 'demo', 'test'].flatMap(typeScriptIn);
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir: output,
    outbase: root,
    format: 'esm',
    platform: 'node',
    target,
    sourcemap: 'linked',
    logLevel: 'warning',
    tsconfigRaw: { compilerOptions },
    plugins: [keepOwnUrl, takeOwnSource],
  });
  sweep(output, entryPoints.map(compiledPath));
  const vectors = 'test/support/vectors';
  await cp(join(root, vectors), join(output, vectors), { recursive: true });
}

/** Deletes what is left of sources that are gone. @param made the JavaScript files that were made just now */
export function sweep(folder: string, made: readonly string[]): void {
  const kept = new Set(made);
  for (const path of readdirSync(folder, { recursive: true }) as string[]) {
    const file = join(folder, path);
    if (/\.js(\.map)?$/.test(path) && !kept.has(file.replace(/\.map$/, ''))) rmSync(file);
  }
}

/** Where the JavaScript of a TypeScript file lies. */
export function compiledPath(path: string): string {
  return join(output, relative(root, path)).replace(/\.ts$/, '.js');
}

/** The TypeScript file that a compiled one was made from; any other path as it is. */
export function sourcePath(path: string): string {
  const inside = relative(output, path);
  return inside.startsWith('..') ? path : join(root, inside).replace(/\.js$/, '.ts');
}

/** `import.meta.url` stays the address of the source file: tests find other files from there. */
const keepOwnUrl: Plugin = {
  name: 'keep-own-url',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!source.includes('import.meta.url')) return undefined;
      const { code } = await transform(source, {
        loader: 'ts',
        format: 'esm',
        target,
        sourcefile: path,
        sourcemap: 'inline',
        tsconfigRaw: { compilerOptions },
        define: { 'import.meta.url': JSON.stringify(pathToFileURL(path).href) },
      });
      return { contents: code, loader: 'js' };
    });
  },
};

/** The files of the demo that people copy name the package; here it is our own source, as for the compiler of types. */
const takeOwnSource: Plugin = {
  name: 'take-own-source',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]demo[\\/](shop|email)\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replaceAll(/'pix-checkout\/([\w-]+)'/g, "'../src/$1.js'");
      return { contents, loader: 'ts' };
    });
  },
};

function typeScriptIn(folder: string): string[] {
  return (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((path) => path.endsWith('.ts') && !path.startsWith('output'))
    .map((path) => join(root, folder, path));
}
