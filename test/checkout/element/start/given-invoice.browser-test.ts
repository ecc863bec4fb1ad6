/** An invoice made elsewhere: handed in as JSON, property or promise, or named by its id. */

import { expect } from '@open-wc/testing';
import type { CreatedInvoice } from '../../../../src/contract/types.js';
import { storeAttempt } from '../../../support/checkout/checkout-world.js';
import type { World } from '../../../support/checkout/checkout-world.js';
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import {
  deferred,
  newOrder,
  openCheckout,
  settle,
} from '../../../support/checkout/pix-checkout-harness.js';
import type { OpenOptions } from '../../../support/checkout/pix-checkout-harness.js';

describe('<pix-checkout>: invoice', () => {
  const ways: readonly [way: string, give: (invoice: CreatedInvoice) => OpenOptions][] = [
    ['JSON in the attribute', (invoice) => ({ attributes: { invoice: JSON.stringify(invoice) } })],
    ['an object', (invoice) => ({ properties: { invoice } })],
    ['a promise', (invoice) => ({ properties: { invoice: Promise.resolve(invoice) } })],
    ["another library's promise", (invoice) => ({ properties: { invoice: thenable(invoice) } })],
  ];
  for (const [way, give] of ways) {
    it(`${way}: shown and followed, with no creation by the element`, async () => {
      const { element, proxy, codeText, eventNames } = await openGiven(give);
      expect(element.phase).to.equal('awaiting');
      expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
      const asked = proxy.requests.map(({ route, waitSeconds }) => [route, waitSeconds]);
      expect(asked, 'vouched for at once, then followed').to.deep.equal([
        ['look-up', 0],
        ['look-up', 25],
      ]);
      expect(eventNames()).not.to.include('pix-created').and.not.to.include('pix-submit');
    });
  }

  it('a promise under way is creating', async () => {
    const { promise, resolve } = deferred();
    const { element, proxy, advance, announcedText } = await openGiven((invoice) => {
      waiting = invoice;
      return { properties: { invoice: promise } };
    });
    await advance(500);
    expect(element.phase).to.equal('creating');
    expect(announcedText()).to.equal('Buscando seu pagamento…');
    expect(proxy.requests).to.have.length(0);
    resolve(waiting);
    await settle();
    expect(element.phase).to.equal('awaiting');
  });

  it('a promise that is refused is a network error, with a status and the reference', async () => {
    const { element, warnings, details, visibleText } = await openCheckout({
      attributes: { 'external-id': 'order-refused' },
      properties: { invoice: Promise.reject(new Error('the server said 28001238938')) },
    });
    expect(element.phase).to.equal('failed');
    expect(details('pix-error')).to.deep.equal([{ code: 'network', retryable: false }]);
    expect(warnings).to.deep.equal(['the promised invoice did not come']);
    expect(visibleText()).to.include('Pedido order-refused');
  });

  it('another promise in its place counts, whichever comes first', async () => {
    const first = deferred();
    const second = deferred();
    const { element, proxy, set, codeText } = await openGiven((invoice) => {
      waiting = invoice;
      return { properties: { invoice: first.promise } };
    });
    await set({ invoice: second.promise });
    first.resolve({ ...waiting, qr_code_pix: 'not this one' });
    await settle();
    expect(element.phase).to.equal('creating');
    second.resolve(waiting);
    await settle();
    expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
  });

  const garbage: readonly unknown[] = ['text', { invoice_id: '../..' }];
  for (const invoice of garbage) {
    it(`${JSON.stringify(invoice)} is an invalid answer, once`, async () => {
      const { element, details, warnings } = await openCheckout({ properties: { invoice } });
      expect(element.phase).to.equal('failed');
      expect(details('pix-error')).to.deep.equal([{ code: 'invalid_answer', retryable: false }]);
      expect(warnings).to.have.length(1);
    });
  }

  it('comes late, after the form was shown', async () => {
    const { element, proxy, set } = await openCheckout();
    await set({ invoice: proxy.makeInvoice(element.externalId ?? '') });
    expect(element.phase).to.equal('awaiting');
  });

  const mismatches: readonly [attribute: string, value: string, code: string][] = [
    ['total-price-cents', '9990', 'amount_mismatch'],
    ['external-id', 'another-order', 'reference_mismatch'],
  ];
  for (const [attribute, value, code] of mismatches) {
    it(`is not shown with another ${attribute}: ${code}`, async () => {
      const { element, details, codeText } = await openGiven((invoice) => ({
        attributes: { [attribute]: value },
        properties: { invoice },
      }));
      expect(element.phase).to.equal('failed');
      expect(codeText()).to.equal(null);
      expect(details('pix-error')[0]).to.include({ code, retryable: false });
    });
  }

  it('with no total given nothing is compared, and its own is shown', async () => {
    const { visibleText } = await openGiven((invoice) => ({
      attributes: { 'total-price-cents': null },
      properties: { invoice: { ...invoice } },
    }));
    expect(visibleText()).to.include('R$ 129,90');
  });

  it('waits for a stored card whose outcome is open, in a new page and when it is given again', async () => {
    const { element, proxy, set, codeText, advance } = await openCheckout((world) => {
      const externalId = newOrder();
      storeAttempt(world, externalId, { method: 'credit_card' });
      world.proxy.replyAlways('recover', problem('in_progress'));
      const invoice = world.proxy.makeInvoice(externalId);
      waiting = invoice;
      return { attributes: { 'external-id': externalId }, properties: { invoice } };
    });
    expect([element.phase, codeText()]).to.deep.equal(['confirming', null]);
    await set({ orderToken: 'signed-anew', invoice: { ...waiting } });
    expect([element.phase, codeText()]).to.deep.equal(['confirming', null]);
    proxy.replyAlways('recover', problem('payment_refused'));
    await advance(60_000);
    expect(element.phase).to.equal('form');
  });

  it('data, unlike a promise, is on the screen with the first rendering', async () => {
    const given = (invoice: CreatedInvoice) => ({ properties: { invoice }, detached: true });
    const { element, codeText } = await openGiven(given);
    document.body.append(element);
    await element.updateComplete;
    expect(codeText()).not.to.equal(null);
  });

  const lies: readonly [field: string, value: unknown, code: string][] = [
    ['qr_code_pix', 'another code', 'invalid_code'],
    ['external_id', 'another-order', 'reference_mismatch'],
    ['total_cents', 9_990, 'amount_mismatch'],
  ];
  for (const [field, value, code] of lies) {
    it(`is hidden when the first look-up names another ${field}`, async () => {
      const { element, details, codeText, visibleText } = await openCheckout(({ proxy }) => {
        proxy.reply('look-up', changed({ [field]: value }));
        const externalId = newOrder();
        const invoice = proxy.makeInvoice(externalId);
        return { attributes: { 'external-id': externalId }, properties: { invoice } };
      });
      expect(element.phase).to.equal('failed');
      expect(codeText()).to.equal(null);
      expect(details('pix-error')[0]).to.include({ code });
      expect(visibleText()).not.to.equal('');
    });
  }
});

describe('<pix-checkout>: an invoice whose look-up token is refused', () => {
  const openOutdated = (
    prepare: (invoice: CreatedInvoice, world: World) => void,
    attributes: Record<string, string | null> = {},
  ) =>
    openCheckout((world) => {
      const externalId = newOrder();
      const invoice = world.proxy.makeInvoice(externalId);
      const given = { ...invoice, lookup_token: 'outdated' };
      prepare(invoice, world);
      return {
        attributes: { 'external-id': externalId, ...attributes },
        properties: { invoice: given },
      };
    });

  it('is asked for by its order, and followed with the new one', async () => {
    const { element, proxy, codeText, advance, visibleText } = await openOutdated(() => {});
    expect(proxy.of('create').map(({ body }) => body?.method)).to.deep.equal(['pix']);
    expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
    await advance(60_000);
    expect(proxy.of('create')).to.have.length(1);
    expect(visibleText()).not.to.include('demorando');
    proxy.setStatus('paid');
    await advance(60_000);
    expect(element.phase).to.equal('paid');
  });

  for (const [what, attributes, refuse] of [
    ['without a reference', { 'external-id': null }, () => {}],
    [
      'and so is the order',
      {},
      (_: unknown, { proxy }: World) => proxy.replyAlways('create', problem('unauthorized')),
    ],
  ] as const) {
    it(`${what}: the page says that it is out of date, and offers to load anew`, async () => {
      const checkout = await openOutdated(refuse, attributes);
      const { element, advance, visibleText, press, proxy } = checkout;
      await advance(60_000);
      expect(element.phase).to.equal('failed');
      expect(visibleText()).to.include('Esta página está desatualizada.');
      expect(visibleText()).to.include('fale com a loja');
      expect(visibleText()).not.to.include('demorando');
      const asked = proxy.requests.length;
      await advance(600_000);
      expect(proxy.requests).to.have.length(asked);
      await press('Recarregar a página');
      expect(checkout.world.reloads).to.equal(1);
    });
  }

  it('says so beside a payment that is being confirmed', async () => {
    const { element, advance, visibleText } = await openCheckout(({ proxy }) => {
      const invoice = { ...proxy.makeInvoice('order'), status: 'paid', lookup_token: 'outdated' };
      return { attributes: { 'external-id': null }, properties: { invoice } };
    });
    await advance(60_000);
    expect(element.phase).to.equal('confirming');
    expect(visibleText()).to.include('Estamos confirmando seu pagamento.');
    expect(visibleText()).to.include('Esta página está desatualizada.');
  });
});

describe('<pix-checkout>: invoice-id', () => {
  it('is looked up with its token before anything is shown', async () => {
    const { element, proxy, codeText, visibleText } = await openNamed();
    const [first] = proxy.of('look-up');
    expect(first?.headers['lookup-token']).to.equal(proxy.invoices[0]?.lookup_token);
    expect(element.phase).to.equal('awaiting');
    expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
    expect(visibleText()).to.include('R$ 129,90');
    expect(proxy.of('create')).to.have.length(0);
  });

  it('takes a token that comes late', async () => {
    const unnamed = { 'lookup-token': null, 'external-id': null };
    const { element, proxy, set, details } = await openNamed(undefined, unnamed);
    expect(element.phase).to.equal('failed');
    expect(details('pix-error')[0]).to.include({ code: 'unauthorized' });
    await set({ lookupToken: proxy.invoices[0]?.lookup_token ?? '' });
    expect(element.phase).to.equal('awaiting');
  });

  it('whose token is refused is asked for by its order', async () => {
    const { element, proxy, codeText } = await openNamed(undefined, { 'lookup-token': 'outdated' });
    expect([element.phase, codeText()]).to.deep.equal(['awaiting', proxy.invoices[0]?.qr_code_pix]);
    expect(proxy.of('create')).to.have.length(1);
  });

  it('waits through a proxy that does not answer, and says so', async () => {
    const { element, proxy, advance, announcedText } = await openCheckout(({ proxy }) => {
      proxy.replyAlways('look-up', problem('service_unavailable'));
      const { invoice_id, lookup_token = '' } = proxy.makeInvoice('order-unsteady');
      const named = { 'invoice-id': invoice_id, 'lookup-token': lookup_token };
      return { attributes: { 'external-id': 'order-unsteady', ...named } };
    });
    await advance(30_000);
    expect(element.phase).to.equal('creating');
    expect(announcedText()).to.equal('Está demorando mais que o normal. Continuamos tentando.');
    proxy.replyAlways('look-up', null);
    await advance(30_000);
    expect(element.phase).to.equal('awaiting');
  });
});

let waiting: object = {};

const openGiven = (give: (invoice: CreatedInvoice) => OpenOptions) =>
  openCheckout(({ proxy }) => {
    const externalId = newOrder();
    const { attributes, ...rest } = give(proxy.makeInvoice(externalId));
    return { attributes: { 'external-id': externalId, ...attributes }, ...rest };
  });

const openNamed = (
  prepare: (invoice: CreatedInvoice) => void = () => undefined,
  attributes: Record<string, string | null> = {},
) =>
  openCheckout(({ proxy }) => {
    const externalId = newOrder();
    const invoice = proxy.makeInvoice(externalId);
    prepare(invoice);
    const { invoice_id, lookup_token = '' } = invoice;
    const named = { 'invoice-id': invoice_id, 'lookup-token': lookup_token };
    return { attributes: { 'external-id': externalId, ...named, ...attributes } };
  });

/** What a promise of an older library, or of another frame, looks like. */
const thenable = (value: unknown) => ({
  // oxlint-disable-next-line unicorn/no-thenable -- that is the point
  then: (resolve: (value: unknown) => void) => resolve(value),
});
