/** The choice of method: real radio buttons, what each costs, and where it stands. */

import { expect } from '@open-wc/testing';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import type { MethodOffer, Model } from '../../../src/checkout/views/model.js';
import { asked, modelOf, scenes } from '../../../demo/gallery/models.js';
import { fold, show } from './show.js';

const pix: MethodOffer = { method: 'pix', cents: 13_990, savedCents: 680, free: null };
const free = { installment: 3, eachCents: 4_890 };
const card: MethodOffer = { method: 'credit_card', cents: 14_670, savedCents: 0, free };

/** The form of an order that may be paid both ways. */
const twoWays = (more: Partial<Model> = {}) =>
  modelOf(emptyForm, { offers: [pix, card], fields: [asked('name')], ...more });

async function showChoice(model: Model, widthPx?: number) {
  const shown = await show(model, widthPx);
  const radios = () => [...shown.root.querySelectorAll<HTMLInputElement>('[type=radio]')];
  const words = () => radios().map(({ labels }) => fold(labels![0]!.innerText));
  return { ...shown, radios, words };
}

describe('the choice of method', () => {
  it('says the prices where they differ, and nothing where they are equal or not known', async () => {
    const plain = [
      { ...pix, savedCents: 0 },
      { ...card, free: null },
    ];
    const { words, change } = await showChoice(twoWays({ offers: plain }));
    expect(words()).to.deep.equal(['Pix R$ 139,90', 'Cartão de crédito R$ 146,70']);
    for (const cents of [13_990, null]) {
      await change(twoWays({ offers: plain.map((one) => ({ ...one, cents })) }));
      expect(words()).to.deep.equal(['Pix', 'Cartão de crédito']);
    }
  });

  it('asks for the method that is pressed, wherever in its box', async () => {
    const { element, radios } = await showChoice(twoWays());
    radios()[1]!.labels![0]!.querySelector('small')!.click();
    expect(element.asked).to.deep.equal([['chooseMethod', 'credit_card']]);
  });

  it('has boxes of full width under one another on a phone, side by side where there is room, all of 44 pixels', async () => {
    for (const [width, isBeside] of [
      [320, false],
      [390, false],
      [559, false],
      [700, true],
    ] as const) {
      const { radios, root } = await showChoice(twoWays(), width);
      const [first, second] = radios().map(({ labels }) => labels![0]!.getBoundingClientRect());
      expect(first!.width).to.equal(second!.width);
      expect(second!.top === first!.top, `${width}`).to.equal(isBeside);
      if (!isBeside) expect(second!.top).to.be.above(first!.bottom);
      expect(Math.min(first!.height, second!.height)).to.be.at.least(44);
      const { right } = root.querySelector('section')!.getBoundingClientRect();
      expect(second!.right).to.be.below(right);
    }
  });

  for (const width of [320, 390, 700]) {
    it(`has drawing and radio button at half the height of their box, at ${width} px`, async () => {
      const { radios } = await showChoice(twoWays(), width);
      for (const radio of radios()) {
        const label = radio.labels![0]!;
        for (const one of [radio, label.querySelector('.icon')!])
          expect(middleOf(one)).to.be.closeTo(middleOf(label), 0.5);
      }
    });
  }

  it('is one line beside a code, one press from the other method, and is not there where the code is gone, or the order is paid or may be', async () => {
    for (const [name, there] of [
      ['awaiting', true],
      ['expired', false],
      ['creating', true],
      ['confirming', false],
      ['paid', false],
      ['failed', false],
    ] as const) {
      const { element, root } = await showChoice({ ...scenes[name]!(), offers: [pix, card] });
      const line = root.querySelector('.line');
      expect(line !== null, name).to.equal(there);
      const change = line?.querySelector('button');
      expect(change instanceof HTMLElement, name).to.equal(there && name !== 'creating');
      change?.click();
      expect(element.asked, name).to.deep.equal(change ? [['chooseMethod', 'credit_card']] : []);
    }
  });

  it('is left for a button after the deadline, where there is another method', async () => {
    const { element, button, change } = await showChoice({
      ...scenes['expired']!(),
      offers: [pix, card],
    });
    button('Pagar com cartão').click();
    expect(element.asked).to.deep.equal([['chooseMethod', 'credit_card']]);
    await change({ ...scenes['expired']!(), offers: [pix] });
    expect(() => button('Pagar com cartão')).to.throw('No button');
  });

  it('holds prices of millions in a column of 240 pixels', async () => {
    const offers = [
      { ...pix, cents: 999_999_999, savedCents: 123_456_789 },
      { ...card, cents: 1_123_456_788 },
    ];
    const { radios, root } = await showChoice(twoWays({ offers }), 240);
    const { right } = root.querySelector('.methods')!.getBoundingClientRect();
    for (const { labels } of radios())
      expect(labels![0]!.getBoundingClientRect().right).to.be.at.most(right + 0.5);
  });

  it('is accessible', async () => {
    const { element } = await showChoice(twoWays());
    await expect(element).to.be.accessible();
  });
});

it('the keypad switch is there while the payer is at the field, beside its label, and moves nothing', async () => {
  const model = twoWays({ fields: [asked('cpf_cnpj'), asked('email')] });
  const { root } = await show(model);
  // With a mouse there is no keypad.
  if (!matchMedia('(pointer: coarse)').matches) forceShown(root);
  const letters = root.querySelector('[role=switch]')!;
  const [document, email] = root.querySelectorAll<HTMLInputElement>('.field > input');
  const isSeen = () => getComputedStyle(letters).visibility === 'visible';
  const before = email!.getBoundingClientRect().top;
  expect(isSeen()).to.equal(false);
  document!.focus({ preventScroll: true });
  expect(isSeen()).to.equal(true);
  expect(email!.getBoundingClientRect().top).to.equal(before);
  const { bottom } = letters.getBoundingClientRect();
  expect(bottom).to.be.at.most(document!.getBoundingClientRect().top);
});

function middleOf(one: Element): number {
  const { top, height } = one.getBoundingClientRect();
  return top + height / 2;
}

/** As on a phone. */
function forceShown(root: ShadowRoot): void {
  const phone = new CSSStyleSheet();
  phone.replaceSync(
    '.switch { display: flex !important; } .field:focus-within .muted { display: none; }',
  );
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, phone];
}

it('a long order summary stands whole: nothing in it scrolls, and no key stops at it', async () => {
  const item = { name: 'Caderno', quantity: 1, unit_price: 1_000 };
  const { root, element } = await show(twoWays({ items: Array.from({ length: 60 }, () => item) }));
  root.querySelector<HTMLDetailsElement>('details.summary')!.open = true;
  const list = root.querySelector<HTMLElement>('details ul')!;
  expect(list.scrollHeight).to.equal(list.clientHeight);
  expect(list.tabIndex).to.equal(-1);
  await expect(element).to.be.accessible();
});
