/**
 * A page translator reaches into the shadow root and puts an element in the place of every text: whatever changes afterwards
 * still shows, is announced, and stands nowhere twice.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { openCardShop, payByCard } from '../../support/browser/card.js';
import {
  askForCode,
  chooseMethod,
  fillForm,
  passTime,
  untilPhase,
  untilShown,
  visit,
} from '../../support/browser/payer.js';
import { useShop } from '../../support/browser/shop.js';

const shop = await useShop({ jumps: true, expiresInSeconds: 300 });

/** As a translator leaves a page: each text in two elements of its own, in other words. */
function translate(page: Page): Promise<void> {
  return page.$eval('pix-checkout', ({ shadowRoot }) => {
    const walker = document.createTreeWalker(shadowRoot!, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) {
      if (!text.data.trim() || text.parentElement?.closest('style, textarea')) continue;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      inner.textContent = `‹${text.data}›`;
      outer.append(inner);
      text.replaceWith(outer);
    }
  });
}

/** What a screen reader is told, which waits for a moment with what may be over at once. */
async function untilAnnounced(page: Page, words: string): Promise<void> {
  await page.waitForFunction(
    (start) => {
      const status = document
        .querySelector('pix-checkout')
        ?.shadowRoot?.querySelector('[role="status"]');
      return status?.textContent.replaceAll('\u00a0', ' ').startsWith(start);
    },
    { polling: 50 },
    words,
  );
}

/** What the element says now, without what is translated: all of it has been said anew. */
const saidOf = (page: Page, selector: string) =>
  page.$eval(`pix-checkout >>> ${selector}`, ({ textContent }) =>
    (textContent ?? '').replaceAll(/\s+/g, ' ').trim(),
  );

describe('a checkout that a page translator has changed', () => {
  it('goes on to say what is wrong, what is copied, how long there is, and that it is paid', async (t) => {
    const { page, context, reference } = await visit(t, shop);
    await context.overridePermissions(shop.origin, ['clipboard-sanitized-write']);
    await translate(page);
    await page.$eval('pix-checkout', (element) => element.start());
    await untilShown(page, 'Digite seu nome completo.');
    await translate(page);
    await fillForm(page);
    assert.equal(await page.$('pix-checkout >>> .fault'), null);
    await page.$eval('pix-checkout', (element) => element.start());
    await untilPhase(page, 'awaiting');
    await translate(page);
    const before = await saidOf(page, '[role="timer"] b');
    await passTime(page, shop, 2_000);
    await page.waitForFunction(
      (then) => {
        const root = document.querySelector('pix-checkout')?.shadowRoot;
        const now = root?.querySelector('[role="timer"] b')?.textContent ?? '';
        return now.trim() !== then && !now.includes('‹');
      },
      {},
      before,
    );
    await translate(page);
    await page.click('pix-checkout >>> [part="copy-button"]');
    await untilShown(page, 'Código copiado. Agora abra o app do seu banco.');
    assert.equal(await saidOf(page, '[part="copy-button"]'), 'Código copiado');
    await untilAnnounced(page, 'Código copiado.');
    await translate(page);
    await page.click('pix-checkout >>> .exits button');
    await untilShown(page, 'Ainda não recebemos.');
    await translate(page);
    await shop.payNewest(reference);
    await passTime(page, shop, 10_000);
    await untilPhase(page, 'paid');
    await untilAnnounced(page, 'Pagamento confirmado. Recebemos R$ 129,90.');
  });

  it('goes on after its code has expired', async (t) => {
    const { page } = await visit(t, shop);
    await askForCode(page);
    await translate(page);
    await passTime(page, shop, 300_000);
    await untilPhase(page, 'expired');
    await untilShown(page, 'O código Pix expirou.');
    await translate(page);
    await page.click('pix-checkout >>> [part="submit-button"]');
    await untilPhase(page, 'awaiting');
    await untilAnnounced(page, 'Código Pix de');
  });

  it('says that a card was refused, and takes Pix instead', async (t) => {
    const { page } = await openCardShop(t);
    await translate(page);
    await payByCard(page, 'refuse');
    await untilShown(page, 'Pagamento não aprovado.');
    await untilAnnounced(page, 'Pagamento não aprovado.');
    await translate(page);
    await chooseMethod(page, 'Pix');
    await untilShown(page, 'Gerar código Pix');
  });
});
