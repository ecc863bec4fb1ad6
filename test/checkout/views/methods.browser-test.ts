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
  it('says the price where there is nothing better to say, and nothing where it is not known', async () => {
    const plain = [
      { ...pix, savedCents: 0 },
      { ...card, free: null },
    ];
    const { words, change } = await showChoice(twoWays({ offers: plain }));
    expect(words()).to.deep.equal(['Pix R$ 139,90', 'Cartão de crédito R$ 146,70']);
    await change(twoWays({ offers: plain.map((one) => ({ ...one, cents: null })) }));
    expect(words()).to.deep.equal(['Pix', 'Cartão de crédito']);
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

  it('is one line beside a code and after its deadline too, one press from the other method, and is not there where the order is paid or may be', async () => {
    for (const [name, there] of [
      ['awaiting', true],
      ['expired', true],
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
  document!.focus();
  expect(isSeen()).to.equal(true);
  expect(email!.getBoundingClientRect().top).to.equal(before);
  const { bottom } = letters.getBoundingClientRect();
  expect(bottom).to.be.at.most(document!.getBoundingClientRect().top);
});

/** As on a phone. */
function forceShown(root: ShadowRoot): void {
  const phone = new CSSStyleSheet();
  phone.replaceSync(
    '.switch { display: flex !important; } .field:focus-within .muted { display: none; }',
  );
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, phone];
}

it('a long order summary scrolls inside itself beyond two fifths of the height, by keyboard too', async () => {
  const item = { name: 'Caderno', quantity: 1, unit_price: 1_000 };
  const { root, element } = await show(twoWays({ items: Array.from({ length: 60 }, () => item) }));
  root.querySelector<HTMLDetailsElement>('details.summary')!.open = true;
  const list = root.querySelector<HTMLElement>('details ul')!;
  expect(list.getBoundingClientRect().height).to.be.closeTo(innerHeight * 0.4, 1);
  expect(list.scrollHeight).to.be.above(list.clientHeight);
  list.focus();
  expect(root.activeElement === list).to.equal(true);
  await expect(element).to.be.accessible();
});
