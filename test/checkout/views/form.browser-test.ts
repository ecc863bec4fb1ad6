/** The form: keypads, autofill, and what is said of a failed attempt. What else it says is kept in test/gallery/screenshots. */

import { expect } from '@open-wc/testing';
import { html } from 'lit';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import { payerFields } from '../../../src/domain/payer.js';
import type { Model } from '../../../src/checkout/views/model.js';
import { asked, modelOf } from '../../../demo/gallery/models.js';
import { fold, show } from './show.js';

const everyField = modelOf(emptyForm, { fields: payerFields.map((field) => asked(field)) });

/** What keypad and autofill are told (facts of the HTML standard; no token exists for a tax id). */
const told = [
  ['name', 'name', 'text'],
  ['cpf_cnpj', 'off', 'numeric'],
  ['email', 'email', 'email'],
  ['phone', 'tel', 'tel'],
  ['address_zip', 'billing postal-code', 'numeric'],
  ['address_line', 'billing address-line1', 'text'],
  ['address_number', 'off', 'text'],
  ['address_complement', 'billing address-line2', 'text'],
  ['address_city', 'billing address-level2', 'text'],
  ['address_state', 'billing address-level1', null],
] as const;

describe('the form', () => {
  it('is one native form that leaves validation to us', async () => {
    const { root, part } = await show(everyField);
    expect(root.querySelectorAll('form')).to.have.length(1);
    expect((part('form') as HTMLFormElement).noValidate).to.equal(true);
    expect(root.querySelectorAll('[part=input]')).to.have.length(payerFields.length);
  });

  it('tells browsers what each field is, and phones which keypad to open', async () => {
    const { root } = await show(everyField);
    for (const [field, autocomplete, inputmode] of told) {
      const control = root.querySelector<HTMLInputElement>(`[name=${field}]`)!;
      const { fields, hints } = everyField.texts;
      const label = [fields[field], hints[field]].join(' ').trim();
      expect(fold(control.labels![0]!.textContent)).to.equal(label);
      const attributes = ['autocomplete', 'inputmode'].map((one) => control.getAttribute(one));
      expect(attributes, field).to.deep.equal([autocomplete, inputmode]);
      expect([control.required, control.hasAttribute('aria-invalid')]).to.deep.equal([true, false]);
    }
  });

  it('is few nodes, comments of Lit and texts among them', async () => {
    const fields = (['name', 'cpf_cnpj', 'email'] as const).map((field) => asked(field));
    const { root } = await show(modelOf(emptyForm, { fields, items: [], lines: [] }));
    const walker = document.createTreeWalker(root);
    let nodes = 0;
    // The build takes out the white space that only lays out a template.
    while (walker.nextNode()) {
      const { currentNode } = walker;
      if (!(currentNode instanceof Text) || currentNode.data.trim()) nodes += 1;
    }
    expect(nodes).to.be.at.most(90);
  });

  it('tells of a card file that did not come beside an error', async () => {
    const error = { code: 'service_unavailable', retryable: true } as const;
    const card = { content: null, failed: true, slotted: false };
    const model = modelOf({ ...emptyForm, error }, { card, method: 'credit_card' });
    const { root } = await show(model);
    const { errors, formMissing } = model.texts;
    const [first, second, ...more] = root.querySelectorAll('[part=error]');
    expect(fold(first!.textContent)).to.contain(errors.service_unavailable);
    expect(fold(second!.textContent)).to.equal(formMissing);
    expect(more).to.have.length(0);
  });

  for (const [code, method, saysFree] of [
    ['service_unavailable', 'pix', true],
    ['service_unavailable', 'credit_card', false],
    ['payment_refused', 'credit_card', false],
  ] as const) {
    it(`says that nothing was charged only where that is certain: ${code} by ${method}`, async () => {
      const error = { code, retryable: true };
      const { part } = await show(modelOf({ ...emptyForm, error }, { method }));
      const free = fold(part('error').textContent).includes('Nada foi cobrado nesta tentativa.');
      expect(free).to.equal(saysFree);
    });
  }
});

describe('the form of a refused card', () => {
  const offers: Model['offers'] = [
    { method: 'credit_card', cents: 18_990, savedCents: 0, free: null },
    { method: 'pix', cents: 18_990, savedCents: 0, free: null },
  ];
  const card = { content: html`<input id="card_code" />`, failed: false, slotted: false };
  const error = { code: 'payment_refused', retryable: true } as const;
  for (const widthPx of [320, 390, 768, 1280]) {
    it(`says what happened, what to do and the way out above its button, at ${widthPx} px`, async () => {
      const model = modelOf(
        { ...emptyForm, error },
        { offers, card, method: 'credit_card', fields: [asked('name')], wide: widthPx > 700 },
      );
      const { root, part } = await show(model, widthPx);
      const [first, second] = root.querySelectorAll<HTMLElement>('.error p');
      expect([first!, second!].map((one) => fold(one.textContent))).to.deep.equal([
        'Pagamento não aprovado.',
        'Confira os dados ou use outro cartão.',
      ]);
      expect(getComputedStyle(first!.firstElementChild!).fontWeight).to.equal('600');
      const inOrder = [
        '#card_code',
        '.error p',
        '.error p ~ p',
        '.error button',
        'form > .primary',
      ];
      const boxes = inOrder.map((one) => root.querySelector(one)!.getBoundingClientRect());
      for (const [at, { top }] of boxes.entries()) {
        if (at > 0) expect(top, inOrder[at]).to.be.at.least(boxes[at - 1]!.bottom);
      }
      // What the payer typed stays open, and so does the choice.
      expect(root.querySelector<HTMLInputElement>('#name')!.checkVisibility()).to.equal(true);
      expect(root.querySelectorAll('[type=radio]')).to.have.length(2);
      const { left, top } = part('error').getBoundingClientRect();
      const icon = root.querySelector('.error .icon')!.getBoundingClientRect();
      expect(Math.min(icon.left - left, icon.top - top)).to.be.at.least(12);
    });
  }
});

describe('the columns of a form on a wide page', () => {
  const wide = { wide: true, fields: payerFields.map((field) => asked(field)) };
  const boxOf = (root: ShadowRoot, selector: string) =>
    root.querySelector(selector)!.getBoundingClientRect();

  for (const widthPx of [768, 1024, 1280, 1440]) {
    it(`are one without the order's lines, in the middle, at ${widthPx} px`, async () => {
      const { root } = await show(modelOf(emptyForm, { ...wide, items: [], lines: [] }), widthPx);
      const [frame, head, form] = ['.checkout', '.head', 'form'].map((one) => boxOf(root, one));
      expect(head!.bottom).to.be.below(form!.top);
      expect(head!.left).to.equal(form!.left);
      expect(form!.width).to.be.within(480, 560);
      expect(form!.left - frame!.left).to.be.closeTo(frame!.right - form!.right, 0.5);
    });

    it(`are two with them, at ${widthPx} px`, async () => {
      const { root } = await show(modelOf(emptyForm, wide), widthPx);
      const [frame, head, form] = ['.checkout', '.head', 'form'].map((one) => boxOf(root, one));
      expect(head!.right).to.be.below(form!.left);
      expect(frame!.bottom - form!.bottom).to.be.at.most(32);
    });
  }
});

describe('the fields of a form', () => {
  it('stand close, and a fault has its line there beforehand', async () => {
    const names = ['name', 'cpf_cnpj', 'email'] as const;
    const { root, change } = await show(modelOf(emptyForm, { fields: names.map((n) => asked(n)) }));
    const gaps = () =>
      names.slice(1).map((name, at) => {
        const label = root.querySelector(`[for=${name}]`)!.getBoundingClientRect();
        return label.top - root.querySelector(`#${names[at]}`)!.getBoundingClientRect().bottom;
      });
    for (const gap of gaps()) expect(gap).to.be.within(16, 35);
    // The ring of a focused field is 3 pixels wide.
    const belowRing = (fault: Element) =>
      fault.getBoundingClientRect().top -
      fault.parentElement!.querySelector('input')!.getBoundingClientRect().bottom -
      3;
    const before = gaps();
    const faulty = names.map((name) => asked(name, { fault: 'missing' }));
    await change(modelOf(emptyForm, { fields: faulty }));
    expect(gaps()).to.deep.equal(before);
    for (const fault of root.querySelectorAll('.field .fault'))
      expect(belowRing(fault)).to.be.at.least(2);
  });

  it('have a ring in the colour of errors if they are invalid', async () => {
    const fields = [asked('name', { fault: 'missing' }), asked('email')];
    const { root } = await show(modelOf(emptyForm, { fields, items: [], lines: [] }));
    const [name, email] = root.querySelectorAll<HTMLInputElement>('[part=input]');
    name!.focus();
    const { outlineColor, outlineStyle, borderColor } = getComputedStyle(name!);
    expect([outlineStyle, outlineColor]).to.deep.equal(['solid', borderColor]);
    email!.focus();
    expect(getComputedStyle(email!).outlineColor).to.not.equal(outlineColor);
  });

  it('have one sign for a fault, at the height of its words', async () => {
    const error = { code: 'service_unavailable', retryable: true } as const;
    const fields = [asked('name', { fault: 'missing' }), asked('email', { fault: 'missing' })];
    const failed = await show(modelOf({ ...emptyForm, error }, { fields }));
    const paths = [...failed.root.querySelectorAll('.error .icon path, .fault .icon path')];
    const drawn = paths.map((path) => path.getAttribute('d'));
    // The box, two fields, and the line that counts them.
    expect(drawn).to.deep.equal(Array.from({ length: 4 }, () => drawn[0]));
    for (const fault of failed.root.querySelectorAll('.fault')) {
      const words = document.createRange();
      words.selectNode(
        [...fault.childNodes].find((one) => one instanceof Text && one.data.trim())!,
      );
      const [icon, text] = [fault.querySelector('.icon')!, words].map((one) =>
        one.getBoundingClientRect(),
      );
      expect(icon!.top + icon!.height / 2).to.be.closeTo(text!.top + text!.height / 2, 1);
    }
  });
});
