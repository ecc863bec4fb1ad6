/**
 * `pix-checkout/order-token`, for pages that are made where no proxy runs: it is small, and needs nothing but what
 * every runtime of today has. Needs `npm run build` first, for dist/.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, it } from 'vitest';
import { build } from 'esbuild';
import { signOrder, verifyOrder } from '../src/order-token.js';
import { root } from './tools/tools.js';

/** Bytes of the entry, bundled and minified. */
const mostBytes = 4_700;

/** What browsers, Node, Deno, Bun and workers share, and no more. */
const shared = { crypto, TextEncoder, TextDecoder, URL, btoa, atob };

const order = {
  secrets: ['a secret of the tests, 32 bytes long'],
  publicUrl: 'https://shop.example/pix',
  externalId: 'order-1042',
};

async function bundle(format: 'esm' | 'iife'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'dist/order-token.js')],
    bundle: true,
    minify: true,
    // Neither Node's modules nor those of a browser are found.
    platform: 'neutral',
    format,
    globalName: 'entry',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

describe('the entry order-token', () => {
  it(`weighs less than ${mostBytes} bytes`, async () => {
    const code = await bundle('esm');
    assert.ok(code.length < mostBytes, `${code.length} bytes`);
  });

  it('signs what the proxy takes, and takes what the proxy signs', async () => {
    const entry = runInNewContext(`${await bundle('iife')}; entry`, { ...shared }) as {
      signOrder: typeof signOrder;
      verifyOrder: typeof verifyOrder;
    };
    assert.deepEqual(Object.keys(entry).toSorted(), ['signOrder', 'toPaymentLink', 'verifyOrder']);
    const orderToken = await entry.signOrder(order);
    assert.equal(await verifyOrder({ ...order, orderToken }), true);
    const own = await signOrder(order);
    assert.equal(await entry.verifyOrder({ ...order, orderToken: own }), true);
    const other = { ...order, externalId: 'order-1043', orderToken: own };
    assert.equal(await entry.verifyOrder(other), false);
  });
});
