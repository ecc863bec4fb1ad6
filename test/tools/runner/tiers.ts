/**
 * Which tests run when: `npm test` is the short tier, in which each promise is held once; `npm run test:all`, and `CI=true`,
 * run every file, and every case, round and engine of it (runs.ts). A file that is named always runs.
 */

/** Files of the long tier. Beside each what the short tier has of its kind. */
export const longTier: readonly string[] = [
  // Kills: the same rounds over SQLite.
  'test/proxy/crash/postgres.test.ts',
  // Pages of long ago, and pages that morph: the component's tests take changes while they are shown.
  'test/e2e/shops/old-libraries.e2e.ts',
  'test/e2e/shops/rendered-anew.e2e.ts',
  // They install packages of their own: package.test.ts reads the built files, react.test.ts the component.
  'test/packed/packed.test.ts',
  'test/packed/examples.test.ts',
  'test/packed/peers.test.ts',
  'test/frameworks/**',
  'test/openapi/**',
  'test/runtimes/**',
];

/** What runs in browsers, or in other languages, is the same on each Node. So is what is pure, and what reads files only. */
export const onOneNode: readonly string[] = [
  'test/checkout/**',
  'test/conformance/**',
  'test/domain/**',
  'test/gallery/**',
  // Pure: whole proxies run in promises.test.ts.
  'test/contract/**',
  'test/proxy/order/!(promises)*',
  'test/proxy/order/*/**',
  // What a proxy decides, whatever Node it runs on: its door, its stores and whole proxies over them run on each.
  'test/proxy/run/!(upstream-faults)*',
  'test/proxy/run/!(cards)/**',
  'test/proxy/idempotency/**',
  'test/proxy/door/postbacks/!(unverified-matches)*',
  'test/proxy/barred-keys.test.ts',
  'test/proxy/store-faults.test.ts',
  // What a canary may leave in errors and in what Node prints of them is another matter on each.
  'test/proxy/run/cards/!(card-canary)*',
  // What several machines make of one database, and of one that went away: postgres.test.ts ends connections on each.
  'test/proxy/machines/**',
  'test/proxy/store/machine-clocks.test.ts',
  'test/proxy/store/moved-databases.test.ts',
  // What the check says of a hundred wrong proxies; check.test.ts holds it against ours.
  'test/cli/check/points.test.ts',
  // Files and declarations.
  'test/documents.test.ts',
  'test/demo/operations/**',
  'test/import-rules.test.ts',
  'test/packed/manifest.test.ts',
  'test/packed/prepare.test.ts',
  'test/packed/types.test.ts',
  'test/react.test.ts',
  'test/repository.test.ts',
  'test/rooms.test.ts',
];

/** Files that take half a minute and longer: they begin first, in this order (longest-first.ts). */
export const longest: readonly string[] = [
  'test/frameworks/frameworks.e2e.ts',
  'test/demo/scenarios.e2e.ts',
  'test/gallery/pictures.e2e.ts',
  'test/e2e/payment/return.e2e.ts',
  'test/e2e/payment/tasks.e2e.ts',
  'test/packed/packed.test.ts',
  'test/packed/peers.test.ts',
  'test/proxy/crash/postgres.test.ts',
  'test/proxy/crash/sqlite.test.ts',
  'test/proxy/machines/promoted-standby.test.ts',
  'test/cli/check/points.test.ts',
  'test/simulation/histories-1.test.ts',
  'test/simulation/histories-2.test.ts',
  'test/simulation/planted-bugs.test.ts',
];

/** Files that change the process they run in, or measure it: each gets one of its own. */
export const alone: readonly string[] = [
  // Vite leaves NODE_ENV behind, and others put a document and a window into the process.
  'test/checkout/card/**/*.test.ts',
  'test/checkout/browser/hostile-answers.test.ts',
  'test/checkout/element/payment/two-tabs.test.ts',
  // Languages that another file has fetched are there at once.
  'test/checkout/locales/locales.test.ts',
  // Timers are replaced.
  'test/simulation/**/*.test.ts',
];
