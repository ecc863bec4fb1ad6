/** A page that is morphed into what its server renders anew, as Turbo and Livewire do: the checkout on it goes on. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { root } from '../../tools/tools.js';
import {
  askForCode,
  fillForm,
  heardOf,
  press,
  untilPhase,
  visit,
} from '../../support/browser/payer.js';
import { payWhileRenderedAnew } from '../../support/browser/rendered-anew.js';
import { useShop } from '../../support/browser/shop.js';

const shop = await useShop();
const idiomorph = readFileSync(`${root}/node_modules/idiomorph/dist/idiomorph.js`);
shop.server.scripts.set('/idiomorph.js', idiomorph);
const rest = '<p>Loja</p><script src="/idiomorph.js"></script>';

declare global {
  interface Window {
    Idiomorph: { morph(old: Element, html: string): unknown };
  }
}

/** Signs and renders the order's page anew, and morphs the page into it. */
async function morph(page: Page, reference: string, attributes = {}): Promise<void> {
  await shop.addPage({ reference, rest, attributes });
  await page.evaluate(async () => {
    const html = await (await fetch(location.href)).text();
    const body = new DOMParser().parseFromString(html, 'text/html').body.outerHTML;
    window.Idiomorph.morph(document.body, body);
  });
}

describe('a page that is morphed', () => {
  it('with a newly signed token, in each phase: the payment goes on', async (t) => {
    const { page, reference } = await visit(t, shop, { rest });
    const begin = async () => {
      await fillForm(page);
      await press(page, 'Gerar código Pix');
      return page;
    };
    await payWhileRenderedAnew({ shop, reference }, begin, () => morph(page, reference));
  });

  it('into one whose cart is empty: the receipt stays', async (t) => {
    const { page, reference } = await visit(t, shop, { rest });
    await askForCode(page);
    await shop.payNewest(reference);
    await untilPhase(page, 'paid');
    await morph(page, reference, { 'total-price-cents': '0' });
    await morph(page, reference, { 'total-price-cents': null, 'order-token': null });
    assert.equal(await page.$eval('pix-checkout', ({ phase }) => phase), 'paid');
    assert.deepEqual(await heardOf(page, 'pix-error'), []);
  });
});
