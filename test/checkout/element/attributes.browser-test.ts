/** Attributes and properties: defaults, words of the page that are no good, words that come late. */

import { expect } from '@open-wc/testing';
import {
  newOrder,
  openAwaiting,
  openCheckout,
  openSubmitted,
  TestCheckout,
  form,
  set,
  pageOf,
  untilFetched,
} from '../../support/checkout/page.js';
import type { OpenOptions, Step } from '../../support/checkout/page.js';

describe('<pix-checkout>: attributes and properties', () => {
  const attributes: readonly [attribute: string, property: keyof TestCheckout, usual: unknown][] = [
    ['endpoint', 'endpoint', null],
    ['external-id', 'externalId', null],
    ['order-token', 'orderToken', null],
    ['total-price-cents', 'totalPriceCents', null],
    ['pix-total-price-cents', 'pixTotalPriceCents', null],
    ['methods', 'methods', 'pix'],
    ['method', 'method', null],
    ['invoice-id', 'invoiceId', null],
    ['lookup-token', 'lookupToken', null],
    ['payer-fields', 'payerFields', 'name cpf_cnpj email'],
    ['auto-start', 'autoStart', false],
    ['receiver-name', 'receiverName', null],
    ['expires-in', 'expiresIn', null],
    ['invoice', 'invoice', null],
    ['poll-interval', 'pollInterval', null],
    ['locale', 'locale', null],
    ['allow-unverified-code', 'allowUnverifiedCode', false],
    ['accepted-brands', 'acceptedBrands', null],
    ['accept-raw-card', 'acceptRawCard', false],
  ];
  const values: Readonly<Record<string, [text: string, value: unknown]>> = {
    'total-price-cents': ['12990', 12_990],
    'pix-total-price-cents': ['12340', 12_340],
    'expires-in': ['900', 900],
    'poll-interval': ['250', 250],
    'auto-start': ['', true],
    'allow-unverified-code': ['', true],
    'accept-raw-card': ['', true],
    invoice: ['{"invoice_id":"x"}', { invoice_id: 'x' }],
  };

  for (const [attribute, property, usual] of attributes) {
    it(`${attribute} is read as ${property}`, () => {
      const element = document.createElement('test-checkout') as TestCheckout;
      expect(element[property]).to.deep.equal(usual);
      const [text, value] = values[attribute] ?? ['some-word', 'some-word'];
      element.setAttribute(attribute, text);
      expect(element[property]).to.deep.equal(value);
    });
  }

  const switches = attributes.filter(([, , usual]) => usual === false);
  for (const [attribute, property] of switches) {
    it(`${attribute} is off by "false", which frameworks write, and on by any other word`, () => {
      const element = document.createElement('test-checkout') as TestCheckout;
      const read = ['', attribute, 'true', 'false', 'False'].map((word) => {
        element.setAttribute(attribute, word);
        return element[property];
      });
      expect(read).to.deep.equal([true, true, true, false, false]);
      element.removeAttribute(attribute);
      expect(element[property]).to.equal(false);
    });
  }

  const ways: readonly [way: string, said: OpenOptions][] = [
    ['as an attribute', { attributes: { 'accept-raw-card': 'false' } }],
    // As frameworks do that set a property wherever there is one.
    ['as a property', { properties: { acceptRawCard: 'false' } }],
  ];
  for (const [way, { attributes: given, properties = {} }] of ways) {
    it(`accept-raw-card "false" ${way} offers no card`, async () => {
      const { element, details, warnings } = await openCheckout({
        attributes: { methods: 'pix credit_card', ...given },
        properties,
      });
      expect(element.phase).to.equal('form');
      expect(details('pix-ready')).to.deep.equal([{ methods: ['pix'] }]);
      expect(warnings.join()).to.include('credit_card is not offered');
    });
  }

  it('allow-unverified-code "false" as a property shows no code that cannot be read', async () => {
    const { details } = await openSubmitted(({ proxy }) => {
      proxy.codeOf = () => 'a placeholder';
      return { properties: { allowUnverifiedCode: 'false' } };
    });
    expect(details('pix-error')).to.have.nested.property('[0].code', 'invalid_code');
  });

  it('properties without an attribute are empty at first', () => {
    const { payer, items, lines, texts, lookUpAddress } = new TestCheckout();
    expect([payer, items, lines, texts, lookUpAddress]).to.deep.equal(Array(5).fill(null));
  });

  it('writes none of them back to the page', async () => {
    const { element, set } = await openAwaiting();
    const before = element.outerHTML;
    await set({
      pixTotalPriceCents: 12_990,
      receiverName: 'Loja',
      expiresIn: 900,
      pollInterval: 500,
      locale: 'en',
      payer: { cpf_cnpj: '28001238938' },
    });
    expect(element.outerHTML).to.equal(before);
  });

  /** The fault of an attribute, and what the page shows all the same. */
  const badWords: readonly [
    attributes: Record<string, string | null>,
    phase: string,
    warning: string,
  ][] = [
    [{ endpoint: null }, 'failed', 'endpoint must be the URL of your proxy'],
    [{ 'external-id': null }, 'failed', 'external-id is missing'],
    [
      { 'total-price-cents': '129.90' },
      'failed',
      'total-price-cents must be a whole number of cents, 1 or more',
    ],
    [{ methods: 'boleto pix' }, 'form', 'methods cannot offer "boleto", but pix, credit_card'],
    [{ methods: 'boleto' }, 'failed', 'methods cannot offer "boleto", but pix, credit_card'],
    [{ method: 'boleto' }, 'form', 'method cannot be "boleto", but pix'],
    [
      { 'payer-fields': 'name shoe_size' },
      'form',
      'payer-fields does not know "shoe_size", but name, cpf_cnpj, email, phone, address_zip, address_line, address_number, address_complement, address_city, address_state, address',
    ],
    [{ 'expires-in': 'soon' }, 'form', 'expires-in must be a number, 1 or more; it is left out'],
    [
      { 'poll-interval': '10' },
      'form',
      'poll-interval must be a number, 250 or more; it is left out',
    ],
    [{ 'invoice-id': '../x?y=1' }, 'failed', 'invoice-id is not the id of an invoice'],
    [{ locale: 'fr' }, 'form', 'locale is none of pt-BR, en, es'],
    [
      { invoice: '{"invoice_id":' },
      'failed',
      'invoice: The answer\'s "data.invoice_id" is missing or not as the contract says',
    ],
  ];
  for (const [words, phase, warning] of badWords) {
    const isSaid: Step = ({ visibleText }) => expect(visibleText()).not.to.equal('');
    it(`${JSON.stringify(words)} gives ${phase} and one warning`, async () => {
      const page = await pageOf(form({ attributes: words }));
      await page.does(set({ receiverName: 'rendered again' }));
      page.shows({ phase, warnings: [warning] });
      await page.does(isSaid);
    });
  }

  const mixedUp: readonly [words: OpenOptions, warning: string][] = [
    [
      { attributes: { externalId: '7' } },
      'externalid is not read: set externalId (attribute external-id)',
    ],
    [
      { attributes: { 'order-token': null, order_token: 'v1.a.b' } },
      'order_token is not read: set orderToken (attribute order-token)',
    ],
    [
      { attributes: { 'accept-raw-card': null, acceptRawCard: '' } },
      'acceptrawcard is not read: set acceptRawCard (attribute accept-raw-card)',
    ],
    [{ attributes: { payer: '[object Object]' } }, 'payer is not read: set payer (property)'],
    [
      { attributes: { tokenizeCard: 'f' } },
      'tokenizecard is not read: set tokenizeCard (property)',
    ],
    [
      { properties: { 'receiver-name': 'Loja' } as object },
      'receiver-name is not read: set receiverName (attribute receiver-name)',
    ],
  ];
  for (const [words, warning] of mixedUp) {
    it(`${JSON.stringify(words)} is told by the name to use, once`, async () => {
      const page = await pageOf(form(words));
      await page.does(set({ expiresIn: 900 }));
      page.shows({ warnings: [warning] });
    });
  }
  /** What a framework sets a moment after it put the element into the page. */
  const lateWords: readonly [what: string, words: OpenOptions, late: object][] = [
    [
      'all that it needs',
      { attributes: { endpoint: null, 'external-id': null } },
      { endpoint: '/pix', externalId: 'late-order' },
    ],
    [
      'a total that was no number yet',
      { attributes: { 'total-price-cents': '{{cents}}' } },
      { totalPriceCents: 12_990 },
    ],
    [
      'the only method’s tokenizer',
      { attributes: { methods: 'credit_card' } },
      { tokenizeCard: async () => ({ token: 't' }) },
    ],
    [
      'an invoice',
      { attributes: { 'external-id': null } },
      { invoice: new Promise(() => undefined) },
    ],
  ];
  for (const [what, words, late] of lateWords) {
    it(`waits a task for ${what} before it says that something is wrong`, async () => {
      const { element, details, eventNames, warnings } = await openCheckout(() => {
        // A task of its own: later than any promise, and put in line before the element's.
        setTimeout(() => Object.assign(document.querySelector('test-checkout') ?? {}, late));
        return words;
      });
      expect(details('pix-error')).to.deep.equal([]);
      expect(eventNames()[0]).to.equal('pix-ready');
      expect(element.phase).to.equal('invoice' in late ? 'creating' : 'form');
      expect(warnings).to.deep.equal([]);
    });
  }

  const configuration = { errors: [{ code: 'configuration', retryable: false }] };
  const bare = form({
    attributes: { 'order-token': null, 'total-price-cents': null, 'payer-fields': '' },
  });
  const late = { orderToken: 'late', totalPriceCents: 12_990, externalId: newOrder() };
  const isSent: Step = ({ element, proxy }) =>
    expect(proxy.of('create')[0]?.body).to.deep.equal({
      method: 'pix',
      external_id: element.externalId,
      order_token: 'late',
      expected_total_cents: 12_990,
    });
  const taken = ['payer-fields', 'methods', 'locale'];
  const given = form({ attributes: { 'payer-fields': 'phone', methods: 'pix', locale: 'en' } });
  const takeAway: Step = ({ element }) => taken.forEach((name) => element.removeAttribute(name));
  const asUsual = { has: { '[name="phone"]': false, '[name="cpf_cnpj"]': true } };
  const speaks =
    (lang: string): Step =>
    ({ find }) =>
      untilFetched(() => find('section')?.lang === lang, `${lang} may come in a file of its own`);
  const abroad = form(() => void (document.body.lang = 'en-GB'));
  const worded = form({
    properties: { texts: { generate: 'Quero pagar', fields: { email: 'Correio' } } },
  });
  const rightly = attributes.filter(([, , usual]) => usual === null).map(([name]) => [name, null]);
  const byProperties = form({
    attributes: { ...(Object.fromEntries(rightly) as Record<string, null>), 'external-id': 'a' },
    properties: { endpoint: '/pix', payer: {}, items: [], expiresIn: 900 },
  });
  const asText = form({
    attributes: { payer: '[object Object]' },
    properties: { payer: {} },
  });
  const summary = form({
    attributes: { 'pix-total-price-cents': '12000' },
    properties: {
      items: [{ name: 'Livro', quantity: 2, unit_price: 6_000 }],
      lines: [{ label: 'Frete', cents: 990 }],
    },
  });
  const opens: Step = ({ find }) => find('[part="summary"]')?.setAttribute('open', '');
  it('tells nothing of names that are set rightly', async () => {
    const page = await pageOf(byProperties);
    page.shows({ warnings: [] });
  });

  it('tells nothing of an object that stands in the page as text where its property is set', async () => {
    const page = await pageOf(asText);
    page.shows({ warnings: [] });
  });

  it('tells configuration errors to page and payer, and recovers when the page mends its words', async () => {
    const page = await pageOf(form({ attributes: { endpoint: null } }));
    page.shows({ ...configuration, shows: ['O pagamento não está disponível nesta página.'] });
    await page.does(set({ endpoint: '/pix' }));
    page.shows({ phase: 'form' });
  });

  it('takes words that come late, before anything was asked for', async () => {
    const page = await pageOf(bare);
    page.shows({ hides: ['R$'] });
    await page.does(set(late));
    page.shows({ shows: ['R$ 129,90'] });
    await page.does('submit');
    page.shows({ phase: 'awaiting' });
    await page.does(isSent);
  });

  it('an attribute that is taken away counts as never given', async () => {
    const page = await pageOf(given);
    await page.does(takeAway);
    page.shows({ ...asUsual, warnings: [] });
    await page.does(speaks('pt-BR'));
  });

  it('an empty methods or method is none that was given', async () => {
    const page = await pageOf(form({ attributes: { methods: '', method: '' } }));
    page.shows({ phase: 'form', warnings: [] });
  });

  it('speaks the language of the page around it, unless told otherwise', async () => {
    const page = await pageOf(abroad);
    await page.does(speaks('en'));
    await page.does(() => document.body.removeAttribute('lang'));
    page.shows({ buttons: ['Generate Pix code'] });
    await page.does(set({ locale: 'es' }));
    await page.does(speaks('es'));
    page.shows({ buttons: ['Generar código Pix'] });
  });

  it('says single texts in the words of the page', async () => {
    const page = await pageOf(worded);
    page.shows({ buttons: ['Quero pagar'], shows: ['Correio', 'Nome completo'] });
  });

  it('shows the order summary and the discount for Pix', async () => {
    const page = await pageOf(summary);
    await page.does(opens);
    page.shows({
      shows: ['R$ 120,00', 'R$ 9,90 de desconto no Pix', '2 × Livro', 'Frete R$ 9,90'],
    });
  });
});
