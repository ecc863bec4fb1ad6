/** Compiles a page in TypeScript as a shop would that has installed the built package: strictly, against its types. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runTool } from '../tools/tools.js';

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  lib: ['ES2022', 'DOM'],
  types: [],
};

/** Compiles pages by their names, all at once. @returns what the compiler says of each; empty: nothing */
export async function compileAsShop<Name extends string>(
  pages: Readonly<Record<Name, string>>,
): Promise<Readonly<Record<Name, string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'pix-shop-'));
  try {
    const packages = join(folder, 'node_modules');
    mkdirSync(packages);
    symlinkSync(root, join(packages, 'pix-checkout'), 'junction');
    mkdirSync(join(packages, '@types'));
    for (const name of ['lit', '@types/react']) {
      symlinkSync(join(root, 'node_modules', name), join(packages, name), 'junction');
    }
    const named = Object.entries<string>(pages);
    for (const [index, [, page]] of named.entries()) {
      writeFileSync(join(folder, `page-${index}.ts`), `import 'pix-checkout';\n${page}`);
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const { code, output } = await runTool('tsc', ['-p', folder]);
    const lines = output.split('\n');
    const told = named.map(([name], index) => [
      name,
      lines.filter((line) => line.includes(`page-${index}.ts`)).join('\n'),
    ]);
    // What is wrong elsewhere is no page's fault.
    if (told.every(([, text]) => text === '')) assert.equal(code, 0, output);
    return Object.fromEntries(told) as Record<Name, string>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
