/**
 * Which tests run when: `npm test` is the short tier, in which each promise is held once; `npm run test:all`, and `CI=true`,
 * run every file, and every case, round and engine of it (runs.ts). A file that is named always runs.
 */
import { relative } from 'node:path';
import { root } from '../tools.js';

/** Files and folders of the long tier. Beside each what the short tier has of its kind. */
const longTier: readonly string[] = [
  // Kills: the same rounds over SQLite.
  'test/proxy/crash/postgres.test.ts',
  // They install packages of their own: package.test.ts reads the built files, react.test.ts the component.
  'test/packed/packed.test.ts',
  'test/packed/peers.test.ts',
  'test/frameworks',
  'test/openapi',
  'test/runtimes',
];

/** Files that change the process they run in, or measure it: each gets one of its own. */
const alone: readonly string[] = [
  // Vite leaves NODE_ENV behind, and others put a document and a window into the process.
  'test/checkout/card',
  'test/checkout/browser/hostile-answers.test.ts',
  'test/checkout/element/payment/two-tabs.test.ts',
  'test/hops.test.ts',
  // They run compilers and programs, and node:test does not wait for these behind other files.
  'test/packed/types.test.ts',
  'test/readme.test.ts',
  // Web Crypto is replaced.
  'test/proxy/store-faults.test.ts',
  'test/simulation',
];

/** Whether a file of tests runs with `CI=true` only. */
export function isLong(path: string): boolean {
  return isListed(path, longTier);
}

/** Puts files of unit tests into processes: one each for those that need it, the others dealt out. */
export function toProcesses(paths: readonly string[], atOnce: number): string[][] {
  const shared = paths.filter((path) => !isListed(path, alone));
  const decks = Array.from({ length: atOnce }, (_, at) =>
    shared.filter((_path, index) => index % atOnce === at),
  );
  const single = paths.filter((path) => isListed(path, alone)).map((path) => [path]);
  return [...single, ...decks.filter((deck) => deck.length > 0)];
}

function isListed(path: string, list: readonly string[]): boolean {
  const inside = relative(root, path).replaceAll('\\', '/');
  return list.some((one) => inside === one || inside.startsWith(`${one}/`));
}
