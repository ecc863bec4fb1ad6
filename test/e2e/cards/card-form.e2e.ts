/**
 * The card form on a page, and that it can be used by everybody: axe in every state, a keyboard alone, the narrowest
 * phone. How its file comes: card-file.e2e.ts.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'puppeteer-core';
import { findAxeFaults } from '../support/axe.js';
import {
  assertCharged,
  fillCard,
  holder,
  numberOf,
  payByCard,
  pressPay,
  openCardShop,
  type CardPageOptions,
  type OpenedCardPage,
} from '../support/card.js';
import {
  fillForm,
  focusedElement,
  press,
  stopHurry,
  tabTo,
  untilHeard,
  untilPhase,
  untilShown,
} from '../support/payer.js';
import { itFew, itLong } from '../../support/runner/long.js';

const itSome = itFew(1);
const itSomeOther = itFew(1);

/** A page with a table of instalments. */
const inParts: CardPageOptions = {
  setUp: (checkout) => {
    checkout.tokenizeCard = async () => ({ token: 'tok_approve' });
    checkout.installments = [
      { installment: 1, total_cents: 12_990 },
      { installment: 3, total_cents: 12_990, interest_free: true },
    ];
  },
};

describe('the card form', { concurrency: 4 }, () => {
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
    itSome(`is reached by one press out of the fields of Pix: ${name}`, async (t) => {
      const { page } = await openCardShop(t, { page: { attributes: pixFirst } });
      // So high that nothing has to be scrolled.
      await page.setViewport({ width: 800, height: 1_400 });
      await press(page, 'Gerar código Pix');
      await untilShown(page, 'Informe seu nome completo.');
      await fillForm(page, typed);
      await pressOther(page, part);
      await untilShown(page, 'Pague com cartão');
    });
  }

  itLong(
    'is left for Pix by one press, whatever is wrong with the field that is left',
    async (t) => {
      const { page } = await openCardShop(t);
      await page.setViewport({ width: 800, height: 1_400 });
      await untilShown(page, 'Validade');
      await fillForm(page, { card_number: '4111' });
      await pressOther(page, 0.1);
      await untilShown(page, 'Pague com Pix');
    },
  );

  itLong(
    'is offered at once to a page whose script stands behind ours, and nobody is warned',
    async (t) => {
      const said: string[] = [];
      const rest =
        '<script type="module">document.querySelector("pix-checkout").tokenizeCard = ' +
        'async () => ({ token: "tok_approve" })</script>';
      const { page } = await openCardShop(t, {
        page: { setUp: () => undefined, rest },
        prepare: async (page) => {
          page.on('console', (message) => {
            if (message.type() === 'warn') said.push(message.text());
          });
        },
      });
      const { detail } = await untilHeard(page, 'pix-ready');
      assert.deepEqual(detail, { methods: ['credit_card', 'pix'] });
      await untilShown(page, 'Pague com cartão');
      assert.deepEqual(said, []);
    },
  );

  itLong('whose file came at the second try pays', async (t) => {
    let isThere = false;
    const opened = await openCardShop(t, {
      async prepare(page) {
        await page.setRequestInterception(true);
        page.on('request', (request) => {
          const isLost = !isThere && request.url().includes('pix-checkout-card');
          void (isLost ? request.abort() : request.continue());
        });
      },
    });
    const { page } = opened;
    await untilShown(page, 'O formulário do cartão não abriu.');
    isThere = true;
    await press(page, 'Tentar de novo');
    await payByCard(page, 'approve');
    await untilPhase(page, 'paid');
    assertCharged(opened);
  });

  const states: Readonly<Record<string, (opened: OpenedCardPage) => Promise<void>>> = {
    empty: async ({ page }) => void (await page.waitForSelector('pix-checkout >>> #card_code')),
    filled: ({ page }) => fillCard(page, 'approve'),
    'all missing': async ({ page }) => {
      await page.waitForSelector('pix-checkout >>> #card_code');
      await pressPay(page);
      await untilShown(page, 'Digite o número do cartão.');
    },
    'all wrong': async ({ page }) => {
      await fillCard(page, 'approve', {
        card_name: 'MARIA',
        card_expiry: '13/20',
        card_code: '1',
      });
      await pressPay(page);
      await untilShown(page, 'Escreva também o sobrenome.');
    },
    refused: async ({ page }) => {
      await payByCard(page, 'refuse');
      await untilShown(page, 'Pagamento não aprovado.');
    },
    charging: async ({ shop, page }) => {
      shop.between = (request, forward) =>
        request.method === 'POST' ? new Promise(() => undefined) : forward(request);
      await payByCard(page, 'approve');
      await untilPhase(page, 'creating');
    },
    pending: async ({ page }) => {
      await payByCard(page, 'pending');
      await untilPhase(page, 'confirming');
    },
    paid: async ({ page }) => {
      await payByCard(page, 'approve');
      await untilPhase(page, 'paid');
    },
  };
  for (const [name, enter] of Object.entries(states)) {
    itSomeOther(
      `has no fault that axe finds, and fits a phone of 320 pixels: ${name}`,
      async (t) => {
        const opened = await openCardShop(
          t,
          name === 'refused' || name === 'pending' ? {} : { page: inParts },
        );
        const { page } = opened;
        await page.setViewport({ width: 320, height: 640 });
        await enter(opened);
        const widths = await page.evaluate(() => {
          const checkout = document.querySelector('pix-checkout');
          const all = [...(checkout?.shadowRoot?.querySelectorAll('*') ?? [])];
          return {
            page: document.documentElement.scrollWidth,
            widest: Math.max(...all.map((one) => one.getBoundingClientRect().right)),
          };
        });
        assert.equal(widths.page, 320);
        assert.ok(widths.widest <= 320, `${widths.widest}`);
        assert.deepEqual(await findAxeFaults(page), []);
      },
    );
  }

  it('is filled in and paid by keyboard alone', async (t) => {
    const opened = await openCardShop(t, { page: inParts });
    const { page, sent } = opened;
    const { keyboard } = page;
    await page.waitForSelector('pix-checkout >>> #card_code');
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

  it('takes a keyboard to the first field that is wrong', async (t) => {
    const { page, sent } = await openCardShop(t);
    await fillCard(page, 'approve', { card_expiry: '01/20' });
    await page.keyboard.press('Enter');
    await untilShown(page, 'Este cartão venceu.');
    await page.waitForFunction(
      () => document.querySelector('pix-checkout')?.shadowRoot?.activeElement?.id === 'card_expiry',
    );
    assert.deepEqual(sent.bodies, []);
  });
});
