/**
 * Lets the requests of this process that want a code of one order wait for the one that makes it, and share its failure: else a
 * crowd would send one creation after another in an outage. This only saves calls. The order itself ensures that it has one
 * code (`order/asks/pix.ts`), because other processes know nothing of this one.
 */

import type { Settings } from '../../set-up/options/read-options.js';
import { startPause } from '../../runtime/running.js';
import type { Pause } from '../../runtime/running.js';
import { LedgerError } from '../../store/ledger-error.js';
import { PageLeft, ProxyError } from '../../set-up/proxy-error.js';

/** How often an order is asked that another process makes a code for, milliseconds. */
const askAgainMs = 150;

/** Requests for codes of one process. `own` is the ending of the request that calls. */
export function createCrowd({ startTimer }: Pick<Settings, 'startTimer'>) {
  const leaders = new Map<string, Promise<unknown>>();
  const waits = new Map<string, Pause>();

  return {
    /** It makes the order's code now: others wait until it has ended. */
    lead(externalId: string, own: Promise<unknown>): void {
      leaders.set(externalId, own);
      waits.get(externalId)?.end();
      const end = () => {
        if (leaders.get(externalId) === own) leaders.delete(externalId);
      };
      own.then(end, end);
    },

    /** Waits while another request makes the order's code. @throws what that one fails with, if this one would, too */
    async follow(externalId: string, own: Promise<unknown>): Promise<void> {
      for (let leader = leaders.get(externalId); leader; leader = leaders.get(externalId)) {
        if (leader === own) return;
        await leader.catch((thrown: unknown) => {
          if (isShared(thrown)) throw thrown;
        });
      }
    },

    /** Waits a moment for another process, together with all that wait, or until one of this process makes the code. */
    async waitBriefly(externalId: string, own: Promise<unknown>): Promise<void> {
      if ((leaders.get(externalId) ?? own) !== own) return;
      await (waits.get(externalId) ?? startWait(externalId)).over;
    },
  };

  function startWait(externalId: string): Pause {
    const wait = startPause(startTimer, askAgainMs);
    waits.set(externalId, wait);
    void wait.over.then(() => waits.delete(externalId));
    return wait;
  }
}

/** Whether the others who wait for the order would fail in the same way. */
function isShared(thrown: unknown): boolean {
  if (thrown instanceof LedgerError) return true;
  if (thrown instanceof PageLeft) return false;
  return thrown instanceof ProxyError && /^(?:service_unavailable|in_progress)$/.test(thrown.code);
}
