/** The merchant's deadline: the countdown, the last look-up, and what may still happen after it. */
import { expect } from '@open-wc/testing';
import { changed } from '../../../support/checkout/fake-proxy.js';
import { openCheckout } from '../../../support/checkout/pix-checkout-harness.js';
import { awaiting, form, named, play, repliesAlways } from '../../../support/checkout/stories.js';
import { tell, withInvoice } from '../../../support/checkout/stories.js';
import type { Step } from '../../../support/checkout/stories.js';

/** A code that the page offers for so many seconds. */
const offeredFor = (seconds: number) => awaiting({ attributes: { 'expires-in': String(seconds) } });

describe('<pix-checkout>: deadline', () => {
  const left =
    (time: string): Step =>
    ({ get }) =>
      expect(get('[role="timer"]').innerText).to.include(`faltam ${time}`);
  const jumps: Step = ({ world }) => (world.clockSkewMs = 86_400_000);
  const answered = awaiting(({ proxy }) => {
    proxy.expiresIn = 120;
    return { attributes: { 'expires-in': '600' } };
  });
  const again =
    (...steps: Step[]): Step =>
    async ({ element, world }) => {
      const attributes = { 'external-id': element.externalId, 'expires-in': '300' };
      await play(await openCheckout({ attributes }, world), ...steps);
    };
  tell`
    runs on a monotonic clock: a payer’s clock that jumps changes nothing
      ${offeredFor(300)} > 60_000 > ${jumps} > 60_000 > ${left('3:00')} > 179_000 = awaiting > 1_000 = expired
    of the answer wins over the page’s
      ${answered} > ${left('2:00')}
    counts on after a reload
      ${offeredFor(300)} > 100_000 > leave > ${again(left('3:20'), 200_000, { phase: 'expired' })}
  `;
});

describe('<pix-checkout>: expired', () => {
  const isTold: Step = ({ proxy, events }) => {
    const { invoice_id: invoiceId } = proxy.invoices[0] ?? {};
    expect(events().slice(-2)).to.deep.equal([
      ['pix-status', { phase: 'expired', status: 'pending', invoiceId }],
      ['pix-expired', { invoiceId }],
    ]);
  };
  const looksAgain: Step = async ({ proxy, advance }) => {
    const asked = proxy.of('look-up').length;
    await advance(1);
    expect(proxy.of('look-up').length).to.be.above(asked);
  };
  const inOrder: Step = ({ eventNames }) =>
    expect(eventNames().filter((name) => /paid|expired/.test(name))).to.deep.equal([
      'pix-expired',
      'pix-paid',
    ]);
  const replaces: Step = ({ proxy }) => {
    const [first, second] = proxy.of('create');
    expect(second?.body?.replaces).to.equal(proxy.invoices[0]?.invoice_id);
    expect(second?.headers['idempotency-key']).not.to.equal(first?.headers['idempotency-key']);
  };
  const over = withInvoice((invoice, { proxy }) => {
    proxy.reply('look-up', changed({ expires_in: 0 }));
    return { attributes: named(invoice) };
  });
  tell`
    only after a last look-up said not paid: state, pix-status, pix-expired
      ${offeredFor(60)} > 59_999 = code 0 > ${looksAgain} = expired, no code, button Gerar novo código Pix,
      "Se já pagou, não pague de novo: continuamos conferindo." > ${isTold}
    if the last look-up fails, it stays awaiting and says "Conferindo…" until one succeeds
      ${offeredFor(60)} > 50_000 > ${repliesAlways('look-up', 'lost')} > 60_000
      = awaiting, code 0, "Conferindo…", untold pix-expired > ${repliesAlways('look-up', null)} > 60_000 = expired
    a late payment still turns paid, and pix-paid follows pix-expired
      ${offeredFor(60)} > 120_000 = expired > pay > 30_000 = paid > ${inOrder}
    "new code" asks for another in its place with a new key, and shows it
      ${offeredFor(60)} > 60_000 > Gerar novo código Pix = awaiting, code 1 > ${replaces}
    an invoice that was resumed after its deadline is looked up and expires
      ${form(over)} > 10_000 = expired
  `;
});
