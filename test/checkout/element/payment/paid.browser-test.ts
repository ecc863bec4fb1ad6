/** `paid`: only from a look-up that agrees with what was created; and what the receipt says. */

import { expect } from '@open-wc/testing';
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import {
  newOrder,
  openAwaiting,
  openCheckout,
  openSubmitted,
  plain,
} from '../../../support/checkout/pix-checkout-harness.js';

describe('<pix-checkout>: paid', () => {
  it('shows amount, method, order, code and time, and nothing to pay with', async () => {
    const { element, proxy, pressAlreadyPaid, visibleText, has, codeText } = await openAwaiting({
      children: '<a slot="paid" href="#orders">Seus pedidos</a>',
    });
    proxy.setStatus('paid');
    await pressAlreadyPaid();
    const confirmed = new Date('2026-03-10T12:05:00-03:00').toLocaleString('pt-BR', {
      dateStyle: 'short',
      timeStyle: 'short',
    });
    for (const said of [
      'Pagamento confirmado. R$ 129,90',
      'Forma de pagamento Pix',
      `Pedido ${element.externalId}`,
      `Nº da transação ${proxy.invoices[0]?.order_code}`,
      `Confirmado em ${plain(confirmed).replace(', ', ' às ')}`,
      'O comprovante está no app do seu banco.',
    ]) {
      expect(visibleText()).to.include(said);
    }
    expect(codeText()).to.equal(null);
    expect(has('[part~="qr"]')).to.equal(false);
    const slot = element.renderRoot.querySelector<HTMLSlotElement>('slot[name="paid"]');
    expect(slot?.assignedElements().map(({ textContent }) => textContent)).to.deep.equal([
      'Seus pedidos',
    ]);
  });

  it('names no payer', async () => {
    const { type, submit, proxy, advance, visibleText } = await openCheckout();
    await type('name', 'Ana Canaria');
    await type('cpf_cnpj', '28001238938');
    await type('email', 'canary@example.com');
    await submit();
    proxy.setStatus('paid');
    await advance(10_000);
    expect(visibleText()).to.include('Pagamento confirmado');
    expect(visibleText()).not.to.match(/Canaria|280|canary/);
  });

  it('stops all look-ups', async () => {
    const { proxy, pressAlreadyPaid, advance, timers } = await openAwaiting();
    proxy.setStatus('paid');
    await pressAlreadyPaid();
    const asked = proxy.requests.length;
    await advance(600_000);
    expect(proxy.requests).to.have.length(asked);
    expect(timers.size).to.equal(0);
  });

  const disagreements: readonly [what: string, fields: object, code: string][] = [
    ['total', { total_cents: 12_991 }, 'amount_mismatch'],
    ['reference', { external_id: 'another-order' }, 'reference_mismatch'],
    ['total, as our proxy says it,', { status: 'amount_mismatch' }, 'amount_mismatch'],
  ];
  for (const [what, fields, code] of disagreements) {
    it(`with another ${what} it is confirming with ${code} once, polling goes on, and nothing may be paid`, async () => {
      const { element, proxy, pressAlreadyPaid, advance, details, visibleText, codeText, buttons } =
        await openAwaiting();
      proxy.setStatus('paid');
      proxy.replyAlways('look-up', changed(fields));
      await pressAlreadyPaid();
      expect(element.phase).to.equal('confirming');
      expect(codeText()).to.equal(null);
      expect(buttons()).to.deep.equal([]);
      expect(visibleText()).to.include('Não pague de novo');
      const asked = proxy.of('look-up').length;
      await advance(60_000);
      expect(proxy.of('look-up').length - asked).to.be.within(5, 20);
      const { invoice_id: invoiceId } = proxy.invoices[0] ?? {};
      expect(details('pix-error')).to.deep.equal([{ code, retryable: false, invoiceId }]);
      expect(details('pix-paid')).to.deep.equal([]);
      proxy.replyAlways('look-up', null);
      await advance(20_000);
      expect(element.phase).to.equal('paid');
      expect(details('pix-paid')).to.have.length(1);
    });
  }

  it('a create answer that says paid is confirming, with an immediate look-up', async () => {
    const { element, proxy, details, advance } = await openSubmitted(({ proxy }) =>
      proxy.reply('create', changed({ status: 'paid' })),
    );
    expect(element.phase).to.equal('confirming');
    expect(proxy.of('look-up')).to.have.length(1);
    expect(details('pix-paid')).to.deep.equal([]);
    proxy.setStatus('paid');
    await advance(10_000);
    expect(element.phase).to.equal('paid');
  });

  it('order_paid shows the receipt of the invoice that paid it, after a look-up', async () => {
    const externalId = newOrder();
    const { element, proxy, details } = await openSubmitted(({ proxy }) => {
      proxy.makeInvoice(externalId).status = 'paid';
      return { attributes: { 'external-id': externalId } };
    });
    expect(proxy.of('look-up')).to.have.length(1);
    expect(element.phase).to.equal('paid');
    expect(details('pix-paid')).to.have.length(1);
    expect(details('pix-created')).to.deep.equal([]);
  });

  it('order_paid without an invoice says that it is paid, and asks for no payment', async () => {
    const { element, visibleText, buttons } = await openSubmitted(({ proxy }) =>
      proxy.reply('create', problem('order_paid')),
    );
    expect(element.phase).to.equal('failed');
    expect(visibleText()).to.include('Este pedido já está pago. Não pague de novo.');
    expect(buttons()).to.deep.equal([]);
  });
});

describe('<pix-checkout>: answers that hold personal data', () => {
  const leaks: readonly [name: string, fields: object][] = [
    ['client', { client: { name: 'Ana Canaria', cpf_cnpj: '28001238938' } }],
    ['payer', { payer: { email: 'canary@example.com' } }],
    ['end_to_end_id', { end_to_end_id: 'E0000000020260310' }],
  ];
  for (const [name, fields] of leaks) {
    it(`${name}: loud once, without a value, and the payment goes on`, async () => {
      const { element, proxy, pressAlreadyPaid, details, warnings, advance, visibleText } =
        await openAwaiting(({ proxy }) => {
          proxy.replyAlways('create', changed(fields));
          proxy.replyAlways('look-up', changed(fields));
        });
      await advance(60_000);
      const leaked = (details('pix-error') as { code: string }[]).map(({ code }) => code);
      expect(leaked).to.deep.equal(['personal_data_leak']);
      expect(warnings).to.have.length(1);
      expect(warnings[0])
        .to.include(name)
        .and.not.to.match(/Canaria|280|canary|E0000/);
      expect(visibleText()).not.to.match(/Canaria|canary/);
      proxy.setStatus('paid');
      await pressAlreadyPaid();
      expect(element.phase).to.equal('paid');
      expect(details('pix-paid')).to.have.length(1);
    });
  }
});
