/** `pix-checkout/testing` as a merchant's tests use it: the built package, in Puppeteer and in Playwright. */
import assert from 'node:assert/strict';
import { afterAll, describe, it } from 'vitest';
import { chromium } from 'playwright-core';
import { chromiumArgs, findChromium } from '../../tools/machine/browsers.js';
import { fakeCheckout, payInSandbox } from '../../../src/testing.js';
import { holder } from '../../support/browser/card.js';
import { openContext } from '../../support/browser/contexts.js';
import { visit, untilPhase } from '../../support/browser/payer.js';
import { pageOf, useServer } from '../../support/browser/server.js';
import { useShop } from '../../support/browser/shop.js';
import { column } from '../../support/rows.js';

const server = await useServer();
const shop = await useShop();

server.pages.set(
  '/pix',
  pageOf(
    '<pix-checkout endpoint="/pay" external-id="order-1" payer-fields="" auto-start></pix-checkout>',
  ),
);
server.pages.set(
  '/card',
  pageOf(
    '<pix-checkout endpoint="/pay" external-id="order-2" payer-fields="" methods="credit_card" ' +
      'accept-raw-card total-price-cents="12990"></pix-checkout>',
  ),
);

const card = {
  'Número do cartão': '4111 1111 1111 1111',
  'Nome impresso no cartão': holder.card_name,
  Validade: holder.card_expiry,
  CVV: holder.card_code,
};

describe('fakeCheckout in Playwright', async () => {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...chromiumArgs],
  });
  afterAll(() => browser.close());

  it('pays by Pix, and stays paid over a reload', async () => {
    const page = await browser.newPage();
    const checkout = await fakeCheckout(page, { totalCents: 12_990 });
    await page.goto(`${server.origin}/pix`);
    await checkout.pay();
    await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
    assert.equal(checkout.invoices.length, 1);
  });

  it('refuses a card, and pays with the next', async () => {
    const page = await browser.newPage();
    const checkout = await fakeCheckout(page);
    checkout.refuseCard();
    await page.goto(`${server.origin}/card`);
    const fill = async () => {
      for (const [label, value] of Object.entries(card)) await page.getByLabel(label).fill(value);
      await page.getByRole('button', { name: /^Pagar/ }).click();
    };
    await fill();
    await page.getByText('Pagamento não aprovado').last().waitFor();
    await fill();
    // What is left in a page that takes money must be seen there: no card is charged.
    await page.getByText('Ambiente de teste: não pague').waitFor();
    assert.match(await page.getByRole('heading').first().innerText(), /confirmando/);
    await checkout.pay();
    await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
    assert.deepEqual(column(checkout.invoices, 'status'), ['payment_refused', 'paid']);
  });
});

it('fakeCheckout in Puppeteer pays by Pix', async (t) => {
  const context = await openContext(t);
  const page = await context.newPage();
  const checkout = await fakeCheckout(page, { endpoint: `${server.origin}/pay/` });
  await page.goto(`${server.origin}/pix`);
  await checkout.pay();
  await untilPhase(page, 'paid');
  assert.equal(checkout.invoices.length, 1);
});

describe('payInSandbox', () => {
  it('pays an invoice of a whole shop', async (t) => {
    const { page, reference } = await visit(t, shop, {
      attributes: { 'payer-fields': '', 'auto-start': '' },
    });
    await untilPhase(page, 'awaiting');
    await payInSandbox(`${shop.serviceUrl}/`, shop.invoicesOf(reference)[0]?.invoiceId ?? '');
    await untilPhase(page, 'paid');
  });

  it('says so when the sandbox knows no such invoice', async () => {
    await assert.rejects(payInSandbox(shop.serviceUrl, 'unknown-1'), /answered 404.*unknown-1/);
  });
});
