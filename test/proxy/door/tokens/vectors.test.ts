/**
 * The formats that shops in other languages write: vectors, document and code say the same. The vectors are computed here once
 * more with `node:crypto`, by the document's formula and by nothing of the proxy.
 */
import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { signOrder, verifyOrder } from '../../../../src/order-token.js';
import { createLookUpTokens } from '../../../../src/proxy/door/tokens/tokens.js';
import { root } from '../../../tools/tools.js';
import vectors from '../../../support/vectors/tokens.json' with { type: 'json' };

const document = readFileSync(join(root, 'src/proxy/door/tokens/README.md'), 'utf8');
const daySeconds = 24 * 3_600;

interface Vector {
  readonly secret: string;
  readonly publicUrl: string;
  readonly payload: string;
}

/** The formula of the document. */
function compute({ secret, publicUrl, payload }: Vector, purpose: string) {
  const info = `pix-checkout v1 ${purpose} ${publicUrl}`;
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'utf8'), '', info, 32));
  const signed = `v1.${Buffer.from(payload, 'utf8').toString('base64url')}`;
  const signature = createHmac('sha256', key).update(signed).digest('base64url');
  return { info, key: key.toString('hex'), token: `${signed}.${signature}` };
}

describe('an order token of the vectors', () => {
  for (const vector of vectors.order) {
    const { name, secret, publicUrl, externalId, expiresAt, info, key, token } = vector;
    it(`(${name}) is what the formula and signOrder make`, async () => {
      assert.deepEqual(compute(vector, 'order'), { info, key, token });
      assert.deepEqual(JSON.parse(vector.payload), { e: externalId, x: expiresAt });
      const now = () => (expiresAt - daySeconds) * 1_000;
      assert.equal(await signOrder({ secrets: [secret], publicUrl, externalId, now }), token);
    });
  }

  const verify = ({
    secret,
    publicUrl,
    externalId,
    nowSeconds,
    token,
  }: (typeof vectors.refused)[0]) =>
    verifyOrder({
      secrets: [secret],
      publicUrl,
      externalId,
      orderToken: token,
      now: () => nowSeconds * 1_000,
    });
  for (const vector of vectors.accepted) {
    it(`(${vector.name}) is accepted`, async () => {
      assert.equal(compute(vector, 'order').token, vector.token);
      assert.equal(await verify(vector), true);
    });
  }
  for (const vector of vectors.refused) {
    it(`(${vector.name}) is refused`, async () => assert.equal(await verify(vector), false));
  }
});

describe('a look-up token of the vectors', () => {
  for (const vector of vectors.lookup) {
    const { name, secret, publicUrl, info, key, payload, token } = vector;
    it(`(${name}) is what the formula and the proxy make`, async () => {
      assert.deepEqual(compute(vector, 'lookup'), { info, key, token });
      const {
        i: invoiceId,
        l,
        e: externalId,
        t: totalCents,
        m: method,
        x,
        d,
      } = JSON.parse(payload);
      const issued = {
        invoiceId,
        lookUpId: l ?? invoiceId,
        externalId,
        totalCents,
        method,
        deadlineMs: d ?? null,
      };
      const now = () => (x - 7 * daySeconds) * 1_000;
      const tokens = createLookUpTokens({ secrets: [secret], publicUrl }, now);
      assert.equal(await tokens.issue(issued), token);
      assert.deepEqual(await tokens.read(token, invoiceId), issued);
    });
  }
});

describe('the document', () => {
  it('has the first vector as its example', () => {
    const [{ secret, publicUrl, externalId, expiresAt, info, key, token } = assert.fail()] =
      vectors.order;
    const example = [`\`${secret}\``, `\`${publicUrl}\``, `\`${externalId}\``, `\`${expiresAt}\``];
    for (const text of [
      ...example,
      `info  = ${info}\n`,
      `key   = ${key}\n`,
      `token = ${token}\n`,
    ]) {
      assert.ok(document.includes(text), text);
    }
  });

  it('names each field of each payload', () => {
    const points = [...document.matchAll(/^- `(?:order|lookup)` `\w`.*$/gm)].join('\n');
    const named = [...points.matchAll(/`(?:order|lookup)` `\w`/g)].map(([name]) => name);
    const used = Object.entries({ order: vectors.order, lookup: vectors.lookup }).flatMap(
      ([name, tokens]) =>
        tokens.flatMap(({ payload }) =>
          Object.keys(JSON.parse(payload) as object).map((field) => `\`${name}\` \`${field}\``),
        ),
    );
    assert.deepEqual(named.toSorted(), [...new Set(used)].toSorted());
  });
});
