/** What the signer remembers of texts it opened: no second check of the same bytes, and never a weaker one. */

import assert from 'node:assert/strict';
import nodeCrypto from 'node:crypto';
import { describe, it, vi } from 'vitest';
import { dayMs } from '../../../../src/domain/spans.js';
import {
  createSigner,
  maxOpened,
  rememberOpened,
} from '../../../../src/proxy/door/tokens/tokens.js';
import { dataOf, openShop, publicUrl, refusalOf, secrets } from '../../../support/proxy/shop.js';

const source = { secrets, publicUrl };

/** How often a signature was checked from now on. */
function countChecks(): () => number {
  const { mock } = vi.spyOn(nodeCrypto, 'timingSafeEqual');
  return () => mock.calls.length;
}

describe('a text that was opened before', () => {
  it('is not checked again, and cannot be changed by who reads it', async () => {
    const signer = rememberOpened(createSigner<{ a: number }>('lookup', source));
    const text = await signer.sign({ a: 1 });
    const checks = countChecks();
    const first = await signer.open(text);
    assert.throws(() => Object.assign(first!, { a: 2 }), TypeError);
    assert.deepEqual(await signer.open(text), { a: 1 });
    assert.equal(checks(), 1);
  });

  it('opens nothing else: what was refused is checked each time', async () => {
    const signer = rememberOpened(createSigner<{ a: number }>('lookup', source));
    const text = await signer.sign({ a: 1 });
    const foreign = await createSigner<{ a: number }>('order', source).sign({ a: 1 });
    await signer.open(text);
    const checks = countChecks();
    assert.equal(await signer.open(foreign), null);
    assert.equal(await signer.open(foreign), null);
    assert.equal(await signer.open(` ${text}`), null);
    assert.equal(checks(), 3);
  });

  it('is forgotten when too many came after it', async () => {
    const signer = rememberOpened(createSigner<{ a: number }>('lookup', source));
    const texts = await Promise.all(
      Array.from({ length: maxOpened + 1 }, (_, a) => signer.sign({ a })),
    );
    for (const text of texts) await signer.open(text);
    const checks = countChecks();
    await signer.open(texts.at(-1)!);
    await signer.open(texts[1]!);
    assert.equal(checks(), 0);
    await signer.open(texts[0]!);
    assert.equal(checks(), 1);
  });

  it('is no good for another invoice, and none after its end', async () => {
    const shop = openShop();
    const one = await dataOf(await shop.create({ externalId: 'one' }));
    const other = await dataOf(await shop.create({ externalId: 'other' }));
    const mixed = { invoice_id: other.invoice_id, lookup_token: one.lookup_token };
    assert.equal(await refusalOf(await shop.lookUp(mixed)), '401 unauthorized');
    await dataOf(await shop.lookUp(one));
    assert.equal(await refusalOf(await shop.lookUp(mixed)), '401 unauthorized');
    assert.equal(shop.upstream.lookUps(), 1);
    await shop.clock.advance(7 * dayMs - 1_000);
    await dataOf(await shop.lookUp(one));
    await shop.clock.advance(1_000);
    assert.equal(await refusalOf(await shop.lookUp(one)), '401 unauthorized');
  });
});
