/**
 * One piece of work at a time for each order, in this process and, where the ledger is shared, over all of them.
 *
 * Knows nothing of what is done.
 */

import type { Settings } from './options.js';
import type { Ledger } from './orders/orders.js';
import { unavailable } from './refusal.js';

/** How long a turn lasts if its process dies, milliseconds: longer than the work takes. */
const turnForMs = 60_000;

/** How often a turn that another process has is asked for again, milliseconds. */
const askAgainMs = 150;

/** How long it is asked for, milliseconds: no page waits longer. */
const patienceMs = 20_000;

/**
 * @param externalId the order that must not be worked on twice at once
 * @param work given what the work it waited for was rejected with, if it was: the fault may be its own too
 * @throws Refusal `service_unavailable`: another process does not come to an end
 */
export type InTurn = <T>(externalId: string, work: (failure?: unknown) => Promise<T>) => Promise<T>;

/** Makes the queue of one proxy. */
export function createTurns(
  ledger: Ledger,
  { now, randomUuid, startTimer }: Pick<Settings, 'now' | 'randomUuid' | 'startTimer'>,
): InTurn {
  const running = new Map<string, Promise<unknown>>();
  return async (externalId, work) => {
    let failure: unknown;
    for (let former = running.get(externalId); former; former = running.get(externalId)) {
      failure = await former.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    }
    const turn = withTurn(externalId, () => work(failure));
    running.set(externalId, turn);
    try {
      return await turn;
    } finally {
      running.delete(externalId);
    }
  };

  async function withTurn<T>(externalId: string, work: () => Promise<T>): Promise<T> {
    const holder = randomUuid();
    const giveUpAtMs = now() + patienceMs;
    while (!(await ledger.takeTurn(externalId, holder, turnForMs))) {
      if (now() >= giveUpAtMs) throw unavailable();
      await new Promise<void>((resolve) => void startTimer(resolve, askAgainMs));
    }
    try {
      return await work();
    } finally {
      // Where it cannot be ended, it ends by its time.
      await ledger.endTurn(externalId, holder).catch(() => undefined);
    }
  }
}
