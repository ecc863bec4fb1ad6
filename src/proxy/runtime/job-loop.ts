/** Runs a job at intervals, never twice at the same time. */

import type { StartTimer } from '../config/options.js';

export interface JobLoop {
  /** Runs the job now, or once more after the current run. */
  readonly wake: () => void;
  /** Stops the loop. Resolves when the current run has ended. */
  readonly close: () => Promise<void>;
}

/** Milliseconds until the first run, and after the end of each. */
export interface JobTimes {
  readonly firstMs: number;
  readonly everyMs: number;
}

/** @param run gets a signal that aborts when the loop is closed; must not reject */
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
