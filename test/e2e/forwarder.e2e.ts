/**
 * A proxy of twenty lines that knows the two routes and nothing else of ours: it prices the order, adds the bearer, and
 * forwards. It serves a whole payment, and the element names what it leaks.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { launchChromium } from './support/launch.js';
import { askForCode, heardOn, openPage, scanScreen, untilPhase } from './support/payer.js';
import { openShop, totalCents, type Shop } from './support/shop.js';

describe('a forwarding proxy', () => {
  let browser: Browser;
  let shop: Shop;
  before(async () => {
    browser = await launchChromium();
    shop = await openShop();
    shop.server.handlers.set('/pix', forward);
  });
  after(async () => {
    await browser?.close();
    await shop?.close();
  });

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

  it('serves a whole payment, and is told once what it leaks', async () => {
    const { reference, url } = await shop.addPage();
    const warnings: string[] = [];
    const page = await openPage(browser.defaultBrowserContext(), url, async (opening) => {
      opening.on('console', (message) => {
        if (message.type() === 'warn') warnings.push(message.text());
      });
    });
    const code = await askForCode(page);
    assert.equal(await scanScreen(page), code);
    const [invoice] = shop.invoicesOf(reference);
    await page.reload();
    await untilPhase(page, 'awaiting');
    await shop.settle(invoice?.invoiceId ?? '');
    await untilPhase(page, 'paid');

    const heard = await heardOn(page);
    const leaks = heard.filter(({ type }) => type === 'pix-error').map(({ detail }) => detail);
    assert.deepEqual(leaks, [
      { code: 'personal_data_leak', retryable: false, invoiceId: invoice?.invoiceId },
    ]);
    const { detail } = heard.find(({ type }) => type === 'pix-paid') ?? {};
    assert.deepEqual([detail?.['totalCents'], detail?.['externalId']], [totalCents, reference]);
    assert.equal(shop.invoicesOf(reference).length, 1);
    assert.equal(warnings.length, 2, 'once before the reload and once after it');
    for (const warning of warnings) {
      assert.match(warning, /^<pix-checkout> .*personal data \(client/);
      assert.doesNotMatch(warning, /Maria|529/);
    }
    await page.close();
  });
});
