/**
 * One piece of work at a time for each order, in this process and, where the ledger is shared, over all of them.
 *
 * Knows nothing of what is done.
 */

import type { Settings } from './options.js';
import type { Ledger } from './orders/orders.js';
import { unavailable } from './refusal.js';

/** What the ledger may need for the steps of the work, milliseconds. */
const stepsMs = 10_000;

/** What it may need for one step, milliseconds, and how far the clocks of two machines may be apart. */
const spareMs = 30_000;

/** How often a turn that another process has is asked for again, milliseconds. */
const askAgainMs = 150;

/** How long it is asked for, milliseconds: no page waits longer. */
const patienceMs = 20_000;

/**
 * Work that has its turn.
 * @param failure what the work it waited for was rejected with, if it was: the fault may be its own too
 * @param isOurs whether no other process can have the turn yet: a process that stood still does not know
 */
export type Work<T> = (failure: unknown, isOurs: () => boolean) => Promise<T>;

/**
 * @param externalId the order that must not be worked on twice at once
 * @throws Refusal `service_unavailable`: another process does not come to an end
 */
export type InTurn = <T>(externalId: string, work: Work<T>) => Promise<T>;

/** Makes the queue of one proxy. */
export function createTurns(
  ledger: Ledger,
  settings: Pick<Settings, 'now' | 'randomUuid' | 'startTimer' | 'serviceTimeoutMs'>,
): InTurn {
  const { now, randomUuid, startTimer, serviceTimeoutMs } = settings;
  // Whoever has a turn may rely on it for a look-up and a creation, each as long as the service may take for it.
  const reliedOnForMs = 2 * serviceTimeoutMs + stepsMs;
  // What is begun by then is recorded before the turn ends. If its process dies, the turn lasts as long.
  const turnForMs = reliedOnForMs + spareMs;
  const running = new Map<string, Promise<unknown>>();
  return async (externalId, work) => {
    let failure: unknown;
    for (let former = running.get(externalId); former; former = running.get(externalId)) {
      failure = await former.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    }
    const turn = withTurn(externalId, (isOurs) => work(failure, isOurs));
    running.set(externalId, turn);
    try {
      return await turn;
    } finally {
      running.delete(externalId);
    }
  };

  async function withTurn<T>(
    externalId: string,
    work: (isOurs: () => boolean) => Promise<T>,
  ): Promise<T> {
    const holder = randomUuid();
    const giveUpAtMs = now() + patienceMs;
    let askedAtMs = now();
    try {
      while (!(await ledger.takeTurn(externalId, holder, turnForMs))) {
        if (now() >= giveUpAtMs) throw unavailable();
        await new Promise<void>((resolve) => void startTimer(resolve, askAgainMs));
        askedAtMs = now();
      }
      return await work(() => !ledger.isShared || now() - askedAtMs < reliedOnForMs);
    } finally {
      // Also one that seems not to have been taken: a ledger that fails may have done it all the same.
      // Where it cannot be ended, it ends by its time.
      await ledger.endTurn(externalId, holder).catch(() => undefined);
    }
  }
}
