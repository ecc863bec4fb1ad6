/** `paid`: only from a look-up that agrees with what was created; and what the receipt says. */

import { expect } from '@open-wc/testing';
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import {
  plain,
  awaiting,
  form,
  replied,
  repliesAlways,
  submitted,
  pageOf,
  type,
  withInvoice,
} from '../../../support/checkout/page.js';
import type { Step } from '../../../support/checkout/page.js';

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
  it('shows amount, method, order, code and time, and nothing to pay with', async () => {
    const page = await pageOf(open);
    await page.does('pay');
    await page.presses('Já paguei');
    page.shows({ code: null, has: { '[part~="qr"]': false } });
    await page.does(saysAll);
  });
  it('gives a link of the page the width of the receipt, and leaves a picture its own', async () => {
    const picture = '<img slot="paid" width="40" height="40" alt="">';
    const link = '<a slot="paid" href="#orders">Seus pedidos</a>';
    const page = await pageOf(awaiting({ children: picture + link }));
    await page.does('pay');
    await page.presses('Já paguei');
    await page.does(({ element }) => {
      const [image, way] = [...element.children].map((one) => one.getBoundingClientRect().width);
      const rows = element.renderRoot.querySelector('dl')!.getBoundingClientRect().width;
      expect([image, way]).to.deep.equal([40, rows]);
    });
  });

  it('names no payer', async () => {
    const page = await pageOf(form());
    await page.does(person);
    await page.does('submit');
    await page.does('pay');
    await page.waits(10_000);
    page.shows({ shows: ['Pagamento confirmado'], hides: /Canaria|280|canary/ });
  });

  it('stops all look-ups', async () => {
    const page = await pageOf(awaiting());
    await page.does('pay');
    await page.presses('Já paguei');
    await page.does(asksNoMore);
  });

  it('a create answer that says paid is confirming, with an immediate look-up', async () => {
    const page = await pageOf(submitted(replied('create', changed({ status: 'paid' }))));
    page.shows({ phase: 'confirming', lookUps: 1, paid: 0 });
    await page.does('pay');
    await page.waits(10_000);
    page.shows({ phase: 'paid' });
  });

  it('order_paid shows the receipt of the invoice that paid it, after a look-up', async () => {
    const page = await pageOf(submitted(orderPaid));
    page.shows({ phase: 'paid', lookUps: 1, paid: 1, untold: ['pix-created'] });
  });

  it('order_paid without an invoice says that it is paid, and asks for no payment', async () => {
    const page = await pageOf(submitted(replied('create', problem('order_paid'))));
    page.shows({
      phase: 'failed',
      buttons: [],
      shows: ['Este pedido já está pago. Não pague de novo.'],
    });
  });
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
    it(`with another ${what} it is confirming with ${code} once, polling goes on, and nothing may be paid`, async () => {
      const page = await pageOf(awaiting());
      await page.does('pay');
      await page.does(repliesAlways('look-up', changed(fields)));
      await page.presses('Já paguei');
      page.shows({ phase: 'confirming', code: null, buttons: [], shows: ['Não pague de novo'] });
      await page.does(goesOn);
      page.shows({ paid: 0 });
      await page.does(repliesAlways('look-up', null));
      await page.waits(20_000);
      page.shows({ phase: 'paid', paid: 1 });
    });
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
    it(`${name}: loud once, without a value, and the payment goes on`, async () => {
      const page = await pageOf(leaking);
      await page.waits(60_000);
      page.shows({ codes: ['personal_data_leak'], hides: /Canaria|canary/ });
      await page.does(isLoudOnce);
      await page.does('pay');
      await page.presses('Já paguei');
      page.shows({ phase: 'paid', paid: 1 });
    });
  }
});
