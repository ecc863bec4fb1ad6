/** What the page hears: names, details, order, and what is never among it. */

import { expect } from '@open-wc/testing';
import { stubClipboard } from '../../support/checkout/browser-stubs.js';
import {
  newOrder,
  openAwaiting,
  openCheckout,
  openSubmitted,
  settle,
  awaiting,
  form,
  payer,
  pageOf,
} from '../../support/checkout/page.js';
import { words } from '../../support/rows.js';
import type { Step } from '../../support/checkout/page.js';

describe('<pix-checkout>: events', () => {
  it('state first, then pix-status, then the special event, through a whole payment', async () => {
    stubClipboard('takes');
    const { element, events, copyCode, proxy, pressAlreadyPaid } = await openSubmitted();
    await copyCode();
    proxy.setStatus('paid');
    await pressAlreadyPaid();
    const { invoice_id: invoiceId = '', order_code: orderCode } = proxy.invoices[0] ?? {};
    const { externalId } = element;
    const invoice = { invoiceId, orderCode, externalId, method: 'pix', totalCents: 12_990 };
    expect(events()).to.deep.equal([
      ['pix-ready', { methods: ['pix'] }],
      ['pix-submit', { method: 'pix', externalId }],
      ['pix-status', { phase: 'creating', status: null, invoiceId: null }],
      ['pix-status', { phase: 'awaiting', status: 'pending', invoiceId }],
      ['pix-created', invoice],
      ['pix-copy', { copied: true }],
      ['pix-status', { phase: 'paid', status: 'paid', invoiceId }],
      ['pix-paid', invoice],
    ]);
  });

  it('the state is there when an event is heard', async () => {
    const phases: [string, string][] = [];
    const names = ['pix-submit', 'pix-status', 'pix-created', 'pix-paid'];
    const note = ({ type, target }: Event) => phases.push([type, (target as typeof element).phase]);
    for (const name of names) document.addEventListener(name, note);
    const { element, proxy, pressAlreadyPaid } = await openAwaiting();
    proxy.setStatus('paid');
    await pressAlreadyPaid();
    for (const name of names) document.removeEventListener(name, note);
    expect(phases).to.deep.equal([
      ['pix-submit', 'form'],
      ['pix-status', 'creating'],
      ['pix-status', 'awaiting'],
      ['pix-created', 'awaiting'],
      ['pix-status', 'paid'],
      ['pix-paid', 'paid'],
    ]);
  });

  it('each is of a class of its own, bubbling and composed', async () => {
    const inner = document.createElement('div');
    document.body.append(inner);
    const heard: Event[] = [];
    const hear = (event: Event) => heard.push(event);
    for (const name of ['pix-ready', 'pix-submit']) document.addEventListener(name, hear);
    const { element, submit } = await openCheckout({
      attributes: { 'payer-fields': '' },
      detached: true,
    });
    inner.attachShadow({ mode: 'open' }).append(element);
    await settle();
    await submit();
    for (const name of ['pix-ready', 'pix-submit']) document.removeEventListener(name, hear);
    inner.remove();
    expect(heard.map(({ constructor }) => constructor.name)).to.deep.equal([
      'PixReadyEvent',
      'PixSubmitEvent',
    ]);
    for (const event of heard) {
      expect([event.bubbles, event.composed]).to.deep.equal([true, true]);
      expect(event.cancelable).to.equal(event.type === 'pix-submit');
    }
  });

  const cancels: Step = ({ element }) =>
    element.addEventListener('pix-submit', (event) => event.preventDefault(), { once: true });
  const resets: Step = ({ element }) => element.addEventListener('pix-paid', () => element.reset());
  const lastTold: Step = ({ eventNames }) =>
    expect(eventNames().slice(-3)).to.deep.equal(['pix-status', 'pix-paid', 'pix-status']);
  it('a cancelled pix-submit leaves the form, with what was typed, and may be pressed again', async () => {
    const page = await pageOf(form());
    await page.does('fill');
    await page.does(cancels);
    await page.does('submit');
    page.shows({ phase: 'form', requests: 0, values: { name: payer.name } });
    await page.does('submit');
    page.shows({ phase: 'awaiting' });
  });

  it('a listener that calls back in meets a finished state', async () => {
    const page = await pageOf(awaiting());
    await page.does(resets);
    await page.does('pay');
    await page.presses('Já paguei');
    page.shows({ phase: 'form' });
    await page.does(lastTold);
  });
  it('pix-paid comes once per invoice and page load, even with two elements', async () => {
    const first = await openAwaiting();
    const attributes = { 'external-id': first.element.externalId ?? '' };
    const second = await openCheckout({ attributes }, first.world);
    expect(second.element.phase).to.equal('awaiting');
    first.proxy.setStatus('paid');
    await first.pressAlreadyPaid();
    await second.pressAlreadyPaid();
    await first.advance(60_000);
    expect([first.element.phase, second.element.phase]).to.deep.equal(['paid', 'paid']);
    const told = [...first.details('pix-paid'), ...second.details('pix-paid')];
    expect(told).to.have.length(1);
  });

  it('no personal data in events, storage, URLs, attributes, warnings and console', async () => {
    const canaries = words('28001238938 280.012.389-38 canary@example.com 98765-4321 11987654321');
    const externalId = newOrder();
    const checkout = await openCheckout(({ proxy }) => {
      proxy.reply('create', 'lost', 'lost', 'lost');
      return { attributes: { 'external-id': externalId, 'payer-fields': 'cpf_cnpj email phone' } };
    });
    const { element, type, submit, advance, proxy, stored, warnings, events } = checkout;
    const places = () => [
      JSON.stringify(events()),
      JSON.stringify([...stored]),
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
      proxy.requests.map(({ url, headers }) => url + JSON.stringify(headers)).join(),
      element.outerHTML,
      element.renderRoot.querySelector('section')?.outerHTML ?? '',
      warnings.join(),
    ];
    const expectNone = () => {
      for (const place of places()) {
        for (const canary of canaries) expect(place).not.to.include(canary);
      }
    };
    await type('cpf_cnpj', '28001238938');
    await type('email', 'canary@example.com');
    await type('phone', '11987654321');
    expectNone();
    await submit();
    await advance(60_000);
    expect(element.phase, 'after lost answers').to.equal('form');
    expectNone();
    await submit();
    expect(proxy.of('create').at(-1)?.body?.payer).to.deep.equal({
      cpf_cnpj: '28001238938',
      email: 'canary@example.com',
      phone: '11987654321',
    });
    expect(element.phase).to.equal('awaiting');
    expectNone();
    proxy.setStatus('paid');
    await advance(60_000);
    expect(element.phase).to.equal('paid');
    expectNone();
  });
});
