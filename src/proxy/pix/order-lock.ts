/**
 * Requests of this process that want a code of one order wait for the one that makes it, and share its failure: else a crowd
 * would send one creation after another in an outage. It spares calls, no more: that an order has one code rests on the order
 * itself (`order/creations.ts`), because other processes know nothing of this one.
 */

import type { Settings } from '../config/read-options.js';
import { LedgerError } from '../store/ledger-error.js';
import { PageLeft, ProxyError } from '../runtime/proxy-error.js';

/** How often an order is read that another process makes a code for, milliseconds. */
const askAgainMs = 150;

/** The order locks of one process. */
export interface OrderLock {
  /** Does the work when no other request of this process works on the order. @throws what the others would fail with, too */
  readonly run: <T>(externalId: string, work: () => Promise<T>) => Promise<T>;
  /** Waits a moment, together with all that wait for the order. */
  readonly waitBriefly: (externalId: string) => Promise<void>;
}

/** Makes the order locks of one process. */
export function createOrderLock({ startTimer }: Pick<Settings, 'startTimer'>): OrderLock {
  const working = new Map<string, Promise<unknown>>();
  const waits = new Map<string, Promise<void>>();

  return {
    async run(externalId, work) {
      for (let other = working.get(externalId); other; other = working.get(externalId)) {
        await other.catch((thrown: unknown) => {
          if (isShared(thrown)) throw thrown;
        });
      }
      const own = work();
      working.set(externalId, own);
      try {
        return await own;
      } finally {
        working.delete(externalId);
      }
    },

    async waitBriefly(externalId) {
      const known = waits.get(externalId);
      if (known) return known;
      const wait = new Promise<void>((resolve) => void startTimer(resolve, askAgainMs));
      waits.set(externalId, wait);
      await wait;
      waits.delete(externalId);
    },
  };
}

/** Whether the others who wait for the order would fail in the same way. */
function isShared(thrown: unknown): boolean {
  if (thrown instanceof LedgerError) return true;
  if (thrown instanceof PageLeft) return false;
  return thrown instanceof ProxyError && /^(?:service_unavailable|in_progress)$/.test(thrown.code);
}
