/** What is cut out of Lit for the script tag's file fails loudly where Lit, or a source of ours, no longer fits. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from './tools.js';
import { trimLit } from './trim-lit.js';

const path = join(root, 'node_modules/lit-html/lit-html.js');
const source = readFileSync(path, 'utf8');

/** What the build makes of a file. */
function trim(code: string, file: string): string | null {
  const { transform } = trimLit() as {
    transform(code: string, id: string): { code: string } | null;
  };
  return transform(code, file)?.code ?? null;
}

describe('Lit in the script tag’s file', () => {
  it('is shorter than it comes', () => {
    assert.ok((trim(source, path)?.length ?? Infinity) < source.length);
  });

  it('must read as it did: another version fails the build', () => {
    const another = source.replace('creationScope', 'scope');
    assert.throws(() => trim(another, path), /Lit reads otherwise/);
  });

  it('must be there', () => {
    const { buildEnd } = trimLit() as { buildEnd(error?: Error): void };
    assert.throws(() => buildEnd(), /Lit has no .*lit-html/);
  });

  for (const use of [
    "import { live } from 'lit/directives/live.js';",
    'const mark = svg`<path />`;',
    'static properties = { phase: { reflect: true } };',
    'html`<style>${rules}</style>`',
    'html`<p ${part}></p>`',
  ]) {
    it(`must do what our sources ask of it: ${use}`, () => {
      const file = join(root, 'src/checkout/views/parts/head.ts');
      assert.throws(() => trim(use, file), /cuts out of Lit/);
    });
  }
});
