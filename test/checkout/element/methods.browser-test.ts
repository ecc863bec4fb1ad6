/** Two methods in one element: which one is shown with what was begun before, and what becomes of the other's. */

import { expect } from '@open-wc/testing';
import type { PixCheckout } from '../../../src/checkout/element/pix-checkout.js';
import { storeAttempt } from '../../support/checkout/checkout-world.js';
import type { World } from '../../support/checkout/checkout-world.js';
import { problem } from '../../support/checkout/fake-proxy.js';
import {
  newOrder,
  openCheckout,
  openSubmitted,
} from '../../support/checkout/pix-checkout-harness.js';

const cardCents = '13990';
const attributes = {
  methods: 'credit_card pix',
  'total-price-cents': cardCents,
  'pix-total-price-cents': '12990',
  'payer-fields': '',
};
const tokenizeCard = () => Promise.resolve({ token: 'token-of-a-card' });

describe('<pix-checkout>: two methods, the card first, Pix cheaper', () => {
  it('a stored Pix code is there again after a reload, as Pix', async () => {
    const { element, codeText, visibleText, stored, proxy } = await openCheckout((world) => {
      const { externalId, invoice, options } = orderOf(world);
      const { invoice_id: invoiceId, lookup_token: lookupToken } = invoice;
      storeAttempt(world, externalId, { invoiceId, lookupToken });
      return options;
    });
    expect(element.phase).to.equal('awaiting');
    expect(element.method).to.equal('pix');
    expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
    expect(visibleText()).to.include('Pague com Pix R$ 129,90');
    expect(stored.size, 'the record stays').to.equal(1);
  });

  it('one of another price is not', async () => {
    const { element, stored } = await openCheckout((world) => {
      const { externalId, options } = orderOf(world);
      storeAttempt(world, externalId, { totalCents: 13_990 });
      return options;
    });
    expect([element.phase, element.method, stored.size]).to.deep.equal(['form', null, 0]);
  });

  it('a stored card that was refused leads to the card form', async () => {
    const { element, visibleText } = await openCheckout((world) => {
      const { externalId, options } = orderOf(world);
      storeAttempt(world, externalId, { method: 'credit_card', totalCents: 13_990 });
      world.proxy.reply('recover', problem('payment_refused'));
      return { ...options, attributes: { ...options.attributes, methods: 'pix credit_card' } };
    });
    expect([element.phase, element.method]).to.deep.equal(['form', 'credit_card']);
    expect(visibleText()).to.include('Pagamento não aprovado.');
    expect(visibleText()).to.include('Pague com cartão');
  });

  it('an invoice that the page hands in while the card form is shown is there at once, as Pix', async () => {
    let invoice;
    const { element, set, details } = await openCheckout((world) => {
      const order = orderOf(world);
      invoice = order.invoice;
      return order.options;
    });
    await set({ invoice });
    expect([element.phase, element.method]).to.deep.equal(['awaiting', 'pix']);
    const phases = (details('pix-status') as { phase: string }[]).map(({ phase }) => phase);
    expect(phases).to.not.include('form');
  });

  it('over to the card while a code is on its way: it is followed behind the form, and no error', async () => {
    const { element, submit, set, advance, chooseMethod, codeText, details, proxy } =
      await openCheckout((world) => {
        world.proxy.delayMs = 500;
        const { attributes } = orderOf(world).options;
        return { attributes: { ...attributes, method: 'pix' }, properties: { tokenizeCard } };
      });
    await submit();
    await set({ method: 'credit_card' });
    expect(element.phase).to.equal('creating');
    await advance(500);
    expect(element.phase).to.equal('form');
    expect(details('pix-error')).to.deep.equal([]);
    expect(proxy.of('look-up'), 'it is watched').to.have.length(1);
    await chooseMethod('Pix');
    expect(element.phase).to.equal('awaiting');
    expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
  });
});

describe('<pix-checkout>: a tokenizer that is not there yet', () => {
  /** As a script of the page that stands behind the element's own. */
  async function openLate(later: Partial<PixCheckout>) {
    const opened = await openCheckout({
      attributes: { methods: 'pix credit_card' },
      detached: true,
    });
    document.body.append(opened.element);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    await opened.set(later);
    return opened;
  }

  it('is not missed where it comes a little later', async () => {
    const { world, details } = await openLate({ tokenizeCard });
    expect(details('pix-ready')).to.deep.equal([{ methods: ['pix', 'credit_card'] }]);
    expect(world.warnings).to.deep.equal([]);
  });

  it('is missed where it does not come, and Pix is there', async () => {
    const { world, details, buttons } = await openLate({});
    expect(details('pix-ready')).to.deep.equal([{ methods: ['pix'] }]);
    expect(world.warnings.join()).to.include('without tokenizeCard');
    expect(buttons()).to.deep.equal(['Gerar código Pix']);
  });

  it('that comes later still is offered then', async () => {
    const { set, has } = await openLate({});
    expect(has('[type="radio"]')).to.equal(false);
    await set({ tokenizeCard });
    expect(has('[type="radio"]')).to.equal(true);
  });
});

describe('<pix-checkout>: to the card and back', () => {
  it('the choice stays where it is and keeps the focus, and the heading names the method', async () => {
    const { chooseMethod, submit, focused, get, visibleText } = await openCheckout({
      attributes: { methods: 'pix credit_card', 'payer-fields': '' },
      properties: { tokenizeCard },
    });
    const [pix, card] = get('.methods').querySelectorAll('input');
    const choose = async (label: 'Pix' | 'Cartão', radio = label === 'Pix' ? pix : card) => {
      radio?.focus();
      await chooseMethod(label);
      expect(radio?.checked, label).to.equal(true);
      expect(radio?.matches(':focus'), label).to.equal(true);
    };
    await choose('Cartão');
    expect(visibleText()).to.include('Pague com cartão');
    await choose('Pix');
    expect(visibleText()).to.include('Pague com Pix');
    await submit();
    expect(focused(), 'the code gives the focus to its heading').to.equal('title');
    (get('.fold') as HTMLDetailsElement).open = true;
    await choose('Cartão');
    await chooseMethod('Pix');
    expect(get('.fold summary').matches(':focus'), 'one line again').to.equal(true);
  });

  it('a code that expired has expired once', async () => {
    const { element, advance, chooseMethod, details, proxy } = await openSubmitted({
      attributes: { methods: 'pix credit_card', 'expires-in': '60' },
      properties: { tokenizeCard },
    });
    await advance(60_000);
    expect(element.phase).to.equal('expired');
    await chooseMethod('Cartão');
    await chooseMethod('Pix');
    await advance(1_000);
    expect(element.phase).to.equal('expired');
    const { invoice_id: invoiceId } = proxy.invoices[0] ?? {};
    expect(details('pix-expired')).to.deep.equal([{ invoiceId }]);
  });
});

/** An order with an invoice of the Pix price, and the page that shows it. */
function orderOf(world: World) {
  const externalId = newOrder();
  const invoice = world.proxy.makeInvoice(externalId);
  const options = {
    attributes: { ...attributes, 'external-id': externalId },
    properties: { tokenizeCard },
  };
  return { externalId, invoice, options };
}
