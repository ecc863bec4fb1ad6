/**
 * Who may import whom inside src/: the rooms of the house, the arrows between them, and the packages each may use.
 *
 * Owns the rules as data and the finding of violations; knows nothing of files on a disk.
 */
import { reachableFrom, type Import } from './import-graph.js';

/** The rooms, what each may import beside itself, and what belongs to it: the first match counts. */
const rooms: readonly { name: string; files: RegExp; mayImport: readonly string[] }[] = [
  { name: 'domain', files: /^src\/domain\//, mayImport: [] },
  { name: 'contract', files: /^src\/contract\//, mayImport: ['domain'] },
  { name: 'machine', files: /^src\/checkout\/machine\//, mayImport: ['contract', 'domain'] },
  { name: 'card', files: /^src\/checkout\/card\//, mayImport: ['contract', 'domain'] },
  {
    name: 'checkout',
    files: /^src\/checkout\//,
    mayImport: ['machine', 'card', 'contract', 'domain'],
  },
  { name: 'wire', files: /^src\/service\/wire\.ts$/, mayImport: [] },
  { name: 'service', files: /^src\/service(\/|\.ts$)/, mayImport: ['wire'] },
  // What a ledger is. Whoever needs none of a database gets none: the proxy knows these words only.
  { name: 'orders', files: /^src\/proxy\/orders\//, mayImport: ['contract'] },
  {
    name: 'ledger',
    files: /^src\/(proxy\/ledger\/|ledger\.ts$)/,
    mayImport: ['orders', 'contract'],
  },
  {
    name: 'proxy',
    files: /^src\/proxy(\/|\.ts$)/,
    mayImport: ['orders', 'contract', 'service', 'wire', 'domain'],
  },
  { name: 'sandbox', files: /^src\/sandbox(\/|\.ts$)/, mayImport: ['wire', 'domain'] },
  {
    name: 'entry',
    files: /^src\/(index|element|node)\.ts$/,
    mayImport: ['machine', 'checkout', 'contract', 'domain', 'proxy'],
  },
];

/** Rooms that leave the house as files of their own are entered by these, from every other room. */
const doors: Readonly<Record<string, readonly string[]>> = {
  service: ['src/service.ts'],
  proxy: ['src/proxy.ts'],
  ledger: ['src/ledger.ts'],
  sandbox: ['src/sandbox.ts'],
  card: ['src/checkout/card/card-room.ts', 'src/checkout/card/index.ts'],
};

/** Packages, and the files that may import them. */
const packages: readonly { name: RegExp; files: RegExp; typesOnly?: boolean }[] = [
  {
    name: /^lit(\/|$)/,
    files: /^src\/checkout\/(views\/|pix-checkout(\.styles)?\.ts$|card-desk\.ts$)/,
  },
  // The card form is handed its Lit: a second copy would be bytes, and trouble with Trusted Types.
  { name: /^lit$/, files: /^src\/checkout\/(card\/)?[^/]+\.ts$/, typesOnly: true },
  // The card form's file beside the script tag's, wherever that is.
  { name: /^url\.href$/, files: /^src\/checkout\/card-file\.script-tag\.ts$/ },
  { name: /^qrcode\/lib\/core\/qrcode\.js$/, files: /^src\/checkout\/views\// },
  { name: /^qrcode$/, files: /^src\/checkout\/views\//, typesOnly: true },
  { name: /^zod\/mini$/, files: /^src\/(contract\/schemas\.ts$|service\/|proxy\/|sandbox\/)/ },
  { name: /^kysely(\/|$)/, files: /^src\/proxy\/ledger\// },
  { name: /^libsql$/, files: /^src\/proxy\/ledger\/sqlite\.ts$/ },
  { name: /^pg$/, files: /^src\/proxy\/ledger\/postgres\.ts$/ },
  { name: /^node:(path|url)$/, files: /^src\/proxy\/ledger\/sqlite\.ts$/ },
  { name: /^node:fs$/, files: /^src\/proxy\/ledger\/open-files\.ts$/ },
  { name: /^node:/, files: /^src\/([^/]+\/)*node(-[a-z]+)*\.ts$/ },
];

/** What a browser loads first: none of these may bring zod along, which weighs a third of the whole. */
const browserEntries = ['src/index.ts', 'src/element.ts'];

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
