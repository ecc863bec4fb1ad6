/**
 * The Pix code on the screen: what a camera reads and what the clipboard holds are the code that the service made, in
 * every theme and size, and where the clipboard is barred the payer is told the truth.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import {
  askForCode,
  heardOf,
  press,
  scanScreen,
  shownCode,
  untilShown,
  visit,
  type Prepare,
} from '../../support/browser/payer.js';
import { useShop } from '../../support/browser/shop.js';

/** How a screen may be. */
interface Screen {
  readonly name: string;
  readonly width: number;
  readonly scale?: number;
  readonly features?: readonly { name: string; value: string }[];
}

const dark = { name: 'prefers-color-scheme', value: 'dark' };
const forced = { name: 'forced-colors', value: 'active' };
const screens: readonly Screen[] = [
  { name: 'light', width: 1280 },
  { name: 'forced colours', width: 1280, features: [forced] },
  { name: 'a narrow phone in the dark', width: 320, features: [dark] },
  { name: 'a fine screen', width: 390, scale: 2 },
];

const shop = await useShop();

describe('the code on the screen', () => {
  /** A page with a code on it. Beside it, a place to paste. */
  async function open(t: TestContext, prepare: Prepare = async () => undefined) {
    const attributes = { style: 'color-scheme: light dark' };
    const rest = '<label>Colar <textarea id="paste"></textarea></label>';
    const { page, context, reference } = await visit(t, shop, { rest, attributes, prepare });
    await askForCode(page);
    return { page, context, code: shop.invoicesOf(reference)[0]?.qrCodePix };
  }

  /** What a payer gets who pastes: the way into a bank app. */
  async function paste(page: Page): Promise<string> {
    await page.focus('#paste');
    await page.keyboard.down('Control');
    await page.keyboard.press('v');
    await page.keyboard.up('Control');
    return page.$eval('#paste', (textarea) => (textarea as HTMLTextAreaElement).value);
  }

  for (const { name, width, scale = 1, features = [] } of screens) {
    it(`is the service's, and a camera reads the same: ${name}`, async (t) => {
      const { page, code } = await open(t, async (opening) => {
        await opening.setViewport({ width, height: 800, deviceScaleFactor: scale });
        const debug = await opening.createCDPSession();
        await debug.send('Emulation.setEmulatedMedia', { features: [...features] });
        for (const { name: feature, value } of features) {
          const query = `(${feature}: ${value})`;
          assert.ok(await opening.evaluate((media) => matchMedia(media).matches, query), query);
        }
      });
      assert.ok(code);
      assert.equal(await shownCode(page), code);
      assert.equal(await scanScreen(page), code);
    });
  }

  it('is copied, and only then said to be', async (t) => {
    const { page, context, code } = await open(t);
    await context.overridePermissions(shop.origin, ['clipboard-sanitized-write']);
    assert.deepEqual(await heardOf(page, 'pix-copy'), []);
    await press(page, 'Copiar código Pix');
    await untilShown(page, 'Código copiado. Agora abra o app do seu banco.');
    assert.deepEqual(await heardOf(page, 'pix-copy'), [{ copied: true }]);
    assert.equal(await paste(page), code);
  });

  it('is copied the old way where the page may not write to the clipboard', async (t) => {
    const { page, context, code } = await open(t);
    // Whatever is not granted here is denied.
    await context.overridePermissions(shop.origin, []);
    assert.equal(await writeToClipboard(page), 'NotAllowedError');
    await press(page, 'Copiar código Pix');
    await untilShown(page, 'Código copiado.');
    assert.deepEqual(await heardOf(page, 'pix-copy'), [{ copied: true }]);
    assert.equal(await paste(page), code);
  });
});

/** The name of what the browser throws at a page that writes; empty if it lets it. */
function writeToClipboard(page: Page): Promise<string> {
  return page.evaluate(() =>
    navigator.clipboard.writeText('').then(
      () => '',
      (error: Error) => error.name,
    ),
  );
}
