/** `reset()`: back to the form with what was typed, but not while a creation is in flight. */

import { expect } from '@open-wc/testing';
import {
  openAwaiting,
  openCheckout,
  openSubmitted,
} from '../../../support/checkout/pix-checkout-harness.js';

describe('<pix-checkout>: reset()', () => {
  it('gives up what is in flight, forgets the invoice, and is back at the form', async () => {
    const { element, proxy, settle, stored, details } = await openAwaiting(
      ({ proxy }) => void (proxy.holds = true),
    );
    expect(proxy.open).to.have.length(1);
    element.reset();
    await settle();
    expect(element.phase).to.equal('form');
    expect(proxy.open).to.have.length(0);
    expect(stored.size).to.equal(0);
    expect(details('pix-status').at(-1)).to.deep.equal({
      phase: 'form',
      status: null,
      invoiceId: null,
    });
  });

  it('is ignored with a warning while an invoice is being created', async () => {
    const { element, warnings, advance } = await openSubmitted(
      ({ proxy }) => void (proxy.delayMs = 100),
    );
    element.reset();
    element.reset();
    expect(element.phase).to.equal('creating');
    expect(warnings).to.deep.equal(['reset() is ignored in this phase']);
    await advance(100);
    expect(element.phase).to.equal('awaiting');
  });

  it('leaves paid and failed too', async () => {
    const { element, proxy, pressAlreadyPaid, settle, set } = await openAwaiting();
    proxy.setStatus('paid');
    await pressAlreadyPaid();
    expect(element.phase).to.equal('paid');
    element.reset();
    await settle();
    expect(element.phase).to.equal('form');
    await set({ invoice: {} });
    expect(element.phase).to.equal('failed');
    element.reset();
    await settle();
    expect(element.phase).to.equal('form');
  });

  it('in the form changes nothing', async () => {
    const { element, settle, eventNames, type, field } = await openCheckout();
    await type('name', 'Ana');
    element.reset();
    await settle();
    expect(field('name').value).to.equal('Ana');
    expect(eventNames()).to.deep.equal(['pix-ready']);
  });
});
