/** An invoice made elsewhere: handed in as JSON, property or promise, or named by its id. */
import { expect } from '@open-wc/testing';
import { storeAttempt } from '../../../support/checkout/checkout-world.js';
import type { World } from '../../../support/checkout/checkout-world.js';
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import {
  deferred,
  form,
  named,
  newOrder,
  repliesAlways,
  set,
  pageOf,
  presses,
  withInvoice,
} from '../../../support/checkout/page.js';
import type { Step } from '../../../support/checkout/page.js';

const given = (invoice: unknown) => ({ properties: { invoice } });
/** The invoice of the test that runs, for its promise to give. */
let waiting: object = {};
const promised = (promise: Promise<unknown>) =>
  form(
    withInvoice((invoice) => {
      waiting = invoice;
      return given(promise);
    }),
  );

describe('<pix-checkout>: invoice', () => {
  const inText = withInvoice((one) => ({ attributes: { invoice: JSON.stringify(one) } }));
  const ways = {
    'JSON in the attribute': inText,
    'an object': withInvoice(given),
    'a promise': withInvoice((invoice) => given(Promise.resolve(invoice))),
    "another library's promise": withInvoice((invoice) => given(thenable(invoice))),
  };
  const followed: Step = ({ proxy }) =>
    expect(proxy.of('look-up').map(({ waitSeconds }) => waitSeconds)).to.deep.equal([0, 25]);
  for (const [way, words] of Object.entries(ways)) {
    it(`${way}: shown, vouched for at once, then followed, with no creation by the element`, async () => {
      const page = await pageOf(form(words));
      page.shows({
        phase: 'awaiting',
        code: 0,
        requests: 2,
        untold: ['pix-created', 'pix-submit'],
      });
      await page.does(followed);
    });
  }
  const [late, first, second] = [deferred(), deferred(), deferred()];
  const refused = form(() => ({
    attributes: { 'external-id': 'order-refused' },
    ...given(Promise.reject(new Error('the server said 28001238938'))),
  }));
  const laterGiven: Step = ({ element, proxy, set }) =>
    set({ invoice: proxy.makeInvoice(element.externalId ?? '') });
  const unpriced = withInvoice((invoice) => ({
    attributes: { 'total-price-cents': null },
    ...given({ ...invoice }),
  }));
  const withCard = withInvoice((invoice, world) => {
    storeAttempt(world, invoice.external_id!, { method: 'credit_card' });
    world.proxy.replyAlways('recover', problem('in_progress'));
    return given(invoice);
  });
  const givenAgain: Step = ({ proxy, set }) =>
    set({ orderToken: 'signed-anew', invoice: { ...proxy.invoices[0] } });
  it('a promise under way is creating', async () => {
    const page = await pageOf(promised(late.promise));
    await page.waits(500);
    page.shows({ phase: 'creating', announced: 'Buscando seu pagamento…', requests: 0 });
    await page.does(() => late.resolve(waiting));
    page.shows({ phase: 'awaiting' });
  });

  it('a promise that is refused is a network error, with a status and the reference', async () => {
    const page = await pageOf(refused);
    page.shows({
      phase: 'failed',
      errors: [{ code: 'network', retryable: false }],
      shows: ['Pedido order-refused'],
      warnings: ['the promised invoice did not come'],
    });
  });

  it('another promise in its place counts, whichever comes first', async () => {
    const page = await pageOf(promised(first.promise));
    await page.does(set({ invoice: second.promise }));
    await page.does(() => first.resolve({ ...waiting, qr_code_pix: 'not this one' }));
    page.shows({ phase: 'creating' });
    await page.does(() => second.resolve(waiting));
    page.shows({ phase: 'awaiting', code: 0 });
  });

  it('comes late, after the form was shown', async () => {
    const page = await pageOf(form());
    await page.does(laterGiven);
    page.shows({ phase: 'awaiting', code: 0 });
  });

  it('with no total given nothing is compared, and its own is shown', async () => {
    const page = await pageOf(form(unpriced));
    page.shows({ shows: ['R$ 129,90'] });
  });

  it('waits for a stored card whose outcome is open, in a new page and when it is given again', async () => {
    const page = await pageOf(form(withCard));
    page.shows({ phase: 'confirming', code: null });
    await page.does(givenAgain);
    page.shows({ phase: 'confirming', code: null });
    await page.does(repliesAlways('recover', problem('payment_refused')));
    await page.waits(60_000);
    page.shows({ phase: 'form' });
  });
  it('data, unlike a promise, is on the screen with the first rendering', async () => {
    const checkout = await form(withInvoice((one) => ({ ...given(one), detached: true })))();
    document.body.append(checkout.element);
    await checkout.element.updateComplete;
    expect(checkout.codeText()).not.to.equal(null);
  });
  for (const invoice of ['text', { invoice_id: '../..' }]) {
    const errors = [{ code: 'invalid_answer', retryable: false }];
    it(`${JSON.stringify(invoice)} is an invalid answer, once`, async () => {
      const page = await pageOf(form(given(invoice)));
      page.shows({ phase: 'failed', errors });
      await page.does(({ warnings }) => expect(warnings).to.have.length(1));
    });
  }
  for (const [attribute, value, code] of [
    ['total-price-cents', '9990', 'amount_mismatch'],
    ['external-id', 'another-order', 'reference_mismatch'],
  ] as const) {
    const words = withInvoice((one) => ({ attributes: { [attribute]: value }, ...given(one) }));
    const isFinal: Step = ({ details }) =>
      expect(details('pix-error')[0]).to.include({ code, retryable: false });
    it(`is not shown with another ${attribute}: ${code}`, async () => {
      const page = await pageOf(form(words));
      page.shows({ phase: 'failed', code: null });
      await page.does(isFinal);
    });
  }
  for (const [field, value, code] of [
    ['qr_code_pix', 'another code', 'invalid_code'],
    ['external_id', 'another-order', 'reference_mismatch'],
    ['total_cents', 9_990, 'amount_mismatch'],
  ] as const) {
    const words = withInvoice((invoice, { proxy }) => {
      proxy.reply('look-up', changed({ [field]: value }));
      return given(invoice);
    });
    it(`is hidden when the first look-up names another ${field}`, async () => {
      const page = await pageOf(form(words));
      page.shows({ phase: 'failed', code: null, codes: [code], shows: ['Pedido'] });
    });
  }
});

describe('<pix-checkout>: an invoice whose look-up token is refused', () => {
  const openOutdated = (attributes = {}, prepare: (world: World) => unknown = () => undefined) =>
    form(
      withInvoice((invoice, world) => {
        prepare(world);
        return { attributes, ...given({ ...invoice, lookup_token: 'outdated' }) };
      }),
    );
  const refusing = ({ proxy }: World) => proxy.replyAlways('create', problem('unauthorized'));
  const paid = form(({ proxy }) => ({
    attributes: { 'external-id': null },
    ...given({ ...proxy.makeInvoice('order'), status: 'paid', lookup_token: 'outdated' }),
  }));
  const stale = 'Esta página está desatualizada.';
  const asksNoMore: Step = async ({ proxy, advance }) => {
    const asked = proxy.requests.length;
    await advance(600_000);
    expect(proxy.requests).to.have.length(asked);
  };
  const offersToLoad: Step = [
    60_000,
    { phase: 'failed', shows: [stale, 'fale com a loja'], hides: 'demorando' },
    asksNoMore,
    presses('Recarregar a página'),
    { reloads: 1 },
  ];
  it('is asked for by its order, and followed with the new one', async () => {
    const page = await pageOf(openOutdated());
    page.shows({ code: 0, creations: 1, sent: { method: 'pix' } });
    await page.waits(60_000);
    page.shows({ creations: 1, hides: ['demorando'] });
    await page.does('pay');
    await page.waits(60_000);
    page.shows({ phase: 'paid' });
  });

  it('without a reference: the page says that it is out of date, and offers to load anew', async () => {
    const page = await pageOf(openOutdated({ 'external-id': null }));
    await page.does(offersToLoad);
  });

  it('and so is the order: the page says that it is out of date, and offers to load anew', async () => {
    const page = await pageOf(openOutdated({}, refusing));
    await page.does(offersToLoad);
  });

  it('says so beside a payment that is being confirmed', async () => {
    const page = await pageOf(paid);
    await page.waits(60_000);
    page.shows({ phase: 'confirming', shows: ['Estamos confirmando seu pagamento.', stale] });
  });
});

describe('<pix-checkout>: invoice-id', () => {
  const byId = (attributes: Record<string, string | null> = {}) =>
    form(withInvoice((invoice) => ({ attributes: { ...named(invoice), ...attributes } })));
  const hasToken: Step = ({ proxy }) =>
    expect(proxy.of('look-up')[0]?.headers['lookup-token']).to.equal(
      proxy.invoices[0]?.lookup_token,
    );
  const tokenComes: Step = ({ proxy, set }) =>
    set({ lookupToken: proxy.invoices[0]?.lookup_token });
  const silent = withInvoice((invoice, { proxy }) => {
    proxy.replyAlways('look-up', problem('service_unavailable'));
    return { attributes: named(invoice) };
  });
  it('is looked up with its token before anything is shown', async () => {
    const page = await pageOf(byId());
    page.shows({ phase: 'awaiting', code: 0, shows: ['R$ 129,90'], creations: 0 });
    await page.does(hasToken);
  });

  it('takes a token that comes late', async () => {
    const page = await pageOf(byId({ 'lookup-token': null, 'external-id': null }));
    page.shows({ phase: 'failed', codes: ['unauthorized'] });
    await page.does(tokenComes);
    page.shows({ phase: 'awaiting' });
  });

  it('whose token is refused is asked for by its order', async () => {
    const page = await pageOf(byId({ 'lookup-token': 'outdated' }));
    page.shows({ phase: 'awaiting', code: 0, creations: 1 });
  });

  it('of another invoice takes the place of the one that is shown', async () => {
    const page = await pageOf(byId({ 'external-id': null }));
    await page.does(({ proxy, set }) => {
      const other = proxy.makeInvoice(newOrder());
      return set({ invoiceId: other.invoice_id, lookupToken: other.lookup_token });
    });
    page.shows({ phase: 'awaiting', code: 1, creations: 0 });
  });

  it('waits through a proxy that does not answer, and says so', async () => {
    const page = await pageOf(form(silent));
    await page.waits(30_000);
    page.shows({
      phase: 'creating',
      announced: 'Está demorando mais que o normal. Continuamos tentando.',
    });
    await page.does(repliesAlways('look-up', null));
    await page.waits(30_000);
    page.shows({ phase: 'awaiting' });
  });
});

/** What a promise of an older library, or of another frame, looks like. */
const thenable = (value: unknown) => ({
  // oxlint-disable-next-line unicorn/no-thenable -- that is the point
  then: (resolve: (value: unknown) => void) => resolve(value),
});
