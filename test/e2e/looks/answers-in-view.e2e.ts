/**
 * What answers a press stands where the payer looks: at the button that was pressed, and above a phone's keyboard.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { fillCard, openCardShop, pressPay } from '../../support/browser/card.js';
import {
  barClipboard,
  focusedElement,
  press,
  untilDrawn,
  untilShown,
  visitShop,
} from '../../support/browser/payer.js';

const notYet = 'Ainda não recebemos. Se já pagou, não pague de novo.';
const byHand = 'Não deu para copiar. Toque e segure o código e escolha Copiar.';

type Size = readonly [width: number, height: number];
const setPhone = (page: Page, [width, height]: Size) =>
  page.setViewport({ width, height, hasTouch: true, isMobile: true });

/** Where a part of the checkout is on the screen. */
const boxOf = (page: Page, selector: string) =>
  page.$eval(`pix-checkout >>> ${selector}`, (one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return { top, bottom, scrollY, innerHeight };
  });

const textsOf = (page: Page, selector: string) =>
  page.$$eval(`pix-checkout >>> ${selector}`, (all) =>
    all.map(({ textContent }) => textContent.replaceAll(/\s+/g, ' ').trim()),
  );

/** Writes down all that the live region says. Runs inside the page. */
function listen(): void {
  const region = document.querySelector('pix-checkout')?.shadowRoot?.querySelector('.said');
  if (!region) throw new Error('There is no live region');
  Object.assign(window, { said: [] });
  new MutationObserver(() => window.said.push(region.textContent?.trim() ?? '')).observe(region, {
    characterData: true,
    childList: true,
    subtree: true,
  });
}

declare global {
  interface Window {
    said: string[];
    /** How much of the window a keyboard covers, pixels. */
    keyboard: number;
  }
}

describe('"Já paguei" on a phone', () => {
  const sizes: readonly Size[] = [
    [390, 664],
    [320, 568],
  ];
  const copies: Readonly<Record<string, boolean>> = { '': false, ' after a denied copy': true };
  for (const size of sizes) {
    for (const [when, isDenied] of Object.entries(copies)) {
      it(`is answered at the button${when}, once, at ${size[0]} px`, async (t) => {
        const page = await openCode(t, size);
        if (isDenied) {
          await (await page.$('pix-checkout >>> [part="copy-button"]'))?.tap();
          await untilShown(page, byHand);
        }
        const button = await page.$('pix-checkout >>> .exits button');
        await button?.scrollIntoView();
        const before = await boxOf(page, '.exits button');
        await page.evaluate(listen);
        await button?.tap();
        await untilShown(page, notYet);
        assert.deepEqual(await boxOf(page, '.exits button'), before, 'nothing moves');
        const answer = await boxOf(page, '.exits .status');
        const under = answer.top - before.bottom;
        assert.ok(under >= 0 && under <= 16, `${under} px below the button`);
        assert.ok(answer.bottom <= answer.innerHeight, 'in view');
        const waits = isDenied ? byHand : /^Aguardando/;
        const [status, ...answers] = await textsOf(page, '.status');
        assert.match(status ?? '', new RegExp(waits));
        assert.deepEqual(answers, [notYet]);
        assert.equal(await page.$('pix-checkout >>> .exits .ring'), null, 'nothing is on its way');
        const told = await page.evaluate(() => window.said);
        assert.deepEqual(told, ['Conferindo…', notYet]);
      });
    }
  }

  it('comes into view with its answer, where it stood at the edge', async (t) => {
    const page = await openCode(t, [390, 664]);
    await page.$eval('pix-checkout >>> .exits button', (one) => one.scrollIntoView(false));
    await (await page.$('pix-checkout >>> .exits button'))?.tap();
    await untilShown(page, notYet);
    const { bottom, innerHeight } = await boxOf(page, '.exits .status');
    assert.ok(bottom <= innerHeight, `${bottom} of ${innerHeight}`);
  });

  it('is answered in the status line again once the code is copied', async (t) => {
    const page = await openCode(t, [390, 664]);
    await press(page, 'Já paguei');
    await untilShown(page, notYet);
    await press(page, 'Copiar código Pix');
    await untilShown(page, byHand);
    assert.deepEqual(await textsOf(page, '.status'), [byHand]);
  });
});

/** A code that cannot be copied, on a phone. */
async function openCode(t: TestContext, size: Size): Promise<Page> {
  const { page } = await visitShop(t, {
    attributes: { 'payer-fields': '' },
    prepare: async (opening) => {
      await setPhone(opening, size);
      await barClipboard(opening);
    },
  });
  await press(page, 'Gerar código Pix');
  await untilShown(page, 'Código Pix de R$ 129,90 pronto.');
  return page;
}

/** A phone, and the room that its keyboard leaves. */
const phones: readonly (readonly [phone: Size, left: number])[] = [
  [[390, 664], 332],
  [[320, 568], 284],
];

/** A keyboard lies over the window, as on an iPhone, or takes its room. */
const keyboards: Readonly<Record<string, (page: Page, size: Size, left: number) => unknown>> = {
  'over the page': (page, [, height], left) =>
    page.evaluate((covered) => {
      window.keyboard = covered;
      window.visualViewport?.dispatchEvent(new Event('resize'));
    }, height - left),
  'in the page’s room': (page, [width], left) => setPhone(page, [width, left]),
};

/** Runs before the page's scripts. */
function coverWindow(): void {
  window.keyboard = 0;
  Object.defineProperty(VisualViewport.prototype, 'height', {
    get: () => innerHeight - window.keyboard,
  });
}

/** Waits until all of these are in the upper pixels of the window, whole. */
const untilSeen = (page: Page, left: number, ...selectors: readonly string[]) =>
  page.waitForFunction(
    (end, all) => {
      const root = document.querySelector('pix-checkout')?.shadowRoot;
      return all.every((selector) => {
        const box = root?.querySelector(selector)?.getBoundingClientRect();
        return box && box.top >= 0 && box.bottom <= end;
      });
    },
    { polling: 50 },
    left,
    selectors,
  );

/** Where cards are taken, on a page that goes on below. */
async function openCard(t: TestContext, phone: Size, attributes: Record<string, string> = {}) {
  const { page } = await openCardShop(t, {
    // At the end of a page a browser moves its view over it: no page can.
    page: { attributes, rest: `<footer>${'<p>Rodapé</p>'.repeat(12)}</footer>` },
    prepare: async (opening) => {
      await setPhone(opening, phone);
      await opening.evaluateOnNewDocument(coverWindow);
    },
  });
  return page;
}

describe('with a keyboard open', () => {
  for (const [phone, left] of phones) {
    for (const [where, openKeyboard] of Object.entries(keyboards)) {
      for (const when of ['before', 'after'] as const) {
        it(`${where}, ${when} a card was refused, its refusal, its code, the way out and where the button begins are in view, at ${phone[0]} px`, async (t) => {
          const page = await openCard(t, phone);
          await fillCard(page, 'refuse');
          if (when === 'before') await openKeyboard(page, phone, left);
          await (await untilDrawn(page, '[part="submit-button"]:enabled'))?.tap();
          await untilShown(page, 'Pagamento não aprovado');
          await untilSeen(page, when === 'before' ? left : phone[1], '[for=card_code]');
          if (when === 'after') await openKeyboard(page, phone, left);
          const whole = ['[for=card_code]', '#card_code', '.error'];
          await untilSeen(page, left, ...whole);
          const pay = await boxOf(page, '.primary');
          assert.ok(pay.top + 16 <= left, `the button begins at ${pay.top} of ${left}`);
          assert.equal(await focusedElement(page), 'input#card_code');
        });
      }
    }
  }

  it('the first field that is missing is in view with its fault', async (t) => {
    const [phone, left] = phones[1]!;
    const page = await openCard(t, phone, { 'payer-fields': 'name cpf_cnpj email' });
    await pressPay(page);
    await untilShown(page, 'Digite seu nome');
    await keyboards['over the page']!(page, phone, left);
    await untilSeen(page, left, '[for=name]', '#name', '#name-fault');
  });

  for (const [phone, left] of phones) {
    it(`every field that gets the focus is in view with its label and its fault, at ${phone[0]} px`, async (t) => {
      const page = await openCard(t, phone, { 'payer-fields': 'name cpf_cnpj email address' });
      await setPhone(page, [phone[0], left]);
      await pressPay(page);
      await untilShown(page, 'Digite seu nome');
      const fields = await page.$$eval('pix-checkout >>> form [part="input"]', (all) =>
        all.map(({ id }) => id),
      );
      assert.ok(fields.length > 10);
      for (const id of [...fields, ...fields.toReversed()]) {
        await page.focus(`pix-checkout >>> #${id}`);
        const isFaulty = await page.$(`pix-checkout >>> #${id}-fault`);
        await untilSeen(page, left, `[for=${id}]`, `#${id}`, ...(isFaulty ? [`#${id}-fault`] : []));
      }
    });
  }

  it('the page is the payer’s own again once they have touched it', async (t) => {
    const [phone, left] = phones[0]!;
    const page = await openCard(t, phone);
    await fillCard(page, 'refuse');
    await pressPay(page);
    await untilShown(page, 'Pagamento não aprovado');
    await untilSeen(page, phone[1], '#card_code', '.error');
    await page.touchscreen.tap(5, 5);
    await page.evaluate(() => scrollTo(0, 0));
    await keyboards['over the page']!(page, phone, left);
    assert.equal(await page.evaluate(() => scrollY), 0);
  });
});

it('the code of a refused card is wrong only once it is left empty', async (t) => {
  const page = await openCard(t, [390, 664]);
  await fillCard(page, 'refuse');
  await pressPay(page);
  await untilShown(page, 'Pagamento não aprovado');
  const isFaulty = () =>
    page.$eval('pix-checkout >>> #card_code', (one) => one.hasAttribute('aria-invalid'));
  assert.deepEqual([await focusedElement(page), await isFaulty()], ['input#card_code', false]);
  await page.keyboard.press('Tab');
  await untilShown(page, 'Digite o CVV.');
  assert.equal(await isFaulty(), true);
});
