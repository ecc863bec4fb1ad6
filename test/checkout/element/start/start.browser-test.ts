/** What a checkout begins with: an invoice given, named or stored, else `auto-start`, else the form. */
import { expect } from '@open-wc/testing';
import type { CreatedInvoice } from '../../../../src/contract/types.js';
import { storeAttempt } from '../../../support/checkout/checkout-world.js';
import type { World } from '../../../support/checkout/checkout-world.js';
import { form, named, ready, tell, withInvoice } from '../../../support/checkout/stories.js';
import type { Step } from '../../../support/checkout/stories.js';

type Source = 'invoice' | 'invoice-id' | 'stored' | 'auto-start';

describe('<pix-checkout>: start', () => {
  const cases: readonly Source[][] = [
    ['invoice', 'invoice-id', 'stored', 'auto-start'],
    ['invoice-id', 'stored', 'auto-start'],
    ['stored', 'auto-start'],
  ];
  for (const words of cases) {
    const code = ['stored', 'invoice-id', 'invoice'].indexOf(words[0]!);
    tell`
      of ${words.join(', ')} it takes ${words[0]!}
        ${ready(sayAll(...words))} = awaiting, code ${code}, 0 creations
    `;
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
  tell`
    with auto-start alone it creates
      ${ready({ attributes: { 'auto-start': '' } })} = awaiting, 1 creation, tells pix-submit
    with nothing it shows the form, and asks for nothing
      ${form()} = form, 0 requests, button Gerar código Pix, "R$ 129,90"
    without invoice or invoice-id a missing external-id is a configuration error
      ${form(orderless)} = failed, ${{ errors }}
    with an invoice no external-id is needed, and it is ready before anything else is told
      ${given} = "Pedido pedido-7" > ${({ events }) => expect(events()[0]).to.deep.equal(['pix-ready', { methods: ['pix'] }])}
    creating covers resuming
      ${slowly} > 500 = creating, announced "Buscando seu pagamento…" > 500 = awaiting
    a stored invoice of another total is not resumed
      ${form(stored({ 'total-price-cents': '9990' }))} = form, 0 requests, 0 records
    a stored invoice that the proxy says has another total is not resumed
      ${form(differing)} = form, 1 look-up, no code, 0 records
    start() before the first rendering begins nothing that the page made impossible
      ${impossible} > ${startsAtOnce} = failed, 0 requests
    start() before the first rendering begins what the page says by then
      ${possible} > ${startsAtOnce} = awaiting, 1 creation
  `;
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
