/** Pages that cancel or rewrite what is copied: "copied" is said only of what the clipboard holds, however it is spoilt. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { askForCode, press, shownCode, untilHeard, visit } from '../../support/browser/payer.js';
import { useShop } from '../../support/browser/shop.js';

const shop = await useShop();

/** Each runs in the page before the element, and the code is copied all the same, or the payer is told that it is not. */
const ways: Readonly<Record<string, readonly [spoil: () => void, isCopied: boolean]>> = {
  'cancels it on its way up': [
    () => document.addEventListener('copy', (event) => event.preventDefault()),
    true,
  ],
  'lets no one else hear of it': [
    () =>
      window.addEventListener(
        'copy',
        (event) => {
          event.preventDefault();
          event.stopImmediatePropagation();
        },
        true,
      ),
    false,
  ],
  'rewrites it on its way down': [
    () =>
      window.addEventListener(
        'copy',
        (event) => {
          event.clipboardData?.setData('text/plain', 'a code of another order');
          event.preventDefault();
        },
        true,
      ),
    true,
  ],
  'rewrites it on its way up': [
    () =>
      document.addEventListener('copy', (event) => {
        event.clipboardData?.setData(
          'text/plain',
          `${getSelection()?.toString()} Leia mais em loja.example`,
        );
        event.preventDefault();
      }),
    true,
  ],
  'forbids it by a handler': [
    () => {
      Object.assign(document, { oncopy: () => false });
    },
    true,
  ],
  'has a command of its own that does nothing': [
    () => {
      document.execCommand = () => true;
    },
    false,
  ],
  'takes the focus away': [
    () =>
      document.addEventListener('focusin', () => {
        const isOpen = document.querySelector('pix-checkout')?.phase === 'awaiting';
        if (isOpen) document.querySelector<HTMLElement>('main + textarea')?.focus();
      }),
    true,
  ],
};

/** A code on the screen of a page that may not write to the clipboard, which holds another code. */
async function open(t: TestContext, spoil: () => void) {
  const rest = '<textarea></textarea>';
  const { page, context } = await visit(t, shop, {
    rest,
    prepare: async (opening) => void (await opening.evaluateOnNewDocument(spoil)),
  });
  const code = await askForCode(page);
  await context.overridePermissions(shop.origin, ['clipboard-sanitized-write']);
  await page.evaluate(() => navigator.clipboard.writeText('a code of before'));
  // Whatever is not granted here is denied.
  await context.overridePermissions(shop.origin, []);
  return { page, code };
}

/** What the clipboard holds, as it is pasted by keyboard. */
async function paste(page: Page): Promise<string> {
  await page.focus('main + textarea');
  await page.keyboard.down('Control');
  await page.keyboard.press('KeyV');
  await page.keyboard.up('Control');
  return page.$eval('main + textarea', ({ value }) => value);
}

describe('a page that spoils what is copied', () => {
  for (const [name, [spoil, isCopied]] of Object.entries(ways)) {
    it(`${name}: ${isCopied ? 'the code is copied' : 'the payer is told'}`, async (t) => {
      const { page, code } = await open(t, spoil);
      await press(page, 'Copiar código Pix');
      const { detail } = await untilHeard(page, 'pix-copy');
      assert.deepEqual(detail, { copied: isCopied });
      const held = await paste(page);
      assert.equal(held === code, isCopied, held);
    });
  }

  it('rewrites what is copied by hand: it is the code', async (t) => {
    const { page, code } = await open(t, ways['rewrites it on its way down']![0]);
    assert.equal(await shownCode(page), code);
    await page.$eval('pix-checkout >>> textarea', (shown) => shown.select());
    await page.keyboard.down('Control');
    await page.keyboard.press('KeyC');
    await page.keyboard.up('Control');
    assert.equal(await paste(page), code);
  });
});
