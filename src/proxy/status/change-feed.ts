/**
 * News from other processes: which invoices they found settled. One question in less than a second to the ledger they share,
 * however many wait, and none while nobody does.
 *
 * Knows no invoice but by its id, and nobody who waits.
 */

import { errorNameOf } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import type { Ledger } from '../ledger/ledger.js';

/** How often the ledger is asked, milliseconds: with the look-up that follows, news are told within a second. */
const everyMs = 750;

/**
 * How far back it is asked, milliseconds: clocks of machines differ. Nobody who waits needs older news: a held look-up
 * is over after 25 s, and each begins with a look-up of its own.
 */
const backMs = 60_000;

/** What the news of one process need. */
export interface ChangeFeedParts extends Pick<Settings, 'now' | 'startTimer' | 'log'> {
  readonly ledger: Pick<Ledger, 'isShared' | 'findSettled'>;
  /** Told each invoice once. Must not reject. */
  readonly onSettled: (invoiceId: string) => Promise<void>;
}

/** News from other processes. */
export interface ChangeFeed {
  /** @param waiting how many wait for news; 0: no timer is left */
  readonly follow: (waiting: number) => void;
}

/** Makes the news of one process. */
export function createChangeFeed(parts: ChangeFeedParts): ChangeFeed {
  const { ledger, now, startTimer, log, onSettled } = parts;
  // When the ledger named each last: it will name it again.
  const toldAtMs = new Map<string, number>();
  let isFollowed = false;
  let isAsking = false;
  let isDown = false;
  let stopTimer: (() => void) | null = null;

  return {
    follow(waiting) {
      if (!ledger.isShared) return;
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
      tell(await ledger.findSettled(now() - backMs));
      isDown = false;
    } catch (thrown) {
      const errorName = errorNameOf(thrown);
      if (!isDown) log({ level: 'error', event: 'ledger_failed', operation: 'look_up', errorName });
      isDown = true;
    }
    isAsking = false;
    if (isFollowed) start();
  }

  function tell(invoiceIds: readonly string[]): void {
    for (const invoiceId of invoiceIds) {
      if (!toldAtMs.has(invoiceId)) void onSettled(invoiceId);
      toldAtMs.delete(invoiceId);
      toldAtMs.set(invoiceId, now());
    }
    for (const [invoiceId, atMs] of toldAtMs) {
      if (now() - atMs <= backMs) break;
      toldAtMs.delete(invoiceId);
    }
  }
}
