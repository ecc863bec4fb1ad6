/** What holds on every screen, in every language: accessible, no inline style, nothing wider than the phone. */

import { expect, fixtureCleanup } from '@open-wc/testing';
import type Axe from 'axe-core';
import type { Locale } from '../../../src/checkout/locales/choose-messages.js';
import type { Model } from '../../../src/checkout/views/model.js';
import { modelOf, scenes } from '../../../demo/gallery/models.js';
import { fold, show } from './show.js';

const locales: readonly Locale[] = ['pt-BR', 'en', 'es'];

/** Breaks every layout that does not expect it. */
const long = 'Panificadora'.repeat(12);
const hostile = '<img src=x onerror="window.hacked = true"><style>*{display:none}</style>{{7*7}}';

for (const [name, scene] of Object.entries(scenes)) {
  describe(`screen ${name}`, () => {
    it('is accessible, in the dark too, when the page says so', async () => {
      const { element, root } = await show(scene());
      await expect(element).to.be.accessible();
      element.style.colorScheme = 'dark';
      expect(getComputedStyle(root.querySelector('section')!).color).to.equal('rgb(233, 241, 238)');
      // What fades in is read as it is in the end; rings turn for ever.
      for (const one of root.getAnimations())
        if (one.effect?.getComputedTiming().endTime !== Infinity) one.finish();
      // The rules that read no colour have said what they say.
      const { axe } = window as unknown as { axe: typeof Axe };
      const { violations } = await axe.run(element, { runOnly: ['cat.color'] });
      expect(violations).to.deep.equal([]);
    });

    it('has one heading that takes the focus, no inline style, and controls that a finger hits', async () => {
      const { root } = await show(scene());
      const heading = root.querySelector<HTMLElement>('h2')!;
      expect(root.querySelector('section')!.getAttribute('aria-labelledby')).to.equal(heading.id);
      heading.focus();
      expect(root.activeElement).to.equal(heading);
      expect(root.querySelectorAll('h2')).to.have.length(1);

      const styled = '[style], style';
      const loaded = 'img, image, use, link, script, iframe, [src]';
      expect(root.querySelectorAll(`${styled}, ${loaded}`)).to.have.length(0);

      for (const target of root.querySelectorAll(
        'button, summary, input:not([type]), select, label.link',
      )) {
        if (getComputedStyle(target).display === 'none') continue;
        expect(target.getBoundingClientRect().height, target.outerHTML).to.be.at.least(44);
      }
      for (const input of root.querySelectorAll('input:not([type]), select')) {
        expect(parseFloat(getComputedStyle(input).fontSize)).to.be.at.least(16);
      }
      for (const button of root.querySelectorAll('.primary')) {
        expect(button.getBoundingClientRect().height).to.be.at.least(48);
      }
    });

    for (const locale of locales) {
      it(`fits a narrow phone in ${locale}, and says so in lang`, async () => {
        const { element, root } = await show(scene(locale));
        expect(root.querySelector('section')!.lang).to.equal(locale);
        expectNoOverflow(element);
      });
    }

    it('fits a narrow phone with text of twice the size', async () => {
      const { element, root } = await show(scene());
      const sizes = () =>
        // The amount, and what a notice says first, are held to the screen's width.
        [...root.querySelectorAll('section *:not([part~=amount], .notice h2)')].map((one) =>
          parseFloat(getComputedStyle(one).fontSize),
        );
      const usual = sizes();
      document.documentElement.style.fontSize = '200%';
      try {
        expect(sizes()).to.deep.equal(usual.map((size) => size * 2));
        expectNoOverflow(element);
      } finally {
        document.documentElement.style.fontSize = '';
      }
    });

    it('shows what it is given as text, however long or hostile', async () => {
      for (const text of [long, hostile]) {
        const { element, root } = await show({
          ...scene(),
          externalId: text,
          receiverName: text,
          items: [{ name: text, description: text, quantity: 3, unit_price: 999_999_999 }],
          lines: [{ label: text, cents: -1 }],
          totalCents: 999_999_999_99,
        });
        for (const details of root.querySelectorAll('details')) details.open = true;
        expectNoOverflow(element);
        expect(root.querySelector('img')).to.equal(null);
        expect(root.querySelectorAll('section style')).to.have.length(0);
      }
      expect('hacked' in window).to.equal(false);
    });
  });
}

/** A thousand, and as much as no shop takes. */
const totals = [123_450, 123_456_789];

for (const locale of locales) {
  it(`fits any narrow phone with any amount in ${locale}, and breaks no word`, async () => {
    for (const [name, scene] of Object.entries(scenes)) {
      for (const cents of totals) {
        const { element, root } = await show(withAmounts(scene(locale), cents));
        for (const details of root.querySelectorAll('details')) details.open = true;
        for (const width of [240, 280, 320]) {
          element.parentElement!.style.inlineSize = `${width}px`;
          expectNoOverflow(element);
          expectInBoxes(root);
          expect(brokenWords(root), `${name}, ${cents}, ${width}`).to.deep.equal([]);
        }
        // Screens that stay are laid out again with each that comes.
        fixtureCleanup();
      }
    }
  });
}

/** All that an order can show, at this price by Pix. */
function withAmounts(model: Model, cents: number): Model {
  const free = { installment: 12, eachCents: cents };
  return {
    ...model,
    externalId: '1042',
    totalCents: cents,
    fullPriceCents: 2 * cents,
    offers: [
      { method: 'pix', cents, savedCents: cents, free: null },
      { method: 'credit_card', cents: 2 * cents, savedCents: 0, free },
    ],
    items: [{ name: 'Café torrado', quantity: 3, unit_price: cents }],
    lines: [{ label: 'Frete', cents }],
  };
}

/** Checks that nothing leaves its box. */
function expectInBoxes(root: ShadowRoot): void {
  for (const box of root.querySelectorAll('label > span, summary, button, .error, dl, li')) {
    expectWithin(box.getBoundingClientRect().right, box.querySelectorAll('*'));
  }
}

/** None reaches further right. What does is written down only then: there are thousands. */
function expectWithin(right: number, all: Iterable<Element>): void {
  const wider = [...all].filter((one) => one.getBoundingClientRect().right > right + 0.5);
  expect(wider.map((one) => one.outerHTML)).to.deep.equal([]);
}

/** Words that stand on two lines; an amount is one. */
function brokenWords(root: ShadowRoot): string[] {
  const walker = document.createTreeWalker(root.querySelector('section')!, NodeFilter.SHOW_TEXT);
  const broken: string[] = [];
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (text.parentElement?.closest('.said, textarea, option')) continue;
    // A word may go on in the next line after its own hyphen.
    for (const { index, 0: word } of text.data.matchAll(/[^ \n\t-]+-?|-/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      // After a line break WebKit counts an empty box of the line before.
      const boxes = [...range.getClientRects()].filter(({ width: wide }) => wide > 0);
      const lines = new Set(boxes.map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(word);
    }
  }
  return broken;
}

describe('the frame', () => {
  it('keeps one live region from the first screen to the last', async () => {
    const shown = await show(scenes['form']!());
    const region = shown.root.querySelector('[role=status]')!;
    expect(region.getAttribute('aria-live')).to.equal('polite');
    for (const scene of Object.values(scenes)) {
      await shown.change(scene());
      expect(shown.root.querySelector('[role=status]')).to.equal(region);
      expect(region.isConnected).to.equal(true);
    }
    expect(fold(region.textContent)).to.not.equal('');
  });

  for (const [own, names] of [
    ['', ['awaiting']],
    ['paid', ['paid']],
    ['support', ['failed', 'confirming', 'expired', 'awaiting-trouble', 'form-faults']],
  ] as const) {
    it(`has the slots of the page, ${own || 'header and footer'}: ${names.join(', ')}`, async () => {
      for (const name of names) {
        const { root } = await show(scenes[name]!());
        const slots = [...root.querySelectorAll('slot')].map((slot) => slot.name);
        expect(slots, name).to.deep.equal(['header', own, 'footer'].filter(Boolean));
      }
    });
  }

  it('marks a test environment on every screen', async () => {
    for (const scene of Object.values(scenes)) {
      const { text } = await show({ ...scene(), test: true });
      expect(text()).to.match(/^Ambiente de teste/);
    }
  });

  it('lets the hidden attribute hide it', async () => {
    const { element } = await show(scenes['form']!());
    element.hidden = true;
    expect(getComputedStyle(element).display).to.equal('none');
  });

  it('does not stretch or shrink to a page with another idea of a rem', async () => {
    document.documentElement.style.fontSize = '62.5%';
    try {
      const { root } = await show(scenes['form']!());
      expect(parseFloat(getComputedStyle(root.querySelector('input')!).fontSize)).to.equal(16);
    } finally {
      document.documentElement.style.fontSize = '';
    }
  });

  it('shows no amount that is not known', async () => {
    const { root } = await show(modelOf(scenes['form']!().state, { totalCents: null }));
    expect(root.querySelector('[part=amount]')).to.equal(null);
  });
});

function expectNoOverflow(element: HTMLElement): void {
  const section = element.shadowRoot!.querySelector('section')!;
  expect(section.scrollWidth, 'section').to.be.at.most(section.clientWidth);
  const { right } = section.getBoundingClientRect();
  expectWithin(right, section.querySelectorAll('*:not([role=status])'));
}
