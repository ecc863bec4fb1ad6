/**
 * Pages that an extension recolours, by Dark Reader's own engine: the QR stays black on white, drawn by the element or by a
 * server, and can be scanned.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'vitest';
import { PNG } from 'pngjs';
import { renderInvoice } from '../../../src/html.js';
import { root } from '../../tools/tools.js';
import { openContext } from '../../support/browser/contexts.js';
import { decodeQr } from '../../support/browser/qr.js';
import { elementScript } from '../../support/browser/server.js';
import { useShop } from '../../support/browser/shop.js';

const engine = readFileSync(`${root}/node_modules/darkreader/darkreader.js`, 'utf8');

const themes = {
  dark: { mode: 1 },
  'dark, of little contrast': { mode: 1, contrast: 60, brightness: 120, sepia: 40 },
  light: { mode: 0, contrast: 60, brightness: 70, sepia: 100 },
} as const;

const styles = '<link rel="stylesheet" href="/dist/pix-checkout.css">';

const shop = await useShop();

/** Opens the page of a new order that has its code. */
async function open(t: TestContext, drawnBy: 'element' | 'server') {
  const reference = `recoloured-${String((orders += 1))}`;
  const invoice = await shop.createInvoice(reference);
  const attributes = { invoice: JSON.stringify(invoice) };
  const head = styles + (drawnBy === 'element' ? elementScript : '');
  const children = renderInvoice(invoice);
  const { url } = await shop.addPage({ reference, attributes, children, head });
  const page = await (await openContext(t)).newPage();
  await page.setViewport({ width: 390, height: 1_400, deviceScaleFactor: 2 });
  await page.goto(url);
  const selector = drawnBy === 'element' ? 'pix-checkout >>> svg.plate' : 'svg.plate';
  const picture = await page.waitForSelector(selector);
  assert.ok(picture);
  return { page, picture, code: invoice.qr_code_pix };
}
let orders = 0;

/** Contrast of the brightest pixel to the darkest (WCAG 2.2), and of neither is any colour but grey. */
function contrastOf(png: Uint8Array): number {
  const { data } = PNG.sync.read(Buffer.from(png));
  const light = (at: number) => {
    const part = data[at]! / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  let [least, most] = [1, 0];
  for (let at = 0; at < data.length; at += 4) {
    const all = 0.2126 * light(at) + 0.7152 * light(at + 1) + 0.0722 * light(at + 2);
    [least, most] = [Math.min(least, all), Math.max(most, all)];
  }
  return (most + 0.05) / (least + 0.05);
}

describe('a page that Dark Reader recolours', () => {
  for (const drawnBy of ['element', 'server'] as const) {
    for (const [name, theme] of Object.entries(themes)) {
      it(`${name}: the QR of the ${drawnBy} stays black on white`, async (t) => {
        const { page, picture, code } = await open(t, drawnBy);
        const before = await page.$eval('body', (body) => getComputedStyle(body).backgroundColor);
        await page.evaluate(engine);
        await page.evaluate((wanted) => {
          const { DarkReader } = window as unknown as {
            DarkReader: { enable(theme: object): void };
          };
          DarkReader.enable(wanted);
        }, theme);
        await page.waitForFunction(
          (was) => getComputedStyle(document.body).backgroundColor !== was,
          {},
          before,
        );
        const png = await picture.screenshot();
        assert.equal(decodeQr(png), code);
        assert.ok(contrastOf(png) > 20, `${contrastOf(png)}:1`);
      });
    }
  }
});
