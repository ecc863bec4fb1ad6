/**
 * Who may import whom. An import that no row below allows is a violation (`not-in-allowed`), and so is a circle.
 * Names are regular expressions below src/. A room may always import itself; types count as all else.
 */

/** What may be imported by several rooms of the proxy, and of the element. */
const service = 'service(\\.ts|/(client|body|secure-url|send)\\.ts)$';
const wire = 'service/wire\\.ts$';
const below = ['contract/', 'domain/'];
const serves = [...below, service];

/** The card form is a file of its own: it imports nothing that the element brings, and is entered by two files. */
const cardForm =
  'checkout/card/(views/|(card-(draft|form|file-entry|file-contract|languages)|tokenizer|typing)\\.ts$)';
/** Texts outside the element: each file that has some takes its own. */
const otherTexts = 'checkout/locales/outside-element/';
const cardFormDoors = 'checkout/card/card-file-(contract|entry)\\.ts$';
const aroundCardForm =
  'checkout/card/(?!views/|(card-(draft|form|file-entry|file-contract|languages)|tokenizer|typing)\\.ts$)';

/** Colours and sizes of the element, and of our own pages. */
const designTokens = 'checkout/element/design-tokens\\.ts$';

/** What a store is. Those that keep orders are entered by their door. */
const store = 'proxy/store/(order-store|shop-store)\\.ts$';
/** The server's machine, which is pure, and tools that know nothing of it: open to all rooms of the proxy. */
const openToTheProxy = ['proxy/order/', 'proxy/runtime/', store];
/** Rooms of the proxy from the top to the bottom: an arrow runs only down this list. */
const proxyRooms = ['door', 'run', 'outside', 'set-up'].map((name) => `proxy/${name}/`);
const inCheckout = (...names) => names.map((name) => `checkout/${name}/`);

/** Each room, and what it may import. */
const rooms = [
  ['domain/', []],
  ['contract/', ['domain/']],
  ['checkout/machine/', below],
  ['checkout/locales/', ['checkout/browser/script-address\\.ts$', 'checkout/machine/', ...below]],
  ['checkout/browser/', ['checkout/machine/', ...below]],
  ['checkout/page/', [...inCheckout('machine', 'browser', 'locales'), ...below]],
  [cardForm, [otherTexts, ...below]],
  [aroundCardForm, [cardFormDoors, ...inCheckout('browser', 'locales'), ...below]],
  [
    'checkout/views/',
    [
      'checkout/card/card-file-contract\\.ts$',
      ...inCheckout('page', 'machine', 'locales'),
      ...below,
    ],
  ],
  // The payment page's script is a file of its own: the element's comes beside it.
  ['checkout/pay/', ['contract/']],
  // A file of its own before the element's.
  ['checkout/start/', ['checkout/browser/storage\\.ts$', ...below]],
  // Words, and types: what opens the element is a file of its own, too.
  ['checkout/modal/', [otherTexts, ...inCheckout('element', 'machine')]],
  [
    'checkout/html/',
    [...inCheckout('element', 'page', 'views', 'machine', 'locales'), 'contract/'],
  ],
  [
    'checkout/element/',
    [
      ...inCheckout('start', 'page', 'views', 'machine', 'browser', 'locales'),
      ...[aroundCardForm, cardFormDoors, ...below],
    ],
  ],
  [wire, []],
  ['service(/(?!wire)|\\.ts$)', [wire]],
  ['ledger\\.ts$', ['proxy/order/', 'proxy/store/', service]],
  ['proxy/order/', below],
  ['proxy/store/', ['proxy/order/', 'proxy/runtime/', 'service/secure-url\\.ts$', ...below]],
  ...proxyRooms.map((name, at) => [
    name,
    [...proxyRooms.slice(at + 1), ...openToTheProxy, ...serves],
  ]),
  // The payment page has the element's texts and tokens.
  ['proxy/door/pay/', ['checkout/locales/', designTokens]],
  [
    'proxy(/proxy)?\\.ts$',
    [...proxyRooms, ...openToTheProxy, 'proxy/store/memory-store\\.ts$', ...serves],
  ],
  // The page of its bank has the element's tokens.
  ['sandbox(/|\\.ts$)', [wire, 'domain/', designTokens]],
  ['testing(/|\\.ts$)', ['sandbox(\\.ts|/br-code-writer\\.ts)$', 'contract/']],
  // What the package exports.
  [
    'index\\.ts$',
    ['element\\.ts$', 'domain/card/create-installments\\.ts$', ...inCheckout('element', 'modal')],
  ],
  [
    'element\\.ts$',
    [...inCheckout('element', 'page', 'views', 'machine', 'locales'), cardFormDoors, 'contract/'],
  ],
  ['html\\.ts$', [...inCheckout('html', 'page', 'locales'), 'contract/']],
  ['order-token\\.ts$', ['proxy/door/tokens/']],
  ['react\\.ts$', ['(index|element)\\.ts$']],
  ['node\\.ts$', ['proxy/door/node/']],
  // The command is a merchant's program among others: it has the package's entries, and what proxy and browser share.
  ['cli(/|\\.ts$)', ['(proxy|ledger|node|order-token|sandbox)\\.ts$', ...serves]],
  // One exception: the variables of `serve` are made from the proxy's table of options, which no merchant needs.
  ['cli/serve/', ['proxy/set-up/options/']],
];

/** Each package of others, and the files that may import it. */
const packages = [
  // Types only in `card`, `page` and `browser`: see .oxlintrc.json.
  ['lit', 'checkout/(views|element|html|card|page|browser)/'],
  ['(@lit/)?react', 'react\\.ts$'],
  ['qrcode', '(checkout/views/|proxy/door/pay/qr-image\\.ts$)'],
  ['zod/mini', '(contract/schemas\\.ts$|service/|proxy/|sandbox/|cli/)'],
  ['sql-template-tag', 'proxy/store/sql/'],
  ['libsql', 'proxy/store/sql/sqlite\\.ts$'],
  ['pg', 'proxy/store/sql/postgres\\.ts$'],
  ['prom-client', 'proxy/door/node/metrics-endpoint\\.ts$'],
  ['undici', 'proxy/door/node/transport\\.ts$'],
];

/** Modules of Node. */
const forNode = [
  'ledger\\.ts$',
  'proxy/door/node/',
  'proxy/store/sql/sqlite\\.ts$',
  'sandbox/serve-sandbox\\.ts$',
  'cli(/|\\.ts$)',
];

const paths = (names) => names.map((name) => `^src/${name}`);

export default {
  forbidden: [{ name: 'circle', severity: 'error', from: {}, to: { circular: true } }],
  allowed: [
    ...rooms.map(([room, others]) => ({
      from: { path: `^src/${room}` },
      to: { path: paths([room, ...others]) },
    })),
    ...packages.map(([name, files]) => ({
      from: { path: `^src/${files}` },
      to: { path: `^node_modules/${name}/` },
    })),
    { from: { path: paths(forNode) }, to: { dependencyTypes: ['core'] } },
    { from: { path: '^demo/' }, to: { pathNot: '^test/' } },
  ],
  allowedSeverity: 'error',
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '^test/', '^dist/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
