/**
 * Every phase on a narrow phone and on a wide screen, in light and dark: axe finds nothing, doubled text makes nothing
 * scroll sideways, and who wants no motion gets none.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CDPSession, Page } from 'puppeteer-core';
import { isThorough } from '../../support/runs.js';
import { findAxeFaults } from '../support/axe.js';
import {
  askForCode,
  fillForm,
  press,
  typed,
  untilPhase,
  untilShown,
  visit,
} from '../support/payer.js';
import { createGate, useShop, type PageOptions } from '../support/shop.js';
import { itFew } from '../../support/runner/long.js';

const itSome = itFew(3);

const shop = await useShop();

/** How a screen comes to be. */
interface Screen {
  readonly name: string;
  readonly page?: PageOptions;
  reach(page: Page, reference: string): Promise<void>;
}

const allFields = 'name cpf_cnpj email phone? address';

const screens: readonly Screen[] = [
  {
    name: 'form',
    page: { attributes: { 'payer-fields': allFields } },
    reach: (page) => untilPhase(page, 'form'),
  },
  {
    name: 'form with faults',
    page: { attributes: { 'payer-fields': allFields } },
    async reach(page) {
      await press(page, 'Gerar código Pix');
      await untilShown(page, 'Informe seu CPF ou CNPJ.');
    },
  },
  {
    name: 'form after a failure',
    async reach(page) {
      shop.between = async () => new Response(null, { status: 500 });
      await fillForm(page);
      await press(page, 'Gerar código Pix');
      await untilShown(page, 'Nada foi cobrado');
    },
  },
  {
    name: 'creating',
    async reach(page) {
      const gate = createGate();
      shop.between = async (request, forward) => {
        await gate.pass();
        return forward(request);
      };
      await fillForm(page);
      await press(page, 'Gerar código Pix');
      await gate.reached;
      await untilPhase(page, 'creating');
    },
  },
  {
    name: 'awaiting, with a deadline',
    page: { attributes: { 'expires-in': '500' } },
    async reach(page) {
      await askForCode(page);
    },
  },
  {
    name: 'awaiting, to be copied by hand',
    async reach(page) {
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', { value: undefined });
        document.execCommand = () => false;
      });
      await askForCode(page);
      await press(page, 'Copiar código Pix');
      await untilShown(page, 'Não deu para copiar.');
    },
  },
  {
    name: 'expired',
    page: { attributes: { 'expires-in': '1' } },
    async reach(page) {
      await fillForm(page);
      await press(page, 'Gerar código Pix');
      await untilPhase(page, 'expired');
    },
  },
  {
    name: 'confirming',
    async reach(page, reference) {
      await askForCode(page);
      await shop.setFaults([{ on: 'look_up', kind: 'wrong_total' }]);
      await shop.settle(shop.invoicesOf(reference)[0]?.invoiceId ?? '');
      await untilPhase(page, 'confirming');
    },
  },
  {
    name: 'paid',
    async reach(page, reference) {
      await askForCode(page);
      await shop.settle(shop.invoicesOf(reference)[0]?.invoiceId ?? '');
      await untilPhase(page, 'paid');
    },
  },
  {
    name: 'failed',
    page: { attributes: { 'total-price-cents': '1' } },
    async reach(page) {
      await fillForm(page, typed);
      await press(page, 'Gerar código Pix');
      await untilPhase(page, 'failed');
    },
  },
];

describe('every screen', () => {
  for (const { name, page: options, reach } of screens) {
    itSome(`can be read by everybody: ${name}`, async (t) => {
      shop.between = null;
      await shop.setFaults();
      const { page, reference } = await visit(t, shop, options);
      await reach(page, reference);
      const debug = await page.createCDPSession();
      for (const width of [320, 1280]) {
        await page.setViewport({ width, height: 800 });
        for (const scheme of isThorough || width > 320 ? ['light', 'dark'] : ['dark']) {
          await emulate(debug, { 'prefers-color-scheme': scheme });
          assert.deepEqual(await findAxeFaults(page), [], `${scheme} at ${width} px`);
        }
        assert.deepEqual(await findTooWide(page), [], `${width} px`);
      }

      await page.setViewport({ width: 320, height: 800 });
      const usual = await textSizes(page);
      await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
      assert.deepEqual(
        await textSizes(page),
        usual.map((size) => size * 2),
      );
      assert.deepEqual(await findTooWide(page), [], 'doubled text');

      await emulate(debug, { 'prefers-reduced-motion': 'reduce' });
      assert.equal(await countAnimations(page), 0);
    });
  }

  it('moves where nobody objects, and is found too wide where it is', async (t) => {
    shop.between = null;
    await shop.setFaults();
    const { page } = await visit(t, shop);
    await askForCode(page);
    assert.ok((await countAnimations(page)) > 0, 'the dot of a code that waits');
    await page.setViewport({ width: 320, height: 800 });
    await page.$eval('pix-checkout >>> h2', (heading) => (heading.style.width = '400px'));
    assert.deepEqual(await findTooWide(page), ['the page', 'h2']);
  });
});

async function emulate(debug: CDPSession, media: Record<string, string>): Promise<void> {
  const features = Object.entries(media).map(([name, value]) => ({ name, value }));
  await debug.send('Emulation.setEmulatedMedia', { features });
}

/** Elements of the checkout that reach beyond the screen, and the page itself if it scrolls sideways. */
function findTooWide(page: Page): Promise<string[]> {
  return page.$eval('pix-checkout', ({ shadowRoot }) => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const found = scrollWidth > clientWidth ? ['the page'] : [];
    for (const element of shadowRoot?.querySelectorAll('*') ?? []) {
      const { left, right, width } = element.getBoundingClientRect();
      // What is there for screen readers only is a pixel wide, wherever it stands.
      if (width > 1 && (left < 0 || right > clientWidth)) found.push(element.localName);
    }
    return found;
  });
}

/** Size of each element's text, pixels; but for the amount, which is large enough to be held to the screen's width. */
function textSizes(page: Page): Promise<number[]> {
  return page.$eval('pix-checkout', ({ shadowRoot }) =>
    [...(shadowRoot?.querySelectorAll('*:not([part~="amount"])') ?? [])].map((element) =>
      parseFloat(getComputedStyle(element).fontSize),
    ),
  );
}

/** Animations that are running in the checkout, and that last. */
function countAnimations(page: Page): Promise<number> {
  return page.$eval(
    'pix-checkout',
    ({ shadowRoot }) =>
      shadowRoot?.getAnimations().filter(({ playState }) => playState === 'running').length ?? 0,
  );
}
