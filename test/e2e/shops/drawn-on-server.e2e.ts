/**
 * A page whose server draws the Pix code: it can be paid before any script comes, and without one; the element takes over
 * in the same place.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { renderInvoice } from '../../../src/html.js';
import { findAxeFaults } from '../../support/browser/axe.js';
import { openContext } from '../../support/browser/contexts.js';
import { heardOn, scanScreen, shownCode, untilPhase } from '../../support/browser/payer.js';
import { elementScript, strictPolicy } from '../../support/browser/server.js';
import { totalCents, useShop } from '../../support/browser/shop.js';

/** Run when the page has been painted. */
const lateScript = "import('/dist/pix-checkout.min.js')";
const styles =
  '<meta name="color-scheme" content="light dark"><link rel="stylesheet" href="/dist/pix-checkout.css">';

const dark = { name: 'prefers-color-scheme', value: 'dark' };
const forced = { name: 'forced-colors', value: 'active' };

/** Places that must not move when the element takes over. */
const places = '.checkout .total .primary .status ol .receiver textarea figure .plate .exits'.split(
  ' ',
);

const shop = await useShop();
shop.server.contentSecurityPolicy = strictPolicy;

describe('a code that the server drew', () => {
  let orders = 0;

  /** Lays out the page of a new order, and opens it. @param script the page's script tags */
  async function open(t: TestContext, { width = 390, script = '', scripts = true } = {}) {
    const reference = `drawn-${(orders += 1)}`;
    const invoice = await shop.createInvoice(reference);
    const { url } = await shop.addPage({
      reference,
      attributes: { invoice: JSON.stringify(invoice) },
      children: renderInvoice(invoice, { totalPriceCents: totalCents }),
      rest: '<footer>Fim da página</footer>',
      head: styles + script,
    });
    const page = await (await openContext(t)).newPage();
    await page.setViewport({ width, height: 800 });
    await page.setJavaScriptEnabled(scripts);
    await page.evaluateOnNewDocument(() => {
      window.heard = [];
      for (const name of ['pix-paid', 'pix-error', 'pix-created']) {
        addEventListener(name, ({ type }) => void window.heard.push({ type, detail: {} }));
      }
      const noteShifts = (list: PerformanceObserverEntryList) => {
        for (const entry of list.getEntries()) {
          window.heard.push({ type: 'layout-shift', detail: entry.toJSON() });
        }
      };
      new PerformanceObserver(noteShifts).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(url);
    return { page, invoice, reference, url };
  }

  for (const width of [320, 1280]) {
    it(`can be paid with scripts off, at ${width} px`, async (t) => {
      const { page, invoice, url } = await open(t, {
        width,
        script: elementScript,
        scripts: false,
      });
      assert.equal(await scanScreen(page), invoice.qr_code_pix);
      await page.click('label.primary');
      assert.equal(await page.$eval('textarea:focus', ({ value }) => value), invoice.qr_code_pix);
      await Promise.all([page.waitForNavigation(), page.click('pix-checkout a')]);
      assert.equal(page.url(), url);
    });
  }

  for (const width of [240, 390, 1280]) {
    it(`stays in its place when the element takes over, at ${width} px`, async (t) => {
      const { page, invoice } = await open(t, { width });
      const before = await placesOn(page);
      await page.evaluate(lateScript);
      await untilPhase(page, 'awaiting');
      assert.deepEqual(await placesOn(page), before);
      assert.equal(await shownCode(page), invoice.qr_code_pix);
      assert.deepEqual(await heardOn(page), []);
    });
  }

  it('is paid without another creation, with the file loaded twice', async (t) => {
    const twice = `${elementScript}${elementScript.replace('.js', '.js?again')}`;
    const { page, invoice, reference } = await open(t, { script: twice });
    await untilPhase(page, 'awaiting');
    await shop.settle(invoice.invoice_id);
    await untilPhase(page, 'paid');
    assert.equal(shop.invoicesOf(reference).length, 1);
    assert.deepEqual((await heardOn(page)).map(({ type }) => type).filter(isEvent), ['pix-paid']);
  });

  it('stays where the script never comes', async (t) => {
    const { page, invoice } = await open(t, { script: elementScript.replace('.min', '.missing') });
    assert.equal(await scanScreen(page), invoice.qr_code_pix);
  });

  for (const features of [[], [dark], [forced]]) {
    const name = features.map(({ value }) => value).join(', ') || 'light';
    it(`has no fault that axe finds, and is scanned: ${name}`, async (t) => {
      const { page, invoice } = await open(t);
      await page.emulateMediaFeatures(features);
      assert.equal(await scanScreen(page), invoice.qr_code_pix);
      assert.deepEqual(await findAxeFaults(page, 'pix-checkout'), []);
    });
  }
});

function isEvent(type: string): boolean {
  return type.startsWith('pix-');
}

/** Where things stand, whether the server drew them or the element. Pixels. */
function placesOn(page: Page, names = places): Promise<Record<string, number[]>> {
  return page.$eval(
    'pix-checkout',
    (host, all) => {
      const boxes = all.map((name) => {
        // The server draws both lists of steps, and the styles hide one.
        const found = [...(host.shadowRoot ?? host).querySelectorAll(name)];
        const box = found.find((one) => one.checkVisibility())!.getBoundingClientRect();
        return [name, [box.x, box.y, box.width, box.height].map((value) => Math.round(value))];
      });
      return Object.fromEntries(boxes) as Record<string, number[]>;
    },
    names,
  );
}
