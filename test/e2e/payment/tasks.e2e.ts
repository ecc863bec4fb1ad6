/**
 * What a payer comes to do, and what goes wrong on the way, each from its beginning to its end on a slow phone: what has to
 * be read next stands in the window, and no one has to look for it.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { openCardShop, payByCard } from '../../support/browser/card.js';
import { openContext } from '../../support/browser/contexts.js';
import {
  askForCode,
  barClipboard,
  chooseMethod,
  fillForm,
  openPage,
  passTime,
  press,
  shownCode,
  typed,
  untilPhase,
  untilShown,
  visit,
  visitShop,
} from '../../support/browser/payer.js';
import { holdAnswers, useShop } from '../../support/browser/shop.js';

const expiresInSeconds = 600;
const shop = await useShop({ proxy: { paymentPage: { name: 'Padaria', assetsUrl: '/dist' } } });
const shopOfDeadlines = await useShop({ jumps: true, expiresInSeconds });

/** A small phone, four times slower than this machine. */
async function asPhone(page: Page): Promise<void> {
  await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
  await page.emulateCPUThrottling(4);
}

/** Waits until a text stands in the window, without a scroll of the payer's. */
async function untilInView(page: Page, text: string): Promise<void> {
  await untilShown(page, text);
  await page.waitForFunction(
    (wanted) => {
      const all = document.querySelector('pix-checkout')?.shadowRoot?.querySelectorAll('*') ?? [];
      return [...all].some((element) => {
        const words = element.textContent?.replaceAll(/\s+/g, ' ') ?? '';
        const { top, bottom, width } = element.getBoundingClientRect();
        return words.includes(wanted) && width > 1 && top >= 0 && bottom <= innerHeight;
      });
    },
    { polling: 50 },
    text,
  );
}

// One after the other: Chromium makes a page slow by keeping a core busy, for as long as the page is open.
describe('on a phone, a payer', () => {
  it('pays from the link to the receipt', async (t) => {
    const url = await shop.createPaymentLink('order-1');
    const page = await openPage(await openContext(t), shop, url, asPhone);
    await askForCode(page);
    await untilInView(page, 'Copiar código Pix');
    await shop.payNewest('order-1');
    await untilPhase(page, 'paid');
    await untilInView(page, 'Pagamento confirmado');
  });

  it('mends a wrong CPF, and loses nothing', async (t) => {
    const { page } = await visit(t, shop, { prepare: asPhone });
    await fillForm(page, { ...typed, cpf_cnpj: '529.982.247-26' });
    await press(page, 'Gerar código Pix');
    await untilInView(page, 'CPF');
    const fields = () =>
      page.$$eval('pix-checkout >>> input:not([type=checkbox])', (all) =>
        all.map((one) => one.value),
      );
    assert.deepEqual(await fields(), Object.values({ ...typed, cpf_cnpj: '529.982.247-26' }));
    await page.$eval('pix-checkout >>> #cpf_cnpj', (input) => (input as HTMLInputElement).select());
    await fillForm(page, { cpf_cnpj: typed.cpf_cnpj });
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'awaiting');
  });

  it('loses the line after pressing, and gets the code that was made', async (t) => {
    const { shop, page, reference } = await visitShop(t, { prepare: asPhone });
    shop.between = async (request, forward) => {
      await forward(request);
      return request.method === 'POST' ? Response.error() : Response.json({}, { status: 503 });
    };
    await fillForm(page);
    await press(page, 'Gerar código Pix');
    await untilInView(page, 'Nada foi cobrado nesta tentativa.');
    shop.between = null;
    await press(page, 'Tentar de novo');
    await untilPhase(page, 'awaiting');
    assert.equal(await shownCode(page), shop.invoicesOf(reference)[0]?.qrCodePix);
    assert.equal(shop.invoicesOf(reference).length, 1);
  });

  it('leaves for the bank, pays, and sees it on return', async (t) => {
    const { page, reference, context } = await visit(t, shop, { prepare: asPhone });
    await askForCode(page);
    const bank = await context.newPage();
    await bank.bringToFront();
    await page.waitForFunction(() => document.hidden, { polling: 50 });
    await shop.payNewest(reference);
    await bank.close();
    await page.bringToFront();
    await untilPhase(page, 'paid');
    await untilInView(page, 'Pagamento confirmado');
  });

  it('lets a code expire, and takes a new one', async (t) => {
    const { page, reference } = await visit(t, shopOfDeadlines, { prepare: asPhone });
    const old = await askForCode(page);
    await passTime(page, shopOfDeadlines, expiresInSeconds * 1_000);
    await untilPhase(page, 'expired');
    await untilInView(page, 'Se já pagou, não pague de novo');
    await press(page, 'Gerar novo código Pix');
    await untilPhase(page, 'awaiting');
    assert.notEqual(await shownCode(page), old);
    await shopOfDeadlines.payNewest(reference);
    await passTime(page, shopOfDeadlines, 60_000);
    await untilPhase(page, 'paid');
  });

  it('has a card refused, and pays by Pix', async (t) => {
    const { shop, page, reference } = await openCardShop(t, { prepare: asPhone });
    await payByCard(page, 'refuse');
    await untilInView(page, 'Pagamento não aprovado');
    await chooseMethod(page, 'Pix');
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'awaiting');
    await shop.payNewest(reference);
    await untilPhase(page, 'paid');
    assert.equal(shop.chargesOf(reference).count, 1);
  });

  it('may not write to the clipboard, and sees the code to copy by hand', async (t) => {
    const { page } = await visit(t, shop, {
      prepare: async (opening) => {
        await asPhone(opening);
        await barClipboard(opening);
      },
    });
    const code = await askForCode(page);
    await press(page, 'Copiar código Pix');
    await untilInView(page, 'Não deu para copiar.');
    const { selected, height } = await page.$eval('pix-checkout >>> textarea', (area) => ({
      selected: area.value.slice(area.selectionStart, area.selectionEnd),
      height: area.clientHeight - area.scrollHeight,
    }));
    assert.deepEqual([selected, height >= 0], [code, true], 'all of it is shown, and selected');
  });

  it('reloads in each phase, and is where they were', async (t) => {
    const { shop, page, reference } = await visitShop(t, { prepare: asPhone });
    const gate = holdAnswers(shop);
    await fillForm(page);
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'creating');
    await gate.reached;
    shop.between = null;
    await page.reload();
    await untilPhase(page, 'awaiting');
    const code = await shownCode(page);
    await page.reload();
    await untilPhase(page, 'awaiting');
    assert.equal(await shownCode(page), code);
    await shop.payNewest(reference);
    await untilPhase(page, 'paid');
    gate.open();
    await page.reload();
    await fillForm(page);
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'paid');
    assert.equal(shop.invoicesOf(reference).length, 1);
  });
});
