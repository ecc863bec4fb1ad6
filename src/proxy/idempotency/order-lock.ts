/**
 * One piece of work at a time for each order, in this process and, where the ledger is shared, over all of them.
 *
 * Spares the service a second creation. That an order has one code does not rest on it: a process that stood still has lost
 * its turn unnoticed, and the ledger's `recordCode` refuses what it made. Knows nothing of what is done.
 */

import type { Settings } from '../config/read-options.js';
import type { Ledger } from '../ledger/ledger.js';
import { ProxyError, unavailable } from '../runtime/proxy-error.js';
import { startJobLoop } from '../runtime/job-loop.js';

/** How long a turn outlives the process that has it, milliseconds. */
const leaseMs = 5_000;

/** How often it is renewed while its work is under way, milliseconds. One renewal may fail. */
const renewEveryMs = 1_600;

/** How often a turn that another process has is asked for again, milliseconds. */
const askAgainMs = 150;

/** How long it is asked for, milliseconds. Then the page asks again, when it is told to. */
const patienceMs = 2_000;

/**
 * @param externalId the order that must not be worked on twice at once
 * @throws ProxyError `service_unavailable`: another process is at work, or work that was waited for failed so
 */
export type WithOrderLock = <T>(externalId: string, work: () => Promise<T>) => Promise<T>;

/** Makes the queue of one proxy. */
export function createOrderLock(
  ledger: Pick<Ledger, 'acquireOrderLock' | 'releaseOrderLock'>,
  { now, randomUuid, startTimer }: Pick<Settings, 'now' | 'randomUuid' | 'startTimer'>,
): WithOrderLock {
  const running = new Map<string, Promise<unknown>>();
  return async (externalId, work) => {
    for (let former = running.get(externalId); former; former = running.get(externalId)) {
      // Who waited for an outage shares it, or a crowd would send one creation after another.
      await former.catch((thrown: unknown) => {
        if (isOutage(thrown)) throw thrown;
      });
    }
    const turn = withLease(externalId, work);
    running.set(externalId, turn);
    try {
      return await turn;
    } finally {
      running.delete(externalId);
    }
  };

  async function withLease<T>(externalId: string, work: () => Promise<T>): Promise<T> {
    const holder = randomUuid();
    const take = () => ledger.acquireOrderLock(externalId, holder, leaseMs);
    // Where it cannot be renewed, the work goes on.
    const renew = () => take().then(nothing, nothing);
    try {
      await waitFor(take);
      const times = { firstMs: renewEveryMs, everyMs: renewEveryMs };
      const renewal = startJobLoop(renew, times, startTimer);
      // A renewal that is under way when the turn ends would take it again.
      return await work().finally(renewal.close);
    } finally {
      // Also one that seems not to have been taken: a ledger that fails may have done it all the same.
      // Where it cannot be ended, it ends by its time.
      await ledger.releaseOrderLock(externalId, holder).catch(nothing);
    }
  }

  async function waitFor(take: () => Promise<number>): Promise<void> {
    const giveUpAtMs = now() + patienceMs;
    for (let freeInMs = await take(); freeInMs > 0; freeInMs = await take()) {
      if (now() >= giveUpAtMs) throw unavailable(Math.ceil(freeInMs / 1_000));
      await new Promise<void>((resolve) => void startTimer(resolve, askAgainMs));
    }
  }
}

const nothing = () => undefined;

function isOutage(thrown: unknown): boolean {
  return thrown instanceof ProxyError && thrown.code === 'service_unavailable';
}
