/** On paper: the open code and the receipt take one page each, without buttons, and the code can be scanned from it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, PDFOptions } from 'puppeteer-core';
import { askForCode, scanScreen, untilHeard, untilPhase, visitShop } from '../support/payer.js';

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

/** What can be pressed there. */
function buttonsOnPaper(page: Page): Promise<string[]> {
  return page.$eval('pix-checkout', ({ shadowRoot }) =>
    [...(shadowRoot?.querySelectorAll('button, label.link') ?? [])]
      .filter((one) => one.checkVisibility())
      .map((one) => one.textContent.trim()),
  );
}

describe('printed', () => {
  for (const width of [390, 1280]) {
    it(`the code and the receipt of a ${width} px window`, async (t) => {
      const { page, shop } = await visitShop(t, {
        prepare: (one) => one.setViewport({ width, height: 800 }),
      });
      const code = await askForCode(page);
      const { detail } = await untilHeard(page, 'pix-created');
      await assertOnePage(page);
      await page.emulateMediaType('print');
      assert.deepEqual(await buttonsOnPaper(page), []);
      assert.equal(await scanScreen(page), code);
      await shop.settle(String(detail['invoiceId']));
      await untilPhase(page, 'paid');
      assert.deepEqual(await buttonsOnPaper(page), []);
      await assertOnePage(page);
    });
  }
});
