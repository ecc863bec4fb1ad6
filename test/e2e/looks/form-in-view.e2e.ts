/**
 * The form under a thumb, on a phone: pressing its button moves nothing, and what failed is inside the screen, beside what has
 * the focus, and read aloud.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { fillCard, openCardShop } from '../../support/browser/card.js';
import {
  fillForm,
  focusedElement,
  press,
  typed,
  untilPhase,
  untilShown,
  visitShop,
  untilDrawn,
} from '../../support/browser/payer.js';
import { createGate, type Gate, type Shop } from '../../support/browser/shop.js';

const phone = { width: 390, height: 664 };

/** Ways to ask for money, as a page that is opened and filled in up to its button. */
type Open = (
  t: TestContext,
  prepare: (page: Page) => Promise<void>,
) => Promise<{ page: Page; shop: Shop }>;
const forms: Readonly<Record<string, Open>> = {
  'no field': (t, prepare) => visitShop(t, { prepare, attributes: { 'payer-fields': '' } }),
  'the payer’s fields': async (t, prepare) => {
    const visit = await visitShop(t, { prepare });
    await fillForm(visit.page);
    return visit;
  },
  'a card': async (t, prepare) => {
    const opened = await openCardShop(t, { prepare });
    await fillCard(opened.page, 'approve');
    return opened;
  },
};

/** What a proxy says that wants something else. */
const refusals: Readonly<Record<string, readonly [code: string, status: number, words: string]>> = {
  'a card': ['payment_refused', 402, 'Pagamento não aprovado'],
  default: ['invalid_request', 400, 'Confira o que você preencheu'],
  'no field': ['too_many_requests', 429, 'Espere um pouco e tente de novo.'],
};

/** Lets nothing but the proxy's refusal come back, once the gate is open. */
function refuse(shop: Shop, gate: Gate, code: string, status: number): void {
  shop.between = async (request, forward) => {
    if (request.method !== 'POST') return forward(request);
    await gate.pass();
    const headers = { 'Content-Type': 'application/problem+json' };
    return new Response(JSON.stringify({ code, status }), { status, headers });
  };
}

/** Where things are on the screen, and how far the page is scrolled. */
function lookAt(page: Page, part: string) {
  return page.$eval(
    'pix-checkout',
    ({ shadowRoot }, name) => {
      const { top, bottom, height } =
        shadowRoot?.querySelector(`[part="${name}"]`)?.getBoundingClientRect() ?? new DOMRect();
      return { top, bottom, height, scrollY, innerHeight };
    },
    part,
  );
}

/** The page is scrolled a moment after it is drawn. */
async function untilInView(page: Page, part: string): Promise<void> {
  const isInView = (name: string) => {
    const root = document.querySelector('pix-checkout')?.shadowRoot;
    const box = root?.querySelector(`[part="${name}"]`)?.getBoundingClientRect();
    return !!box && box.top >= 0 && Math.floor(box.bottom) <= innerHeight;
  };
  await page.waitForFunction(isInView, {}, part);
}

/** Before a page is opened: one that becomes a phone's is loaded anew. */
const asPhone = (page: Page) => page.setViewport({ ...phone, hasTouch: true, isMobile: true });

describe('the form on a phone', { concurrent: true }, () => {
  for (const [name, open] of Object.entries(forms)) {
    it(`${name}: stays where it is, and says in view what failed`, async (t) => {
      const { page, shop } = await open(t, asPhone);
      const [code, status, words] = refusals[name] ?? refusals['default'] ?? assert.fail();
      const gate = createGate();
      refuse(shop, gate, code, status);
      const button = await page.$('pix-checkout >>> [part="submit-button"]');
      await button?.scrollIntoView();
      const before = await lookAt(page, 'submit-button');
      await button?.tap();
      await untilDrawn(page, '[aria-busy="true"]');
      await gate.reached;
      assert.deepEqual(await lookAt(page, 'submit-button'), before, 'nothing moves');

      gate.open();
      await untilShown(page, words);
      assert.match(await focusedElement(page), name === 'a card' ? /^input#card_code/ : /^button/);
      await untilInView(page, 'error');
      const said = await page.$eval('pix-checkout >>> [role="status"]', (one) => one.textContent);
      assert.ok(said?.includes(words), `announced: ${said}`);
      assert.ok(name !== 'a card' || said?.includes('Digite o CVV de novo'));
      if (name === 'a card') return;

      const [told, pressed] = [await lookAt(page, 'error'), await lookAt(page, 'submit-button')];
      const again = createGate();
      refuse(shop, again, code, status);
      await (await page.$('pix-checkout >>> [part="submit-button"]'))?.tap();
      await again.reached;
      assert.deepEqual(
        await lookAt(page, 'error'),
        told,
        'what failed stays until there is an outcome',
      );
      assert.deepEqual(await lookAt(page, 'submit-button'), pressed);
      again.open();
    });
  }

  it('is left for the code alone, and nothing typed is lost on the way', async (t) => {
    const { page, shop } = await forms['the payer’s fields']!(t, asPhone);
    const gate = createGate();
    shop.between = async (request, forward) => {
      if (request.method === 'POST') await gate.pass();
      return forward(request);
    };
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'creating');
    const values = () =>
      page.$$eval('pix-checkout >>> form input[id]', (inputs) =>
        inputs.map((input) => input.value),
      );
    assert.deepEqual(await values(), Object.values(typed));
    gate.open();
    await untilPhase(page, 'awaiting');
    assert.deepEqual(await values(), []);
  });
});
