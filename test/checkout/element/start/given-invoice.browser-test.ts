/** An invoice made elsewhere: handed in as JSON, property or promise, or named by its id. */
import { expect } from '@open-wc/testing';
import { storeAttempt } from '../../../support/checkout/checkout-world.js';
import type { World } from '../../../support/checkout/checkout-world.js';
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import { deferred } from '../../../support/checkout/pix-checkout-harness.js';
import {
  form,
  named,
  repliesAlways,
  set,
  tell,
  withInvoice,
} from '../../../support/checkout/stories.js';
import type { Step } from '../../../support/checkout/stories.js';

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
    tell`
      ${way}: shown, vouched for at once, then followed, with no creation by the element
        ${form(words)} = awaiting, code 0, 2 requests, untold pix-created, untold pix-submit > ${followed}
    `;
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
  tell`
    a promise under way is creating
      ${promised(late.promise)} > 500 = creating, announced "Buscando seu pagamento…", 0 requests
      > ${() => late.resolve(waiting)} = awaiting
    a promise that is refused is a network error, with a status and the reference
      ${refused} = failed, ${{ errors: [{ code: 'network', retryable: false }] }}, "Pedido order-refused",
      warns "the promised invoice did not come"
    another promise in its place counts, whichever comes first
      ${promised(first.promise)} > ${set({ invoice: second.promise })}
      > ${() => first.resolve({ ...waiting, qr_code_pix: 'not this one' })} = creating
      > ${() => second.resolve(waiting)} = awaiting, code 0
    comes late, after the form was shown
      ${form()} > ${laterGiven} = awaiting, code 0
    with no total given nothing is compared, and its own is shown
      ${form(unpriced)} = "R$ 129,90"
    waits for a stored card whose outcome is open, in a new page and when it is given again
      ${form(withCard)} = confirming, no code > ${givenAgain} = confirming, no code
      > ${repliesAlways('recover', problem('payment_refused'))} > 60_000 = form
  `;
  it('data, unlike a promise, is on the screen with the first rendering', async () => {
    const checkout = await form(withInvoice((one) => ({ ...given(one), detached: true })))();
    document.body.append(checkout.element);
    await checkout.element.updateComplete;
    expect(checkout.codeText()).not.to.equal(null);
  });
  for (const invoice of ['text', { invoice_id: '../..' }]) {
    const errors = [{ code: 'invalid_answer', retryable: false }];
    tell`
      ${JSON.stringify(invoice)} is an invalid answer, once
        ${form(given(invoice))} = failed, ${{ errors }} > ${({ warnings }) => expect(warnings).to.have.length(1)}
    `;
  }
  for (const [attribute, value, code] of [
    ['total-price-cents', '9990', 'amount_mismatch'],
    ['external-id', 'another-order', 'reference_mismatch'],
  ] as const) {
    const words = withInvoice((one) => ({ attributes: { [attribute]: value }, ...given(one) }));
    const isFinal: Step = ({ details }) =>
      expect(details('pix-error')[0]).to.include({ code, retryable: false });
    tell`
      is not shown with another ${attribute}: ${code}
        ${form(words)} = failed, no code > ${isFinal}
    `;
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
    tell`
      is hidden when the first look-up names another ${field}
        ${form(words)} = failed, no code, error ${code}, "Pedido"
    `;
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
  const offersToLoad = [
    60_000,
    { phase: 'failed', shows: [stale, 'fale com a loja'], hides: 'demorando' },
    asksNoMore,
    'Recarregar a página',
    { reloads: 1 },
  ];
  tell`
    is asked for by its order, and followed with the new one
      ${openOutdated()} = code 0, 1 creation, ${{ sent: { method: 'pix' } }} > 60_000 = 1 creation, no "demorando"
      > pay > 60_000 = paid
    without a reference: the page says that it is out of date, and offers to load anew
      ${openOutdated({ 'external-id': null })} > ${offersToLoad}
    and so is the order: the page says that it is out of date, and offers to load anew
      ${openOutdated({}, refusing)} > ${offersToLoad}
    says so beside a payment that is being confirmed
      ${paid} > 60_000 = confirming, "Estamos confirmando seu pagamento.", "${stale}"
  `;
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
  tell`
    is looked up with its token before anything is shown
      ${byId()} = awaiting, code 0, "R$ 129,90", 0 creations > ${hasToken}
    takes a token that comes late
      ${byId({ 'lookup-token': null, 'external-id': null })} = failed, error unauthorized > ${tokenComes} = awaiting
    whose token is refused is asked for by its order
      ${byId({ 'lookup-token': 'outdated' })} = awaiting, code 0, 1 creation
    waits through a proxy that does not answer, and says so
      ${form(silent)} > 30_000 = creating, announced "Está demorando mais que o normal. Continuamos tentando."
      > ${repliesAlways('look-up', null)} > 30_000 = awaiting
  `;
});

/** What a promise of an older library, or of another frame, looks like. */
const thenable = (value: unknown) => ({
  // oxlint-disable-next-line unicorn/no-thenable -- that is the point
  then: (resolve: (value: unknown) => void) => resolve(value),
});
