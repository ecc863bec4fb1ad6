/** The merchant's deadline: the countdown, the last look-up, and what may still happen after it. */
import { expect } from '@open-wc/testing';
import { changed } from '../../../support/checkout/fake-proxy.js';
import {
  openCheckout,
  awaiting,
  form,
  named,
  play,
  repliesAlways,
  pageOf,
  withInvoice,
} from '../../../support/checkout/page.js';
import type { Step } from '../../../support/checkout/page.js';

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
  it('runs on a monotonic clock: a payer’s clock that jumps changes nothing', async () => {
    const page = await pageOf(offeredFor(300));
    await page.waits(60_000);
    await page.does(jumps);
    await page.waits(60_000);
    await page.does(left('3:00'));
    await page.waits(179_000);
    page.shows({ phase: 'awaiting' });
    await page.waits(1_000);
    page.shows({ phase: 'expired' });
  });

  it('of the answer wins over the page’s', async () => {
    const page = await pageOf(answered);
    await page.does(left('2:00'));
  });

  it('counts on after a reload', async () => {
    const page = await pageOf(offeredFor(300));
    await page.waits(100_000);
    await page.does('leave');
    await page.does(again(left('3:20'), 200_000, { phase: 'expired' }));
  });
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
  it('only after a last look-up said not paid: state, pix-status, pix-expired', async () => {
    const page = await pageOf(offeredFor(60));
    await page.waits(59_999);
    page.shows({ code: 0 });
    await page.does(looksAgain);
    page.shows({
      phase: 'expired',
      code: null,
      buttons: ['Já paguei', 'Gerar novo código Pix'],
      shows: ['Se já pagou, não pague de novo: continuamos conferindo.'],
    });
    await page.does(isTold);
  });

  it('if the last look-up fails, it stays awaiting and says "Conferindo…" until one succeeds', async () => {
    const page = await pageOf(offeredFor(60));
    await page.waits(50_000);
    await page.does(repliesAlways('look-up', 'lost'));
    await page.waits(60_000);
    page.shows({ phase: 'awaiting', code: 0, shows: ['Conferindo…'], untold: ['pix-expired'] });
    await page.does(repliesAlways('look-up', null));
    await page.waits(60_000);
    page.shows({ phase: 'expired' });
  });

  it('a late payment still turns paid, and pix-paid follows pix-expired', async () => {
    const page = await pageOf(offeredFor(60));
    await page.waits(120_000);
    page.shows({ phase: 'expired' });
    await page.does('pay');
    await page.waits(30_000);
    page.shows({ phase: 'paid' });
    await page.does(inOrder);
  });

  it('"Já paguei" looks up at once, says what it found, and a payment is seen without waiting for the schedule', async () => {
    const page = await pageOf(offeredFor(60));
    await page.waits(120_000);
    await page.presses('Já paguei');
    page.shows({ shows: ['Conferindo…', 'continuamos conferindo.'] });
    await page.waits(600);
    page.shows({
      phase: 'expired',
      buttons: ['Já paguei', 'Gerar novo código Pix'],
      shows: ['O código Pix expirou.', 'Ainda não recebemos. Se já pagou, não pague de novo.'],
    });
    await page.does('pay');
    await page.presses('Já paguei');
    await page.waits(600);
    page.shows({ phase: 'paid' });
  });

  it('"Já paguei" without an answer does not say that nothing was received', async () => {
    const page = await pageOf(offeredFor(60));
    await page.waits(120_000);
    await page.does(repliesAlways('look-up', 'lost'));
    await page.presses('Já paguei');
    await page.waits(10_000);
    page.shows({ phase: 'expired', shows: ['Está demorando mais que o normal.'] });
  });

  it('"new code" asks for another in its place with a new key, and shows it', async () => {
    const page = await pageOf(offeredFor(60));
    await page.waits(60_000);
    await page.presses('Gerar novo código Pix');
    page.shows({ phase: 'awaiting', code: 1 });
    await page.does(replaces);
  });

  it('an invoice that was resumed after its deadline is looked up and expires', async () => {
    const page = await pageOf(form(over));
    await page.waits(10_000);
    page.shows({ phase: 'expired' });
  });
});
