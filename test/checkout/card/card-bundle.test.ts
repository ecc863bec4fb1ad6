/** The card form as one file: whole by itself, without Lit, without the element, and found where it is looked for. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { build } from 'vite';
import { cardFormKey } from '../../../src/checkout/card/card-file-contract.js';
import { root } from '../../tools/tools.js';

async function bundle(): Promise<string> {
  const output = await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: 'src/checkout/card/card-file-entry.ts', formats: ['es'], fileName: 'card' },
    },
  });
  const [one] = Array.isArray(output) ? output : [];
  assert.ok(one);
  assert.equal(one.output.length, 1, 'one file');
  return one.output[0].code;
}

describe('the card form’s file', async () => {
  const code = await bundle();

  it('imports nothing, and holds no Lit, no element, and no more of the checkout than the card', () => {
    assert.doesNotMatch(code, /^\s*import\b|\bimport\(|\bfrom\s*['"]/m);
    assert.doesNotMatch(code, /litHtmlVersions|customElements|fetch\(|localStorage|trustedTypes/);
  });

  it('leaves the form where the element looks for it', async () => {
    const loaded = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      createCardForm: unknown;
    };
    assert.equal(typeof loaded.createCardForm, 'function');
    assert.equal((globalThis as { [cardFormKey]?: unknown })[cardFormKey], loaded.createCardForm);
  });
});
