/** The way of one order from the browser's request to a Pix code, and what the service is told. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { accessToken, dataOf, openShop, refusalOf } from '../../support/proxy/shop.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';

describe('creating an invoice', () => {
  it('answers with exactly the fields of the contract', async () => {
    const [shop, data] = await openInvoice();
    const [invoice] = shop.upstream.invoices.values();
    assert.deepEqual(data, {
      invoice_id: invoice?.invoice_id,
      order_code: invoice?.['order_code'],
      external_id: 'order-1',
      qr_code_pix: invoice?.['qr_code_pix'],
      status: 'pending',
      total_cents: 12_345,
      lookup_token: data.lookup_token,
    });
    assert.match(data.lookup_token, /^v1\.[\w-]+\.[\w-]{43}$/);
  });

  it('sends the service what the merchant decided, and the token', async () => {
    const order = {
      total_price_cents: 990,
      items: [{ name: 'Camiseta', description: 'azul', quantity: 1, unit_price: 990 }],
      product_fisical: 'true',
    };
    const shop = openShop({ resolveOrder: () => order });
    await dataOf(shop.create({ remoteAddress: '203.0.113.9' }));
    const [call] = shop.upstream.sent;
    assert.equal(call?.url, 'https://service.example/api/v2/invoices');
    assert.equal(call?.headers.get('authorization'), `Bearer ${accessToken}`);
    assert.equal(call?.headers.get('idempotency-key'), null);
    const { postback_url: postbackUrl, ...body } = call?.body ?? {};
    assert.deepEqual(body, {
      method: 'pix',
      external_id: 'order-1',
      ip_payer: '203.0.113.9',
      ...order,
    });
    assert.match(
      String(postbackUrl),
      /^https:\/\/shop\.example\/pay\/postbacks\/v1\.[\w-]+\.[\w-]{43}$/,
    );
  });

  it('asks the merchant with what it knows', async () => {
    const shop = openShop();
    const token = await shop.signOrder('order-1');
    await shop.create({ headers: { 'x-shop': 'a' } });
    const { request, ...question } = shop.questions[0]!;
    assert.deepEqual(question, {
      externalId: 'order-1',
      orderToken: token,
      method: 'pix',
      installment: 1,
    });
    assert.equal(request?.headers.get('x-shop'), 'a');
  });

  it("lets the merchant's payer fields win over the browser's, and leaves empty ones out", async () => {
    const shop = openShop({
      resolveOrder: () => ({
        total_price_cents: 100,
        payer: { email: 'merchant@example.com', phone: '' },
      }),
    });
    const payer = {
      name: ' Ana  Souza ',
      email: 'browser@example.com',
      phone: '+55 (11) 98765-4321',
      address_city: ' ',
    };
    await dataOf(shop.create({ body: { payer } }));
    assert.deepEqual(shop.upstream.sent[0]?.body?.['payer'], {
      name: 'Ana Souza',
      email: 'merchant@example.com',
      phone: '11987654321',
    });
  });

  it('refuses what a browser wrote wrong, and lets the merchant’s own word pass', async () => {
    const shop = openShop({
      resolveOrder: () => ({ total_price_cents: 100, payer: { phone: '3000-0000' } }),
    });
    const wrong = { email: 'maria@exemplo.com/' };
    const refused = await shop.create({ body: { payer: wrong } });
    assert.equal(await refusalOf(refused), '400 invalid_request payer.email');
    assert.equal(shop.upstream.sent.length, 0);
    await dataOf(shop.create());
    assert.deepEqual(shop.upstream.sent[0]?.body?.['payer'], { phone: '30000000' });
  });

  it('offers the code as long as the merchant says, counted down', async () => {
    const [shop, first] = await openInvoice({
      resolveOrder: () => ({ total_price_cents: 100, expires_in: 600 }),
    });
    assert.equal(first['expires_in'], 600);
    await shop.clock.advance(59_001);
    const again = await dataOf(shop.create());
    assert.equal(again['expires_in'], 541);
    const status = await dataOf(shop.lookUp(first));
    assert.equal(status['expires_in'], 541);
  });

  it('never charges what the browser says', async () => {
    const shop = openShop();
    assert.equal(
      await refusalOf(shop.create({ body: { expected_total_cents: 1 } })),
      '409 amount_mismatch total_price_cents: 12345, not 1',
    );
    assert.equal(shop.upstream.sent.length, 0);
    await dataOf(shop.create({ body: { expected_total_cents: 12_345 } }));
    assert.equal(shop.upstream.sent[0]?.body?.['total_price_cents'], 12_345);
    assert.equal('expected_total_cents' in (shop.upstream.sent[0]?.body ?? {}), false);
  });

  it('is the same for the merchant’s own server, without key and order token', async () => {
    const shop = openShop();
    const input = { externalId: 'order-1', method: 'pix', remoteAddress: '203.0.113.9' } as const;
    const made = await shop.proxy.createInvoice(input);
    const shown = await dataOf(shop.create());
    assert.equal(shown.invoice_id, made.invoice_id);
    assert.equal(shop.upstream.creates(), 1);
    assert.equal(shop.upstream.sent[0]?.body?.['ip_payer'], '203.0.113.9');
    await dataOf(
      shop.lookUp({ invoice_id: made.invoice_id, lookup_token: made.lookup_token ?? '' }),
    );
  });

  it('refuses the merchant’s own server with the same codes', async () => {
    const cases: [input: Record<string, unknown>, code: string][] = [
      [{ method: 'credit_card' }, 'invalid_request: card'],
      [{ externalId: 'not a reference' }, 'invalid_request: external_id'],
      [{ payer: { shoe_size: '42' } }, 'invalid_request: payer.shoe_size'],
      [{ payer: { email: 'mailto:maria@exemplo.com' } }, 'invalid_request: payer.email'],
      [{ installment: 2 }, 'invalid_request: installment'],
    ];
    const shop = openShop();
    for (const [fields, message] of cases) {
      const input = { externalId: 'order-1', method: 'pix' as const, ...fields };
      await assert.rejects(shop.proxy.createInvoice(input), { name: 'ProxyError', message });
    }
    assert.equal(shop.upstream.sent.length, 0);
  });
});
