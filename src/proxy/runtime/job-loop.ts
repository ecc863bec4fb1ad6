/** Does one thing again and again, never twice at once. Knows nothing of what it does. */

import type { StartTimer } from '../config/options.js';

/** What is done again and again. */
export interface JobLoop {
  /** Does it now, or once more when what runs has ended. */
  readonly wake: () => void;
  /** Resolves when what runs has ended; nothing follows. */
  readonly close: () => Promise<void>;
}

/** How often, milliseconds: after its start, and after each end. */
export interface JobTimes {
  readonly firstMs: number;
  readonly everyMs: number;
}

/**
 * Starts it.
 * @param run told by its signal that the round is being closed; never rejects
 */
export function startJobLoop(
  run: (signal: AbortSignal) => Promise<void>,
  { firstMs, everyMs }: JobTimes,
  startTimer: StartTimer,
): JobLoop {
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | null = null;
  let isWantedAgain = false;
  let stopTimer = startTimer(begin, firstMs);

  return {
    wake() {
      if (running) isWantedAgain = true;
      else begin();
    },
    async close() {
      closing.abort();
      stopTimer();
      await running;
    },
  };

  function begin(): void {
    if (signal.aborted || running) return;
    stopTimer();
    running = runOnce();
  }

  async function runOnce(): Promise<void> {
    do {
      isWantedAgain = false;
      await run(signal);
    } while (isWantedAgain && !signal.aborted);
    running = null;
    if (!signal.aborted) stopTimer = startTimer(begin, everyMs);
  }
}
