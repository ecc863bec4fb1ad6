/** What the signed texts open, and that nothing else does. */

import assert from 'node:assert/strict';
import nodeCrypto from 'node:crypto';
import { describe, it, vi } from 'vitest';
import { signOrder, verifyOrder } from '../../../../src/order-token.js';
import { createSigner } from '../../../../src/proxy/door/tokens/tokens.js';
import { openInvoice } from '../../../support/proxy/open-invoice.js';
import { dataOf, openShop, publicUrl, refusalOf, secrets } from '../../../support/proxy/shop.js';
import type { Shop, Ticket } from '../../../support/proxy/shop.js';
import { column } from '../../../support/rows.js';

const otherSecret = 'another secret of the tests, 32 bytes long';

/** Every text that differs in one place: each character replaced by another of the alphabet, one left out, one more. */
function tampered(token: string): string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const replaced = Array.from(token).flatMap((character, index) => {
    const at = alphabet.indexOf(character);
    // The neighbours in the alphabet differ in the lowest bits: those a last character may not use.
    return [1, 2, 16].map((step) => {
      const other = at < 0 ? 'A' : alphabet[at ^ step]!;
      return token.slice(0, index) + other + token.slice(index + 1);
    });
  });
  return [...replaced, token.slice(1), token.slice(0, -1), `${token}A`, `${token}=`, `${token}.`];
}

describe('a look-up token', () => {
  async function refused(shop: Shop, ticket: Ticket): Promise<void> {
    const before = shop.upstream.sent.length;
    assert.equal(await refusalOf(await shop.lookUp(ticket)), '401 unauthorized');
    assert.equal(shop.upstream.sent.length, before, 'the service was asked');
  }

  it('opens nothing at another publicUrl, with another secret, or for another purpose', async () => {
    const [shop, ticket] = await openInvoice();
    await refused(openShop({ secrets: [otherSecret] }), ticket);
    await refused(shop, { ...ticket, lookup_token: await shop.signOrder('order-1') });
    const elsewhere = openShop({ publicUrl: 'https://shop.example/pay2' });
    const request = new Request(`https://shop.example/pay2/invoices/${ticket.invoice_id}`, {
      headers: { authorization: `Bearer ${ticket.lookup_token}` },
    });
    assert.equal(await refusalOf(await elsewhere.proxy.fetch(request)), '401 unauthorized');
  });

  it('survives a rotated secret, and a restart', async () => {
    const [shop, ticket] = await openInvoice();
    const rotated = openShop({ secrets: [otherSecret, ...secrets], fetch: shop.upstream.fetch });
    await dataOf(await rotated.lookUp(ticket));
    const made = await dataOf(await rotated.create({ externalId: 'order-2' }));
    await refused(shop, made);
  });

  const headers: Record<string, (token: string) => string | null> = {
    'no header': () => null,
    'an empty one': () => '',
    'no scheme': (token) => token,
    'another scheme': (token) => `Basic ${token}`,
    'two tokens': (token) => `Bearer ${token} ${token}`,
    'a long token': () => `Bearer ${'a'.repeat(5_000)}`,
    'an empty payload': () => 'Bearer v1..',
    'another version': (token) => `Bearer ${token.replace('v1', 'v2')}`,
  };
  for (const [name, toHeader] of Object.entries(headers)) {
    it(`is refused with the same answer: ${name}`, async () => {
      const shop = openShop();
      const { invoice_id: id, lookup_token: token } = await dataOf(await shop.create());
      const authorization = toHeader(token);
      const init = { headers: authorization === null ? {} : { authorization } };
      const response = await shop.request(`/invoices/${id}`, init);
      const body = await response.clone().text();
      assert.equal(await refusalOf(response), '401 unauthorized');
      const other = await openShop().request(`/invoices/${id}`);
      assert.equal(body, await other.text());
      assert.equal(shop.upstream.lookUps(), 0);
    });
  }

  it('is taken in a header of its own, beside any Authorization', async () => {
    const shop = openShop();
    const { invoice_id: id, lookup_token: token } = await dataOf(await shop.create());
    for (const authorization of [null, 'Basic c3RhZ2luZzpzZWNyZXQ=', 'Bearer of-a-gateway']) {
      const headers = { 'lookup-token': token, ...(authorization && { authorization }) };
      const response = await shop.request(`/invoices/${id}?n=1764093600000`, { headers });
      assert.equal(response.status, 200);
    }
    for (const other of ['', 'none', `Bearer ${token}`, `${token}, ${token}`]) {
      const response = await shop.request(`/invoices/${id}`, {
        headers: { 'lookup-token': other },
      });
      assert.equal(await refusalOf(response), '401 unauthorized', other);
    }
  });

  it('holds nothing but what a look-up is compared with', async () => {
    const shop = openShop({
      resolveOrder: () => ({ total_price_cents: 100, expires_in: 60, payer: { name: 'Ana' } }),
    });
    const { lookup_token: token, invoice_id: id } = await dataOf(await shop.create());
    const payload = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const nowMs = shop.clock.now();
    const x = nowMs / 1_000 + 7 * 24 * 3_600;
    assert.deepEqual(payload, { i: id, e: 'order-1', t: 100, m: 'pix', x, d: nowMs + 60_000 });
  });
});

describe('a signature', () => {
  it('is none once any byte of its text is changed', async () => {
    const signer = createSigner('lookup', { secrets, publicUrl });
    const text = await signer.sign({ e: 'order-1' });
    for (const other of tampered(text)) assert.equal(await signer.open(other), null);
    assert.deepEqual(await signer.open(text), { e: 'order-1' });
  });

  it('is good for one purpose only', async () => {
    const labels = ['lookup', 'order', 'postback'] as const;
    for (const label of labels) {
      const payload = { e: 'order-1' };
      const signed = await createSigner<object>(label, { secrets, publicUrl }).sign(payload);
      for (const other of labels) {
        const opened = await createSigner<object>(other, { secrets, publicUrl }).open(signed);
        assert.deepEqual(opened, other === label ? payload : null);
      }
    }
  });
});

describe('an order token', () => {
  const sign = (fields: Partial<Parameters<typeof signOrder>[0]> = {}) =>
    signOrder({ secrets, publicUrl, externalId: 'order-1', ...fields });
  const verify = (orderToken: string, fields = {}) =>
    verifyOrder({ secrets, publicUrl, externalId: 'order-1', orderToken, ...fields });

  it('is checked with keys that are derived once', async () => {
    const shop = openShop();
    await dataOf(await shop.create({ externalId: 'one' }));
    const derive = vi.spyOn(nodeCrypto, 'hkdfSync');
    await dataOf(await shop.create({ externalId: 'other' }));
    // By the merchant's server, which signs: one key for one token.
    assert.equal(derive.mock.calls.length, 1);
  });

  it('is good however the end of publicUrl is written, and after a rotation of the secrets', async () => {
    const token = await sign();
    assert.equal(await verify(token, { publicUrl: `${publicUrl}/` }), true);
    assert.equal(await verify(token, { secrets: [otherSecret, ...secrets] }), true);
  });

  it('that a page did not send, or sent twice, is refused like any other', async () => {
    for (const orderToken of [undefined, null, 7, [await sign()]]) {
      assert.equal(await verify('', { orderToken }), false);
    }
  });

  const wrong: [fields: object, message: RegExp][] = [
    [{ secrets: ['short'] }, /^secrets /],
    [{ secrets: [] }, /^secrets /],
    [{ publicUrl: 'http://shop.example' }, /^publicUrl /],
    [{ externalId: '' }, /^externalId /],
    // What the proxy would refuse to the page of the order.
    ...['a b', '../b', 'açaí', 'a'.repeat(65), 'order#1', 'a\n', 42].map(
      (externalId): [object, RegExp] => [{ externalId }, /^externalId must be /],
    ),
    [{ expiresInSeconds: 0 }, /^expiresInSeconds /],
    [{ expiresInSeconds: 1.5 }, /^expiresInSeconds /],
  ];
  for (const [fields, message] of wrong) {
    it(`is not made with ${JSON.stringify(fields)}`, async () => {
      await assert.rejects(sign(fields), { name: 'TypeError', message });
    });
  }

  it('is made for every reference that the proxy takes', async () => {
    const shop = openShop();
    for (const externalId of ['a', 'A-1_2.3:4', '0'.repeat(64)]) {
      await dataOf(await shop.create({ externalId }));
    }
  });

  it('is needed before the merchant is asked', async () => {
    const shop = openShop();
    const tokens = [
      undefined,
      'x',
      await shop.signOrder('order-2'),
      await sign({ now: () => 0 }),
      await sign({ publicUrl: 'https://other.example', now: shop.clock.now }),
    ];
    for (const token of tokens) {
      const response = await shop.create({ body: { order_token: token } });
      const why = token ? '' : ' order_token is missing';
      assert.equal(await refusalOf(response), `401 unauthorized${why}`);
    }
    assert.deepEqual([shop.questions, shop.upstream.sent], [[], []]);
    await dataOf(await shop.create());
  });

  it('names its order: without one, or with another form of it, it opens nothing', async () => {
    const shop = openShop({ paymentPage: { name: 'Padaria da Ana' } });
    const signer = createSigner<object>('order', { secrets, publicUrl });
    for (const e of [undefined, null, 7, ['order-1'], '']) {
      const authorization = `Bearer ${await signer.sign({ e, x: 9e9 })}`;
      const answer = shop.request('/order', { headers: { authorization } });
      assert.equal(await refusalOf(answer), '401 unauthorized');
    }
    assert.deepEqual(shop.questions, []);
  });

  it('requireOrderToken false: is handed to the merchant as it is', async () => {
    const shop = openShop({ requireOrderToken: false });
    await dataOf(await shop.create({ body: { order_token: 'my own' } }));
    await dataOf(await shop.create({ body: { order_token: undefined } }));
    assert.deepEqual(column(shop.questions, 'orderToken'), ['my own', null]);
  });
});
