/** Both implementations make and accept the same bytes: a token that Node signed is good in a worker. */
import assert from 'node:assert/strict';
import { describe, it, vi } from 'vitest';
import { signOrder, verifyOrder } from '../../../src/order-token.js';
import { deriveKey, digest, toHex } from '../../../src/proxy/runtime/signatures.js';
import vectors from '../../support/vectors/tokens.json' with { type: 'json' };

const daySeconds = 24 * 3_600;
const texts = ['', 'a', 'ação ☕ 💸', 'x'.repeat(10_000)];

describe('signatures by node:crypto and by Web Crypto', () => {
  for (const [at, text] of texts.entries()) {
    it(`digest text ${at} to the same bytes`, async () => {
      assert.equal(await digest(text), await digest(text, null));
    });

    it(`sign text ${at} with a derived key by the same bytes, and accept each other's`, async () => {
      const info = `info ${text.slice(0, 500)}`;
      const own = await deriveKey('s'.repeat(32), info);
      const web = await deriveKey('s'.repeat(32), info, null);
      const signature = await own.sign(text);
      assert.equal(toHex(signature), toHex(await web.sign(text)));
      for (const key of [own, web]) {
        assert.equal(await key.verify(text, signature), true);
        assert.equal(await key.verify(`${text}.`, signature), false);
        assert.equal(await key.verify(text, signature.slice(1)), false);
        assert.equal(await key.verify(text, signature.with(31, signature[31]! ^ 1)), false);
      }
    });
  }
});

describe('without node:crypto', () => {
  for (const vector of vectors.order) {
    const { name, secret, publicUrl, externalId, expiresAt, token: orderToken } = vector;
    it(`the vector (${name}) is signed and verified by Web Crypto`, async () => {
      vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
      const verify = vi.spyOn(crypto.subtle, 'verify');
      const now = () => (expiresAt - daySeconds) * 1_000;
      const order = { secrets: [secret], publicUrl, externalId, now };
      assert.equal(await signOrder(order), orderToken);
      assert.equal(await verifyOrder({ ...order, orderToken }), true);
      assert.equal(verify.mock.calls.length, 1);
    });
  }
});
