/** Compiles a page in TypeScript as a shop would that has installed the built package: strictly, against its types. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runTool } from './tools.js';

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

/** Fails with what the compiler says. */
export async function compileAsShop(page: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pix-shop-'));
  try {
    const packages = join(folder, 'node_modules');
    mkdirSync(packages);
    symlinkSync(root, join(packages, 'pix-checkout'), 'junction');
    symlinkSync(join(root, 'node_modules/lit'), join(packages, 'lit'), 'junction');
    writeFileSync(join(folder, 'page.ts'), `import 'pix-checkout';\n${page}`);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const { code, output } = await runTool('tsc', ['-p', folder]);
    assert.equal(code, 0, output);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
