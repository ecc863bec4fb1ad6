/**
 * The card form on a page, and that it can be used by everybody: axe in every state, a keyboard alone, the narrowest
 * phone. How its file comes: card-file.e2e.ts.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import {
  assertCharged,
  holder,
  numberOf,
  openCardShop,
  pressPay,
  inParts,
} from '../../support/browser/card.js';
import {
  fillForm,
  focusedElement,
  press,
  stopHurry,
  tabTo,
  untilPhase,
  untilShown,
  untilDrawn,
} from '../../support/browser/payer.js';
import { words } from '../../support/rows.js';

describe('the card form', { concurrent: true }, () => {
  /** With a mouse: so far down the other method, which must not go away under it. */
  async function pressOther(page: Page, part: number): Promise<void> {
    const { x, y } = await page.$eval(
      'pix-checkout',
      ({ shadowRoot }, down) => {
        const other =
          shadowRoot?.querySelector('.methods label:has(input:not(:checked))') ?? document.body;
        const { left, top, width, height } = other.getBoundingClientRect();
        return { x: left + width / 2, y: top + height * down };
      },
      part,
    );
    await page.mouse.move(x, y);
    // The page waits for the end of a press, but not for ever.
    await stopHurry(page);
    await page.mouse.down();
    await page.mouse.up();
  }

  /** What is typed before the press, and how far down the other method that is: the line comes above it, or goes. */
  const lines: readonly [name: string, typed: Record<string, string>, part: number][] = [
    ['one that said so is left empty', {}, 0.9],
    ['one is left wrong', { email: 'maria@' }, 0.1],
  ];
  const pixFirst = { methods: 'pix credit_card', 'payer-fields': 'name email' };
  for (const [name, typed, part] of lines) {
    it(`is reached by one press out of the fields of Pix: ${name}`, async (t) => {
      const { page } = await openCardShop(t, { page: { attributes: pixFirst } });
      // So high that nothing has to be scrolled.
      await page.setViewport({ width: 800, height: 1_400 });
      await press(page, 'Gerar código Pix');
      await untilShown(page, 'Digite seu nome completo.');
      await fillForm(page, typed);
      await pressOther(page, part);
      await untilShown(page, 'Pagar com cartão');
    });
  }
  it('says all that is missing at one press, the payer’s part too, and goes to the first', async (t) => {
    const { page } = await openCardShop(t, {
      page: { attributes: { 'payer-fields': 'name email' } },
    });
    await untilDrawn(page, '#card_code');
    await pressPay(page);
    await untilDrawn(page, '#name:focus');
    const wrong = await page.$eval('pix-checkout', ({ shadowRoot }) =>
      [...shadowRoot!.querySelectorAll('[aria-invalid=true]')].map(({ id }) => id),
    );
    assert.deepEqual(wrong, words('name email card_number card_name card_expiry card_code'));
  });
  it('is filled in and paid by keyboard alone', async (t) => {
    const opened = await openCardShop(t, { page: { setUp: inParts } });
    const { page, sent } = opened;
    const { keyboard } = page;
    await untilDrawn(page, '#card_code');
    for (const [field, text] of Object.entries({
      card_number: numberOf('approve'),
      ...holder,
    })) {
      await tabTo(page, `#${field}`);
      await keyboard.type(text);
    }
    await tabTo(page, '#card_installments');
    await keyboard.press('ArrowDown');
    await untilShown(page, '3x de');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await untilPhase(page, 'paid');
    assert.equal(sent.cards[0]?.card?.['installment'], 3);
    // The button went with its screen: a keyboard goes on from the receipt.
    assert.equal(await focusedElement(page), 'h2#title');
    assertCharged(opened);
  });
});
