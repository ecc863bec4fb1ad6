/** A request is on its way, and fails: the form stays as it is, takes nothing more, and says in view what failed. */

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
  slow,
  pageOf,
} from '../../../support/checkout/page.js';
import type { Step } from '../../../support/checkout/page.js';

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
  it('stays, with what was typed, and nothing in it can be changed; the button says what is done', async () => {
    const page = await pageOf(slowForm);
    await page.does('fill');
    await page.does(stays);
    page.shows({
      phase: 'creating',
      values: { name: payer.name },
      buttons: ['Gerando código Pix…'],
      has: { figure: false },
    });
  });

  it('nor does a press count that falls on it before the payer can read how it ended', async () => {
    const page = await pageOf(slowForm);
    await page.does('fill');
    await page.does(replies('create', problem('invalid_request')));
    await page.does(pressesTooSoon);
    await page.does('submit');
    await page.waits(500);
    page.shows({ phase: 'form', creations: 1, shows: ['Algum dado não foi aceito.'] });
  });

  it('gives way to the code alone, which takes the focus; it is not lost with the fields before', async () => {
    const page = await pageOf(slowForm);
    await page.does('fill');
    await page.does(({ field }) => field('email').focus());
    await page.does('submit');
    page.shows({ focus: 'submit-button' });
    await page.waits(500);
    page.shows({ phase: 'awaiting', focus: 'title', has: { form: false } });
  });

  it('a press more asks for nothing more', async () => {
    const page = await pageOf(slowForm);
    await page.does('fill');
    await page.does('submit');
    await page.does('submit');
    await page.does('enter');
    await page.waits(500);
    page.shows({ creations: 1 });
  });

  it('is not there where it begins by itself', async () => {
    const page = await pageOf(ready(slow(500, { attributes: { 'auto-start': '' } })));
    page.shows({ phase: 'creating', ...placed });
  });

  it('is not there for another code', async () => {
    const page = await pageOf(awaiting());
    await page.does(slower);
    await page.waits(180_000);
    await page.presses('O código não funcionou?');
    await page.waits(500);
    await page.presses('Gerar novo código Pix');
    page.shows({ phase: 'creating', has: { form: false } });
  });
});

describe('<pix-checkout>: a failure on the form', () => {
  const keepsFocus: Step = async ({ element, submit, advance, field, part }) => {
    const button = part('submit-button')!;
    button.focus();
    await submit();
    await advance(500);
    const follows = (one: Element, other: Element) =>
      Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
    expect(follows(field('email'), part('error')!) && follows(part('error')!, button)).to.equal(
      true,
    );
    expect(element.shadowRoot!.activeElement).to.equal(button);
    expect(field('name').matches(':disabled')).to.equal(false);
  };
  const values = { ...payer, cpf_cnpj: '280.012.389-38' };
  const spoils: Step = ({ proxy }) => (proxy.codeOf = () => 'no code');
  it('stands beside the button, which keeps the focus, and is announced; nothing typed is lost', async () => {
    const page = await pageOf(slowForm);
    await page.does('fill');
    await page.does(replies('create', problem('invalid_request')));
    await page.does(keepsFocus);
    page.shows({ announces: ['Confira o que você preencheu e tente de novo.'], values });
  });

  it('key_reused says what to do, and the button does it', async () => {
    const page = await pageOf(slowForm);
    await page.does('fill');
    await page.does(replies('create', problem('key_reused')));
    await page.does('submit');
    await page.waits(500);
    page.shows({ shows: ['Esta tentativa expirou. Tente de novo.'] });
    await page.does('submit');
    await page.waits(500);
    page.shows({ phase: 'awaiting' });
  });

  it('invalid_request does, too', async () => {
    const page = await pageOf(slowForm);
    await page.does('fill');
    await page.does(replies('create', problem('invalid_request')));
    await page.does('submit');
    await page.waits(500);
    page.shows({
      shows: ['Algum dado não foi aceito. Confira o que você preencheu e tente de novo.'],
    });
    await page.does('submit');
    await page.waits(500);
    page.shows({ phase: 'awaiting' });
  });

  it('a code that cannot be shown says that nothing was charged', async () => {
    const page = await pageOf(ready());
    await page.does(spoils);
    await page.does('submit');
    page.shows({ phase: 'form', shows: ['gerar um código Pix válido. Nada foi cobrado'] });
  });
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
  it('says so, in view and aloud, as long as that is so', async () => {
    const page = await pageOf(form());
    await page.does(offline!);
    page.shows({ shows: [box], announced: box });
    await page.does(online!);
    page.shows({ hides: ['internet'], announced: '' });
  });

  it('what is asked for waits for the line, however long, and goes on when it is back', async () => {
    const page = await pageOf(slowForm);
    await page.does('fill');
    await page.does(offline!);
    await page.does(repliesAlways('create', 'lost'));
    await page.does('submit');
    await page.waits(600_000);
    page.shows({
      phase: 'creating',
      buttons: ['Gerar código Pix'],
      shows: ['Sem internet. Quando ela voltar, continuamos daqui.'],
    });
    await page.does(repliesAlways('create', null));
    await page.does(comesBack);
    await page.waits(500);
    page.shows({ phase: 'awaiting' });
  });
});
