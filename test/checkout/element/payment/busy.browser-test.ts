/** What was asked for is on its way, and fails: the form stays as it is, takes nothing more, and says what failed in view. */

import { expect } from '@open-wc/testing';
import type { PayerField } from '../../../../src/domain/payer.js';
import { setOnline } from '../../../support/checkout/browser-stubs.js';
import { problem } from '../../../support/checkout/fake-proxy.js';
import {
  openAwaiting,
  openCheckout,
  openReady,
} from '../../../support/checkout/pix-checkout-harness.js';

const good: readonly [PayerField, string][] = [
  ['name', 'Ana Souza'],
  ['cpf_cnpj', '28001238938'],
  ['email', 'ana@example.com'],
];

/** A form that is filled in, before a proxy that takes half a second. */
async function openFilled() {
  const checkout = await openCheckout(({ proxy }) => void (proxy.delayMs = 500));
  for (const [field, text] of good) await checkout.type(field, text);
  return checkout;
}

describe('<pix-checkout>: a busy form', () => {
  it('stays, with what was typed, and nothing in it can be changed; the button says what is done', async () => {
    const { element, submit, field, get, part, has, buttons } = await openFilled();
    const name = field('name');
    const button = part('submit-button');
    await submit();
    expect(element.phase).to.equal('creating');
    expect(field('name') === name && part('submit-button') === button, 'the same').to.equal(true);
    expect(name.value).to.equal('Ana Souza');
    const fields = [...get('form').querySelectorAll('input')];
    expect(fields.every((one) => one.matches(':disabled'))).to.equal(true);
    expect(get('form').ariaBusy).to.equal('true');
    expect(get('form fieldset').inert).to.equal(true);
    expect(buttons()).to.deep.equal(['Gerando seu código Pix…']);
    expect(has('figure'), 'no place of a code').to.equal(false);
  });

  it('nor does one that falls on it before the payer can read how it ended', async () => {
    const { element, submit, part, proxy, advance, visibleText } = await openFilled();
    proxy.reply('create', problem('invalid_request'));
    // It has ended, and the screen is not drawn anew yet: while a pointer is down that may take a second.
    element.addEventListener('pix-error', () => part('submit-button')!.click());
    await submit();
    await advance(500);
    expect([element.phase, proxy.of('create').length]).to.deep.equal(['form', 1]);
    expect(visibleText()).to.include('Algum dado não foi aceito.');
  });

  it('gives way to the code alone, which takes the focus', async () => {
    const { element, submit, field, focused, advance, has } = await openFilled();
    field('email').focus();
    await submit();
    expect(focused(), 'not lost with the fields').to.equal('submit-button');
    await advance(500);
    expect([element.phase, focused(), has('form')]).to.deep.equal(['awaiting', 'title', false]);
  });

  it('a press more asks for nothing more', async () => {
    const { submit, pressEnter, proxy, advance } = await openFilled();
    await submit();
    await submit();
    await pressEnter();
    await advance(500);
    expect(proxy.of('create')).to.have.length(1);
  });

  it('is not there where no form was pressed: by itself, again after a reload, for another code', async () => {
    const hangs = { attributes: { 'auto-start': '', 'payer-fields': '' } };
    const { element, has } = await openCheckout(({ proxy }) => {
      proxy.delayMs = 500;
      return hangs;
    });
    expect([element.phase, has('form'), has('figure')]).to.deep.equal(['creating', false, true]);
    const { element: second, ...code } = await openAwaiting();
    code.proxy.delayMs = 500;
    await code.advance(180_000);
    await code.press('O código não funcionou?');
    await code.advance(500);
    await code.press('Gerar novo código Pix');
    expect([second.phase, code.has('form')]).to.deep.equal(['creating', false]);
  });
});

describe('<pix-checkout>: a failure on the form', () => {
  it('stands beside the button, which keeps the focus, and is announced; nothing typed is lost', async () => {
    const { element, submit, advance, field, part, announcedText, proxy } = await openFilled();
    proxy.reply('create', problem('invalid_request'));
    const button = part('submit-button')!;
    button.focus();
    await submit();
    await advance(500);
    const error = part('error')!;
    const follows = (one: Element, other: Element) =>
      Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
    expect(follows(field('email'), button) && follows(button, error)).to.equal(true);
    expect(element.shadowRoot!.activeElement).to.equal(button);
    expect(announcedText()).to.include('Confira o que você preencheu e tente de novo.');
    expect(good.map(([name]) => field(name).value.replace(/\W/g, '').length > 5)).to.not.include(
      false,
    );
    expect(field('name').matches(':disabled')).to.equal(false);
  });

  const nextSteps = [
    ['key_reused', 'Esta tentativa expirou. Tente de novo.'],
    ['invalid_request', 'Algum dado não foi aceito. Confira o que você preencheu e tente de novo.'],
  ] as const;
  for (const [code, words] of nextSteps) {
    it(`${code} says what to do, and the button does it`, async () => {
      const { element, submit, advance, visibleText, proxy } = await openFilled();
      proxy.reply('create', problem(code));
      await submit();
      await advance(500);
      expect(visibleText()).to.include(words);
      await submit();
      await advance(500);
      expect(element.phase).to.equal('awaiting');
    });
  }

  it('a code that cannot be shown says to ask for another', async () => {
    const { element, submit, visibleText, proxy } = await openReady();
    proxy.codeOf = () => 'no code';
    await submit();
    expect(element.phase).to.equal('form');
    expect(visibleText()).to.include('gerar um código Pix válido. Tente de novo.');
  });
});

describe('<pix-checkout>: a form without a line', () => {
  const box = 'Sem internet. Quando ela voltar, é só continuar.';

  it('says so, in view and aloud, as long as that is so', async () => {
    const { visibleText, announcedText, settle } = await openCheckout();
    setOnline(false);
    await settle();
    expect(visibleText()).to.include(box);
    expect(announcedText()).to.equal(box);
    setOnline(true);
    await settle();
    expect(visibleText()).to.not.include('internet');
    expect(announcedText()).to.equal('');
  });

  it('what is asked for waits for the line, however long, and goes on when it is back', async () => {
    const { element, submit, settle, advance, proxy, visibleText } = await openFilled();
    setOnline(false);
    proxy.replyAlways('create', 'lost');
    await submit();
    await advance(600_000);
    expect(element.phase).to.equal('creating');
    expect(visibleText()).to.include('Sem internet. Quando ela voltar, continuamos daqui.');
    const sent = proxy.of('create').length;
    proxy.replyAlways('create', null);
    setOnline(true);
    await settle();
    expect(proxy.of('create'), 'at once').to.have.length(sent + 1);
    await advance(500);
    expect(element.phase).to.equal('awaiting');
    expect(
      new Set(proxy.of('create').map(({ headers }) => headers['idempotency-key'])).size,
    ).to.equal(1);
  });
});
