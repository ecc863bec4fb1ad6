/** A page that is out of date: the payer begins anew, with a new total that they have seen, or with the page as it is now. */
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import { proxied, ready, replied, submitted, pageOf } from '../../../support/checkout/page.js';

describe('<pix-checkout>: beginning anew', () => {
  const again = 'Recarregar a página';
  const refused = (code: 'amount_mismatch' | 'unauthorized') =>
    submitted(replied('create', problem(code)));
  const promised = ready(() => ({
    attributes: { 'auto-start': '' },
    properties: { invoice: Promise.reject(new Error('no answer')) },
  }));
  const costs = (total_cents: number, properties = {}) =>
    submitted(proxied((proxy) => proxy.reply('create', changed({ total_cents })), { properties }));
  const paid = submitted(replied('create', changed({ total_cents: 15_000, status: 'paid' })));
  it('amount_mismatch offers to load the page again, and forgets the order before', async () => {
    const page = await pageOf(refused('amount_mismatch'));
    await page.presses(again);
    page.shows({ phase: 'form', reloads: 1, records: 0 });
  });

  it('unauthorized does, too', async () => {
    const page = await pageOf(refused('unauthorized'));
    await page.presses(again);
    page.shows({ phase: 'form', reloads: 1, records: 0 });
  });

  it('nothing is begun by itself while the page goes', async () => {
    const page = await pageOf(promised);
    page.shows({ phase: 'failed' });
    await page.presses(again);
    page.shows({ reloads: 1, requests: 0 });
  });

  it('a new total is no discount where a framework says undefined of the total by Pix', async () => {
    const page = await pageOf(costs(9_000, { pixTotalPriceCents: undefined }));
    await page.presses('Pagar R$ 90,00');
    page.shows({ element: { totalPriceCents: 9_000 }, has: { '.discount': false } });
  });

  it('a new total is not offered where the answer speaks of a payment', async () => {
    const page = await pageOf(paid);
    page.shows({ phase: 'failed', buttons: [again] });
  });
  const said = 'O valor do pedido mudou. Agora é R$ 150,00.';
  for (const name of ['totalPriceCents', 'pixTotalPriceCents'] as const) {
    it(`a new total is shown, and taken by the payer in place of ${name}`, async () => {
      const page = await pageOf(
        costs(15_000, name === 'totalPriceCents' ? {} : { [name]: 11_990 }),
      );
      page.shows({ phase: 'failed', shows: [said], announces: [said] });
      await page.presses('Pagar R$ 150,00');
      page.shows({ phase: 'form', shows: ['R$ 150,00'], element: { [name]: 15_000 } });
      await page.does('submit');
      page.shows({ creations: 2, sent: { expected_total_cents: 15_000 } });
    });
  }
});
