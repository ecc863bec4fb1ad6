/**
 * What QA can choose, and how a choice is written into the page's URL, so that a state is a link.
 *
 * Owns names, defaults and the query. Everything is text, and nothing is personal. Knows no DOM.
 */

/** How one option is chosen. */
export type Control =
  | { readonly kind: 'text' | 'number'; readonly hint?: string }
  | { readonly kind: 'check' }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] };

/** A value, and the words for it. */
type Choice = readonly [value: string, words: string];

interface Definition {
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
    methods: text('methods', 'pix'),
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
  'Around it': {
    theme: choice('Theme', ['', 'auto'], ['light', 'light'], ['dark', 'dark']),
    frame: choice('Width', ['', 'full'], ['390', '390 px'], ['320', '320 px']),
    hold: choice('Proxy holds look-ups', ['on', 'yes, 25 s'], ['off', 'no (holdSeconds: 0)']),
    proxy: choice('Line to the proxy', ['up', 'up'], ['down', 'cut']),
    'deny-clipboard': check('Clipboard is denied'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Definition>>>>;

type Groups = typeof optionGroups;

/** Name of an option, as it stands in the query. */
export type OptionName = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups];

/** A value for each option; empty where nothing is chosen. */
export type Options = Readonly<Record<OptionName, string>>;

const definitions = Object.entries(
  Object.assign({}, ...Object.values(optionGroups)) as Record<OptionName, Definition>,
) as [OptionName, Definition][];

/** Reads the query; what it does not name has its default. */
export function readOptions(query: URLSearchParams): Options {
  return toOptions((name, fallback) => query.get(name) ?? fallback);
}

/** The query that {@link readOptions} reads: only what differs from the defaults. */
export function toQuery(options: Partial<Options>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, { fallback }] of definitions) {
    const value = options[name];
    if (value !== undefined && value !== fallback) query.set(name, value);
  }
  return query;
}

/** Reads a form that has a control for each option. An unchecked box is not in it. */
export function fromForm(data: FormData): Options {
  return toOptions((name) => {
    const value = data.get(name);
    return typeof value === 'string' ? value.trim() : '';
  });
}

/** A reference that no order has yet. */
export function newReference(): string {
  return `qa-${crypto.randomUUID().slice(0, 8)}`;
}

function toOptions(valueOf: (name: OptionName, fallback: string) => string): Options {
  const pairs = definitions.map(([name, { fallback }]) => [name, valueOf(name, fallback)]);
  return Object.fromEntries(pairs) as Options;
}
