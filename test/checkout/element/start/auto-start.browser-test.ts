/** `auto-start`: the invoice is created as soon as nothing has to be asked, once per order, and never behind a payer's back. */

import { expect } from '@open-wc/testing';
import { stub } from '../../../support/checkout/browser-stubs.js';
import { newOrder, openCheckout } from '../../../support/checkout/pix-checkout-harness.js';

const complete = { name: 'Ana Souza', cpf_cnpj: '28001238938', email: 'ana@example.com' };

describe('<pix-checkout>: auto-start', () => {
  it('creates when payer-fields is empty', async () => {
    const { element, proxy } = await open({ 'payer-fields': '' });
    expect(element.phase).to.equal('awaiting');
    expect(proxy.of('create')).to.have.length(1);
  });

  it('creates when the payer given leaves nothing to ask', async () => {
    const { proxy } = await openCheckout({
      attributes: { 'auto-start': '' },
      properties: { payer: complete },
    });
    expect(proxy.of('create')[0]?.body?.payer).to.deep.equal(complete);
  });

  it('creates nothing unasked where the page says "false", as an attribute or as a property', async () => {
    const attribute = await openCheckout({
      attributes: { 'auto-start': 'false', 'payer-fields': '' },
    });
    const property = await openCheckout({
      attributes: { 'payer-fields': '' },
      properties: { autoStart: 'false' },
    });
    for (const { element, proxy } of [attribute, property]) {
      expect(element.phase).to.equal('form');
      expect(proxy.requests).to.have.length(0);
    }
  });

  it('waits while something has to be asked, and creates once the payer is set later', async () => {
    const { element, proxy, set } = await open({});
    expect(element.phase).to.equal('form');
    await set({ payer: { name: 'Ana Souza' } });
    expect(element.phase).to.equal('form');
    await set({ payer: complete });
    expect(element.phase).to.equal('awaiting');
    expect(proxy.of('create')).to.have.length(1);
  });

  it('never after the payer has typed', async () => {
    const { element, proxy, type, set } = await open({});
    await type('name', 'A');
    await set({ payer: complete });
    expect(element.phase).to.equal('form');
    expect(proxy.requests).to.have.length(0);
  });

  it('once per external-id: not again after reset(), again for another order', async () => {
    const { element, proxy, settle, set } = await open({ 'payer-fields': '' });
    element.reset();
    await settle();
    expect(element.phase).to.equal('form');
    expect(proxy.of('create')).to.have.length(1);
    await set({ externalId: newOrder() });
    expect(element.phase).to.equal('awaiting');
    expect(proxy.of('create')).to.have.length(2);
  });

  it('does not repeat what failed', async () => {
    const { element, proxy, advance, buttons } = await openCheckout(({ proxy }) => {
      proxy.replyAlways('create', 'lost');
      return { attributes: { 'auto-start': '', 'payer-fields': '' } };
    });
    await advance(60_000);
    expect(element.phase).to.equal('form');
    expect(proxy.of('create'), 'one and two silent retries').to.have.length(3);
    expect(buttons()).to.deep.equal(['Tentar de novo']);
  });

  it('a changed total takes the code away and waits for a press: the new price was not asked for', async () => {
    const { element, proxy, set, submit } = await open({ 'payer-fields': '' });
    expect(element.phase).to.equal('awaiting');
    proxy.totalCents = 9_990;
    await set({ totalPriceCents: 9_990 });
    await set({ receiverName: 'rendered again' });
    expect(element.phase).to.equal('form');
    expect(proxy.of('create')).to.have.length(1);
    await submit();
    expect(element.phase).to.equal('awaiting');
    expect(proxy.of('create')).to.have.length(2);
  });

  it('a cancelled pix-submit leaves the form, and auto-start does not repeat it', async () => {
    let asked = 0;
    const cancel = (event: Event) => {
      asked++;
      event.preventDefault();
    };
    document.addEventListener('pix-submit', cancel);
    const { element, proxy, set } = await open({ 'payer-fields': '' });
    await set({ receiverName: 'rendered again' });
    document.removeEventListener('pix-submit', cancel);
    await set({ receiverName: 'and again' });
    expect(element.phase).to.equal('form');
    expect(asked).to.equal(1);
    expect(proxy.requests).to.have.length(0);
  });

  it('shows the receipt at once of an order that was paid since the page was loaded', async () => {
    const { element, world, proxy, advance } = await open({ 'payer-fields': '' });
    proxy.setStatus('paid');
    await advance(60_000);
    expect(element.phase).to.equal('paid');
    element.remove();
    const asked = proxy.requests.length;
    const attributes = { 'auto-start': '', 'payer-fields': '', 'external-id': element.externalId };
    const later = await openCheckout({ attributes }, world);
    expect(later.visibleText()).to.include('Pagamento confirmado');
    expect(proxy.requests.length, 'nothing is asked for').to.equal(asked);
    expect(later.eventNames()).to.deep.equal(['pix-ready', 'pix-status']);
  });

  it('asks for the order where it costs something else than what was paid', async () => {
    const { element, world, proxy, advance } = await open({ 'payer-fields': '' });
    proxy.setStatus('paid');
    await advance(60_000);
    expect(element.phase).to.equal('paid');
    element.remove();
    const asked = proxy.of('create').length;
    const order = { 'external-id': element.externalId, 'total-price-cents': '15000' };
    await openCheckout({ attributes: { 'auto-start': '', 'payer-fields': '', ...order } }, world);
    expect(proxy.of('create').length).to.equal(asked + 1);
  });

  it('by a choice of Pix keeps the focus in the element: the choice takes nothing until there is a code', async () => {
    const { get, proxy, focused, chooseMethod } = await openCheckout(({ proxy }) => {
      proxy.delayMs = 500;
      return {
        attributes: { 'auto-start': '', 'payer-fields': '', methods: 'credit_card pix' },
        properties: { tokenizeCard: () => Promise.resolve({ token: 'token-of-a-card' }) },
      };
    });
    get('.methods label:last-of-type input').focus();
    await chooseMethod('Pix');
    expect([proxy.of('create').length, focused()]).to.deep.equal([1, 'Pix Trocar']);
  });

  it('never while the document is prerendering', async () => {
    stub(document, 'prerendering', { value: true });
    const { element, proxy, settle } = await open({ 'payer-fields': '' });
    expect(element.phase).to.equal('form');
    expect(proxy.requests).to.have.length(0);
    stub(document, 'prerendering', { value: false });
    document.dispatchEvent(new Event('prerenderingchange'));
    await settle();
    expect(element.phase).to.equal('awaiting');
  });

  it('not before the element is in the page, and then', async () => {
    const { element, proxy, connect, settle } = await openCheckout({
      attributes: { 'auto-start': '', 'payer-fields': '' },
      detached: true,
    });
    document.body.append(element);
    element.remove();
    await settle();
    expect(proxy.requests).to.have.length(0);
    await connect();
    expect(element.phase).to.equal('awaiting');
    expect(proxy.of('create')).to.have.length(1);
  });

  it('not for a method that is not offered', async () => {
    const { element } = await open({ 'payer-fields': '', methods: 'boleto' });
    expect(element.phase).to.equal('failed');
  });
});

const open = (attributes: Record<string, string>) =>
  openCheckout({ attributes: { 'auto-start': '', ...attributes } });
