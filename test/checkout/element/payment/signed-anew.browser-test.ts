/**
 * Pages that sign a token, or render everything, anew whenever they like: what runs goes on, and what is paid stays.
 */

import { expect } from '@open-wc/testing';
import { setHidden } from '../../../support/checkout/browser-stubs.js';
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import {
  newOrder,
  openReady,
  awaiting,
  choose,
  play,
  ready,
  replied,
  set,
  slow,
  submitted,
  pageOf,
  presses,
  withInvoice,
} from '../../../support/checkout/page.js';
import type { Start, Step } from '../../../support/checkout/page.js';

const after =
  (start: Start, ...steps: Step[]): Start =>
  async () => {
    const checkout = await start();
    await play(checkout, ...steps);
    return checkout;
  };
const alreadyPaid = presses('Já paguei');
const forAMinute = awaiting({ attributes: { 'expires-in': '60' } });

/** How each phase is reached. */
const phases = {
  'form, with its error': after(
    ready(({ proxy }) => proxy.replyAlways('create', problem('too_many_requests'))),
    'submit',
  ),
  creating: submitted(slow(500)),
  awaiting: awaiting(({ proxy }) => void (proxy.holds = true)),
  confirming: after(
    awaiting(),
    ({ proxy }) => proxy.reply('look-up', changed({ status: 'amount_mismatch' })),
    alreadyPaid,
  ),
  expired: after(forAMinute, 61_000),
  paid: after(awaiting(), 'pay', alreadyPaid),
  'failed, the order closed': submitted(replied('create', problem('order_closed'))),
};

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
      const state = () => [
        element.phase,
        visibleText(),
        proxy.requests.length,
        heard.length,
        proxy.open.length,
      ];
      const before = state();
      expect(name.startsWith(element.phase)).to.equal(true);
      for (const orderToken of ['signed anew', 'and again']) await set({ orderToken });
      expect(state()).to.deep.equal(before);
    });
  }
  const anew = { orderToken: 'signed anew' };
  const refused = submitted(replied('create', problem('unauthorized')));
  const comesBack: Step = ({ set }) => {
    setHidden(false);
    return set({ ...anew, items: [] });
  };
  it('is used for the next request, and the code is paid', async () => {
    const page = await pageOf(forAMinute);
    page.shows({ sent: { order_token: 'signed' } });
    await page.waits(61_000);
    await page.does(set(anew));
    await page.presses('Gerar novo código Pix');
    page.shows({ creations: 2, sent: { order_token: 'signed anew' } });
    await page.does('pay');
    await page.waits(60_000);
    page.shows({ phase: 'paid' });
  });

  it('as the payer comes back from the bank app: the look-up finds the payment', async () => {
    const page = await pageOf(awaiting());
    await page.does(() => setHidden(true));
    await page.waits(30_000);
    await page.does('pay');
    await page.does(comesBack);
    await page.waits(1_000);
    page.shows({ phase: 'paid' });
  });

  it('where the former one was refused, the payer can go on', async () => {
    const page = await pageOf(refused);
    page.shows({ phase: 'failed' });
    await page.does(set(anew));
    page.shows({ phase: 'form' });
    await page.does('submit');
    page.shows({ phase: 'awaiting' });
  });
});

describe('<pix-checkout>: what the page says no longer', () => {
  /** The screen stays as it is, whatever the page says. */
  const stays = (...changes: object[]): Step => {
    return async ({ element, set, visibleText }) => {
      const before = [element.phase, visibleText()];
      for (const change of changes) {
        await set(change);
        expect([element.phase, visibleText()]).to.deep.equal(before);
      }
    };
  };
  for (const phase of ['awaiting', 'confirming', 'expired', 'paid'] as const) {
    for (const [name, change] of Object.entries(unusable)) {
      it(`${name}, while ${phase}: it stays`, async () => {
        const checkout = await phases[phase]();
        const heard = checkout.events().length;
        await play(checkout, { phase }, stays(change));
        expect(checkout.events()).to.have.length(heard);
        const externalId = checkout.proxy.of('create')[0]?.body?.external_id;
        const usable = { externalId, endpoint: '/pix', methods: 'pix', totalPriceCents: 12_990 };
        await play(checkout, stays(usable), { phase });
      });
    }
  }
  const warnings = [
    'total-price-cents must be a whole number of cents, 1 or more',
    'The order is gone from the page: what it said before holds',
  ];
  const dearer = { totalPriceCents: 100, pixTotalPriceCents: 90 };
  const goesAndComes: Step = async (checkout) => {
    const { externalId } = checkout.element;
    await play(checkout, set({ externalId: newOrder() }), { phase: 'form' }, set({ externalId }));
  };
  const isDrawnAnew: Step = async ({ element, proxy, world }) => {
    const requests = proxy.requests.length;
    element.remove();
    const second = await openReady({ attributes: { 'external-id': element.externalId } }, world);
    await play(second, { phase: 'paid', requests, untold: 'pix-paid' });
  };
  it('a total that is none is a warning, and the look-ups go on', async () => {
    const page = await pageOf(awaiting());
    await page.does(set({ totalPriceCents: 0 }));
    page.shows({ warnings });
    await page.does('pay');
    await page.waits(60_000);
    page.shows({ phase: 'paid' });
  });

  it('another total, while confirming: it stays', async () => {
    const page = await pageOf(phases.confirming);
    await page.does(stays(dearer));
    await page.waits(1_000);
    page.shows({ phase: 'confirming' });
  });

  it('another total, while paid: it stays', async () => {
    const page = await pageOf(phases.paid);
    await page.does(stays(dearer));
    await page.waits(1_000);
    page.shows({ phase: 'paid' });
  });

  it('the receipt goes with its order, and comes back with it', async () => {
    const page = await pageOf(phases.paid);
    await page.does(goesAndComes);
    page.shows({ phase: 'paid' });
  });

  it('an element that is rendered in its place shows the receipt, and tells nothing again', async () => {
    const page = await pageOf(phases.paid);
    await page.does(isDrawnAnew);
  });
});

describe('<pix-checkout>: an invoice that is handed in anew', () => {
  const given = withInvoice((invoice) => {
    const attributes = { methods: 'pix credit_card' };
    return { attributes, properties: { invoice, acceptRawCard: true } };
  });
  const givenAnew: Step = ({ element, set }) =>
    set({ invoice: { ...(element.invoice as object), lookup_token: 'signed anew' } });
  const named: Step = ({ proxy, set }) => set({ invoiceId: proxy.invoices[0]?.invoice_id });
  it('leaves a payer at the card form', async () => {
    const page = await pageOf(ready(given));
    page.shows({ phase: 'awaiting' });
    await page.does(choose('Cartão'));
    await page.does(givenAnew);
    page.shows({ phase: 'form', method: 'credit_card' });
    await page.does(named);
    page.shows({ phase: 'form', method: 'credit_card' });
  });
});
