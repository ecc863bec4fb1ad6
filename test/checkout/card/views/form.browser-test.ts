/** The card form: what is asked and told, what is wrong and where, what is read, and that nothing is left behind. */

import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { cardFields } from '../../../../src/domain/card/card-fields.js';
import type { CardField } from '../../../../src/domain/card/card-fields.js';
import { table } from '../../../../demo/gallery/card-gallery.js';
import { goodCard, openCard, plain } from './open-card.js';

const goodValues = ['4111 1111 1111 1111', 'Maria da Silva', '05/30', '123'];

describe('card form: fields', () => {
  it('tells browsers what to fill in, and phones which keypad to open', async () => {
    const { field } = await openCard();
    expect(
      cardFields.map((name) => {
        const { inputMode, type, required } = field(name);
        // Not every engine knows these values as properties.
        const [autocomplete, enterKeyHint] = ['autocomplete', 'enterkeyhint'].map((one) =>
          field(name).getAttribute(one),
        );
        return [name, autocomplete, inputMode, enterKeyHint, type, required];
      }),
    ).to.deep.equal([
      ['card_number', 'cc-number', 'numeric', 'next', 'text', true],
      ['card_name', 'cc-name', 'text', 'next', 'text', true],
      ['card_expiry', 'cc-exp', 'numeric', 'next', 'text', true],
      ['card_code', 'cc-csc', 'numeric', 'done', 'text', true],
    ]);
  });

  it('does not ask for a name that is known, and takes another', async () => {
    const { element, field, fill, values } = await openCard({ payerName: 'Ana Souza' });
    expect(values()).to.deep.equal(['', 'Ana Souza', '', '']);
    field('card_name').select();
    await fill();
    element.model = { ...element.model, payerName: 'Eva Souza' };
    await element.updateComplete;
    expect(values()).to.deep.equal(goodValues);
  });

  it('stands in one form of one shadow root, under names of its own, and a submit carries nothing', async () => {
    const { root, field, fill, get } = await openCard();
    await fill();
    expect(root.querySelectorAll('form')).to.have.length(1);
    expect([...new FormData(get('form') as HTMLFormElement)]).to.deep.equal([]);
    const labels = [...root.querySelectorAll('label')].map((one) => plain(one.innerText));
    const card = ['Número do cartão', 'Nome impresso no cartão', 'Validade MM/AA', 'CVV'];
    expect(labels).to.deep.equal(['Parcelas', ...card]);
    for (const name of cardFields) expect(field(name).labels).to.have.length(1);
  });

  it('what was typed is in no attribute and no text, and in no class or style', async () => {
    const { fill, leave, root } = await openCard();
    await fill({ card_name: 'Canarinha Amarela', card_code: '987' });
    await leave('card_number');
    // Lit's markers are random numbers.
    const markup = root.innerHTML.replaceAll(/<!--.*?-->/g, '');
    for (const secret of ['4111', '1111', 'Canarinha', 'Amarela', '05/30', '987']) {
      expect(markup).to.not.include(secret);
    }
    expect(root.querySelectorAll('[style], style, [value]')).to.have.length(0);
  });

  const brands: readonly [number: string, brand: string, hint: string][] = [
    ['4', '', 'verso'],
    ['4111', 'Visa', 'verso'],
    ['3782', 'Amex', 'Na frente'],
    ['999', '', 'verso'],
  ];
  for (const [number, brand, where] of brands) {
    it(`${number}… seems to be ${brand || 'any card'}, and nothing moves`, async () => {
      const { type, hintOf, field } = await openCard();
      const top = () => field('card_number').getBoundingClientRect().top;
      const before = top();
      await type('card_number', number);
      expect(hintOf('card_number')).to.equal(brand);
      expect(field('card_number').getAttribute('aria-describedby')).to.equal(
        brand ? 'card_number-hint' : null,
      );
      expect(hintOf('card_code')).to.include(where);
      expect(field('card_code').getAttribute('aria-describedby')).to.equal('card_code-hint');
      expect(top()).to.equal(before);
    });
  }
});

describe('card form: faults', () => {
  const wrong: readonly [field: CardField, text: string, words: string][] = [
    ['card_number', '4111', 'Faltam ou sobram dígitos.'],
    ['card_name', 'Maria', 'Digite também o sobrenome.'],
    ['card_expiry', '1026', 'Cartão vencido.'],
    ['card_code', '12', '3 dígitos (Amex: 4).'],
  ];
  for (const [name, text, words] of wrong) {
    it(`${name} "${text.slice(0, 20)}": ${words}`, async () => {
      const { fill, submit, faultOf, focused, values, type, element } = await openCard();
      await fill({ [name]: text });
      const before = values();
      await submit();
      expect(faultOf(name)).to.include(words);
      expect(focused()).to.equal(name);
      expect(cardFields.filter((one) => faultOf(one) !== '')).to.deep.equal([name]);
      expect(values(), 'nothing typed is lost').to.deep.equal(before);
      expect(element.read).to.deep.equal([]);
      await type(name, '1');
      expect(faultOf(name), 'while it is mended').to.equal('');
    });
  }

  it('what the page said wrong is told to its developer, once, and stops no one', async () => {
    const { element, set } = await openCard({
      acceptedBrands: 'visa banana',
    });
    await set({ locale: 'en' });
    expect(element.warned).to.deep.equal([
      'accepted-brands does not know "banana", but elo, visa, mastercard, amex, diners, discover, jcb, hipercard, hiper',
    ]);
  });
});

describe('card form: what is kept and forgotten', () => {
  it('keeps everything while another screen is shown', async () => {
    const { fill, choose, set, values, select, element } = await openCard();
    await fill();
    await choose(2);
    element.remove();
    const again = document.createElement('div');
    document.body.append(again);
    again.append(element);
    await set({ slotted: true });
    await set({ slotted: false });
    expect(values()).to.deep.equal(goodValues);
    expect(select().selectedIndex).to.equal(2);
    again.remove();
  });

  it('loses the code alone as it is sent, and all of it after a submit that went through', async () => {
    const { fill, values, faultOf, leave, element } = await openCard();
    await fill();
    element.form.take();
    await element.updateComplete;
    expect(values(), 'dots, until there is an answer').to.deep.equal([
      ...goodValues.slice(0, 3),
      '•••',
    ]);
    expect(element.form.read()?.security_code, 'in memory').to.equal('');
    element.form.discard();
    element.requestUpdate();
    await element.updateComplete;
    expect(values()).to.deep.equal([...goodValues.slice(0, 3), '']);
    expect(cardFields.map(faultOf), 'nothing the payer did is wrong').to.deep.equal([
      '',
      '',
      '',
      '',
    ]);
    await leave('card_code');
    expect(faultOf('card_code'), 'asked for, and left empty').to.equal('Digite o CVV.');
    element.form.clear();
    await element.updateComplete;
    expect(values()).to.deep.equal(['', '', '', '']);
    expect(new Set(Object.values(element.form.read()!)), 'in memory').to.deep.equal(new Set(['']));
  });

  it('has the code again where the proxy turned the card away unread, and forgets it after any other answer', async () => {
    const { fill, values, element } = await openCard();
    await fill();
    element.form.take();
    element.form.discard(true);
    expect(element.form.read()?.security_code).to.equal('123');
    element.form.take();
    element.form.discard();
    element.form.discard(true);
    element.requestUpdate();
    await element.updateComplete;
    expect([values()[3], element.form.read()?.security_code]).to.deep.equal(['', '']);
  });

  it('two forms of a page know nothing of each other', async () => {
    const [one, other] = [await openCard(), await openCard()];
    await one.fill();
    expect(other.field('card_number').value).to.equal('');
    expect(other.element.form.read()?.number).to.equal('');
  });

  it('where the page fills the slot, ours are not rendered, checked or read; instalments are', async () => {
    const { element, get, root, select, submit } = await openCard({ slotted: true });
    element.innerHTML = '<iframe slot="card" title="provider"></iframe>';
    const slot = get('slot[name="card"]') as HTMLSlotElement;
    expect(slot.assignedElements()).to.have.length(1);
    expect(root.querySelectorAll('input')).to.have.length(0);
    expect(select().options).to.have.length(table.length);
    await submit();
    expect(element.read).to.deep.equal([null]);
  });

  it('is filled in and sent by keyboard alone, and read as the contract has it', async () => {
    const { element, focused, select } = await openCard();
    const start = document.createElement('button');
    element.before(start);
    start.focus();
    await sendKeys({ press: 'Tab' });
    expect(focused()).to.equal('card_installments');
    await sendKeys({ press: 'ArrowDown' });
    expect(select().selectedIndex).to.equal(1);
    expect(element.form.choice?.installment).to.equal(2);
    for (const name of cardFields) {
      await sendKeys({ press: 'Tab' });
      expect(focused()).to.equal(name);
      await sendKeys({ type: name === 'card_name' ? ' Maria   da Silva ' : goodCard[name] });
    }
    await sendKeys({ press: 'Tab' });
    await sendKeys({ press: 'Enter' });
    start.remove();
    const names = { first_name: 'Maria', last_name: 'da Silva' };
    const rest = { month: '05', year: '2030', security_code: '123' };
    expect(element.read).to.deep.equal([{ number: '4111111111111111', ...names, ...rest }]);
  });
});

describe('card form: the brands that the shop takes', () => {
  it('are named under the number, and the one that is typed stands out and is told with the field', async () => {
    const { type, field, get, hintOf, find } = await openCard({ acceptedBrands: 'visa elo' });
    const names = () =>
      plain(get('#card_number').closest('.field')!.querySelector<HTMLElement>('.hint')!.innerText);
    expect(names()).to.equal('Aceitamos Visa · Elo');
    expect(field('card_number').hasAttribute('aria-describedby')).to.equal(false);
    await type('card_number', '4111');
    expect(names()).to.equal('Aceitamos Visa · Elo');
    expect(hintOf('card_number')).to.equal('Visa');
    expect(field('card_number').getAttribute('aria-describedby')).to.equal('card_number-hint');
    expect(getComputedStyle(find('#card_number-hint')!).fontWeight).to.equal('600');
    const other = await openCard({ acceptedBrands: 'visa elo' });
    await other.type('card_number', '5555');
    expect(other.field('card_number').hasAttribute('aria-describedby'), 'not taken').to.equal(
      false,
    );
  });
});
