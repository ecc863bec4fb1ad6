/**
 * What moves by itself from the form to the receipt, by way of a refused card and a denied copy: hardly anything, by the
 * browser's own count (Layout Instability), and what the payer needs next is in view.
 */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { fillCard, openCardShop, pressPay } from '../../support/browser/card.js';
import {
  barClipboard,
  fillForm,
  press,
  untilPhase,
  untilShown,
} from '../../support/browser/payer.js';
import { noteShifts, shiftsOn } from '../../support/browser/shifts.js';

/** Sizes, the most that a step may move, and how high a keyboard stands in them. */
const screens = [
  { width: 390, height: 664, hasTouch: true, most: 0.05, keyboard: 291 },
  { width: 320, height: 568, hasTouch: true, most: 0.05, keyboard: 253 },
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
      const needs = await heightOf(page, '#card_code', '.error p');
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
