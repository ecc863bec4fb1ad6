/**
 * A job loop for each order: passes run one at a time with a pause after each. All calls during a pass and its pause are
 * served by one more pass. An order without a call during its pause is forgotten.
 */

import type { StartTimer } from '../config/options.js';

/** What the loops need. `S` is the state of an order between its passes. */
export interface OrderLoopParts<S> {
  readonly begin: () => S;
  /**
   * Must not reject.
   * @returns in how many milliseconds one more pass is wanted, at the end of the pause at the earliest; null: none
   */
  readonly work: (name: string, state: S) => Promise<number | null>;
  /** Milliseconds between the end of a pass and the next one. */
  readonly pauseMs: number;
  /** Most orders at once. */
  readonly most: number;
  readonly now: () => number;
  readonly startTimer: StartTimer;
}

/** The loops of all orders. */
export interface OrderLoops<S> {
  /**
   * @param note writes what is wanted into the state, before the pass begins
   * @returns false: there are too many orders, or it is closing
   */
  ask(name: string, note: (state: S) => void): boolean;
  /** Begins no more passes, and waits for those that run. @returns the orders that were to have another */
  close(): Promise<readonly string[]>;
}

interface Entry<S> {
  readonly state: S;
  /** The pass that runs; null: none. */
  pass: Promise<void> | null;
  /** Another pass is wanted. */
  isAsked: boolean;
  /** Milliseconds since 1970. */
  endedAtMs: number;
  /** Stops the timer of the next pass; null: there is none. */
  stopTimer: (() => void) | null;
  /** That pass was wanted for later than the end of the pause. */
  isLater: boolean;
}

/** Makes the loops. */
export function createOrderLoops<S>(parts: OrderLoopParts<S>): OrderLoops<S> {
  const { begin, work, pauseMs, most, now, startTimer } = parts;
  // In the order of their last passes, so that the ones to forget come first.
  const entries = new Map<string, Entry<S>>();
  let isClosing = false;

  return {
    ask(name, note) {
      forgetOld();
      const known = entries.get(name);
      if (isClosing || (!known && entries.size >= most)) return false;
      const entry = known ?? {
        state: begin(),
        pass: null,
        isAsked: true,
        endedAtMs: -Infinity,
        stopTimer: null,
        isLater: false,
      };
      note(entry.state);
      entry.isAsked = true;
      entries.set(name, entry);
      goOn(name, entry);
      return true;
    },

    async close() {
      isClosing = true;
      for (const { stopTimer } of entries.values()) stopTimer?.();
      for (const { pass } of entries.values()) await pass;
      return [...entries].filter(([, { isAsked }]) => isAsked).map(([name]) => name);
    },
  };

  function goOn(name: string, entry: Entry<S>, waitMs = 0): void {
    if (isClosing || entry.pass) return;
    // A call in the pause waits for its end, and does not put it off.
    if (entry.stopTimer && !entry.isLater) return;
    entry.stopTimer?.();
    const start = () => {
      entry.stopTimer = null;
      entry.pass = run(name, entry);
    };
    const restMs = restOfPause(entry);
    entry.isLater = waitMs > restMs;
    const delayMs = Math.max(waitMs, restMs);
    if (delayMs > 0) entry.stopTimer = startTimer(start, delayMs);
    else start();
  }

  async function run(name: string, entry: Entry<S>): Promise<void> {
    entry.isAsked = false;
    const moreInMs = await work(name, entry.state);
    const waitMs = entry.isAsked ? 0 : moreInMs;
    entry.isAsked = waitMs !== null;
    entry.pass = null;
    entry.endedAtMs = now();
    entries.delete(name);
    entries.set(name, entry);
    if (waitMs !== null) goOn(name, entry, waitMs);
  }

  function forgetOld(): void {
    for (const [name, entry] of entries) {
      if (entry.pass || entry.stopTimer) continue;
      if (restOfPause(entry) > 0) return;
      entries.delete(name);
    }
  }

  /** A wall clock may be set back: no rest is longer than the pause. */
  function restOfPause({ endedAtMs }: Entry<S>): number {
    return Math.min(pauseMs, Math.max(0, endedAtMs + pauseMs - now()));
  }
}
