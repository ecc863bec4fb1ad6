/** `openCheckout` on the strictest page, by keyboard and by the back button: what closes it, what does not, and what is left. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import type { CheckoutOutcome } from '../../../src/index.js';
import { findAxeFaults } from '../../support/browser/axe.js';
import { openContext } from '../../support/browser/contexts.js';
import {
  askForCode,
  chooseMethod,
  heardOf,
  passTime,
  press,
  fillForm,
  shownCode,
  untilPhase,
  visit,
  untilDrawn,
} from '../../support/browser/payer.js';
import { strictPolicy } from '../../support/browser/server.js';
import { holdAnswers, useShop, type Gate } from '../../support/browser/shop.js';

const shop = await useShop({ jumps: true });
shop.server.contentSecurityPolicy = strictPolicy;
// The page's own element goes as its button is pressed: what it was given goes into the dialog.
shop.server.scripts.set(
  '/modal.js',
  `import { openCheckout } from '/dist/pix-checkout-modal.min.js';
    const given = document.querySelector('pix-checkout');
    document.querySelector('main + button').onclick = async () => {
      given.remove();
      const { endpoint, externalId, orderToken, pollInterval, methods, acceptRawCard } = given;
      const order = { endpoint, externalId, orderToken, pollInterval };
      window.outcome = await openCheckout({ ...order, methods, acceptRawCard });
      window.outcomes = (window.outcomes ?? 0) + 1;
    };`,
);

declare global {
  interface Window {
    outcome?: CheckoutOutcome;
    /** How many calls have ended. */
    outcomes?: number;
  }
}

/** A page with one button, and the checkout that it has opened. */
async function open(t: TestContext) {
  const logged: string[] = [];
  const rest = '<button>Comprar</button><script type="module" src="/modal.js"></script>';
  const visited = await visit(t, shop, {
    rest,
    prepare: async (page) => void page.on('console', (message) => logged.push(message.text())),
  });
  await buy(visited.page);
  return { ...visited, logged };
}

async function buy(page: Page): Promise<void> {
  await page.evaluate(() => delete window.outcome);
  await page.focus('main + button');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open] pix-checkout:defined');
  await untilDrawn(page, '#title');
}

const phones = [
  { width: 320, height: 568, hasTouch: true, isMobile: true },
  { width: 390, height: 664, hasTouch: true, isMobile: true },
] as const;

/** A thumb goes down to what stands last, and up again to what closes the dialog. */
async function assertSwiped(page: Page, last: string): Promise<void> {
  const { height } = page.viewport()!;
  const swipe = async (from: number, to: number) => {
    for (let times = 0; times < 5; times += 1) {
      await page.touchscreen.touchStart(160, from);
      for (let step = 1; step <= 8; step += 1) {
        await page.touchscreen.touchMove(160, from + ((to - from) * step) / 8);
      }
      await page.touchscreen.touchEnd();
    }
  };
  const isInView = (selector: string) =>
    page.$eval(selector, (one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return top >= 0 && Math.floor(bottom) <= innerHeight;
    });
  await swipe(height - 60, 120);
  assert.ok(await isInView(`pix-checkout >>> ${last}`), `${last} after a swipe`);
  await swipe(120, height - 60);
  assert.equal(await page.$eval('dialog', ({ scrollTop }) => scrollTop), 0);
  assert.ok(await isInView('dialog header button'), 'what closes it');
  assert.ok(await isInView('pix-checkout >>> #title'), 'the first line');
}

async function untilClosed(page: Page): Promise<CheckoutOutcome> {
  const outcome = await page.waitForFunction(() => window.outcome, { polling: 50 });
  return (await outcome.jsonValue())!;
}

/** What has the focus, the dialog or the page's button; and whether the page can scroll and has an entry too many. */
const stateOf = (page: Page) =>
  page.evaluate(() => ({
    focus: document.activeElement?.textContent,
    overflow: getComputedStyle(document.documentElement).overflow,
    dialogs: document.querySelectorAll('dialog').length,
    entry: Object.keys((history.state as object | null) ?? {}),
  }));

/** Presses the form's button, and holds the answer on its way. */
async function askAndHold(t: TestContext, page: Page): Promise<Gate> {
  const gate = holdAnswers(shop);
  t.onTestFinished(() => void (shop.between = null));
  await fillForm(page);
  await press(page, 'Gerar código Pix');
  await gate.reached;
  return gate;
}

const left = { focus: 'Comprar', overflow: 'visible', dialogs: 0, entry: [] };
const words = (page: Page) => page.$eval('dialog [role=alert]', (alert) => alert.textContent);

describe('the checkout in a dialog', () => {
  it('keeps the focus inside, locks the page, and gives both back as Escape closes it', async (t) => {
    const { page, logged } = await open(t);
    assert.equal((await stateOf(page)).overflow, 'hidden');
    assert.deepEqual(await findAxeFaults(page, 'dialog'), []);
    for (let stops = 0; stops < 12; stops += 1) {
      const outside = await page.evaluate(
        () =>
          document.activeElement?.closest('dialog, body')?.localName === 'body' &&
          document.activeElement !== document.body,
      );
      assert.equal(outside, false, `after ${stops} stops`);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Escape');
    assert.deepEqual(await untilClosed(page), { paid: false });
    assert.deepEqual(await stateOf(page), left);
    assert.deepEqual([await heardOf(page, 'securitypolicyviolation'), logged], [[], []]);
  });

  it('forgets nothing: the back button closes it, the page stays, and the same code comes again', async (t) => {
    const { page, reference } = await open(t);
    const code = await askForCode(page);
    const { href } = new URL(page.url());
    await page.evaluate(() => history.back());
    assert.deepEqual(await untilClosed(page), { paid: false });
    assert.equal(page.url(), href);
    assert.deepEqual(await stateOf(page), left);
    await buy(page);
    await untilPhase(page, 'awaiting');
    assert.equal(await shownCode(page), code);
    assert.equal(shop.invoicesOf(reference).length, 1);
  });

  it('asks before it closes on a creation in flight, by Escape and by the back button', async (t) => {
    const { page, reference } = await open(t);
    const gate = await askAndHold(t, page);
    await page.keyboard.press('Escape');
    assert.match(await words(page), /Feche de novo/);
    gate.open();
    await untilPhase(page, 'awaiting');
    assert.equal(await words(page), '');
    assert.equal(shop.invoicesOf(reference).length, 1);
  });

  it('closes on a creation in flight if it is closed again, and goes on with it later', async (t) => {
    const { page, reference } = await open(t);
    const gate = await askAndHold(t, page);
    await page.evaluate(() => history.back());
    await page.waitForFunction(() => document.querySelector('dialog [role=alert]')?.textContent);
    assert.equal((await stateOf(page)).dialogs, 1);
    await page.evaluate(() => history.back());
    assert.deepEqual(await untilClosed(page), { paid: false });
    gate.open();
    await buy(page);
    await untilPhase(page, 'awaiting');
    assert.equal(shop.invoicesOf(reference).length, 1);
  });

  it('is opened once for an order: a further call brings it to the payer, and ends with it', async (t) => {
    const { page } = await open(t);
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      document.querySelector<HTMLElement>('main + button')?.click();
    });
    const { dialogs, focus } = await stateOf(page);
    assert.deepEqual([dialogs, focus], [1, '✕']);
    await page.keyboard.press('Escape');
    await untilClosed(page);
    assert.equal(await page.evaluate(() => window.outcomes), 2);
    assert.deepEqual(await stateOf(page), left);
  });

  it('says on the screen that the element’s script is missing, rejects, and can be closed', async (t) => {
    const page = await (await openContext(t)).newPage();
    shop.server.scripts.set(
      '/alone.js',
      `import { openCheckout } from '/dist/pix-checkout-modal.min.js';
      openCheckout({ externalId: '1' }).catch(({ message }) => (document.title = message));`,
    );
    shop.server.pages.set(
      '/alone',
      '<!doctype html><body><script type="module" src="/alone.js"></script>',
    );
    await page.goto(`${shop.origin}/alone`);
    await page.waitForFunction(() => /<pix-checkout>/.test(document.title), { polling: 50 });
    assert.match(await words(page), /Recarregue a página/);
    await page.locator('dialog button').click();
    await page.waitForFunction(() => !document.querySelector('dialog'), { polling: 50 });
  });

  it('shows the receipt until it is closed, and tells then that it is paid', async (t) => {
    const { page, reference } = await open(t);
    await askForCode(page);
    const invoiceId = shop.invoicesOf(reference)[0]?.invoiceId ?? '';
    await shop.settle(invoiceId);
    await passTime(page, shop, 10_000);
    await untilPhase(page, 'paid');
    assert.equal((await stateOf(page)).dialogs, 1);
    await page.focus('dialog button');
    await page.keyboard.press('Enter');
    const outcome = await untilClosed(page);
    assert.ok(outcome.paid);
    assert.deepEqual([outcome.invoiceId, outcome.externalId], [invoiceId, reference]);
    // Opened again, the order is paid already, which is told to the page once.
    await buy(page);
    await untilPhase(page, 'paid');
    await page.keyboard.press('Escape');
    assert.deepEqual(await untilClosed(page), outcome);
  });

  it('is swiped from its first line to its last button, on a small phone and on a larger one', async (t) => {
    const { page } = await visit(t, shop, {
      attributes: { methods: 'pix credit_card', 'accept-raw-card': '' },
      rest: '<button>Comprar</button><script type="module" src="/modal.js"></script>',
      prepare: (one) => one.setViewport(phones[0]),
    });
    const assertSwipedOnBoth = async (last: string) => {
      for (const phone of phones) {
        await page.setViewport(phone);
        await assertSwiped(page, last);
      }
    };
    await buy(page);
    await assertSwipedOnBoth('[part="submit-button"]');
    await chooseMethod(page, 'Cartão');
    await untilDrawn(page, '#card_number');
    await assertSwipedOnBoth('[part="submit-button"]');
    await chooseMethod(page, 'Pix');
    await askForCode(page);
    await assertSwipedOnBoth('[part="qr"]');
  });

  it('fills a phone, and stands in the middle of a wide screen', async (t) => {
    const { page } = await open(t);
    for (const width of [360, 1_200]) {
      await page.setViewport({ width, height: 780 });
      const box = await page.$eval('dialog', (dialog) => {
        const { left, right, top, height } = dialog.getBoundingClientRect();
        return { left, right: innerWidth - right, top, height };
      });
      if (width === 360) assert.deepEqual(box, { left: 0, right: 0, top: 0, height: 780 });
      else assert.ok(box.left > 100 && box.left === box.right && box.top > 0, JSON.stringify(box));
    }
  });

  /** What a library does to the page while the dialog is open, or before. Runs inside the page. */
  const modals: readonly [name: string, act: () => void][] = [
    ['pointer-events: none of Radix', () => (document.body.style.pointerEvents = 'none')],
    [
      'the inert of React Aria, which watches the body',
      () => {
        const hide = () => {
          for (const child of document.body.children) Object.assign(child, { inert: true });
        };
        new MutationObserver(hide).observe(document.body, { childList: true });
        hide();
      },
    ],
    [
      'the wheel of react-remove-scroll',
      () => {
        for (const name of ['wheel', 'touchmove']) {
          document.addEventListener(name, (event) => event.preventDefault(), { passive: false });
        }
      },
    ],
  ];
  for (const [name, act] of modals) {
    it(`can be pressed, typed into and scrolled above ${name}`, async (t) => {
      const { page } = await visit(t, shop, {
        rest: '<button>Comprar</button><script type="module" src="/modal.js"></script>',
        prepare: (one) => one.setViewport({ width: 390, height: 320 }),
      });
      await page.evaluate(() => {
        // The modal of the shop that holds the button: it is pressed by script, as its own layer would let it be.
        Object.assign(window, { buy: document.querySelector('main + button') });
      });
      await page.evaluate(act);
      await page.evaluate(() => (Reflect.get(window, 'buy') as HTMLElement).click());
      await page.waitForSelector('dialog[open] pix-checkout:defined');
      const field = await untilDrawn(page, '#name');
      await field?.click();
      await page.keyboard.type('Ana');
      assert.equal(
        await page.$eval('pix-checkout >>> #name', (one) => (one as HTMLInputElement).value),
        'Ana',
      );
      await page.mouse.move(160, 160);
      const before = await page.$eval('dialog', ({ scrollTop }) => scrollTop);
      await page.mouse.wheel({ deltaY: 200 });
      await page.waitForFunction(
        (top) => document.querySelector('dialog')!.scrollTop > top,
        { polling: 50 },
        before,
      );
      await page.locator('dialog header button').click();
      assert.deepEqual(await untilClosed(page), { paid: false });
    });
  }

  it('outlives a router that replaces the body, and leaves a page that scrolls', async (t) => {
    const { page } = await open(t);
    await page.evaluate(() => {
      const next = document.createElement('body');
      next.append('Obrigado');
      document.body.replaceWith(next);
      history.pushState({ turbo: {} }, '', '?next');
    });
    await page.locator('dialog header button').click();
    assert.deepEqual(await untilClosed(page), { paid: false });
    const { overflow, dialogs } = await stateOf(page);
    assert.deepEqual([overflow, dialogs, new URL(page.url()).search], ['visible', 0, '?next']);
  });

  it('is no part of what a router stores of the body', async (t) => {
    const { page } = await open(t);
    assert.doesNotMatch(await page.$eval('body', ({ innerHTML }) => innerHTML), /<dialog/);
  });

  it('ends with its promise where a script takes it away, and gives the page back', async (t) => {
    const { page } = await open(t);
    await page.$eval('dialog', (dialog) => dialog.remove());
    assert.deepEqual(await untilClosed(page), { paid: false });
    const { overflow, dialogs, entry } = await stateOf(page);
    assert.deepEqual([overflow, dialogs, entry], ['visible', 0, []]);
    await buy(page);
    assert.equal((await stateOf(page)).dialogs, 1);
  });
});
