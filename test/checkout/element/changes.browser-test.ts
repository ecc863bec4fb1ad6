/** Words of the page that change after an invoice was made: an old code is never shown for a new price, and nothing else restarts. */

import { expect } from '@open-wc/testing';
import type { PixCheckout } from '../../../src/checkout/element/pix-checkout.js';
import { newOrder } from '../../support/checkout/pix-checkout-harness.js';
import { awaiting, set, slow, submitted, tell } from '../../support/checkout/stories.js';
import type { Step } from '../../support/checkout/stories.js';

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
    tell`
      another ${name} starts afresh: the old code goes, and a new attempt says what is said now
        ${awaiting()} = code 0 > ${changesPrice} > ${set(change)} = form, no code, 0 open
        > submit = awaiting, code ${code} > ${saysNow}
    `;
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
  tell`
    of the order while it is created: the late answer changes nothing
      ${submitted(slow(500))} > ${set({ totalPriceCents: 9_990 })} = form > ${isGivenUp}
      > 10_000 = form, untold pix-created
    back to a former order resumes its invoice
      ${awaiting()} > ${goesAndComes} = code 0, 1 creation
    a refused code of one order is not replaced by the next
      ${damaged} > ${set({ externalId: newOrder() })} > submit > ${replacesNone}
    a total or a token that comes late and agrees keeps the invoice
      ${unsigned} > ${set({ totalPriceCents: 12_990, orderToken: 'late' })} = awaiting, code 0, 1 creation
  `;
  const onlyDraws =
    (change: Partial<PixCheckout>): Step =>
    async ({ element, proxy, set, codeText, events }) => {
      const state = () => [element.phase, codeText(), proxy.requests.length, events().length];
      const before = state();
      await set(change);
      expect(state()).to.deep.equal(before);
    };
  const holding = awaiting(({ proxy }) => void (proxy.holds = true));
  tell`
    locale only renders again
      ${holding} > ${onlyDraws({ locale: 'en' })} = awaiting
    payer only renders again
      ${holding} > ${onlyDraws({ payer: { name: 'Ana Souza' } })} = awaiting
    the same total only renders again
      ${holding} > ${onlyDraws({ totalPriceCents: 12_990 })} = awaiting
  `;
});
