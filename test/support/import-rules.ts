/**
 * Who may import whom inside src/: the rooms, the arrows between them, and the packages each may use.
 *
 * Owns the rules as data and the finding of violations; knows nothing of files on a disk.
 */
import { reachableFrom, type Import } from './import-graph.js';

/** A folder of src/ and what it may import beside itself. */
interface Room {
  readonly name: string;
  readonly files: RegExp;
  readonly mayImport: readonly string[];
}

/** Rooms of the proxy in the order in which a request passes them: an arrow runs only down this list. */
const proxyRooms = [
  'node',
  'http',
  'pay',
  'operations',
  'postbacks',
  'reconciliation',
  'pix',
  'cards',
  'status',
  'outbox',
  'idempotency',
  'gateway',
  'merchant',
  'tokens',
] as const;

/** Rooms of the proxy that hold no step of a payment: open to all others. */
const openToTheProxy = ['runtime', 'config', 'ledger'];

/** What any part of the proxy may import from outside of it. */
const belowTheProxy = ['contract', 'service', 'domain'];

/** The first match counts. */
const rooms: readonly Room[] = [
  room('domain', []),
  room('contract', ['domain']),
  room('checkout/machine', ['contract', 'domain']),
  room('checkout/locales', ['checkout/machine', 'contract', 'domain']),
  room('checkout/browser', ['checkout/machine', 'contract', 'domain']),
  room('checkout/page', [
    'checkout/machine',
    'checkout/browser',
    'checkout/locales',
    'contract',
    'domain',
  ]),
  // The card form is a file of its own: it imports nothing that the element brings.
  {
    name: 'card form',
    files:
      /^src\/checkout\/card\/(locales\/|views\/|(card-(draft|form|file-entry|file-contract)|tokenizer|typing)\.ts$)/,
    mayImport: ['contract', 'domain'],
  },
  room('checkout/card', [
    'card form',
    'checkout/browser',
    'checkout/locales',
    'contract',
    'domain',
  ]),
  room('checkout/views', [
    'checkout/page',
    'checkout/machine',
    'checkout/locales',
    'contract',
    'domain',
  ]),
  // The payment page's script is a file of its own: the element's comes beside it.
  room('checkout/pay', ['contract']),
  room('checkout/html', [
    ...['element', 'page', 'views', 'machine', 'locales'].map((name) => `checkout/${name}`),
    'contract',
  ]),
  room('checkout/element', [
    ...['page', 'views', 'card', 'machine', 'browser', 'locales'].map((name) => `checkout/${name}`),
    'card form',
    'contract',
    'domain',
  ]),
  { name: 'wire', files: /^src\/service\/wire\.ts$/, mayImport: [] },
  { name: 'service', files: /^src\/service(\/|\.ts$)/, mayImport: ['wire'] },
  {
    name: 'proxy/ledger/sql',
    files: /^src\/(proxy\/ledger\/sql\/|ledger\.ts$)/,
    mayImport: ['proxy/ledger', 'contract'],
  },
  room('proxy/ledger/memory', ['proxy/ledger', 'contract']),
  room('proxy/ledger', ['contract']),
  room('proxy/config', ['proxy/ledger', 'proxy/runtime', ...belowTheProxy]),
  room('proxy/runtime', ['proxy/ledger', 'proxy/config', ...belowTheProxy]),
  ...proxyRooms.map((name, at) =>
    room(`proxy/${name}`, [
      ...[...proxyRooms.slice(at + 1), ...openToTheProxy].map((other) => `proxy/${other}`),
      ...belowTheProxy,
      // The payment page speaks as the element does.
      ...(name === 'pay' ? ['checkout/locales'] : []),
    ]),
  ),
  {
    name: 'proxy',
    files: /^src\/proxy(\/proxy)?\.ts$/,
    mayImport: [
      ...[...proxyRooms, ...openToTheProxy, 'ledger/memory'].map((name) => `proxy/${name}`),
      ...belowTheProxy,
    ],
  },
  { name: 'sandbox', files: /^src\/sandbox(\/|\.ts$)/, mayImport: ['wire', 'domain'] },
  { name: 'testing', files: /^src\/testing(\/|\.ts$)/, mayImport: ['contract', 'sandbox'] },
  {
    name: 'entry of the element',
    files: /^src\/(index|element)\.ts$/,
    mayImport: ['element', 'page', 'views', 'machine', 'locales']
      .map((name) => `checkout/${name}`)
      .concat('card form', 'contract'),
  },
  {
    name: 'entry for pages made on a server',
    files: /^src\/html\.ts$/,
    mayImport: ['html', 'page', 'locales'].map((name) => `checkout/${name}`).concat('contract'),
  },
  {
    name: 'entry for order tokens',
    files: /^src\/order-token\.ts$/,
    mayImport: ['proxy/tokens'],
  },
  { name: 'entry for React', files: /^src\/react\.ts$/, mayImport: ['entry of the element'] },
  { name: 'entry for Node', files: /^src\/node\.ts$/, mayImport: ['proxy/node'] },
  // The command is a merchant's program among others: it has the rooms' entries, and what proxy and browser share.
  {
    name: 'cli',
    files: /^src\/cli(\/|\.ts$)/,
    mayImport: [
      'proxy',
      'proxy/ledger/sql',
      'entry for Node',
      'entry for order tokens',
      'service',
      'sandbox',
      'contract',
      'domain',
    ],
  },
];

/** Rooms that leave the package as files of their own are entered by these, from every other room. */
const doors: Readonly<Record<string, readonly string[]>> = {
  service: ['src/service.ts', 'src/service/call.ts', 'src/service/secure-url.ts'],
  proxy: ['src/proxy.ts'],
  'proxy/ledger/sql': ['src/ledger.ts'],
  sandbox: ['src/sandbox.ts', 'src/sandbox/br-code-writer.ts'],
  'card form': ['src/checkout/card/card-file-contract.ts', 'src/checkout/card/card-file-entry.ts'],
};

function room(folder: string, mayImport: readonly string[]): Room {
  return { name: folder, files: new RegExp(`^src/${folder}/`), mayImport };
}

/** Packages, and the files that may import them. */
const packages: readonly { name: RegExp; files: RegExp; typesOnly?: boolean }[] = [
  {
    name: /^lit(\/|$)/,
    files: /^src\/checkout\/(views\/|element\/|html\/|card\/card-loader\.ts$)/,
  },
  // The card form is handed its Lit: a second copy would be bytes, and trouble with Trusted Types.
  { name: /^lit$/, files: /^src\/checkout\/(card|page|browser)\/[^/]+\.ts$/, typesOnly: true },
  { name: /^(@lit\/)?react$/, files: /^src\/react\.ts$/ },
  // A file beside one's own, wherever that is: the card form's, and the element's.
  {
    name: /^url\.href$/,
    files: /^src\/checkout\/(card\/card-file\.script-tag|pay\/pay-page-entry)\.ts$/,
  },
  // The merchant's own module, which `--config` names.
  { name: /^href$/, files: /^src\/cli\/serve\/config-module\.ts$/ },
  {
    name: /^qrcode\/lib\/core\/polynomial\.js$/,
    files: /^src\/checkout\/views\/qr\/symbol\.ts$/,
  },
  {
    name: /^zod\/mini$/,
    files: /^src\/(contract\/schemas\.ts$|service\/|proxy\/|sandbox\/|cli\/)/,
  },
  { name: /^kysely(\/|$)/, files: /^src\/proxy\/ledger\/sql\// },
  { name: /^libsql$/, files: /^src\/proxy\/ledger\/sql\/sqlite\.ts$/ },
  { name: /^pg$/, files: /^src\/proxy\/ledger\/sql\/postgres\.ts$/ },
  { name: /^prom-client$/, files: /^src\/proxy\/node\/metrics-endpoint\.ts$/ },
  { name: /^undici$/, files: /^src\/proxy\/node\/transport\.ts$/ },
  { name: /^node:(path|url)$/, files: /^src\/proxy\/ledger\/sql\/sqlite\.ts$/ },
  { name: /^node:fs$/, files: /^src\/proxy\/ledger\/sql\/sqlite\.ts$/ },
  { name: /^node:/, files: /^src\/(proxy\/node\/|sandbox\/serve-sandbox\.ts$|cli(\/|\.ts$))/ },
];

/** What a browser loads first: none of these may bring zod along, which weighs a third of the whole. */
const browserEntries = ['index', 'element', 'html', 'react', 'checkout/pay/pay-page-entry'].map(
  (name) => `src/${name}.ts`,
);

/** One sentence per violation; empty if all is well. */
export function findViolations(imports: readonly Import[]): string[] {
  return [...imports.flatMap(checkImport), ...checkWeight(imports), ...checkCycles(imports)];
}

function checkImport(edge: Import): string[] {
  const allowed = edge.to.startsWith('src/') ? mayImportRoom(edge) : mayImportPackage(edge);
  return allowed ? [] : [`${edge.from} must not import ${edge.to}`];
}

function mayImportRoom({ from, to }: Import): boolean {
  const source = roomOf(from);
  const target = roomOf(to);
  if (source === undefined || target === undefined) return false;
  if (source === target) return true;
  const door = doors[target.name];
  const throughDoor = door === undefined || door.includes(to) || source.name === 'entry';
  return source.mayImport.includes(target.name) && throughDoor;
}

function mayImportPackage({ from, to, isType }: Import): boolean {
  return packages.some(
    ({ name, files, typesOnly }) =>
      name.test(to) && files.test(from) && (typesOnly !== true || isType),
  );
}

function roomOf(path: string) {
  return rooms.find(({ files }) => files.test(path));
}

function checkWeight(imports: readonly Import[]): string[] {
  return browserEntries.flatMap((entry) =>
    [...reachableFrom(entry, imports, ({ isType }) => !isType)]
      .filter((module) => /^zod(\/|$)/.test(module))
      .map((module) => `${entry} must not load ${module}`),
  );
}

function checkCycles(imports: readonly Import[]): string[] {
  return [...new Set(imports.map(({ from }) => from))]
    .filter((module) =>
      imports.some(({ from, to }) => from === module && reachableFrom(to, imports).has(module)),
    )
    .map((module) => `${module} imports itself in a circle`);
}
