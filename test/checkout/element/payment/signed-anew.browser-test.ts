/**
 * Pages that sign a token, or render everything, anew whenever they like: what runs goes on, and what is paid stays.
 */

import { expect } from '@open-wc/testing';
import { setHidden } from '../../../support/checkout/browser-stubs.js';
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import {
  newOrder,
  openAwaiting,
  openReady,
  openSubmitted,
} from '../../../support/checkout/pix-checkout-harness.js';

type Checkout = Awaited<ReturnType<typeof openReady>>;

/** How each phase is reached. */
const phases: Readonly<Record<string, () => Promise<Checkout>>> = {
  'form, with its error': async () => {
    const checkout = await openReady(({ proxy }) => {
      proxy.replyAlways('create', problem('too_many_requests'));
    });
    await checkout.submit();
    return checkout;
  },
  creating: () => openSubmitted(({ proxy }) => void (proxy.delayMs = 500)),
  awaiting: () => openAwaiting(({ proxy }) => void (proxy.holds = true)),
  confirming: async () => {
    const checkout = await openAwaiting();
    checkout.proxy.reply('look-up', changed({ status: 'amount_mismatch' }));
    await checkout.pressAlreadyPaid();
    return checkout;
  },
  expired: async () => {
    const checkout = await openAwaiting({ attributes: { 'expires-in': '60' } });
    await checkout.advance(61_000);
    return checkout;
  },
  paid,
  'failed, the order closed': () =>
    openSubmitted(({ proxy }) => proxy.reply('create', problem('order_closed'))),
};

async function paid(): Promise<Checkout> {
  const checkout = await openAwaiting();
  checkout.proxy.setStatus('paid');
  await checkout.pressAlreadyPaid();
  return checkout;
}

/** What a page may say of an order that is over, or for a moment while it renders. */
const unusable: Readonly<Record<string, object>> = {
  'a total of nothing': { totalPriceCents: 0 },
  'a total that is none': { totalPriceCents: Number.NaN },
  'no total': { totalPriceCents: null },
  'no order': { externalId: null },
  'no endpoint': { endpoint: null },
  'no method': { methods: 'boleto' },
  'an empty cart': { items: [], lines: null, totalPriceCents: null, orderToken: null },
};

describe('<pix-checkout>: a token that is signed anew', () => {
  for (const [name, open] of Object.entries(phases)) {
    it(`${name}: restarts nothing, tells nothing and asks nothing`, async () => {
      const { element, proxy, set, visibleText, heard } = await open();
      const before = [element.phase, visibleText(), proxy.requests.length, heard.length];
      const inFlight = proxy.open.length;
      expect(name.startsWith(element.phase)).to.equal(true);
      for (const orderToken of ['signed anew', 'and again']) await set({ orderToken });
      expect([element.phase, visibleText(), proxy.requests.length, heard.length]).to.deep.equal(
        before,
      );
      expect(proxy.open).to.have.length(inFlight);
    });
  }

  it('is used for the next request, and the code is paid', async () => {
    const { element, proxy, set, press, advance } = await openAwaiting({
      attributes: { 'expires-in': '60' },
    });
    await advance(61_000);
    await set({ orderToken: 'signed anew' });
    await press('Gerar novo código Pix');
    expect(proxy.of('create').map(({ body }) => body?.order_token)).to.deep.equal([
      'signed',
      'signed anew',
    ]);
    proxy.setStatus('paid');
    await advance(60_000);
    expect(element.phase).to.equal('paid');
  });

  it('as the payer comes back from the bank app: the look-up finds the payment', async () => {
    const { element, proxy, set, advance } = await openAwaiting();
    setHidden(true);
    await advance(30_000);
    proxy.setStatus('paid');
    setHidden(false);
    await set({ orderToken: 'signed anew', items: [] });
    await advance(1_000);
    expect(element.phase).to.equal('paid');
  });

  it('where the former one was refused, the payer can go on', async () => {
    const { element, set, submit } = await openSubmitted(({ proxy }) =>
      proxy.reply('create', problem('unauthorized')),
    );
    expect(element.phase).to.equal('failed');
    await set({ orderToken: 'signed anew' });
    expect(element.phase).to.equal('form');
    await submit();
    expect(element.phase).to.equal('awaiting');
  });
});

describe('<pix-checkout>: what the page says no longer', () => {
  for (const phase of ['awaiting', 'confirming', 'expired', 'paid'] as const) {
    for (const [name, change] of Object.entries(unusable)) {
      it(`${name}, while ${phase}: it stays`, async () => {
        const { element, proxy, set, visibleText, events } = await phases[phase]!();
        const text = visibleText();
        const heard = events().length;
        await set(change);
        expect([element.phase, visibleText()]).to.deep.equal([phase, text]);
        expect(events()).to.have.length(heard);
        const externalId = proxy.of('create')[0]?.body?.external_id;
        await set({ externalId, endpoint: '/pix', methods: 'pix', totalPriceCents: 12_990 });
        expect([element.phase, visibleText()]).to.deep.equal([phase, text]);
      });
    }
  }

  it('a total that is none is a warning, and the look-ups go on', async () => {
    const { element, proxy, set, advance, warnings } = await openAwaiting();
    await set({ totalPriceCents: 0 });
    expect(warnings).to.deep.equal([
      'total-price-cents must be a whole number of cents, 1 or more',
      'The order is gone from the page: what it said before holds',
    ]);
    proxy.setStatus('paid');
    await advance(60_000);
    expect(element.phase).to.equal('paid');
  });

  for (const phase of ['confirming', 'paid'] as const) {
    it(`another total, while ${phase}: it stays`, async () => {
      const { element, set, visibleText, advance } = await phases[phase]!();
      const text = visibleText();
      await set({ totalPriceCents: 100, pixTotalPriceCents: 90 });
      expect([element.phase, visibleText()]).to.deep.equal([phase, text]);
      await advance(1_000);
      expect(element.phase).to.equal(phase);
    });
  }

  it('the receipt goes with its order, and comes back with it', async () => {
    const { element, set } = await paid();
    const { externalId } = element;
    await set({ externalId: newOrder() });
    expect(element.phase).to.equal('form');
    await set({ externalId });
    expect(element.phase).to.equal('paid');
  });

  it('an element that is rendered in its place shows the receipt, and tells nothing again', async () => {
    const first = await paid();
    const { externalId } = first.element;
    const requests = first.proxy.requests.length;
    first.element.remove();
    const second = await openReady({ attributes: { 'external-id': externalId } }, first.world);
    expect(second.element.phase).to.equal('paid');
    expect(second.proxy.requests).to.have.length(requests);
    expect(second.eventNames()).not.to.include('pix-paid');
  });
});

it('<pix-checkout>: an invoice that is handed in anew leaves a payer at the card form', async () => {
  const { element, proxy, set, chooseMethod } = await openReady(({ proxy }) => {
    const externalId = newOrder();
    const invoice = proxy.makeInvoice(externalId);
    const attributes = { 'external-id': externalId, methods: 'pix credit_card' };
    return { attributes, properties: { invoice, acceptRawCard: true } };
  });
  expect(element.phase).to.equal('awaiting');
  await chooseMethod('Cartão');
  const { invoice } = element;
  await set({ invoice: { ...(invoice as object), lookup_token: 'signed anew' } });
  expect([element.phase, element.method]).to.deep.equal(['form', 'credit_card']);
  await set({ invoiceId: proxy.invoices[0]?.invoice_id });
  expect([element.phase, element.method]).to.deep.equal(['form', 'credit_card']);
});
