/** The proxy's code as a history needs it. */

import { signOrder } from '../../../src/order-token.js';
import { createProxy } from '../../../src/proxy.js';
import { findInternals } from '../../../src/proxy/door/request.js';
import { LedgerError } from '../../../src/proxy/store/ledger-error.js';
import { createMemoryStore } from '../../../src/proxy/store/memory/memory-store.js';

export const room = {
  createProxy,
  signOrder,
  /** The handler without a Request and a Response, which cost more than all the rest of a step. */
  findInternals,
  createMemoryStore,
  LedgerError,
};

export type Room = typeof room;
