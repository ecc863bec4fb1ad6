/** What a checkout begins with: an invoice given, named or stored, else `auto-start`, else the form. */

import { expect } from '@open-wc/testing';
import type { CreatedInvoice } from '../../../../src/contract/types.js';
import { storeAttempt } from '../../../support/checkout/checkout-world.js';
import type { World } from '../../../support/checkout/checkout-world.js';
import { newOrder, openCheckout } from '../../../support/checkout/pix-checkout-harness.js';

type Source = 'invoice' | 'invoice-id' | 'stored' | 'auto-start';
type Attributes = Record<string, string> & { 'external-id': string };

describe('<pix-checkout>: start', () => {
  const cases: readonly Source[][] = [
    ['invoice', 'invoice-id', 'stored', 'auto-start'],
    ['invoice-id', 'stored', 'auto-start'],
    ['stored', 'auto-start'],
  ];
  for (const words of cases) {
    it(`of ${words.join(', ')} it takes ${words[0]}`, async () => {
      let expected: CreatedInvoice | null | undefined;
      const { element, proxy, codeText } = await openCheckout((world) => {
        const said = sayAll(world, words, words[0]);
        expected = said.expected;
        return said;
      });
      expect(element.phase).to.equal('awaiting');
      expect(codeText()).to.equal(expected?.qr_code_pix);
      expect(proxy.of('create')).to.have.length(0);
    });
  }

  it('with auto-start alone it creates', async () => {
    const { element, proxy, eventNames } = await openCheckout({
      attributes: { 'auto-start': '', 'payer-fields': '' },
    });
    expect(element.phase).to.equal('awaiting');
    expect(proxy.of('create')).to.have.length(1);
    expect(eventNames()).to.include('pix-submit');
  });

  it('with nothing it shows the form, and asks for nothing', async () => {
    const { element, proxy, buttons, visibleText } = await openCheckout();
    expect(element.phase).to.equal('form');
    expect(proxy.requests).to.have.length(0);
    expect(buttons()).to.deep.equal(['Gerar código Pix']);
    expect(visibleText()).to.include('R$ 129,90');
  });

  it('is ready before anything else is told', async () => {
    const { events } = await openCheckout((world) => sayAll(world, ['invoice'], 'invoice'));
    expect(events()[0]).to.deep.equal(['pix-ready', { methods: ['pix'] }]);
  });

  it('without invoice or invoice-id a missing external-id is a configuration error', async () => {
    const { element, details } = await openCheckout({ attributes: { 'external-id': null } });
    expect(element.phase).to.equal('failed');
    expect(details('pix-error')).to.deep.equal([{ code: 'configuration', retryable: false }]);
  });

  it('with an invoice no external-id is needed', async () => {
    const { visibleText } = await openCheckout(({ proxy }) => ({
      attributes: { 'external-id': null },
      properties: { invoice: proxy.makeInvoice('pedido-7') },
    }));
    expect(visibleText()).to.include('Pedido pedido-7');
  });

  it('creating covers resuming', async () => {
    const { element, advance, announcedText } = await openCheckout((world) => {
      world.proxy.delayMs = 1_000;
      return storedInvoice(world);
    });
    await advance(500);
    expect(element.phase).to.equal('creating');
    expect(announcedText()).to.equal('Buscando seu pagamento…');
    await advance(500);
    expect(element.phase).to.equal('awaiting');
  });

  it('a stored attempt without an answer is asked for by its key, which is used no more if it is not known', async () => {
    const externalId = newOrder();
    const attemptKey = '11111111-1111-4111-8111-111111111111';
    const { element, proxy, submit } = await openCheckout((world) => {
      storeAttempt(world, externalId, { attemptKey });
      return { attributes: { 'external-id': externalId, 'payer-fields': '' } };
    });
    const [asked] = proxy.of('recover');
    expect(asked?.headers['idempotency-key']).to.equal(attemptKey);
    expect(asked?.url).to.match(new RegExp(`/invoices\\?external_id=${externalId}&n=\\d+$`));
    expect(element.phase, 'it is not known').to.equal('form');
    await submit();
    expect(proxy.of('create')[0]?.headers['idempotency-key']).not.to.equal(attemptKey);
    expect(element.phase).to.equal('awaiting');
  });

  it('a stored invoice of another total is not resumed', async () => {
    const { element, proxy, stored } = await openCheckout((world) => {
      const { attributes } = storedInvoice(world);
      return { attributes: { ...attributes, 'total-price-cents': '9990' } };
    });
    expect(element.phase).to.equal('form');
    expect(proxy.requests).to.have.length(0);
    expect(stored.size).to.equal(0);
  });

  it('a stored invoice that the proxy says has another total is not resumed', async () => {
    const { element, proxy, stored, codeText } = await openCheckout((world) => {
      world.proxy.totalCents = 9_990;
      return storedInvoice(world);
    });
    expect(proxy.of('look-up')).to.have.length(1);
    expect(element.phase).to.equal('form');
    expect(codeText()).to.equal(null);
    expect(stored.size).to.equal(0);
  });

  it('start() before the first rendering begins nothing that the page made impossible', async () => {
    const { element, proxy, settle } = await openCheckout({
      attributes: { endpoint: null, 'payer-fields': '' },
      detached: true,
    });
    document.body.append(element);
    element.start();
    await settle();
    expect(element.phase).to.equal('failed');
    expect(proxy.requests).to.have.length(0);
  });
});

/** An order whose invoice a former page left in storage. */
function storedInvoice(world: World): { invoice: CreatedInvoice; attributes: Attributes } {
  const externalId = newOrder();
  const invoice = world.proxy.makeInvoice(externalId);
  const { invoice_id: invoiceId, lookup_token: lookupToken } = invoice;
  storeAttempt(world, externalId, { invoiceId, lookupToken });
  return { invoice, attributes: { 'external-id': externalId } };
}

/** A page that says all this at once, each of a different invoice; the one expected comes with it. */
function sayAll(world: World, words: readonly Source[], expected: Source | undefined) {
  const { invoice: stored, attributes } = storedInvoice(world);
  if (!words.includes('stored')) world.stored.clear();
  const named = world.proxy.makeInvoice(attributes['external-id']);
  const invoice = world.proxy.makeInvoice(attributes['external-id']);
  const all: Readonly<Record<Source, Record<string, string>>> = {
    stored: {},
    'invoice-id': { 'invoice-id': named.invoice_id, 'lookup-token': named.lookup_token ?? '' },
    invoice: { invoice: JSON.stringify(invoice) },
    'auto-start': { 'auto-start': '' },
  };
  const invoices = { stored, 'invoice-id': named, invoice, 'auto-start': null };
  return {
    attributes: Object.assign({}, attributes, { 'payer-fields': '' }, ...words.map((w) => all[w])),
    expected: expected && invoices[expected],
  };
}
