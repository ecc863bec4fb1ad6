/** The payer's form: what is asked, what is wrong and where, and that nothing typed is ever lost. */

import { expect } from '@open-wc/testing';
import { checkPayerField } from '../../../src/domain/payer.js';
import { problem } from '../../support/checkout/fake-proxy.js';
import { form, payer, ready, replied, slow, submitted } from '../../support/checkout/stories.js';
import { play, tell, type } from '../../support/checkout/stories.js';
import type { Step } from '../../support/checkout/stories.js';

describe('<pix-checkout>: form', () => {
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

  const asks =
    (...fields: [name: string, required: boolean][]): Step =>
    ({ element }) => {
      const asked = [...element.renderRoot.querySelectorAll<HTMLInputElement>('form [name]')];
      expect(asked.map(({ name, required }) => [name, required])).to.deep.equal(fields);
    };
  const partly = form({
    attributes: { 'payer-fields': 'name email phone? cpf_cnpj' },
    properties: { payer: { email: 'ana@example.com', name: ' ' } },
  });
  const withEmail = form({
    attributes: { 'payer-fields': 'name cpf_cnpj phone?' },
    properties: { payer: { email: payer.email } },
  });
  const typed = [type('name', '  Ana   Souza '), type('cpf_cnpj', payer.cpf_cnpj)];
  const masked = { ...payer, cpf_cnpj: '280.012.389-38' };
  const invalid = form(({ proxy }) => proxy.replyAlways('create', problem('invalid_request')));
  const barred = replied('create', { ...problem('invalid_request'), status: 403 });
  const configuration = { errors: [{ code: 'configuration', retryable: false }] };
  const empty = { 'form :is(input, select)': false };
  const doubleClick: Step = (checkout) => checkout.doubleClick();
  const faults = {
    name: '',
    cpf_cnpj: 'Informe seu CPF ou CNPJ.',
    email: 'Confira. Ex.: nome@email.com',
  };
  const nameless = { faults: { name: 'Informe seu nome completo.' } };
  tell`
    asks what payer-fields names, and nothing that the page gave
      ${partly} > ${asks(['name', true], ['phone', false], ['cpf_cnpj', true])}
    with nothing to ask it is one button
      ${ready()} = button Gerar código Pix, ${{ has: empty }}
    sends what was typed and what was given, normalised, and no empty field
      ${withEmail} > ${typed} > submit = ${{ sent: { payer } }}
    says what is missing beside each field, focuses the first, and asks for nothing
      ${form()} > ${type('name', 'Ana Souza')} > ${type('email', 'ana@')} > submit
      = 0 requests, focus cpf_cnpj, ${{ faults }}
    start() is as if the payer had pressed the button
      ${form()} > start = 0 requests, focus name, ${nameless}
    a double click and a click send one POST
      ${form(slow(300))} > fill > ${doubleClick} > submit > 300 = 1 creation
    Enter and a click send one POST
      ${form(slow(300))} > fill > enter > submit > 300 = 1 creation
    invalid_request comes back to the form with what was typed, the words and the event
      ${invalid} > fill > submit > 60_000 = form, ${{ values: masked }}, error invalid_request,
      "Algum dado não foi aceito.", "Nada foi cobrado nesta tentativa.", says "Algum dado não foi aceito."
    a page that the proxy does not let in is said to be at fault, not what was typed
      ${form(barred)} > fill > submit = failed, ${configuration},
      "O pagamento não está disponível nesta página. Fale com a loja."
    reset() keeps what was typed
      ${form()} > fill > submit > reset = ${{ values: masked }}
    a screen that gives way hands the focus to the heading of the next
      ${form()} > fill > ${({ field }) => field('email').focus()} > submit = focus title
  `;
  for (const code of ['unknown_order', 'unauthorized'] as const) {
    const refused = submitted(({ proxy }) => {
      proxy.reply('create', problem(code));
      return { children: '<p slot="support">0800</p>' };
    });
    const namesSupport: Step = ({ element, find, visibleText }) => {
      const support = find('slot[name="support"]') as HTMLSlotElement;
      expect(support.assignedElements()).to.have.length(1);
      expect(visibleText()).to.include(`Pedido ${element.externalId}`);
    };
    tell`
      ${code} needs the merchant: failed, with the support slot
        ${refused} = failed, ${{ errors: [{ code, retryable: false }] }} > ${namesSupport}
    `;
  }
  it('leaves the focus of the page alone', async () => {
    const outside = document.body.appendChild(document.createElement('input'));
    await play(await form()(), 'fill', () => outside.focus(), 'start');
    const { activeElement } = document;
    outside.remove();
    expect(activeElement === outside).to.equal(true);
  });
});
