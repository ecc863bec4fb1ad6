/**
 * The change feed: asks a shared store which invoices other processes found settled, once in 750 ms for all long polls of
 * this process, and not at all while there are none.
 */

import { logError } from '../../set-up/log.js';
import type { Settings } from '../../set-up/options/read-options.js';
import { isNear } from '../../../domain/spans.js';
import { createRecent } from '../../runtime/recent.js';
import type { OrderStore } from '../../store/order-store.js';

/** How often the store is asked, milliseconds: with the look-up that follows, pages hear within a second. */
const everyMs = 750;

/**
 * How far back it is asked, milliseconds: clocks of machines differ. Older changes are of no use: a long poll ends after
 * 25 s, and each begins with a look-up of its own.
 */
const backMs = 60_000;

/** Most changes that are told at once. */
const most = 100_000;

/**
 * Changes that other processes made.
 * @param onSettled called once for each invoice. Must not reject
 */
export function createChangeFeed(
  store: Pick<OrderStore, 'isShared' | 'search'>,
  { now, startTimer, log }: Pick<Settings, 'now' | 'startTimer' | 'log'>,
  onSettled: (invoiceId: string) => Promise<void>,
) {
  // When the store named each invoice last: it names them again and again.
  const toldAtMs = createRecent<number>((atMs) => isNear(atMs, backMs, now()));
  let isFollowed = false;
  let isAsking = false;
  let stopTimer: (() => void) | null = null;

  return {
    /** @param waiting how many long polls are open; 0 stops the timer */
    follow(waiting: number): void {
      if (!store.isShared) return;
      isFollowed = waiting > 0;
      if (isFollowed) return start();
      stopTimer?.();
      stopTimer = null;
    },
  };

  function start(): void {
    if (stopTimer || isAsking) return;
    stopTimer = startTimer(() => {
      stopTimer = null;
      void ask();
    }, everyMs);
  }

  async function ask(): Promise<void> {
    isAsking = true;
    try {
      const settled = { kinds: ['settled'], fromMs: now() - backMs, most } as const;
      tell((await store.search(settled)).map(({ id }) => id));
    } catch (thrown) {
      logError(log, thrown, { operation: 'look_up', event: 'ledger_failed' });
    }
    isAsking = false;
    if (isFollowed) start();
  }

  function tell(invoiceIds: readonly string[]): void {
    for (const invoiceId of invoiceIds) {
      if (toldAtMs.get(invoiceId) === undefined) void onSettled(invoiceId);
      toldAtMs.set(invoiceId, now());
    }
  }
}
