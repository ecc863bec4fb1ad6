/** What the system asks of the looks: its own colours, which still tell things apart, and no motion. */
import assert from 'node:assert/strict';
import { it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { askForCode, visit } from '../../support/browser/payer.js';
import { useShop } from '../../support/browser/shop.js';

const shop = await useShop();
const forced = { name: 'forced-colors', value: 'active' };

/** Background and width of the border, as they are drawn. */
function drawn(page: Page, selector: string) {
  return page.$eval(`pix-checkout >>> ${selector}`, (one) => {
    const { backgroundColor, borderTopWidth } = getComputedStyle(one);
    return { background: backgroundColor, border: parseFloat(borderTopWidth) };
  });
}

it('forced colours tell the main button from the second one', async (t) => {
  const { page } = await visit(t, shop);
  await page.emulateMediaFeatures([forced]);
  await askForCode(page);
  const [main, second] = [await drawn(page, '.primary'), await drawn(page, '.secondary')];
  assert.notEqual(main.background, second.background);
});

it('a code that waits moves, but not for a payer who wants no motion', async (t) => {
  const { page } = await visit(t, shop);
  await askForCode(page);
  const moving = () =>
    page.$eval(
      'pix-checkout',
      ({ shadowRoot }) =>
        shadowRoot?.getAnimations().filter(({ playState }) => playState === 'running').length,
    );
  assert.notEqual(await moving(), 0);
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  assert.equal(await moving(), 0);
});
