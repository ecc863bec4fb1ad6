/**
 * What moves by itself from the form to the receipt, by way of a refused card and a denied copy: hardly anything, by the
 * browser's own count (Layout Instability), and what the payer needs next is in view.
 */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { fillCard, openCardShop, pressPay } from '../../support/browser/card.js';
import type { PixCheckout } from '../../../src/element.js';
import {
  barClipboard,
  chooseMethod,
  fillForm,
  passTime,
  press,
  untilDrawn,
  untilPhase,
  untilShown,
  visit,
} from '../../support/browser/payer.js';
import { createGate, openShop } from '../../support/browser/shop.js';
import { noteShifts, shiftsOn } from '../../support/browser/shifts.js';

/** Sizes, the most that a step may move, and how high a keyboard stands in them. */
const screens = [
  { width: 390, height: 664, hasTouch: true, most: 0.02, keyboard: 291 },
  { width: 320, height: 568, hasTouch: true, most: 0.02, keyboard: 253 },
  { width: 1280, height: 720, hasTouch: false, most: 0.02, keyboard: 0 },
] as const;

for (const { most, keyboard, ...size } of screens) {
  it(`from the form to the receipt nothing jumps, and what is next is in view, at ${size.width} px`, async (t) => {
    const { page, step, moved, shop, reference } = await open(t, size);
    await step('filled in', async () => {
      await fillForm(page);
      await fillCard(page, 'refuse');
    });
    // As on a slow line: what follows a press at once is not counted.
    shop.between = async (request, forward) => {
      if (request.method === 'POST') await page.evaluate(untilUnexcused);
      return forward(request);
    };
    await step('refused', async () => {
      await pressPay(page);
      await untilShown(page, 'Pagamento não aprovado');
    });
    if (keyboard > 0) {
      const needs = await heightOf(page, '#card_code', '.error');
      assert.ok(needs <= size.height - keyboard, `${needs} px beside a keyboard`);
    }
    await step('a code instead', async () => {
      await press(page, 'com Pix');
      await press(page, 'Gerar código Pix');
      await untilPhase(page, 'awaiting');
    });
    await step('not copied', async () => {
      await press(page, 'Copiar código Pix');
      await untilShown(page, 'Não deu para copiar');
    });
    await step('paid', async () => {
      await shop.payNewest(reference);
      await untilPhase(page, 'paid');
    });
    for (const [name, score] of Object.entries(moved))
      assert.ok(score <= most, `${name}: ${score}`);
  });
}

/** The most that a step may move, asked for or not. */
const mostOfStep = 0.02;

for (const { width, height, hasTouch } of screens) {
  const size = { width, height, hasTouch, isMobile: hasTouch };

  it(`no step from a form to the receipt moves what stays, at ${width} px`, async (t) => {
    const { page, shop, reference } = await openCardShop(t, {
      page: {
        attributes: { 'payer-fields': 'name cpf_cnpj email', methods: 'pix credit_card' },
        setUp: withInterest,
      },
      prepare: async (opening) => {
        await opening.setViewport(size);
        await noteShifts(opening);
      },
    });
    await untilPhase(page, 'form');
    await holdSteps(page, {
      errors: () => press(page, 'Gerar código Pix'),
      corrected: () => fillForm(page),
      'to card': async () => {
        await chooseMethod(page, 'Cartão');
        await untilDrawn(page, '#card_number');
      },
      'errors of a card': () => pressPay(page),
      'a card': () => fillCard(page, 'approve'),
      '12x': async () => {
        await page.focus('pix-checkout >>> #card_installments');
        await page.keyboard.press('End');
        await untilShown(page, 'R$ 150,00');
      },
      'to Pix': () => chooseMethod(page, 'Pix'),
      awaiting: async () => {
        await press(page, 'Gerar código Pix');
        await untilPhase(page, 'awaiting');
      },
      copied: async () => {
        await press(page, 'Copiar código Pix');
        await untilShown(page, 'Código copiado');
      },
      'not yet': async () => {
        await press(page, 'Já paguei');
        await untilShown(page, 'Ainda não recebemos.');
      },
      trocar: async () => {
        await press(page, 'Trocar');
        await untilDrawn(page, '#card_number');
      },
      back: async () => {
        await chooseMethod(page, 'Pix');
        await untilPhase(page, 'awaiting');
      },
      paid: async () => {
        await shop.payNewest(reference);
        await untilPhase(page, 'paid');
      },
    });
  });

  it(`no step of a code that ends moves what stays, at ${width} px`, async (t) => {
    const shop = await openShop({ jumps: true, expiresInSeconds: 900 });
    t.onTestFinished(() => shop.close());
    const gate = createGate();
    shop.between = async (request, forward) => {
      if (request.method === 'POST') await gate.pass();
      return forward(request);
    };
    const attributes = { 'auto-start': '', 'payer-fields': '', 'allow-unverified-code': '' };
    const { page } = await visit(t, shop, {
      attributes,
      prepare: async (opening) => {
        await opening.setViewport(size);
        await noteShifts(opening);
        await barClipboard(opening);
      },
    });
    await gate.reached;
    await holdSteps(page, {
      deadline: async () => {
        gate.open();
        await untilPhase(page, 'awaiting');
      },
      denied: async () => {
        await press(page, 'Copiar código Pix');
        await untilShown(page, 'Não deu para copiar');
      },
      'ten minutes': async () => {
        await passTime(page, shop, 310_000);
        await untilShown(page, 'faltam');
      },
      expired: async () => {
        await passTime(page, shop, 700_000);
        await untilPhase(page, 'expired');
      },
      'looked up once more': async () => {
        await press(page, 'Já paguei');
        await untilShown(page, 'Ainda não recebemos.');
      },
      'another code': async () => {
        await press(page, 'Gerar novo código Pix');
        await untilPhase(page, 'awaiting');
      },
    });
  });
}

/** A table whose last row adds a line about interest. Runs inside the page. */
function withInterest(checkout: PixCheckout): void {
  checkout.tokenizeCard = async () => ({ token: 'tok_approve' });
  checkout.installments = [
    { installment: 1, total_cents: 12_990 },
    { installment: 12, total_cents: 15_000 },
  ];
}

/** Takes the steps in their order, and holds each to what it may move. */
async function holdSteps(
  page: Page,
  steps: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const tooMuch: string[] = [];
  for (const [name, act] of Object.entries(steps)) {
    const before = (await shiftsOn(page)).length;
    await act();
    const moved = (await shiftsOn(page)).slice(before).reduce((sum, { value }) => sum + value, 0);
    if (moved > mostOfStep) tooMuch.push(`${name}: ${moved.toFixed(3)}`);
  }
  assert.deepEqual(tooMuch, []);
}

async function open(t: TestContext, size: { width: number; height: number; hasTouch: boolean }) {
  const attributes = { 'payer-fields': 'name cpf_cnpj email' };
  const opened = await openCardShop(t, {
    page: { attributes },
    prepare: async (page) => {
      await page.setViewport({ ...size, isMobile: size.hasTouch });
      await noteShifts(page);
      await barClipboard(page);
    },
  });
  const { page } = opened;
  const moved: Record<string, number> = {};
  const step = async (name: string, act: () => Promise<unknown>) => {
    const before = await shiftOf(page);
    await act();
    moved[name] = Number(((await shiftOf(page)) - before).toFixed(4));
  };
  return { ...opened, step, moved };
}

/** From the top of the label of one to the bottom of the other, whichever stands first. */
function heightOf(page: Page, ...selectors: readonly string[]): Promise<number> {
  return page.$eval(
    'pix-checkout',
    ({ shadowRoot }, wanted) => {
      const boxes = wanted.map((one) => {
        const found = shadowRoot!.querySelector(one)!;
        return (found.closest('.field') ?? found).getBoundingClientRect();
      });
      const tops = boxes.map(({ top }) => top);
      return Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...tops);
    },
    selectors,
  );
}

/** Runs inside the page: until what moves is no answer to the last press any more, half a second later. */
async function untilUnexcused(): Promise<void> {
  for (let frames = 0; frames < 45; frames += 1) await new Promise(requestAnimationFrame);
}

/** How much has shifted that was no answer to the payer. */
async function shiftOf(page: Page): Promise<number> {
  const unasked = (await shiftsOn(page)).filter(({ hadRecentInput }) => !hadRecentInput);
  return unasked.reduce((sum, { value }) => sum + value, 0);
}
