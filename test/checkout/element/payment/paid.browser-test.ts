/** `paid`: only from a look-up that agrees with what was created; and what the receipt says. */

import { expect } from '@open-wc/testing';
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import { plain } from '../../../support/checkout/pix-checkout-harness.js';
import {
  awaiting,
  form,
  replied,
  repliesAlways,
  submitted,
} from '../../../support/checkout/stories.js';
import { tell, type, withInvoice } from '../../../support/checkout/stories.js';
import type { Step } from '../../../support/checkout/stories.js';

describe('<pix-checkout>: paid', () => {
  const open = awaiting({ children: '<a slot="paid" href="#orders">Seus pedidos</a>' });
  const saysAll: Step = ({ element, proxy, visibleText }) => {
    const confirmed = new Date('2026-03-10T12:05:00-03:00').toLocaleString('pt-BR', {
      dateStyle: 'short',
      timeStyle: 'short',
    });
    for (const said of [
      'Pagamento confirmado. R$ 129,90',
      'Pagamento Pix',
      `Pedido ${element.externalId}`,
      `Nº da transação ${proxy.invoices[0]?.order_code}`,
      `Confirmado em ${plain(confirmed).replace(', ', ' às ')}`,
      'O comprovante está no app do seu banco.',
    ]) {
      expect(visibleText()).to.include(said);
    }
    const slot = element.renderRoot.querySelector<HTMLSlotElement>('slot[name="paid"]');
    const slotted = slot?.assignedElements().map(({ textContent }) => textContent);
    expect(slotted).to.deep.equal(['Seus pedidos']);
  };
  const asksNoMore: Step = async ({ proxy, advance, timers }) => {
    const asked = proxy.requests.length;
    await advance(600_000);
    expect([proxy.requests.length, timers.size]).to.deep.equal([asked, 0]);
  };
  const person = [
    type('name', 'Ana Canaria'),
    type('cpf_cnpj', '28001238938'),
    type('email', 'canary@example.com'),
  ];
  const orderPaid = withInvoice((invoice) => {
    Object.assign(invoice, { status: 'paid' });
    return { attributes: {} };
  });
  tell`
    shows amount, method, order, code and time, and nothing to pay with
      ${open} > pay > Já paguei = no code, ${{ has: { '[part~="qr"]': false } }} > ${saysAll}
    names no payer
      ${form()} > ${person} > submit > pay > 10_000
      = "Pagamento confirmado", ${{ hides: /Canaria|280|canary/ }}
    stops all look-ups
      ${awaiting()} > pay > Já paguei > ${asksNoMore}
    a create answer that says paid is confirming, with an immediate look-up
      ${submitted(replied('create', changed({ status: 'paid' })))} = confirming, 1 look-up, ${{ paid: 0 }}
      > pay > 10_000 = paid
    order_paid shows the receipt of the invoice that paid it, after a look-up
      ${submitted(orderPaid)} = paid, 1 look-up, ${{ paid: 1 }}, untold pix-created
    order_paid without an invoice says that it is paid, and asks for no payment
      ${submitted(replied('create', problem('order_paid')))} = failed, ${{ buttons: [] }},
      "Este pedido já está pago. Não pague de novo."
  `;
  for (const [what, fields, code] of [
    ['total', { total_cents: 12_991 }, 'amount_mismatch'],
    ['reference', { external_id: 'another-order' }, 'reference_mismatch'],
    ['total, as our proxy says it,', { status: 'amount_mismatch' }, 'amount_mismatch'],
  ] as const) {
    const goesOn: Step = async ({ proxy, advance, details }) => {
      const asked = proxy.of('look-up').length;
      await advance(60_000);
      expect(proxy.of('look-up').length - asked).to.be.within(5, 20);
      const { invoice_id: invoiceId } = proxy.invoices[0] ?? {};
      expect(details('pix-error')).to.deep.equal([{ code, retryable: false, invoiceId }]);
    };
    tell`
      with another ${what} it is confirming with ${code} once, polling goes on, and nothing may be paid
        ${awaiting()} > pay > ${repliesAlways('look-up', changed(fields))}
        > Já paguei = confirming, no code, ${{ buttons: [] }}, "Não pague de novo" > ${goesOn} = ${{ paid: 0 }}
        > ${repliesAlways('look-up', null)} > 20_000 = paid, ${{ paid: 1 }}
    `;
  }
});

describe('<pix-checkout>: answers that hold personal data', () => {
  for (const [name, fields] of [
    ['client', { client: { name: 'Ana Canaria', cpf_cnpj: '28001238938' } }],
    ['payer', { payer: { email: 'canary@example.com' } }],
    ['end_to_end_id', { end_to_end_id: 'E0000000020260310' }],
  ] as const) {
    const leaking = awaiting(({ proxy }) => {
      proxy.replyAlways('create', changed(fields));
      proxy.replyAlways('look-up', changed(fields));
    });
    const isLoudOnce: Step = ({ warnings }) => {
      expect(warnings).to.have.length(1);
      expect(warnings[0])
        .to.include(name)
        .and.not.to.match(/Canaria|280|canary|E0000/);
    };
    tell`
      ${name}: loud once, without a value, and the payment goes on
        ${leaking} > 60_000 = error personal_data_leak, ${{ hides: /Canaria|canary/ }} > ${isLoudOnce}
        > pay > Já paguei = paid, ${{ paid: 1 }}
    `;
  }
});
