/** On paper: the open code and the receipt take one page each, without buttons, and the code can be scanned from it. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { Page, PDFOptions } from 'puppeteer-core';
import {
  askForCode,
  press,
  scanScreen,
  untilHeard,
  untilPhase,
  visitShop,
} from '../../support/browser/payer.js';

const papers: Readonly<Record<string, PDFOptions>> = {
  A4: { format: 'a4', margin: { top: '15mm', right: '15mm', bottom: '15mm', left: '15mm' } },
  '80 mm': { width: '80mm', height: '297mm', margin: { left: '4mm', right: '4mm' } },
};

async function assertOnePage(page: Page): Promise<void> {
  for (const [name, paper] of Object.entries(papers)) {
    const text = Buffer.from(await page.pdf(paper)).toString('latin1');
    assert.equal(text.match(/\/Type\s*\/Page\b/g)?.length, 1, name);
  }
}

/** What can be pressed as it is shown now. */
function shownButtons(page: Page): Promise<string[]> {
  return page.$eval('pix-checkout', ({ shadowRoot, children }) =>
    [...(shadowRoot?.querySelectorAll('button, label.link') ?? []), ...children]
      .filter((one) => one.checkVisibility())
      .map((one) => one.textContent.trim()),
  );
}

/** What can be read, as it is shown now. */
function textOnPaper(page: Page): Promise<string> {
  return page.$eval('pix-checkout >>> section', (one) => one.innerText);
}

/** Which parts of a code are on paper. A text box counts if it shows its whole text and no empty line. */
function partsOnPaper(page: Page): Promise<string[]> {
  return page.$eval('pix-checkout', ({ shadowRoot }) =>
    ['.bar', '[for=code]', '[for=whole]', 'figcaption', '.plate', 'textarea'].filter((name) => {
      const part = shadowRoot!.querySelector(name);
      if (!(part instanceof HTMLTextAreaElement)) return part?.checkVisibility();
      const shown = part.clientHeight;
      part.style.blockSize = '0';
      const needed = part.scrollHeight;
      part.style.blockSize = '';
      return Math.abs(shown - needed) <= 1;
    }),
  );
}

/** Of an A4 sheet within its margins, upright and lying. */
const paperWidths = [670, 1_009];

/** How much of the element's width the code takes, to be copied from paper. */
function shareOfCode(page: Page): Promise<number> {
  return page.$eval(
    'pix-checkout',
    (host) => host.shadowRoot!.querySelector('textarea')!.offsetWidth / (host.offsetWidth - 64),
  );
}

describe('printed', () => {
  it('nothing offers it where there is no mouse', async (t) => {
    const viewport = { width: 390, height: 664, isMobile: true, hasTouch: true };
    const { page, shop } = await visitShop(t, { prepare: (one) => one.setViewport(viewport) });
    await askForCode(page);
    await shop.settle(String((await untilHeard(page, 'pix-created')).detail['invoiceId']));
    await untilPhase(page, 'paid');
    assert.deepEqual(await shownButtons(page), []);
  });

  for (const width of [390, 1280]) {
    it(`the code and the receipt of a ${width} px window`, async (t) => {
      const { page, shop } = await visitShop(t, {
        attributes: { 'receiver-name': 'Casa do Livro', 'expires-in': '900' },
        children: '<a slot="paid" href="/">Voltar para a loja</a>',
        prepare: (one) => one.setViewport({ width, height: 800 }),
      });
      const code = await askForCode(page);
      const { detail } = await untilHeard(page, 'pix-created');
      await assertOnePage(page);
      await page.emulateMediaType('print');
      assert.deepEqual(await shownButtons(page), []);
      assert.match(await textOnPaper(page), /\nPague até \d\d\/\d\d, \d\d:\d\d\n/);
      assert.equal(await scanScreen(page), code);
      for (const across of paperWidths) {
        await page.setViewport({ width: across, height: 800 });
        assert.ok((await shareOfCode(page)) > 0.9, 'the code is as wide as its page');
        assert.deepEqual(await partsOnPaper(page), ['[for=code]', '.plate', 'textarea']);
      }
      await page.setViewport({ width, height: 800 });
      await shop.settle(String(detail['invoiceId']));
      await untilPhase(page, 'paid');
      await page.emulateMediaType('screen');
      await page.evaluate(() => (window.print = () => document.body.append('printing')));
      await press(page, 'Imprimir');
      assert.ok(await page.evaluate(() => document.body.textContent.includes('printing')));
      await page.emulateMediaType('print');
      assert.deepEqual(await shownButtons(page), []);
      assert.match(await textOnPaper(page), /Quem recebe\s+Casa do Livro/);
      await assertOnePage(page);
    });
  }
});
