/** A whole payment with the built file: from one script tag to `pix-paid`, and what the service knows of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { openContext } from '../../support/browser/contexts.js';
import {
  focusedElement,
  tabTo,
  typed,
  untilPhase,
  untilShown,
  visit,
  untilDrawn,
} from '../../support/browser/payer.js';
import { useShop } from '../../support/browser/shop.js';

const shop = await useShop();

describe('a payment', () => {
  it('needs the page, one script and one request until the QR stands', async (t) => {
    const requests: string[] = [];
    const { url, page } = await visit(t, shop, {
      attributes: { 'payer-fields': '', 'auto-start': '' },
      async prepare(opening) {
        opening.on('request', (request) => {
          const { pathname } = new URL(request.url());
          // The browser asks for it by itself, at its first page of an origin.
          if (pathname !== '/favicon.ico') requests.push(`${request.method()} ${pathname}`);
        });
      },
    });
    await untilDrawn(page, 'svg[role="img"]');
    assert.deepEqual(requests.slice(0, 3), [
      `GET ${new URL(url).pathname}`,
      'GET /dist/pix-checkout.min.js',
      'POST /pix/invoices',
    ]);
    // Whatever came after was asked once the QR stood: the look-up that is held.
    const later = requests.slice(3).filter((request) => !request.startsWith('GET /pix/invoices/'));
    assert.deepEqual(later, []);
  });

  it('is made by keyboard alone', async (t) => {
    const { reference, page, context } = await visit(t, shop);
    await context.overridePermissions(shop.origin, ['clipboard-read', 'clipboard-sanitized-write']);
    const { keyboard } = page;
    for (const [field, value] of Object.entries(typed)) {
      await tabTo(page, `#${field}`);
      await keyboard.type(value);
    }
    await keyboard.press('Enter');
    await untilPhase(page, 'awaiting');
    await tabTo(page, '[part="copy-button"]');
    await keyboard.press('Enter');
    await untilShown(page, 'Código copiado');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const [invoice] = shop.invoicesOf(reference);
    assert.equal(copied, invoice?.qrCodePix);

    // Focused before it is paid: the held look-up may show the receipt at once.
    await tabTo(page, '.exits button');
    await shop.settle(invoice?.invoiceId ?? '');
    await keyboard.press('Space');
    await untilPhase(page, 'paid');
    // The button is gone with its screen: a keyboard goes on from the receipt.
    assert.equal(await focusedElement(page), 'h2#title');
  });

  it('has the link of the page where the script never arrives, and only there', async (t) => {
    const children = '<a href="/pay-by-hand">Pagar pedido</a>';
    const { url } = await shop.addPage({ children });
    shop.server.pages.set('/pay-by-hand', '<!doctype html><title>Pagar</title>');
    const page = await (await openContext(t)).newPage();
    await page.goto(url);
    await page.waitForSelector('pix-checkout:defined');
    assert.equal(await page.$eval('a', (link) => link.checkVisibility()), false);

    await page.setRequestInterception(true);
    page.on('request', (request) => {
      void (request.url().endsWith('.js') ? request.abort() : request.continue());
    });
    await page.goto(url);
    assert.equal(await page.$eval('a', (link) => link.checkVisibility()), true);
    await page.click('a');
    await page.waitForFunction(() => document.title === 'Pagar');
  });
});
