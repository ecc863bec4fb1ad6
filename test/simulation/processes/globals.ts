/** What the proxy's code takes from its runtime without being given it: timers, for one history. */

import type { Timeline } from '../timeline.js';
import type { ProcessLife } from '../rules/watch.js';

/**
 * Timers become the process's whose event runs, on its timeline, and a promise without a waiter is told.
 *
 * @param keepsStacks errors say where they were made
 * @returns what takes that back
 */
export function replaceGlobals(
  timeline: Timeline,
  keepsStacks: boolean,
  onUnhandled: (thrown: unknown) => void,
): () => void {
  const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
  const { stackTraceLimit } = Error;
  const stops = new Map<unknown, () => void>();

  Object.assign(globalThis, {
    setTimeout(run: () => void, delayMs = 0): unknown {
      const process = timeline.owner() as ProcessLife | null;
      if (!process?.startTimer) throw new Error('a timer that belongs to no process');
      const timer = {};
      stops.set(timer, process.startTimer(run, delayMs));
      return timer;
    },
    clearTimeout(timer: unknown): void {
      stops.get(timer)?.();
      stops.delete(timer);
    },
  });
  process.on('unhandledRejection', onUnhandled);
  // A refusal is an error, and where it was made costs more than all the rest of it.
  if (!keepsStacks) Error.stackTraceLimit = 0;

  return () => {
    Object.assign(globalThis, { setTimeout: realSetTimeout, clearTimeout: realClearTimeout });
    Error.stackTraceLimit = stackTraceLimit;
    process.off('unhandledRejection', onUnhandled);
  };
}
