/** Two methods in one element: which one is shown with what was begun before, and what becomes of the other's. */

import { expect } from '@open-wc/testing';
import type { PixCheckout } from '../../../src/checkout/element/pix-checkout.js';
import { storeAttempt } from '../../support/checkout/checkout-world.js';
import { problem } from '../../support/checkout/fake-proxy.js';
import {
  openCheckout,
  plain,
  choose,
  form,
  set,
  submitted,
  pageOf,
  withInvoice,
  untilFetched,
} from '../../support/checkout/page.js';
import type { Step } from '../../support/checkout/page.js';

const attributes = {
  methods: 'credit_card pix',
  'total-price-cents': '13990',
  'pix-total-price-cents': '12990',
  'payer-fields': '',
};
const tokenizeCard = () => Promise.resolve({ token: 'token-of-a-card' });
const properties = { tokenizeCard };
/** An order with an invoice of the Pix price, and the page that shows it. */
const page = (
  prepare: (...[invoice, world]: Parameters<Parameters<typeof withInvoice>[0]>) => unknown,
  more: object = {},
) =>
  form(
    withInvoice((invoice, world) => {
      prepare(invoice, world);
      return { attributes: { ...attributes, ...more }, properties };
    }),
  );

describe('<pix-checkout>: two methods, the card first, Pix cheaper', () => {
  const stored = page(({ external_id, invoice_id: invoiceId, lookup_token: lookupToken }, world) =>
    storeAttempt(world, external_id!, { invoiceId, lookupToken }),
  );
  const storedDearer = page(({ external_id }, world) =>
    storeAttempt(world, external_id!, { totalCents: 13_990 }),
  );
  const refused = page(
    ({ external_id }, world) => {
      storeAttempt(world, external_id!, { method: 'credit_card', totalCents: 13_990 });
      world.proxy.reply('recover', problem('payment_refused'));
    },
    { methods: 'pix credit_card' },
  );
  const unprepared = page(() => undefined);
  const slowly = page((_, { proxy }) => (proxy.delayMs = 500), { method: 'pix' });
  const givenThen: Step = ({ proxy, set }) => set({ invoice: proxy.invoices[0] });
  const noForm: Step = ({ details }) =>
    expect(JSON.stringify(details('pix-status'))).to.not.include('"form"');
  it('a stored Pix code is there again after a reload, as Pix', async () => {
    const page = await pageOf(stored);
    page.shows({
      phase: 'awaiting',
      method: 'pix',
      code: 0,
      shows: ['Pagar com Pix R$ 129,90'],
      records: 1,
    });
  });

  it('one of another price is not', async () => {
    const page = await pageOf(storedDearer);
    page.shows({ phase: 'form', method: null, records: 0 });
  });

  it('a stored card that was refused leads to the card form', async () => {
    const page = await pageOf(refused);
    page.shows({
      phase: 'form',
      method: 'credit_card',
      shows: ['Pagamento não aprovado.', 'Pagar com cartão'],
    });
  });

  it('an invoice that the page hands in while the card form is shown is there at once, as Pix', async () => {
    const page = await pageOf(unprepared);
    await page.does(givenThen);
    page.shows({ phase: 'awaiting', method: 'pix' });
    await page.does(noForm);
  });

  it('over to the card while a code is on its way: it is followed behind the form, and no error', async () => {
    const page = await pageOf(slowly);
    await page.does('submit');
    await page.does(set({ method: 'credit_card' }));
    page.shows({ phase: 'creating' });
    await page.waits(500);
    page.shows({ phase: 'form', codes: [], lookUps: 1 });
    await page.does(choose('Pix'));
    page.shows({ phase: 'awaiting', code: 0 });
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

describe('<pix-checkout>: a table of instalments that contradicts itself', () => {
  const installments = [
    { installment: 1, total_cents: 14_670, interest_free: true },
    { installment: 3, total_cents: 14_670, interest_free: true },
    { installment: 6, total_cents: 15_624, interest_free: true },
    { installment: 10, total_cents: 14_670 },
  ];
  for (const [locale, free, upTo, interest] of [
    ['pt-BR', 'sem juros', 'até 3x de R$ 48,90 sem juros', 'Com juros, R$ 156,24 no total'],
    ['en', 'interest-free', 'up to 3 × R$ 48,90, interest-free', 'With interest, R$ 156,24 in all'],
    [
      'es',
      'sin interés',
      'hasta 3 cuotas de R$ 48,90 sin interés',
      'Con interés, R$ 156,24 en total',
    ],
  ] as const) {
    it(`has its sums believed, and its developer told, in ${locale}`, async () => {
      const { world, chooseMethod, settle, get, has, visibleText } = await openCheckout({
        attributes: {
          methods: 'pix credit_card',
          locale,
          'total-price-cents': '14670',
          'pix-total-price-cents': '13990',
        },
        properties: { tokenizeCard, installments },
      });
      await untilFetched(() => visibleText().includes(upTo), upTo);
      expect(world.warnings).to.deep.equal([
        'interest_free of 6x, dearer than 1x, is not as the documentation says; it is left out',
      ]);

      const [card] = [...get('.methods').querySelectorAll('input')].slice(-1);
      card?.click();
      await untilFetched(() => has('#card_installments'), 'the card form');
      const select = get('#card_installments') as HTMLSelectElement;
      const rows = [...select.options].map(({ text }) => [text.includes(free), plain(text)]);
      expect(rows.map(([isFree]) => isFree)).to.deep.equal([false, true, false, false]);
      expect(rows[2]?.[1]).to.include('(R$ 156,24)');
      const hints: string[] = [];
      for (const option of select.options) {
        option.selected = true;
        select.dispatchEvent(new Event('change', { bubbles: true }));
        await settle();
        hints.push(plain(get('#card_installments-hint').innerText));
        const chip = plain(get('.methods .chip').innerText);
        expect(chip, 'against what the box beside it shows').to.include('R$ 6,80');
      }
      expect(hints).to.deep.equal(['', '', interest, '']);
      await chooseMethod('Pix');
    });
  }
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
    expect(visibleText()).to.include('Pagar com cartão');
    await choose('Pix');
    expect(visibleText()).to.include('Pagar com Pix');
    await submit();
    expect(focused(), 'the code gives the focus to its heading').to.equal('title');
    await chooseMethod('Cartão');
    expect(focused(), 'and so does the card').to.equal('title');
    await chooseMethod('Pix');
    expect(visibleText()).to.include('Pagar com Pix');
  });

  const expiring = submitted({
    attributes: { methods: 'pix credit_card', 'expires-in': '60' },
    properties,
  });
  const toldOnce: Step = ({ details, proxy }) => {
    const { invoice_id: invoiceId } = proxy.invoices[0] ?? {};
    expect(details('pix-expired')).to.deep.equal([{ invoiceId }]);
  };
  it('a code that expired has expired once', async () => {
    const page = await pageOf(expiring);
    await page.waits(60_000);
    page.shows({ phase: 'expired' });
    await page.does(choose('Cartão'));
    await page.does(choose('Pix'));
    await page.waits(1_000);
    page.shows({ phase: 'expired' });
    await page.does(toldOnce);
  });
});
