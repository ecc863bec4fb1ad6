/**
 * Which files run when. `npm test` is the short tier: all files but `longTier`, with a few rounds of each search (runs.ts).
 * `npm run test:all`, and `CI=true`, run every file, round and engine. A file that is named always runs.
 */

/** What only `npm run test:all` runs. */
export const longTier: readonly string[] = [
  // Real browsers; test/e2e/journeys.e2e.ts pays three times in one.
  'test/e2e/*/**',
  'test/support/**',
  'test/gallery/**',
  'test/frameworks/**',
  // Kills, several machines, and PostgreSQL; the stores in memory and in SQLite stay.
  'test/proxy/crash/**',
  'test/proxy/machines/**',
  'test/proxy/store/{machine-clocks,moved-databases,postgres}.test.ts',
  // Real servers and sockets, which are ended, closed and hung; the door under node:http and its transport stay.
  'test/proxy/door/node/{kept-connections,server,start,transport-failures}.test.ts',
  // Hundreds of orders that are due at once, beside payers.
  'test/proxy/run/due/payers-first.test.ts',
  // Histories made by chance: the rules that they search stay.
  'test/simulation/**',
  // Documents, bundlers, a page without a browser.
  'test/documents.test.ts',
  'test/checkout/card/card-bundle.test.ts',
  'test/checkout/element/jsdom.test.ts',
  // README's examples, each in a process of its own; journeys.e2e.ts pays in README's shop.
  'test/readme.test.ts',
  // The command, the demo, other languages, the package as it is installed.
  'test/cli/**',
  'test/conformance/**',
  'test/demo/**',
  'test/openapi/**',
  'test/packed/**',
  'test/proxy/store/sql/drivers.test.ts',
  'test/react.test.ts',
  'test/runtimes/**',
];

/** Left out on the other Nodes: what is pure, runs in browsers, in other languages or on Node 20 only, or reads files only. */
export const onOneNode: readonly string[] = [
  'test/checkout/**',
  'test/conformance/**',
  'test/contract/**',
  'test/domain/**',
  'test/gallery/**',
  'test/support/**',
  'test/proxy/order/!(promises)*',
  'test/proxy/order/*/**',
  // What a proxy decides; its door, its stores and whole proxies over them run on each Node.
  'test/proxy/run/!(upstream-faults)*',
  'test/proxy/run/!(cards)/**',
  'test/proxy/run/cards/!(card-canary)*',
  'test/proxy/idempotency/**',
  'test/proxy/door/postbacks/!(unverified-matches)*',
  'test/proxy/barred-keys.test.ts',
  'test/proxy/store-faults.test.ts',
  // What several machines make of one database; postgres.test.ts ends connections on each Node.
  'test/proxy/crash/postgres.test.ts',
  'test/proxy/machines/**',
  'test/proxy/store/{machine-clocks,moved-databases}.test.ts',
  'test/cli/check/points.test.ts',
  // Files, declarations, and packages that are installed.
  'test/{documents,react}.test.ts',
  'test/demo/operations/**',
  'test/openapi/**',
  'test/packed/!(package).test.ts',
  'test/runtimes/**',
];

/** Files that change the process they run in, or measure it: each gets one of its own. */
export const alone: readonly string[] = [
  // Vite leaves NODE_ENV behind.
  'test/checkout/card/card-bundle.test.ts',
  // Languages that another file has fetched are there at once.
  'test/checkout/locales/locales.test.ts',
  // Calls that another file leaves open are counted.
  'test/proxy/runtime/merchant-calls.test.ts',
  // Timers are replaced.
  'test/simulation/**/*.test.ts',
];
