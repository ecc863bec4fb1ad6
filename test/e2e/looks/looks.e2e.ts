/** What the system asks of the looks: its own colours, which still tell things apart, and no motion. */
import assert from 'node:assert/strict';
import { it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { askForCode, press, untilDrawn, visit } from '../../support/browser/payer.js';
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

it('forced colours leave room between a code and its border, at both ends', async (t) => {
  const { page } = await visit(t, shop);
  await page.emulateMediaFeatures([forced]);
  await askForCode(page);
  const { room, color, begins } = await page.$eval('pix-checkout >>> .code', (one) => {
    const { inlineSize, backgroundColor, display } = getComputedStyle(one, '::after');
    const { paddingLeft } = getComputedStyle(one.querySelector('textarea')!);
    return {
      room: display === 'none' ? '' : inlineSize,
      color: backgroundColor,
      begins: paddingLeft,
    };
  });
  assert.equal(room, begins);
  assert.match(color, /^rgb\(/, 'what is below cannot be seen');
});

it('the mark of a test lies over nothing in large text on a phone', async (t) => {
  const attributes = {
    methods: 'pix credit_card',
    'accept-raw-card': '',
    'allow-unverified-code': '',
  };
  const { page } = await visit(t, shop, { attributes });
  await page.setViewport({ width: 390, height: 664 });
  for (const size of ['100%', '150%', '200%']) {
    await page.evaluate((text) => (document.documentElement.style.fontSize = text), size);
    const [mark = NaN, next = NaN] = await page.$eval('pix-checkout', ({ shadowRoot }) => [
      shadowRoot!.querySelector('.test')!.getBoundingClientRect().bottom,
      shadowRoot!.querySelector('.methods')!.getBoundingClientRect().top,
    ]);
    assert.ok(mark <= next, `${size}: ${mark}, ${next}`);
  }
});

it('another screen appears in a quarter of a second, at once for a payer who wants no motion', async (t) => {
  for (const value of ['no-preference', 'reduce']) {
    const { page } = await visit(t, shop, {
      prepare: (opening) =>
        opening.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value }]),
    });
    const lengths = () =>
      page.$eval('pix-checkout', ({ shadowRoot }) =>
        ['.sides', '.columns'].flatMap((one) =>
          shadowRoot!.querySelector(one)
            ? getComputedStyle(shadowRoot!.querySelector(one)!).animationDuration
            : [],
        ),
      );
    const stepsMotion = () =>
      page.$eval('pix-checkout >>> ol', (one) => getComputedStyle(one).animationDuration);
    assert.deepEqual(await lengths(), ['0s'], 'the first screen stands');
    await askForCode(page);
    assert.equal(await stepsMotion(), '0s');
    assert.deepEqual(await lengths(), [value === 'reduce' ? '0s' : '0.25s']);
    await press(page, 'Copiar código Pix');
    await untilDrawn(page, '.done');
    assert.equal(await stepsMotion(), value === 'reduce' ? '0s' : '0.25s', 'its steps change');
  }
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

const fonts: readonly (readonly [font: string, size: string])[] = [
  ['system-ui', '16px'],
  ['system-ui', '32px'],
  ['DejaVu Sans', '16px'],
  ['DejaVu Sans', '32px'],
];

for (const width of [320, 390, 1280]) {
  it(`the fields of a row stand on one line, whatever wraps above and below, at ${width} px`, async (t) => {
    const { page } = await visit(t, shop, { attributes: { 'payer-fields': 'address' } });
    await page.setViewport({ width, height: 800 });
    for (const [font, size] of fonts) {
      const ends = await page.$eval(
        'pix-checkout',
        async (checkout, family, text) => {
          checkout.style.setProperty('--pix-font', family);
          checkout.style.setProperty('--pix-font-size', text);
          checkout.start();
          await checkout.updateComplete;
          const root = checkout.shadowRoot!;
          return ['number', 'complement', 'city', 'state'].map((name) => {
            const { left, bottom } = root
              .querySelector(`#address_${name}`)!
              .getBoundingClientRect();
            return { left, bottom: Math.round(bottom) };
          });
        },
        font,
        size,
      );
      for (const [one, other] of [ends.slice(0, 2), ends.slice(2)]) {
        if (one!.left !== other!.left) assert.equal(one!.bottom, other!.bottom, `${font} ${size}`);
      }
    }
  });
}

for (const width of [1024, 1280, 1440]) {
  it(`amount and lines stay beside the button of a long form, at ${width} px`, async (t) => {
    const { page } = await visit(t, shop, { attributes: { 'payer-fields': 'name email address' } });
    await page.setViewport({ width, height: 600 });
    const boxes = await page.$eval('pix-checkout', async (checkout) => {
      checkout.lines = [{ label: 'Frete', cents: 0 }];
      await checkout.updateComplete;
      const root = checkout.shadowRoot!;
      root.querySelector('[part="submit-button"]')!.scrollIntoView({ block: 'end' });
      return ['.total', '.summary', '[part="submit-button"]'].map((one) => {
        const { top, bottom } = root.querySelector(one)!.getBoundingClientRect();
        return { top, bottom };
      });
    });
    for (const { top, bottom } of boxes) assert.ok(top >= 0 && bottom <= 601, `${top}, ${bottom}`);
  });
}
