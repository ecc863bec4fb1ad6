/** The options of the demo: names, labels, defaults. */

/** The control of an option. */
export type Control =
  | { readonly kind: 'text' | 'number'; readonly hint?: string }
  | { readonly kind: 'check' }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] };

/** A value and its label. */
type Choice = readonly [value: string, words: string];

/** One option. */
export interface Definition {
  readonly label: string;
  readonly fallback: string;
  readonly control: Control;
}

const text = (label: string, fallback = '', hint = ''): Definition => ({
  label,
  fallback,
  control: { kind: 'text', hint },
});
const number = (label: string, hint = ''): Definition => ({
  label,
  fallback: '',
  control: { kind: 'number', hint },
});
const check = (label: string): Definition => ({ label, fallback: '', control: { kind: 'check' } });
/** The first one is the default. */
const choice = (label: string, ...choices: readonly [Choice, ...Choice[]]): Definition => ({
  label,
  fallback: choices[0][0],
  control: { kind: 'choice', choices },
});

/** All options, grouped as the panel shows them. */
export const optionGroups = {
  'The order, on the shop’s server': {
    order: text('Order reference', '1042'),
    total: number('Total, cents', 'the example’s'),
    'pix-total': number('Pix price, cents', 'the example’s'),
    'server-expires-in': number('Deadline from the server, s', 'none'),
    'order-status': choice(
      'Order is',
      ['open', 'open'],
      ['paid', 'paid otherwise'],
      ['closed', 'closed'],
    ),
  },
  'Attributes of the element': {
    'page-total': number('Page says total, cents', 'the server’s'),
    'payer-fields': text('payer-fields', 'name cpf_cnpj email', 'nothing is asked'),
    methods: choice(
      'methods',
      ['pix', 'pix'],
      ['pix credit_card', 'pix credit_card'],
      ['credit_card pix', 'credit_card pix'],
      ['credit_card', 'credit_card'],
      ['boleto', 'boleto (unknown)'],
    ),
    'expires-in': number('expires-in, s', 'none'),
    'poll-interval': number('poll-interval, ms', '4000'),
    'receiver-name': text('receiver-name', '', 'the code’s own'),
    locale: choice('locale', ['', 'from the page'], ['pt-BR', 'pt-BR'], ['en', 'en'], ['es', 'es']),
    invoice: choice(
      'Invoice comes from',
      ['', 'the element’s request'],
      ['promise', 'the page, as a promise'],
      ['id', 'the page, as invoice-id'],
      ['broken', 'the page, with a broken code'],
    ),
    'auto-start': check('auto-start'),
    'allow-unverified-code': check('allow-unverified-code'),
  },
  Cards: {
    'card-data': choice(
      'Card data',
      ['token', 'our fields, tokenizeCard'],
      ['slot', 'the provider’s field, in the slot'],
      ['raw', 'accept-raw-card, through the proxy'],
      ['none', 'no way: not offered'],
    ),
    tokenizer: choice(
      'tokenizeCard',
      ['works', 'makes a token'],
      ['fails', 'throws'],
      ['hangs', 'never ends'],
      ['rubbish', 'returns rubbish'],
    ),
    'three-d-secure': check('3-D Secure data'),
    installments: choice('installments', ['on', 'the shop’s table'], ['off', 'no table']),
    'accepted-brands': text('accepted-brands', '', 'all'),
    'card-file': choice('File of the card form', ['there', 'there'], ['missing', 'missing']),
  },
  'Around it': {
    theme: choice('Theme', ['', 'auto'], ['light', 'light'], ['dark', 'dark']),
    frame: choice('Width', ['', 'full'], ['390', '390 px'], ['320', '320 px']),
    hold: choice('Proxy longPolls look-ups', ['on', 'yes, 25 s'], ['off', 'no (holdSeconds: 0)']),
    proxy: choice('Line to the proxy', ['up', 'up'], ['slow', 'slow, 8 s'], ['down', 'cut']),
    'deny-clipboard': check('Clipboard is denied'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Definition>>>>;
