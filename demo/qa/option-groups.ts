/** The options of the demo: names, labels, defaults. */

export type Control =
  | { readonly kind: 'text' | 'number' | 'lines'; readonly hint?: string }
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
const lines = (label: string, hint: string): Definition => ({
  label,
  fallback: '',
  control: { kind: 'lines', hint },
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
  'Shop and page': {
    shop: choice(
      'Shop',
      ['', 'Café da Serra'],
      ['bank', 'a bank'],
      ['street', 'street wear'],
      ['pharmacy', 'a pharmacy'],
    ),
    locale: choice('locale', ['', 'from the page'], ['pt-BR', 'pt-BR'], ['en', 'en'], ['es', 'es']),
    theme: choice('Theme', ['', 'auto'], ['light', 'light'], ['dark', 'dark']),
    frame: choice('Width', ['', 'full'], ['390', '390 px'], ['320', '320 px'], ['240', '240 px']),
    dir: choice('Direction', ['', 'ltr'], ['rtl', 'rtl']),
  },
  'Looks: custom properties': {
    '--pix-color-accent': text('--pix-color-accent', '', 'the shop’s'),
    '--pix-color-on-accent': text('--pix-color-on-accent'),
    '--pix-color-mark': text('--pix-color-mark'),
    '--pix-color-text': text('--pix-color-text'),
    '--pix-color-muted': text('--pix-color-muted'),
    '--pix-color-surface': text('--pix-color-surface'),
    '--pix-color-subtle': text('--pix-color-subtle'),
    '--pix-color-line': text('--pix-color-line'),
    '--pix-color-border': text('--pix-color-border'),
    '--pix-color-error': text('--pix-color-error'),
    '--pix-font': text('--pix-font', '', 'Georgia, serif'),
    '--pix-font-size': text('--pix-font-size', '', '18px'),
    '--pix-amount-size': text('--pix-amount-size', '', '3em'),
    '--pix-border-width': text('--pix-border-width', '', '0 0 2px'),
    '--pix-focus-ring': text('--pix-focus-ring', '', '2px dashed'),
    '--pix-control-height': text('--pix-control-height', '', '56px'),
    '--pix-gap': text('--pix-gap', '', '2em'),
    '--pix-max-width': text('--pix-max-width', '', '24em'),
    '--pix-max-width-wide': text('--pix-max-width-wide', '', '60em'),
    '--pix-radius': text('--pix-radius', '', '4px'),
    '--pix-padding': text('--pix-padding', '', '24px'),
    '--pix-shadow': text('--pix-shadow', '', 'none'),
  },
  'Words: texts and slots': {
    texts: lines('texts', 'copy: Copiar o código\ngenerate: Quero pagar'),
    'slot-header': text('slot header', '', 'empty'),
    'slot-footer': text('slot footer', '', 'empty'),
    'slot-paid': text('slot paid', '', 'the shop’s'),
    'slot-support': text('slot support', '', 'the shop’s'),
  },
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
    hold: choice('Proxy holds look-ups', ['on', 'yes, 25 s'], ['off', 'no (holdSeconds: 0)']),
    proxy: choice(
      'Line to the proxy',
      ['up', 'up'],
      ['slow', 'slow, 8 s'],
      ['lossy', 'loses answers'],
      ['down', 'cut'],
    ),
    'deny-clipboard': check('Clipboard is denied'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Definition>>>>;
