/** `.dependency-cruiser.mjs` names an arrow and a circle that are planted, and lets pass what is allowed. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { root, runTool } from './tools/tools.js';
import { makeFolder } from './world/folder.js';

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

/** Imports by the file they stand in. Types count as all else. */
const allowed = [
  ['src/contract/a.ts', '../domain/a.js'],
  ['src/checkout/views/a.ts', 'lit'],
  ['src/checkout/views/a.ts', '../page/a.js'],
  ['src/checkout/element/a.ts', '../card/card-loader.js'],
  ['src/checkout/element/a.ts', '../card/card-file-entry.js'],
  ['src/sandbox/a.ts', '../service/wire.js'],
  ['src/sandbox/serve-sandbox.ts', 'node:http'],
  ['src/proxy/run/a.ts', '../store/order-store.js'],
  ['src/proxy/run/a.ts', '../outside/a.js'],
  ['src/proxy/run/a.ts', '../../service.js'],
  ['src/proxy/proxy.ts', './store/memory-store.js'],
  ['src/proxy/store/sql/postgres.ts', 'pg'],
  ['src/ledger.ts', './proxy/store/sql/a.js'],
  ['src/index.ts', './checkout/element/a.js'],
] as const;

const forbidden = [
  ['src/domain/a.ts', '../contract/readers.js'],
  ['src/domain/a.ts', 'zod/mini'],
  ['src/contract/readers.ts', 'zod/mini'],
  ['src/contract/a.ts', '../service/wire.js'],
  ['src/checkout/machine/a.ts', '../views/b.js'],
  ['src/checkout/page/a.ts', '../views/b.js'],
  ['src/checkout/element/a.ts', '../card/card-form.js'],
  ['src/checkout/card/card-form.ts', './card-loader.js'],
  ['src/proxy/outside/a.ts', '../run/b.js'],
  ['src/proxy/run/a.ts', '../door/b.js'],
  ['src/proxy/run/a.ts', '../store/sql/b.js'],
  ['src/proxy/door/a.ts', '../store/memory-store.js'],
  ['src/proxy/door/tokens/a.ts', 'node:crypto'],
  ['src/proxy/outside/a.ts', '../../service/client.js'],
  ['src/proxy/order/a.ts', '../store/order-store.js'],
  ['src/proxy/runtime/a.ts', '../order/b.js'],
  ['src/proxy/store/a.ts', '../set-up/b.js'],
  ['src/sandbox/a.ts', '../proxy/run/b.js'],
  ['src/sandbox/a.ts', '../contract/readers.js'],
  ['src/index.ts', './service.js'],
  ['src/index.ts', '../demo/a.js'],
  ['src/index.ts', 'left-pad'],
  ['src/elsewhere/a.ts', '../domain/b.js'],
] as const;

const circleRule = 'circle';

const circle = [
  ['demo/a.ts', './b.js'],
  ['demo/b.ts', './a.js'],
] as const;

describe('the rules of imports', () => {
  const folder = makeFolder({ onTestFinished: afterAll });
  let violations: readonly Violation[];
  beforeAll(async () => {
    plant(folder);
    const config = join(root, '.dependency-cruiser.mjs');
    const args = ['--config', config, '--output-type', 'json', 'src', 'demo'];
    const { output } = await runTool('depcruise', args, { cwd: folder });
    const { summary } = JSON.parse(output) as { summary: { violations: Violation[] } };
    violations = summary.violations;
  });

  const named = (name: string) =>
    violations.filter(({ rule }) => rule.name === name).map(({ from, to }) => `${from} → ${to}`);

  it('name each arrow that is not allowed, and no other', () => {
    const expected = forbidden.map(([from, to]) => `${from} → ${targetOf(from, to)}`);
    assert.deepEqual(new Set(named('not-in-allowed')), new Set(expected));
  });

  it('name a circle, of types too', () => {
    assert.deepEqual(named(circleRule), ['demo/a.ts → demo/b.ts']);
  });

  it('are read from the top: the forbidden arrow stands before the circle that may follow from it', async () => {
    const config = join(root, '.dependency-cruiser.mjs');
    const { output } = await runTool('depcruise', ['--config', config, 'src', 'demo'], {
      cwd: folder,
    });
    const [arrowAt, circleAt] = ['not-in-allowed', circleRule].map((name) => output.indexOf(name));
    assert.ok(arrowAt! >= 0 && circleAt! > output.lastIndexOf('not-in-allowed'), output);
  });
});

/** Writes the files, each with its imports, and those that they import. */
function plant(folder: string): void {
  const sources = new Map<string, string>();
  const append = (path: string, text: string) =>
    sources.set(path, (sources.get(path) ?? '') + text);
  for (const [path, specifier] of [...allowed, ...forbidden, ...circle]) {
    append(path, `import type {} from '${specifier}';\n`);
    if (!specifier.startsWith('node:')) append(fileOf(path, specifier), '');
  }
  for (const [path, text] of sources) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function fileOf(path: string, specifier: string): string {
  return specifier.startsWith('.')
    ? join(dirname(path), specifier).replace(/\.js$/, '.ts')
    : `node_modules/${specifier}/index.js`;
}

/** What the tool calls it. */
function targetOf(path: string, specifier: string): string {
  return specifier.startsWith('node:') ? specifier.slice(5) : fileOf(path, specifier);
}
