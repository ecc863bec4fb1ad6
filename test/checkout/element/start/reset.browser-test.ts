/** `reset()`: back to the form with what was typed, but not while a creation is in flight. */
import {
  awaiting,
  form,
  set,
  slow,
  submitted,
  pageOf,
  type,
} from '../../../support/checkout/page.js';

const holding = awaiting(({ proxy }) => void (proxy.holds = true));
const status = { phase: 'form', status: null, invoiceId: null };

describe('<pix-checkout>: reset()', () => {
  it('gives up what is in flight, forgets the invoice, and is back at the form', async () => {
    const page = await pageOf(holding);
    page.shows({ open: 1 });
    await page.does('reset');
    page.shows({ phase: 'form', open: 0, records: 0, status });
  });

  it('is ignored with a warning while an invoice is being created', async () => {
    const page = await pageOf(submitted(slow(100)));
    await page.does('reset');
    await page.does('reset');
    page.shows({ phase: 'creating', warnings: ['reset() is ignored in this phase'] });
    await page.waits(100);
    page.shows({ phase: 'awaiting' });
  });

  it('leaves paid and failed too', async () => {
    const page = await pageOf(awaiting());
    await page.does('pay');
    await page.presses('Já paguei');
    page.shows({ phase: 'paid' });
    await page.does('reset');
    page.shows({ phase: 'form' });
    await page.does(set({ invoice: {} }));
    page.shows({ phase: 'failed' });
    await page.does('reset');
    page.shows({ phase: 'form' });
  });

  it('in the form changes nothing', async () => {
    const page = await pageOf(form());
    await page.does(type('name', 'Ana'));
    await page.does('reset');
    page.shows({ values: { name: 'Ana' }, told: ['pix-ready'] });
  });
});
