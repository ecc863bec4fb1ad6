/** What a checkout begins with: an invoice given, named or stored, else `auto-start`, else the form. */
import { expect } from '@open-wc/testing';
import type { CreatedInvoice } from '../../../../src/contract/types.js';
import { storeAttempt } from '../../../support/checkout/checkout-world.js';
import type { World } from '../../../support/checkout/checkout-world.js';
import { form, named, ready, pageOf, withInvoice } from '../../../support/checkout/page.js';
import type { Step } from '../../../support/checkout/page.js';

type Source = 'invoice' | 'invoice-id' | 'stored' | 'auto-start';

describe('<pix-checkout>: start', () => {
  const cases: readonly Source[][] = [
    ['invoice', 'invoice-id', 'stored', 'auto-start'],
    ['invoice-id', 'stored', 'auto-start'],
    ['stored', 'auto-start'],
  ];
  for (const words of cases) {
    const code = ['stored', 'invoice-id', 'invoice'].indexOf(words[0]!);
    it(`of ${words.join(', ')} it takes ${words[0]!}`, async () => {
      const page = await pageOf(ready(sayAll(...words)));
      page.shows({ phase: 'awaiting', code, creations: 0 });
    });
  }
  const orderless = { attributes: { 'external-id': null } };
  const given = form(({ proxy }) => ({
    ...orderless,
    properties: { invoice: proxy.makeInvoice('pedido-7') },
  }));
  const errors = [{ code: 'configuration', retryable: false }];
  const slowly = form(stored({}, ({ proxy }) => (proxy.delayMs = 1_000)));
  const differing = stored({}, (_, invoice) => Object.assign(invoice, { total_cents: 9_990 }));
  const impossible = ready({ attributes: { endpoint: null, 'payer-fields': '' }, detached: true });
  const possible = ready({ attributes: { 'payer-fields': '' }, detached: true });
  const startsAtOnce: Step = ({ element }) => {
    document.body.append(element);
    element.start();
  };
  it('with auto-start alone it creates', async () => {
    const page = await pageOf(ready({ attributes: { 'auto-start': '' } }));
    page.shows({ phase: 'awaiting', creations: 1, tells: ['pix-submit'] });
  });

  it('with nothing it shows the form, and asks for nothing', async () => {
    const page = await pageOf(form());
    page.shows({ phase: 'form', requests: 0, buttons: ['Gerar código Pix'], shows: ['R$ 129,90'] });
  });

  it('without invoice or invoice-id a missing external-id is a configuration error', async () => {
    const page = await pageOf(form(orderless));
    page.shows({ phase: 'failed', errors });
  });

  it('with an invoice no external-id is needed, and it is ready before anything else is told', async () => {
    const page = await pageOf(given);
    page.shows({ shows: ['Pedido pedido-7'] });
    await page.does(({ events }) =>
      expect(events()[0]).to.deep.equal(['pix-ready', { methods: ['pix'] }]),
    );
  });

  it('creating covers resuming', async () => {
    const page = await pageOf(slowly);
    await page.waits(500);
    page.shows({ phase: 'creating', announced: 'Buscando seu pagamento…' });
    await page.waits(500);
    page.shows({ phase: 'awaiting' });
  });

  it('a stored invoice of another total is not resumed', async () => {
    const page = await pageOf(form(stored({ 'total-price-cents': '9990' })));
    page.shows({ phase: 'form', requests: 0, records: 0 });
  });

  it('a stored invoice that the proxy says has another total is not resumed', async () => {
    const page = await pageOf(form(differing));
    page.shows({ phase: 'form', lookUps: 1, code: null, records: 0 });
  });

  it('start() before the first rendering begins nothing that the page made impossible', async () => {
    const page = await pageOf(impossible);
    await page.does(startsAtOnce);
    page.shows({ phase: 'failed', requests: 0 });
  });

  it('start() before the first rendering begins what the page says by then', async () => {
    const page = await pageOf(possible);
    await page.does(startsAtOnce);
    page.shows({ phase: 'awaiting', creations: 1 });
  });
  it('a stored attempt without an answer is asked for by its key, which is used no more if it is not known', async () => {
    const attemptKey = '11111111-1111-4111-8111-111111111111';
    const { element, proxy, submit } = await ready((world) => {
      storeAttempt(world, 'order-unanswered', { attemptKey });
      return { attributes: { 'external-id': 'order-unanswered' } };
    })();
    const [asked] = proxy.of('recover');
    expect(asked?.headers['idempotency-key']).to.equal(attemptKey);
    expect(asked?.url).to.match(/\/invoices\?external_id=order-unanswered&n=\d+$/);
    expect(element.phase, 'it is not known').to.equal('form');
    await submit();
    expect(proxy.of('create')[0]?.headers['idempotency-key']).not.to.equal(attemptKey);
    expect(element.phase).to.equal('awaiting');
  });
});

/** An order whose invoice a former page left in storage. */
function stored(
  attributes: Record<string, string> = {},
  prepare: (world: World, invoice: CreatedInvoice) => unknown = () => undefined,
) {
  return withInvoice((invoice, world) => {
    const { invoice_id: invoiceId, lookup_token: lookupToken, external_id: order } = invoice;
    storeAttempt(world, order!, { invoiceId, lookupToken });
    prepare(world, invoice);
    return { attributes };
  });
}

/** A page that says all this at once, each of a different invoice: one stored, then one named, then one handed in. */
function sayAll(...words: readonly Source[]) {
  return (world: World) => {
    const { attributes } = stored()(world);
    const order = world.proxy.invoices[0]!.external_id;
    if (!words.includes('stored')) world.stored.clear();
    const [byId, given] = [1, 2].map(() => world.proxy.makeInvoice(order!));
    const all: Readonly<Record<Source, Record<string, string>>> = {
      stored: {},
      'invoice-id': named(byId!),
      invoice: { invoice: JSON.stringify(given) },
      'auto-start': { 'auto-start': '' },
    };
    return { attributes: Object.assign({}, attributes, ...words.map((one) => all[one])) };
  };
}
