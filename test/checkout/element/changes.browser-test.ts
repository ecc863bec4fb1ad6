/** Words of the page that change after an invoice was made: an old code is never shown for a new price, and nothing else restarts. */

import { expect } from '@open-wc/testing';
import type { PixCheckout } from '../../../src/checkout/element/pix-checkout.js';
import { newOrder, awaiting, set, slow, submitted, pageOf } from '../../support/checkout/page.js';
import type { Step } from '../../support/checkout/page.js';

describe('<pix-checkout>: changes after creation', () => {
  const changes: readonly [name: string, change: Partial<PixCheckout>][] = [
    ['endpoint', { endpoint: '/other' }],
    ['external-id', { externalId: newOrder() }],
    ['total-price-cents', { totalPriceCents: 9_990 }],
    ['pix-total-price-cents', { pixTotalPriceCents: 9_990 }],
  ];
  for (const [name, change] of changes) {
    const priced = name.endsWith('total-price-cents');
    const changesPrice: Step = ({ proxy }) => void (priced && (proxy.totalCents = 9_990));
    const saysNow: Step = ({ element, proxy }) => {
      const [first, second] = proxy.of('create');
      expect(second?.headers['idempotency-key']).not.to.equal(first?.headers['idempotency-key']);
      expect(second?.body?.order_token).to.equal(element.orderToken);
      expect(second?.body?.external_id).to.equal(element.externalId);
      expect(new URL(second?.url ?? '').pathname).to.equal(`${element.endpoint}/invoices`);
    };
    // The same order at another place has its code already.
    const code = name === 'endpoint' ? 0 : 1;
    it(`another ${name} starts afresh: the old code goes, and a new attempt says what is said now`, async () => {
      const page = await pageOf(awaiting());
      page.shows({ code: 0 });
      await page.does(changesPrice);
      await page.does(set(change));
      page.shows({ phase: 'form', code: null, open: 0 });
      await page.does('submit');
      page.shows({ phase: 'awaiting', code });
      await page.does(saysNow);
    });
  }
  const unsigned = awaiting({ attributes: { 'total-price-cents': null, 'order-token': null } });
  const damaged = submitted(({ proxy }) => void (proxy.codeOf = () => 'damaged'));
  const isGivenUp: Step = ({ proxy }) => expect(proxy.requests[0]?.outcome).to.equal('aborted');
  const replacesNone: Step = ({ proxy }) =>
    expect(proxy.of('create').map(({ body }) => body?.replaces)).to.deep.equal(
      Array(2).fill(undefined),
    );
  const goesAndComes: Step = async ({ element, set, codeText }) => {
    const { externalId } = element;
    await set({ externalId: newOrder(), orderToken: 'of the other order' });
    expect(codeText()).to.equal(null);
    await set({ externalId, orderToken: 'signed' });
  };
  it('of the order while it is created: the late answer changes nothing', async () => {
    const page = await pageOf(submitted(slow(500)));
    await page.does(set({ totalPriceCents: 9_990 }));
    page.shows({ phase: 'form' });
    await page.does(isGivenUp);
    await page.waits(10_000);
    page.shows({ phase: 'form', untold: ['pix-created'] });
  });

  it('back to a former order resumes its invoice', async () => {
    const page = await pageOf(awaiting());
    await page.does(goesAndComes);
    page.shows({ code: 0, creations: 1 });
  });

  it('a refused code of one order is not replaced by the next', async () => {
    const page = await pageOf(damaged);
    await page.does(set({ externalId: newOrder() }));
    await page.does('submit');
    await page.does(replacesNone);
  });

  it('a total or a token that comes late and agrees keeps the invoice', async () => {
    const page = await pageOf(unsigned);
    await page.does(set({ totalPriceCents: 12_990, orderToken: 'late' }));
    page.shows({ phase: 'awaiting', code: 0, creations: 1 });
  });
  const onlyDraws =
    (change: Partial<PixCheckout>): Step =>
    async ({ element, proxy, set, codeText, events }) => {
      const state = () => [element.phase, codeText(), proxy.requests.length, events().length];
      const before = state();
      await set(change);
      expect(state()).to.deep.equal(before);
    };
  const holding = awaiting(({ proxy }) => void (proxy.holds = true));
  it('locale only renders again', async () => {
    const page = await pageOf(holding);
    await page.does(onlyDraws({ locale: 'en' }));
    page.shows({ phase: 'awaiting' });
  });

  it('payer only renders again', async () => {
    const page = await pageOf(holding);
    await page.does(onlyDraws({ payer: { name: 'Ana Souza' } }));
    page.shows({ phase: 'awaiting' });
  });

  it('the same total only renders again', async () => {
    const page = await pageOf(holding);
    await page.does(onlyDraws({ totalPriceCents: 12_990 }));
    page.shows({ phase: 'awaiting' });
  });
});
