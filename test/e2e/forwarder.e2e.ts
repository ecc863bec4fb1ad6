/**
 * A proxy of twenty lines that knows the two routes and nothing else of ours: it prices the order, adds the bearer, and
 * forwards. No shop can live with it; the element survives it all the same, and names what it leaks.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'puppeteer-core';
import { askForCode, heardOf, scanScreen, untilPhase, visit } from './support/payer.js';
import { totalCents, useShop } from './support/shop.js';

const shop = await useShop();

describe('a forwarding proxy', () => {
  /** All of it. */
  async function forward(request: Request): Promise<Response> {
    const { method } = request;
    const path = new URL(request.url).pathname.replace('/pix/', '');
    const isCreation = method === 'POST' && path === 'invoices';
    if (!isCreation && !(method === 'GET' && /^invoices\/[\w-]+$/.test(path))) {
      return new Response(null, { status: 404 });
    }
    const headers = {
      Authorization: `Bearer ${shop.accessToken}`,
      'Content-Type': 'application/json',
    };
    const order = { total_price_cents: totalCents };
    return fetch(`${shop.serviceUrl}/api/v2/${path}`, {
      method,
      headers,
      ...(isCreation && { body: JSON.stringify({ ...(await request.json()), ...order }) }),
    });
  }

  it('serves a whole payment, and is told once what it leaks', async (t) => {
    shop.server.handlers.set('/pix', forward);
    const warnings: string[] = [];
    const prepare = async (opening: Page) => {
      opening.on('console', (message) => {
        if (message.type() === 'warn') warnings.push(message.text());
      });
    };
    const { page, reference } = await visit(t, shop, { prepare });
    const code = await askForCode(page);
    assert.equal(await scanScreen(page), code);
    const [invoice] = shop.invoicesOf(reference);
    await page.reload();
    await untilPhase(page, 'awaiting');
    await shop.settle(invoice?.invoiceId ?? '');
    await untilPhase(page, 'paid');

    assert.deepEqual(await heardOf(page, 'pix-error'), [
      { code: 'personal_data_leak', retryable: false, invoiceId: invoice?.invoiceId },
    ]);
    const [paid] = await heardOf(page, 'pix-paid');
    assert.deepEqual([paid?.['totalCents'], paid?.['externalId']], [totalCents, reference]);
    assert.equal(shop.invoicesOf(reference).length, 1);
    const [tokens, leaks] = [/lookup_token/, /personal data/].map((word) =>
      warnings.filter((warning) => word.test(warning)),
    );
    assert.equal(tokens?.length, 1, 'the creation gave none');
    assert.equal(leaks?.length, 2, 'once before the reload and once after it');
    assert.equal(warnings.length, 3);
    for (const warning of leaks ?? []) {
      assert.match(warning, /^<pix-checkout> .*personal data \(client/);
      assert.doesNotMatch(warning, /Maria|529/);
    }
  });
});
