/** What was asked for is on its way, and fails: the form stays as it is, takes nothing more, and says what failed in view. */

import { expect } from '@open-wc/testing';
import { setOnline } from '../../../support/checkout/browser-stubs.js';
import { problem } from '../../../support/checkout/fake-proxy.js';
import {
  awaiting,
  form,
  payer,
  ready,
  replies,
  repliesAlways,
} from '../../../support/checkout/stories.js';
import { slow, tell } from '../../../support/checkout/stories.js';
import type { Step } from '../../../support/checkout/stories.js';

/** A form before a proxy that takes half a second. */
const slowForm = form(slow(500));

describe('<pix-checkout>: a busy form', () => {
  const stays: Step = async ({ submit, field, get, part }) => {
    const name = field('name');
    const button = part('submit-button');
    await submit();
    expect(field('name') === name && part('submit-button') === button, 'the same').to.equal(true);
    const fields = [...get('form').querySelectorAll('input')];
    expect(fields.every((one) => one.matches(':disabled'))).to.equal(true);
    expect(get('form').ariaBusy).to.equal('true');
    expect(get('form fieldset').inert).to.equal(true);
  };
  // It has ended, and the screen is not drawn anew yet: while a pointer is down that may take a second.
  const pressesTooSoon: Step = ({ element, part }) =>
    element.addEventListener('pix-error', () => part('submit-button')!.click());
  const placed = { has: { form: false, figure: true } };
  const slower: Step = ({ proxy }) => (proxy.delayMs = 500);
  tell`
    stays, with what was typed, and nothing in it can be changed; the button says what is done
      ${slowForm} > fill > ${stays} = creating, ${{ values: { name: payer.name } }}, button Gerando seu código Pix…,
      ${{ has: { figure: false } }}
    nor does a press count that falls on it before the payer can read how it ended
      ${slowForm} > fill > ${replies('create', problem('invalid_request'))} > ${pressesTooSoon} > submit
      > 500 = form, 1 creation, "Algum dado não foi aceito."
    gives way to the code alone, which takes the focus; it is not lost with the fields before
      ${slowForm} > fill > ${({ field }) => field('email').focus()} > submit = focus submit-button
      > 500 = awaiting, focus title, ${{ has: { form: false } }}
    a press more asks for nothing more
      ${slowForm} > fill > submit > submit > enter > 500 = 1 creation
    is not there where it begins by itself
      ${ready(slow(500, { attributes: { 'auto-start': '' } }))} = creating, ${placed}
    is not there for another code
      ${awaiting()} > ${slower} > 180_000 > O código não funcionou? > 500 > Gerar novo código Pix
      = creating, ${{ has: { form: false } }}
  `;
});

describe('<pix-checkout>: a failure on the form', () => {
  const keepsFocus: Step = async ({ element, submit, advance, field, part }) => {
    const button = part('submit-button')!;
    button.focus();
    await submit();
    await advance(500);
    const follows = (one: Element, other: Element) =>
      Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
    expect(follows(field('email'), button) && follows(button, part('error')!)).to.equal(true);
    expect(element.shadowRoot!.activeElement).to.equal(button);
    expect(field('name').matches(':disabled')).to.equal(false);
  };
  const values = { ...payer, cpf_cnpj: '280.012.389-38' };
  const spoils: Step = ({ proxy }) => (proxy.codeOf = () => 'no code');
  tell`
    stands beside the button, which keeps the focus, and is announced; nothing typed is lost
      ${slowForm} > fill > ${replies('create', problem('invalid_request'))} > ${keepsFocus}
      = says "Confira o que você preencheu e tente de novo.", ${{ values }}
    key_reused says what to do, and the button does it
      ${slowForm} > fill > ${replies('create', problem('key_reused'))} > submit
      > 500 = "Esta tentativa expirou. Tente de novo." > submit > 500 = awaiting
    invalid_request does, too
      ${slowForm} > fill > ${replies('create', problem('invalid_request'))} > submit
      > 500 = "Algum dado não foi aceito. Confira o que você preencheu e tente de novo." > submit > 500 = awaiting
    a code that cannot be shown says that nothing was charged
      ${ready()} > ${spoils} > submit = form, "gerar um código Pix válido. Nada foi cobrado"
  `;
});

describe('<pix-checkout>: a form without a line', () => {
  const box = 'Sem internet. Quando ela voltar, é só continuar.';
  const [offline, online]: Step[] = [() => setOnline(false), () => setOnline(true)];
  const comesBack: Step = async ({ proxy, settle }) => {
    const sent = proxy.of('create').length;
    setOnline(true);
    await settle();
    expect(proxy.of('create'), 'at once').to.have.length(sent + 1);
    const keys = proxy.of('create').map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).to.equal(1);
  };
  tell`
    says so, in view and aloud, as long as that is so
      ${form()} > ${offline!} = "${box}", announced "${box}" > ${online!} = no "internet", announced ""
    what is asked for waits for the line, however long, and goes on when it is back
      ${slowForm} > fill > ${offline!} > ${repliesAlways('create', 'lost')} > submit
      > 600_000 = creating, "Sem internet. Quando ela voltar, continuamos daqui."
      > ${repliesAlways('create', null)} > ${comesBack} > 500 = awaiting
  `;
});
