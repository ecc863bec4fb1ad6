/** Typing: masks that help and never stand in the way, however a text gets into a field. */

import { expect } from '@open-wc/testing';
import type { PayerField } from '../../../src/domain/payer.js';
import { insert, openCheckout } from '../../support/checkout/page.js';

describe('<pix-checkout>: masks', () => {
  const typed: readonly [field: PayerField, keys: string, shown: string][] = [
    ['cpf_cnpj', '28001238938', '280.012.389-38'],
    ['cpf_cnpj', '11222333000181', '11.222.333/0001-81'],
    ['cpf_cnpj', '12abc34501de35', '12.ABC.345/01DE-35'],
    ['phone', '11987654321', '(11) 98765-4321'],
    ['phone', '+1 202 555 0143', '+1 202 555 0143'],
    ['address_zip', '01310100', '01310-100'],
    ['email', 'Ana@Example.com', 'Ana@Example.com'],
  ];
  for (const [name, keys, shown] of typed) {
    it(`${name}: typing ${keys} shows ${shown}`, async () => {
      const { type, field } = await open(name);
      await type(name, keys);
      expect(field(name).value).to.equal(shown);
      expect(field(name).selectionStart, 'the caret is at the end').to.equal(shown.length);
    });
  }

  const pasted: readonly [field: PayerField, text: string, shown: string, sent: string][] = [
    ['cpf_cnpj', ' 28001238938 ', '280.012.389-38', '28001238938'],
    ['cpf_cnpj', '12.abc.345/01de-35', '12.ABC.345/01DE-35', '12ABC34501DE35'],
    ['phone', '+55 11 98765-4321', '(11) 98765-4321', '11987654321'],
    ['address_zip', '01310100', '01310-100', '01310100'],
    ['email', ' ana@example.com ', ' ana@example.com ', 'ana@example.com'],
  ];
  for (const [name, text, shown, sent] of pasted) {
    it(`${name}: pasting "${text}" shows "${shown}" and sends ${sent}`, async () => {
      const { paste, field, submit, proxy } = await open(name);
      await paste(name, text);
      expect(field(name).value).to.equal(shown);
      await submit();
      expect(proxy.of('create')[0]?.body?.payer?.[name]).to.equal(sent);
    });
  }

  for (const [way, put] of [
    ['typing', 'type'],
    ['pasting', 'paste'],
  ] as const) {
    it(`${way} more than a CNPJ is shown and told, and nothing is sent`, async () => {
      const checkout = await open('cpf_cnpj');
      await checkout[put]('cpf_cnpj', '11.222.333/0001-8');
      await checkout[put]('cpf_cnpj', '19');
      expect(checkout.field('cpf_cnpj').value).to.equal('11.222.333/0001-819');
      await checkout.leave('cpf_cnpj');
      expect(checkout.faultOf('cpf_cnpj')).to.equal('Confira: há um número errado.');
      await checkout.submit();
      expect(checkout.proxy.requests).to.have.length(0);
    });
  }

  it('deleting in the middle keeps the caret, and the mask waits until the field is left', async () => {
    const { type, backspace, field, leave } = await open('cpf_cnpj');
    await type('cpf_cnpj', '28001238938');
    await backspace('cpf_cnpj', 6);
    expect(field('cpf_cnpj').value).to.equal('280.02.389-38');
    expect(field('cpf_cnpj').selectionStart).to.equal(5);
    await type('cpf_cnpj', '1');
    expect(field('cpf_cnpj').value).to.equal('280.012.389-38');
    expect(field('cpf_cnpj').selectionStart).to.equal(6);
    await leave('cpf_cnpj');
    expect(field('cpf_cnpj').value).to.equal('280.012.389-38');
  });

  it('deleting at the end never sticks at a separator', async () => {
    const { type, backspace, field } = await open('cpf_cnpj');
    await type('cpf_cnpj', '2800');
    for (let length = 5; length > 0; length--) {
      expect(field('cpf_cnpj').value).to.have.length(length);
      await backspace('cpf_cnpj', length);
    }
    expect(field('cpf_cnpj').value).to.equal('');
  });

  it('pasting over what is selected replaces it', async () => {
    const { type, paste, field } = await open('cpf_cnpj');
    await type('cpf_cnpj', '111');
    field('cpf_cnpj').select();
    await paste('cpf_cnpj', '28001238938');
    expect(field('cpf_cnpj').value).to.equal('280.012.389-38');
  });

  it('leaves a text alone while an input method composes it', async () => {
    const { field, settle, leave } = await open('cpf_cnpj');
    const input = field('cpf_cnpj');
    input.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
    for (const data of ['２', '２８', '２８０', '２８００']) {
      input.value = data;
      const init = { data, isComposing: true, bubbles: true, composed: true };
      input.dispatchEvent(new InputEvent('input', init));
      await settle();
      expect(input.value).to.equal(data);
    }
    input.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
    await leave('cpf_cnpj');
    expect(input.value).to.equal('280.0');
  });

  it('autofill without keys is taken over, masked and sent', async () => {
    const { autofill, field, submit, proxy } = await openCheckout({
      attributes: { 'payer-fields': 'name cpf_cnpj phone address_state' },
    });
    await autofill('name', 'Ana Souza');
    await autofill('cpf_cnpj', '28001238938');
    await autofill('phone', '+5511987654321');
    await autofill('address_state', 'SP');
    expect(field('cpf_cnpj').value).to.equal('280.012.389-38');
    expect(field('phone').value).to.equal('(11) 98765-4321');
    await submit();
    expect(proxy.of('create')[0]?.body?.payer).to.deep.equal({
      name: 'Ana Souza',
      cpf_cnpj: '28001238938',
      phone: '11987654321',
      address_state: 'SP',
    });
  });

  it('the switch "Meu CNPJ tem letras" changes the keypad and nothing else', async () => {
    const { field, type, get, settle } = await open('cpf_cnpj');
    expect(field('cpf_cnpj').inputMode).to.equal('numeric');
    await type('cpf_cnpj', '12AB');
    get('[role="switch"]').click();
    await settle();
    expect(field('cpf_cnpj').inputMode).to.equal('text');
    expect(field('cpf_cnpj').value).to.equal('12.AB');
    await type('cpf_cnpj', 'C');
    expect(field('cpf_cnpj').value).to.equal('12.ABC');
  });

  it('an edit of the page between two keys does not lose one', async () => {
    const { field, set, type } = await open('name');
    insert(field('name'), 'A', 'insertText');
    await set({ locale: 'en' });
    await type('name', 'na');
    expect(field('name').value).to.equal('Ana');
  });
});

const open = (field: PayerField) => openCheckout({ attributes: { 'payer-fields': field } });
