/**
 * Package entry `pix-checkout/ledger`: opens a ledger in a database, chosen by its URL, and makes its tables. The default is
 * durable; memory has to be named.
 */

import { resolve } from 'node:path';
import { describeOrder, type OrderDescription } from './proxy/order/told/describe-order.js';
import { forgetOrder, record, type Ledger } from './proxy/store/order-store.js';
import type { ForgetAnswer } from './proxy/order/due.js';
import { requeueUntold } from './proxy/order/told/outbox.js';
import { createMemoryStore } from './proxy/store/memory-store.js';
import { openStore } from './proxy/store/open-store.js';
import { refuseMissing } from './service/secure-url.js';

export { LedgerError } from './proxy/store/order-store.js';
export { moveLedger } from './proxy/store/sql/move.js';
export type { Moved, MoveOptions } from './proxy/store/sql/move.js';

/** The place of a ledger. */
export interface LedgerOptions {
  /**
   * `file:./pix.db` is SQLite in a file on this machine; Node 24 contains SQLite, older versions need the package `libsql`.
   * `postgres://…` is PostgreSQL, for several machines, and needs `pg`. `memory:` loses everything when the process ends.
   * Default: {@link defaultLedgerUrl}, and a line on stderr that names the file.
   */
  readonly url?: string;
  /**
   * For tests: the clock, milliseconds since 1970, which the proxy then uses as well. Without it: the machine's clock for a
   * file, and the database's for PostgreSQL, so that clocks of machines need not agree.
   * @internal
   */
  readonly now?: () => number;
  /**
   * Opens an existing ledger, to call `describeOrder` beside running proxies: makes no file and no table, and changes
   * nothing. Default: false.
   */
  readonly readOnly?: boolean;
}

/** The place of a ledger if no other is given. */
export const defaultLedgerUrl = 'file:./pix-checkout.db';

/** A ledger that is open until it is closed. */
export interface OpenLedger extends Ledger {
  /** Tells what happened to an order, as `proxy.describeOrder` does. @returns null if the order is unknown */
  describeOrder(this: void, externalId: string): Promise<OrderDescription | null>;
  /** Deletes one order, as `proxy.forget` does. */
  forget(this: void, externalId: string): Promise<ForgetAnswer>;
  /** Has the running proxies call their hooks at once, as `proxy.tellAgain` does. @returns whether there is anything to tell */
  tellAgain(this: void, externalId: string): Promise<boolean>;
}

/**
 * Opens the ledger for `createProxy({ledger})` and makes its tables if they are missing.
 * @throws TypeError for a `url` of another kind, or an undefined one (is the variable set?); Error if the package that it
 * needs is missing; LedgerError if the database cannot be reached. No error quotes the URL.
 */
export async function openLedger(options: LedgerOptions = {}): Promise<OpenLedger> {
  // A variable that is not set must not lead to a file that the next deploy deletes.
  if ('url' in options) refuseMissing('url', options.url);
  const { url = tellDefault(), now = Date.now } = options;
  const store = url === 'memory:' ? createMemoryStore(now) : await openStore({ ...options, url });
  const ledger = {
    ...store,
    describeOrder: async (id: string) => describeOrder(await store.read(id), store.now()),
    forget: (id: string) => forgetOrder(store, id),
    tellAgain: (id: string) => record(store, id, requeueUntold, null),
  };
  return ledger;
}

/** Prints where the default file lies, so that it does not surprise a developer who named none. */
function tellDefault(): string {
  const path = resolve(defaultLedgerUrl.slice('file:'.length));
  // oxlint-disable-next-line no-console -- stderr is where a server's operators look
  console.error(`pix-checkout keeps its orders in ${path} (openLedger without a url)`);
  return defaultLedgerUrl;
}
