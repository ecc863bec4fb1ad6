/** The form: labels, keypads, autofill, faults beside the fields, and what it asks for. */

import { expect } from '@open-wc/testing';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import type { FieldModel } from '../../../src/checkout/page/payer-draft.js';
import { payerFields, states } from '../../../src/domain/payer.js';
import { asked, modelOf, scenes } from '../../../demo/gallery/models.js';
import { fold, show } from './show.js';

const formOf = (...fields: FieldModel[]) => modelOf(emptyForm, { fields });
const everyField = formOf(...payerFields.map((field) => asked(field)));

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

  it('is sent again by a button that says so, where that may help, the message under it', async () => {
    const error = { code: 'network', retryable: true } as const;
    const { part } = await show(modelOf({ ...emptyForm, error }));
    expect(fold(part('submit-button').textContent)).to.equal('Tentar de novo');
    const { bottom } = part('submit-button').getBoundingClientRect();
    expect(part('error').getBoundingClientRect().top).to.be.above(bottom);
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

  it('puts the fault beside the field and ties it to it; a field may be optional', async () => {
    const phone = asked('phone', { fault: 'invalid', value: '11', required: false });
    const { root } = await show(formOf(phone, asked('name', { fault: 'missing' })));
    const control = (field: string) => root.querySelector<HTMLInputElement>(`[name=${field}]`)!;
    const said = (field: string) => {
      expect(control(field).getAttribute('aria-invalid')).to.equal('true');
      const ids = control(field).getAttribute('aria-describedby')!.split(' ');
      return ids.map((id) => fold(root.getElementById(id)!.textContent));
    };
    const help = 'Confira. Ex.: (11) 98765-4321';
    expect(said('phone')).to.deep.equal([help]);
    expect(said('name')).to.deep.equal(['Informe seu nome completo.']);
    expect(fold(control('phone').labels![0]!.textContent)).to.equal('Celular (opcional) com DDD');
    expect(control('phone').required).to.equal(false);
  });

  it('the keypad switch changes only the keypad', async () => {
    const model = formOf(asked('cpf_cnpj', { value: '12.ABC' }));
    const shown = await show(model);
    const document = shown.root.querySelector<HTMLInputElement>('[name=cpf_cnpj]')!;
    const letters = shown.root.querySelector<HTMLInputElement>('[role=switch]')!;
    letters.click();
    expect(shown.element.asked).to.deep.equal([['switchKeypad', true]]);
    await shown.change({ ...model, letterKeypad: true });
    expect(document.inputMode).to.equal('text');
    expect(document.value).to.equal('12.ABC');
    expect(letters.checked).to.equal(true);
  });

  it('reports what is typed, chosen and left, with the field', async () => {
    const { element, root } = await show(formOf(asked('name'), asked('address_state')));
    const [name, state] = [root.querySelector('input')!, root.querySelector('select')!];
    name.value = 'Ana';
    name.dispatchEvent(new Event('input'));
    name.dispatchEvent(new Event('blur'));
    state.value = 'SP';
    state.dispatchEvent(new Event('change'));
    const calls = element.asked.map((one) => one.slice(0, 2).join(' '));
    expect(calls).to.deep.equal(['input name', 'blur name', 'input address_state']);
  });

  it('shows the value it is given, masked or looked up, and keeps none in an attribute', async () => {
    const { root, change } = await show(formOf(asked('address_zip', { value: '01310100' })));
    const zip = root.querySelector<HTMLInputElement>('[name=address_zip]')!;
    expect(zip.value).to.equal('01310100');
    await change(formOf(asked('address_zip', { value: '01310-100' })));
    expect(zip.value).to.equal('01310-100');
    expect(root.innerHTML).to.not.include('01310');
  });

  it('offers the states, with the given one chosen', async () => {
    const shown = await show(formOf(asked('address_state', { value: 'SP' })));
    const select = shown.root.querySelector('select')!;
    expect(select.value).to.equal('SP');
    expect([...select.options].map((one) => one.value)).to.deep.equal(['', ...states]);
    await shown.change(formOf(asked('address_state', { value: '' })));
    expect(select.value).to.equal('');
  });

  it('is one button when there is nothing to ask', async () => {
    const { root, element, button } = await show(scenes['form-button']!());
    expect(root.querySelectorAll('input, select, button')).to.have.length(1);
    button('Gerar código Pix').click();
    expect(element.asked.map(([action]) => action)).to.deep.equal(['submit']);
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

describe('a failure that needs the merchant', () => {
  it('names the order and offers nothing else', async () => {
    const { root, text, part } = await show(scenes['failed']!());
    const heading = fold(part('error').querySelector('h2')!.textContent);
    expect(heading).to.equal('Este pedido não pode mais ser pago.');
    expect(text()).to.include('não pode mais ser pago. Fale com a loja. Pedido 1042');
    expect(root.querySelectorAll('button')).to.have.length(0);
  });

  for (const [code, totalCents, label, given] of [
    ['amount_mismatch', 15_000, 'Pagar R$ 150,00', 15_000],
    ['amount_mismatch', undefined, 'Recarregar a página', undefined],
    ['unauthorized', undefined, 'Recarregar a página', undefined],
    ['network', undefined, 'Recarregar a página', undefined],
  ] as const) {
    it(`begins anew where the page is out of date: ${code}, ${label}`, async () => {
      const failed = {
        phase: 'failed',
        invoiceId: null,
        ...(totalCents && { totalCents }),
      } as const;
      const error = { code, retryable: false } as const;
      const { element, button, text } = await show(modelOf({ ...failed, error }));
      if (totalCents) expect(text()).to.include('O valor do pedido mudou. Agora é R$ 150,00.');
      button(label).click();
      expect(element.asked).to.deep.equal([['startOver', given]]);
    });
  }
});
