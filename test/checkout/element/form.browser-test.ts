/** The payer's form: what is asked, what is wrong and where, and that nothing typed is ever lost. */

import { expect } from '@open-wc/testing';
import { checkPayerField } from '../../../src/domain/payer.js';
import { problem } from '../../support/checkout/fake-proxy.js';
import {
  form,
  payer,
  ready,
  replied,
  slow,
  submitted,
  play,
  pageOf,
  type,
} from '../../support/checkout/page.js';
import type { Step } from '../../support/checkout/page.js';

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
    cpf_cnpj: 'Digite seu CPF ou CNPJ.',
    email: 'Confira. Ex.: nome@email.com',
  };
  const nameless = { faults: { name: 'Digite seu nome completo.' } };
  it('asks what payer-fields names, and nothing that the page gave', async () => {
    const page = await pageOf(partly);
    await page.does(asks(['name', true], ['phone', false], ['cpf_cnpj', true]));
  });

  it('with nothing to ask it is one button', async () => {
    const page = await pageOf(ready());
    page.shows({ buttons: ['Gerar código Pix'], has: empty });
  });

  it('sends what was typed and what was given, normalised, and no empty field', async () => {
    const page = await pageOf(withEmail);
    await page.does(typed);
    await page.does('submit');
    page.shows({ sent: { payer } });
  });

  it('says what is missing beside each field, focuses the first, and asks for nothing', async () => {
    const page = await pageOf(form());
    await page.does(type('name', 'Ana Souza'));
    await page.does(type('email', 'ana@'));
    await page.does('submit');
    page.shows({ requests: 0, focus: 'cpf_cnpj', faults });
  });

  it('start() is as if the payer had pressed the button', async () => {
    const page = await pageOf(form());
    await page.does('start');
    page.shows({ requests: 0, focus: 'name', ...nameless });
  });

  it('a double click and a click send one POST', async () => {
    const page = await pageOf(form(slow(300)));
    await page.does('fill');
    await page.does(doubleClick);
    await page.does('submit');
    await page.waits(300);
    page.shows({ creations: 1 });
  });

  it('Enter and a click send one POST', async () => {
    const page = await pageOf(form(slow(300)));
    await page.does('fill');
    await page.does('enter');
    await page.does('submit');
    await page.waits(300);
    page.shows({ creations: 1 });
  });

  it('invalid_request comes back to the form with what was typed, the words and the event', async () => {
    const page = await pageOf(invalid);
    await page.does('fill');
    await page.does('submit');
    await page.waits(60_000);
    page.shows({
      phase: 'form',
      values: masked,
      codes: ['invalid_request'],
      shows: ['Algum dado não foi aceito.', 'Nada foi cobrado nesta tentativa.'],
      announces: ['Algum dado não foi aceito.'],
    });
  });

  it('a page that the proxy does not let in is said to be at fault, not what was typed', async () => {
    const page = await pageOf(form(barred));
    await page.does('fill');
    await page.does('submit');
    page.shows({
      phase: 'failed',
      ...configuration,
      shows: ['O pagamento não está disponível nesta página. Fale com a loja.'],
    });
  });

  it('reset() keeps what was typed', async () => {
    const page = await pageOf(form());
    await page.does('fill');
    await page.does('submit');
    await page.does('reset');
    page.shows({ values: masked });
  });

  it('a screen that gives way hands the focus to the heading of the next', async () => {
    const page = await pageOf(form());
    await page.does('fill');
    await page.does(({ field }) => field('email').focus());
    await page.does('submit');
    page.shows({ focus: 'title' });
  });
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
    it(`${code} needs the merchant: failed, with the support slot`, async () => {
      const page = await pageOf(refused);
      page.shows({ phase: 'failed', errors: [{ code, retryable: false }] });
      await page.does(namesSupport);
    });
  }
  it('leaves the focus of the page alone', async () => {
    const outside = document.body.appendChild(document.createElement('input'));
    await play(await form()(), 'fill', () => outside.focus(), 'start');
    const { activeElement } = document;
    outside.remove();
    expect(activeElement === outside).to.equal(true);
  });
});
