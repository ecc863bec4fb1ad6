/** The ledger in this process: gone when it ends. */

import { createMemoryStore } from '../../store/memory/memory-store.js';
import type { Ledger } from '../ledger.js';
import { createOrderLedger } from '../order-ledger.js';

/** @param now wall clock, milliseconds since 1970 */
export function createMemoryLedger(now: () => number): Ledger {
  return createOrderLedger(createMemoryStore(now));
}
