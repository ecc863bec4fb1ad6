/** A whole payment with the built file: from one script tag to `pix-paid`, and what the service knows of it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { launchChromium } from './support/launch.js';
import {
  askForCode,
  fillForm,
  heardOn,
  openPage,
  press,
  typed,
  untilHeard,
  untilPhase,
  untilShown,
} from './support/payer.js';
import { openShop, totalCents, type Shop } from './support/shop.js';

describe('a payment', () => {
  let browser: Browser;
  let context: BrowserContext;
  let shop: Shop;
  before(async () => {
    browser = await launchChromium();
    context = await browser.createBrowserContext();
    shop = await openShop();
  });
  after(async () => {
    await browser?.close();
    await shop?.close();
  });

  it('goes from one script tag to pix-paid, and the service agrees', async () => {
    const { reference, url } = await shop.addPage();
    const page = await openPage(context, url);
    await askForCode(page);

    const [invoice] = shop.invoicesOf(reference);
    assert.ok(invoice);
    assert.equal(shop.invoicesOf(reference).length, 1);
    const { total_price_cents, payer, ip_payer } = invoice.request;
    assert.deepEqual(
      { total_price_cents, payer, ip_payer },
      {
        total_price_cents: totalCents,
        payer: { name: 'Maria da Silva', cpf_cnpj: '52998224725', email: 'maria@example.com' },
        ip_payer: '127.0.0.1',
      },
    );
    assert.equal(
      await page.evaluate(() => window.heard.some(({ type }) => type === 'pix-paid')),
      false,
    );

    await shop.settle(invoice.invoiceId);
    await untilPhase(page, 'paid');
    const { detail } = await untilHeard(page, 'pix-paid');
    const { invoiceId, orderCode } = invoice;
    const known = { invoiceId, orderCode, externalId: reference, method: 'pix', totalCents };
    assert.deepEqual(detail, known);
    for (const text of ['Recebemos R$ 129,90', reference, orderCode]) await untilShown(page, text);
    assert.equal(shop.invoicesOf(reference)[0]?.status, 'paid');
    assert.deepEqual(
      (await heardOn(page)).map(({ type }) => type),
      [
        'pix-ready',
        'pix-submit',
        'pix-status',
        'pix-status',
        'pix-created',
        'pix-status',
        'pix-paid',
      ],
    );
    assert.deepEqual(shop.log, []);
    await page.close();
  });

  it('needs the page, one script and one request until the QR stands', async () => {
    const { url } = await shop.addPage({ attributes: { 'payer-fields': '', 'auto-start': '' } });
    const requests: string[] = [];
    const page = await openPage(context, url, async (opening) => {
      opening.on('request', (request) => {
        requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
      });
    });
    await page.waitForSelector('pix-checkout >>> svg[role="img"]');
    assert.deepEqual(requests.slice(0, 3), [
      `GET ${new URL(url).pathname}`,
      'GET /dist/pix-checkout.min.js',
      'POST /pix/invoices',
    ]);
    // Whatever came after was asked once the QR stood: the look-up that is held.
    const later = requests.slice(3).filter((request) => !request.startsWith('GET /pix/invoices/'));
    assert.deepEqual(later, []);
    await page.close();
  });

  it('is made by keyboard alone', async () => {
    const { reference, url } = await shop.addPage();
    await context.overridePermissions(shop.origin, ['clipboard-read', 'clipboard-sanitized-write']);
    const page = await openPage(context, url);
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

    await shop.settle(invoice?.invoiceId ?? '');
    await tabTo(page, '.exits button');
    await keyboard.press('Space');
    await untilPhase(page, 'paid');
    // The button is gone with its screen: a keyboard goes on from the receipt.
    assert.equal(await focusedElement(page), 'h2#title');
    await context.clearPermissionOverrides();
    await page.close();
  });

  it('keeps the focus at what is wrong and what was typed', async () => {
    const { reference, url } = await shop.addPage();
    const page = await openPage(context, url);
    await fillForm(page, { ...typed, cpf_cnpj: '529.982.247-26' });
    await page.keyboard.press('Enter');
    await untilShown(page, 'há um erro de digitação');
    assert.equal(await focusedElement(page), 'input#cpf_cnpj');
    assert.equal(shop.invoicesOf(reference).length, 0);
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('5');
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'awaiting');
    assert.equal(shop.invoicesOf(reference)[0]?.request.payer?.cpf_cnpj, '52998224725');
    await page.close();
  });

  it('has the link of the page where the script never arrives, and only there', async () => {
    const children = '<a href="/pay-by-hand">Pagar pedido</a>';
    const { url } = await shop.addPage({ children });
    shop.server.pages.set('/pay-by-hand', '<!doctype html><title>Pagar</title>');
    const page = await context.newPage();
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
    await page.close();
  });

  it('is not disturbed by a second copy of the script', async () => {
    const second = '<script type="module" src="/dist/pix-checkout.min.js?second"></script>';
    const { reference, url } = await shop.addPage({ rest: second });
    const errors: unknown[] = [];
    const scripts: string[] = [];
    const page = await openPage(context, url, async (opening) => {
      opening.on('pageerror', (error) => errors.push(error));
      opening.on('requestfinished', (request) => {
        if (request.resourceType() === 'script') scripts.push(new URL(request.url()).search);
      });
    });
    await askForCode(page);
    const [invoice, ...others] = shop.invoicesOf(reference);
    await shop.settle(invoice?.invoiceId ?? '');
    await untilPhase(page, 'paid');
    const paid = (await heardOn(page)).filter(({ type }) => type === 'pix-paid');
    assert.deepEqual(
      [scripts.toSorted(), others, errors, paid.length],
      [['', '?second'], [], [], 1],
    );
    await page.close();
  });
});

/** Presses Tab until an element of the checkout has the focus; a ring of more than thirty stops has no such one. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let stops = 0; stops < 30; stops += 1) {
    const there = await page.$eval(
      'pix-checkout',
      (checkout, wanted) => checkout.shadowRoot?.activeElement?.matches(wanted),
      selector,
    );
    if (there === true) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab never reaches ${selector}`);
}

/** Tag and id of what has the focus inside the checkout. */
function focusedElement(page: Page): Promise<string> {
  return page.$eval('pix-checkout', ({ shadowRoot }) => {
    const { localName, id } = shadowRoot?.activeElement ?? {};
    return `${localName}#${id}`;
  });
}
