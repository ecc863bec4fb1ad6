/** Words of the page that change after an invoice was made: an old code is never shown for a new price, and nothing else restarts. */

import { expect } from '@open-wc/testing';
import type { PixCheckout } from '../../../src/checkout/element/pix-checkout.js';
import {
  newOrder,
  openAwaiting,
  openSubmitted,
} from '../../support/checkout/pix-checkout-harness.js';

describe('<pix-checkout>: changes after creation', () => {
  const changes: readonly [name: string, change: Partial<PixCheckout>][] = [
    ['endpoint', { endpoint: '/other' }],
    ['external-id', { externalId: newOrder() }],
    ['total-price-cents', { totalPriceCents: 9_990 }],
    ['pix-total-price-cents', { pixTotalPriceCents: 9_990 }],
  ];
  for (const [name, change] of changes) {
    it(`another ${name} starts afresh: the old code goes, and a new attempt says what is said now`, async () => {
      const { element, proxy, set, codeText, submit } = await openAwaiting();
      const old = codeText();
      const priced = name.endsWith('total-price-cents');
      // An order without a price of its own for Pix: the total is that of Pix.
      if (priced) proxy.totalCents = 9_990;
      await set(change);
      expect(element.phase).to.equal('form');
      expect(codeText()).to.equal(null);
      expect(proxy.open).to.have.length(0);
      await submit();
      expect(element.phase).to.equal('awaiting');
      if (priced) expect(codeText()).not.to.equal(old);
      const [first, second] = proxy.of('create');
      expect(second?.headers['idempotency-key']).not.to.equal(first?.headers['idempotency-key']);
      expect(second?.body?.order_token).to.equal(element.orderToken);
      expect(second?.body?.external_id).to.equal(element.externalId);
      expect(new URL(second?.url ?? '').pathname).to.equal(`${element.endpoint}/invoices`);
    });
  }

  it('of the order while it is created: the late answer changes nothing', async () => {
    const { element, proxy, set, advance, eventNames } = await openSubmitted(
      ({ proxy }) => void (proxy.delayMs = 500),
    );
    await set({ totalPriceCents: 9_990 });
    expect(element.phase).to.equal('form');
    expect(proxy.requests[0]?.outcome).to.equal('aborted');
    await advance(10_000);
    expect(element.phase).to.equal('form');
    expect(eventNames()).not.to.include('pix-created');
  });

  it('back to a former order resumes its invoice', async () => {
    const { element, proxy, set, codeText } = await openAwaiting();
    const { externalId } = element;
    const code = codeText();
    await set({ externalId: newOrder(), orderToken: 'of the other order' });
    expect(codeText()).to.equal(null);
    await set({ externalId, orderToken: 'signed' });
    expect(codeText()).to.equal(code);
    expect(proxy.of('create')).to.have.length(1);
  });

  it('a refused code of one order is not replaced by the next', async () => {
    const { submit, set, proxy } = await openSubmitted(
      ({ proxy }) => void (proxy.codeOf = () => 'damaged'),
    );
    await set({ externalId: newOrder() });
    await submit();
    expect(proxy.of('create').map(({ body }) => body?.replaces)).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('a total or a token that comes late and agrees keeps the invoice', async () => {
    const { element, proxy, set, codeText } = await openAwaiting({
      attributes: { 'total-price-cents': null, 'order-token': null },
    });
    await set({ totalPriceCents: 12_990, orderToken: 'late' });
    expect(element.phase).to.equal('awaiting');
    expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
    expect(proxy.of('create')).to.have.length(1);
  });

  const harmless: readonly [name: string, change: Partial<PixCheckout>][] = [
    ['locale', { locale: 'en' }],
    ['payer', { payer: { name: 'Ana Souza' } }],
    ['the same total', { totalPriceCents: 12_990 }],
  ];
  for (const [name, change] of harmless) {
    it(`${name} only renders again`, async () => {
      const { element, proxy, set, codeText, events } = await openAwaiting(
        ({ proxy }) => void (proxy.holds = true),
      );
      const [code, requests, heard] = [codeText(), proxy.requests.length, events().length];
      await set(change);
      expect(element.phase).to.equal('awaiting');
      expect(codeText()).to.equal(code);
      expect(proxy.requests).to.have.length(requests);
      expect(events()).to.have.length(heard);
    });
  }
});
