/** The payer's form: what is asked, what is wrong and where, and that nothing typed is ever lost. */

import { expect } from '@open-wc/testing';
import { checkPayerField } from '../../../src/domain/payer.js';
import type { PayerField } from '../../../src/domain/payer.js';
import { problem } from '../../support/checkout/fake-proxy.js';
import {
  openCheckout,
  openReady,
  openSubmitted,
} from '../../support/checkout/pix-checkout-harness.js';

const good: readonly [PayerField, string][] = [
  ['name', 'Ana Souza'],
  ['cpf_cnpj', '28001238938'],
  ['email', 'ana@example.com'],
];

describe('<pix-checkout>: form', () => {
  it('asks what payer-fields names, and nothing that the page gave', async () => {
    const { element } = await openCheckout({
      attributes: { 'payer-fields': 'name email phone? cpf_cnpj' },
      properties: { payer: { email: 'ana@example.com', name: ' ' } },
    });
    const asked = [...element.renderRoot.querySelectorAll<HTMLInputElement>('form [name]')];
    expect(asked.map(({ name, required }) => [name, required])).to.deep.equal([
      ['name', true],
      ['phone', false],
      ['cpf_cnpj', true],
    ]);
  });

  it('takes an e-mail with a slip at any place exactly where the browser’s own type=email does', () => {
    const native = document.createElement('input');
    native.type = 'email';
    const email = 'ma.ria@exemplo.loja.com';
    for (const mark of '/()[]<>:;,"\\@!#$%&\'*+-=?^_`{|}~x7 \t') {
      for (let at = 0; at <= email.length; at++) {
        const text = email.slice(0, at) + mark + email.slice(at);
        native.value = text;
        const isTaken = !native.validity.typeMismatch;
        expect(checkPayerField('email', text, true) === null, text).to.equal(isTaken);
      }
    }
  });

  it('with nothing to ask it is one button', async () => {
    const { element, buttons } = await openReady();
    expect(element.renderRoot.querySelectorAll('form :is(input, select)')).to.have.length(0);
    expect(buttons()).to.deep.equal(['Gerar código Pix']);
  });

  it('sends what was typed and what was given, normalised, and no empty field', async () => {
    const { proxy, type, submit } = await openCheckout({
      attributes: { 'payer-fields': 'name cpf_cnpj phone?' },
      properties: { payer: { email: 'ana@example.com' } },
    });
    await type('name', '  Ana   Souza ');
    await type('cpf_cnpj', '28001238938');
    await submit();
    expect(proxy.of('create')[0]?.body?.payer).to.deep.equal({
      name: 'Ana Souza',
      cpf_cnpj: '28001238938',
      email: 'ana@example.com',
    });
  });

  it('says what is missing beside each field, focuses the first, and asks for nothing', async () => {
    const { proxy, submit, faultOf, focused, type } = await openCheckout();
    await type('name', 'Ana Souza');
    await type('email', 'ana@');
    await submit();
    expect(proxy.requests).to.have.length(0);
    expect(faultOf('name')).to.equal('');
    expect(faultOf('cpf_cnpj')).to.equal('Informe seu CPF ou CNPJ.');
    expect(faultOf('email')).to.equal('Confira. Ex.: nome@email.com');
    expect(focused()).to.equal('cpf_cnpj');
  });

  it('start() is as if the payer had pressed the button', async () => {
    const { element, settle, faultOf, focused, proxy } = await openCheckout();
    element.start();
    await settle();
    expect(faultOf('name')).to.equal('Informe seu nome completo.');
    expect(focused()).to.equal('name');
    expect(proxy.requests).to.have.length(0);
  });

  for (const way of ['doubleClick', 'pressEnter'] as const) {
    it(`${way} and a click send one POST`, async () => {
      const { type, submit, proxy, ...verbs } = await openCheckout(
        ({ proxy }) => void (proxy.delayMs = 300),
      );
      for (const [field, text] of good) await type(field, text);
      await verbs[way]();
      await submit();
      await verbs.advance(300);
      expect(proxy.of('create')).to.have.length(1);
    });
  }

  const refusals = [['invalid_request', 'Algum dado não foi aceito.']] as const;
  for (const [code, words] of refusals) {
    it(`${code} comes back to the form with what was typed, the words and the event`, async () => {
      const { element, type, submit, advance, field, visibleText, details, announcedText } =
        await openCheckout(({ proxy }) => proxy.replyAlways('create', problem(code)));
      for (const [name, text] of good) await type(name, text);
      await submit();
      await advance(60_000);
      expect(element.phase).to.equal('form');
      expect(good.map(([name]) => field(name).value)).to.deep.equal([
        'Ana Souza',
        '280.012.389-38',
        'ana@example.com',
      ]);
      expect(visibleText()).to.include(words).and.to.include('Nada foi cobrado nesta tentativa.');
      expect(announcedText()).to.include(words);
      expect(details('pix-error')).to.have.length(1);
    });
  }

  const ends = ['unknown_order', 'unauthorized'] as const;
  for (const code of ends) {
    it(`${code} needs the merchant: failed, with the support slot`, async () => {
      const { element, find, details, visibleText } = await openSubmitted(({ proxy }) => {
        proxy.reply('create', problem(code));
        return { children: '<p slot="support">0800</p>' };
      });
      expect(element.phase).to.equal('failed');
      const support = find('slot[name="support"]') as HTMLSlotElement;
      expect(support.assignedElements()).to.have.length(1);
      expect(details('pix-error')).to.deep.equal([{ code, retryable: false }]);
      expect(visibleText()).to.include(`Pedido ${element.externalId}`);
    });
  }

  it('a page that the proxy does not let in is said to be at fault, not what was typed', async () => {
    const { element, type, submit, details, visibleText } = await openCheckout(({ proxy }) =>
      proxy.reply('create', { ...problem('invalid_request'), status: 403 }),
    );
    for (const [name, text] of good) await type(name, text);
    await submit();
    expect(element.phase).to.equal('failed');
    expect(visibleText()).to.include(
      'O pagamento não está disponível nesta página. Fale com a loja.',
    );
    expect(details('pix-error')).to.deep.equal([{ code: 'configuration', retryable: false }]);
  });

  it('reset() keeps what was typed', async () => {
    const { element, type, submit, settle, field } = await openCheckout();
    for (const [name, text] of good) await type(name, text);
    await submit();
    element.reset();
    await settle();
    expect(field('cpf_cnpj').value).to.equal('280.012.389-38');
    expect(field('name').value).to.equal('Ana Souza');
  });

  it('a screen that gives way hands the focus to the heading of the next', async () => {
    const { type, submit, focused, field } = await openCheckout();
    for (const [name, text] of good) await type(name, text);
    field('email').focus();
    await submit();
    expect(focused()).to.equal('title');
  });

  it('leaves the focus of the page alone', async () => {
    const outside = document.body.appendChild(document.createElement('input'));
    const { element, settle, type } = await openCheckout();
    for (const [name, text] of good) await type(name, text);
    outside.focus();
    element.start();
    await settle();
    const { activeElement } = document;
    outside.remove();
    expect(activeElement === outside).to.equal(true);
  });
});
