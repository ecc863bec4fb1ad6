/** What a person does with the tools of the demo page: the bar, the bank, the cards, the log and the playground. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { colors } from '../../src/checkout/element/design-tokens.js';
import { findAxeFaults } from '../support/browser/axe.js';
import { useDemo } from './use-demo.js';

const panels = ['scenarios', 'bank', 'cards', 'log', 'playground', 'faults'];

describe('tools of the demo page', { concurrent: false }, async () => {
  const { demo, context, page } = await useDemo();
  await context.overridePermissions(demo.url, ['clipboard-read', 'clipboard-sanitized-write']);

  async function open(query: string): Promise<void> {
    // A fault or a cut line of the test before is not this one's.
    await fetch(`${demo.url}/sandbox/faults`, { method: 'DELETE' });
    await page.goto(`${demo.url}/?${query}`);
    await page.waitForSelector('html[data-settled]');
  }

  const press = (action: string) => page.click(`#toolbar [data-action="${action}"]:enabled`);
  const turnTo = (panel: string) => page.click(`#tabs [href="#${panel}"]`);
  const query = () => new URL(page.url()).searchParams;

  async function untilPhase(phase: string): Promise<void> {
    await page.waitForFunction(
      (wanted) => document.querySelector('#phase')?.textContent === wanted,
      { polling: 50 },
      phase,
    );
  }

  /** Waits for words in a part of the page. */
  async function untilSays(selector: string, words: string): Promise<void> {
    await page.waitForFunction(
      (where, wanted) => document.querySelector(where)?.textContent?.includes(wanted),
      { polling: 50 },
      selector,
      words,
    );
  }

  it('the address keeps the scenario where only looks change, and names the order where more does', async () => {
    await open('scenario=form');
    await turnTo('playground');
    await page.select('[name="theme"]', 'dark');
    await page.waitForFunction(() => location.search === '?scenario=form&theme=dark');
    await page.$eval('[name="methods"]', (control) => {
      (control as HTMLSelectElement).value = 'pix credit_card';
      control.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await page.waitForFunction(() => location.search.includes('methods='));
    assert.equal(query().get('scenario'), null);
    assert.match(query().get('order') ?? '', /^qa-/);
    assert.equal(await page.$('#scenarios [aria-current]'), null);
  });

  describe('the bar', () => {
    it('fills the form in and pays, from the first screen to the last', async () => {
      await open('');
      await press('newOrder');
      await page.waitForFunction(() => location.search.includes('order=qa-'));
      await press('fill');
      await page.locator('pix-checkout >>> [part="submit-button"]').click();
      await untilPhase('awaiting');
      await press('pay');
      await untilPhase('paid');
    });

    it('lets the deadline come near, of this order only, and pass', async () => {
      await open('scenario=awaiting');
      const order = () => page.$eval('pix-checkout', ({ externalId }) => externalId);
      const former = await order();
      await press('hurry');
      await page.waitForSelector('pix-checkout >>> [role="timer"]');
      await press('newOrder');
      await page.waitForFunction(
        (reference) => document.querySelector('pix-checkout')?.externalId !== reference,
        {},
        former,
      );
      await page.waitForSelector('pix-checkout >>> [part~="copy-button"]');
      assert.equal(await page.$('pix-checkout >>> [role="timer"]'), null);
      await press('expire');
      await untilPhase('expired');
    });
  });

  it('the log holds requests, events and what was said, and of the payer nothing', async () => {
    await open('order=logged');
    await press('fill');
    const typed = await page.$$eval('pix-checkout >>> input', (inputs) =>
      inputs.map(({ value }) => value).filter((value) => value.length > 3),
    );
    assert.equal(typed.length, 3);
    await page.locator('pix-checkout >>> [part="submit-button"]').click();
    await untilPhase('awaiting');
    await untilSays('#log', '← {');
    // What may be over at once is announced a moment later.
    await untilSays('#log', 'pronto');
    const log = await page.$eval('#log', ({ textContent }) => textContent ?? '');
    assert.match(log, /POST \/pix\/invoices 200 \d+ ms/);
    assert.match(log, /"cpf_cnpj": "•••"/);
    assert.match(log, /"lookup_token": "•••"/);
    assert.match(log, /pix-created \{/);
    assert.match(log, /Código Pix de R\$.139,90 pronto/);
    for (const value of typed) {
      assert.ok(!log.includes(value) && !log.includes(value.replaceAll(/\D/g, '') || value));
    }
  });

  it('the playground changes looks, words and slots, and writes the snippet for them', async () => {
    await open(
      'scenario=form&--pix-radius=3px&texts=generate:%20Quero%20pagar&slot-footer=Até%20logo',
    );
    const button = await page.waitForSelector('pix-checkout >>> [part="submit-button"]');
    assert.equal(await button?.evaluate(({ textContent }) => textContent?.trim()), 'Quero pagar');
    assert.equal(await button?.evaluate((one) => getComputedStyle(one).borderRadius), '3px');
    const snippet = await page.$eval('#snippet pre', ({ textContent }) => textContent ?? '');
    assert.match(snippet, /--pix-radius: 3px;/);
    assert.match(snippet, /<p slot="footer">Até logo<\/p>/);
    assert.match(snippet, /"generate": "Quero pagar"/);
    assert.match(snippet, /order-token="…"/);
  });

  it('have no fault that axe finds in any panel', async () => {
    await open('scenario=paid');
    for (const panel of panels) {
      await turnTo(panel);
      assert.deepEqual(await findAxeFaults(page, '.qa'), [], panel);
    }
  });

  it("have the element's type, corners and colours, and its height under a finger", async () => {
    await open('scenario=awaiting');
    const looks = await page.$eval('[data-action="pay"]', (button) => {
      const { fontSize, borderRadius, backgroundColor } = getComputedStyle(button);
      return { fontSize, borderRadius, backgroundColor };
    });
    const [, dark] = colors.accent;
    assert.deepEqual(looks, {
      fontSize: '14px',
      borderRadius: '12px',
      backgroundColor: `rgb(${dark
        .match(/\w\w/g)!
        .map((part) => parseInt(part, 16))
        .join(', ')})`,
    });
    await page.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: true });
    // A device of another kind loads the page again.
    const pay = await page.waitForSelector('[data-action="pay"]', { visible: true });
    const high = await pay!.evaluate((button) => button.clientHeight);
    await page.setViewport({ width: 1280, height: 900 });
    assert.ok(high >= 46, `${high} px`);
  });

  it('mark a part that opens in place, as the gallery and the bank do', async () => {
    for (const [path, where] of [
      ['/?scenario=awaiting#playground', '#playground details'],
      ['/gallery', 'details'],
      ['/sandbox/', 'details'],
    ]) {
      await page.goto(demo.url + path);
      const fold = await page.waitForSelector(where!, { visible: true });
      const looks = await fold!.evaluate(
        (details, states) => {
          const summary = details.querySelector('summary')!;
          const { display, listStyleType } = getComputedStyle(summary);
          const arrow = getComputedStyle(summary, '::after');
          const turns = states.map((isOpen) => {
            (details as HTMLDetailsElement).open = isOpen;
            const [cosine = ''] = /-?0\.7/.exec(arrow.transform) ?? [];
            return cosine;
          });
          return [display, listStyleType, arrow.content, arrow.borderWidth, ...turns];
        },
        [false, true],
      );
      assert.deepEqual(looks, ['flex', 'none', '""', '0px 2px 2px 0px', '0.7', '-0.7'], path);
    }
  });

  for (const width of [320, 390, 768]) {
    it(`has every button of the bar in view at ${width} px, beside it or in its menu`, async () => {
      await page.setViewport({ width, height: 844 });
      await open('scenario=awaiting');
      const boxes = () =>
        page.$$eval('#toolbar :is(button, a)', (buttons) =>
          buttons
            .filter((button) => button.checkVisibility())
            .map((button) => {
              const { left, right, top, bottom } = button.getBoundingClientRect();
              const isWhole = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
              return [
                (button as HTMLElement).dataset['action'] ?? button.textContent?.trim(),
                isWhole,
              ];
            }),
        );
      assert.deepEqual(await boxes(), [
        ['pay', true],
        ['More', true],
        ['Tools', true],
      ]);
      await page.click('#toolbar .open-more');
      const inMenu = (await boxes()).filter(([, isWhole]) => isWhole).map(([name]) => name);
      for (const action of ['payLess', 'payTwice', 'hurry', 'expire', 'newOrder', 'reload'])
        assert.ok(inMenu.includes(action), action);
      await press('hurry');
      await page.waitForSelector('pix-checkout >>> [role="timer"]');
      assert.equal(await page.$('#more:popover-open'), null, 'what was chosen closes the menu');
      await press('pay');
      await untilPhase('paid');
      assert.deepEqual((await boxes())[0], ['newOrder', true], 'what comes next');
      const high = await page.$eval('#toolbar', (bar) => bar.clientHeight);
      assert.ok(high < 60, `the bar is one line: ${high} px`);
    });
  }

  it('works on a phone with text of twice the size', async () => {
    await page.setViewport({ width: 390, height: 844 });
    await open('scenario=awaiting');
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
    for (const panel of panels) {
      await turnTo(panel);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${panel}: ${overflow} px too wide`);
    }
    const bar = await page.$eval('#toolbar', (one) => one.getBoundingClientRect().height);
    assert.ok(bar < 844 / 4, `the bar takes ${bar} px`);
    await press('pay');
    await untilPhase('paid');
  });
});
