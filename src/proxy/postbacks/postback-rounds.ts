/**
 * Work for each name, in rounds: one at a time, with a pause after each. Whoever asks in the meantime is served by one
 * more round when the pause is over: nobody is dropped, and a crowd costs one.
 *
 * Knows nothing of what is done. A name that nobody asked for during its pause is forgotten.
 */

import type { StartTimer } from '../config/options.js';

/** What rounds are made of. `S` is what is kept of a name between its rounds. */
export interface PostbackRoundParts<S> {
  readonly begin: () => S;
  /**
   * Must not reject.
   * @returns in how many milliseconds one more round is wanted, if nobody asks before, but not before the pause is over;
   *   null: none
   */
  readonly work: (name: string, state: S) => Promise<number | null>;
  /** Milliseconds between the end of a round and the next one. */
  readonly pauseMs: number;
  /** Most names at once. */
  readonly most: number;
  readonly now: () => number;
  readonly startTimer: StartTimer;
}

/** Rounds of one kind of work. */
export interface PostbackRounds<S> {
  /**
   * @param note writes down what is asked for, before the round begins
   * @returns false: there are too many names, or it is closing
   */
  ask(name: string, note: (state: S) => void): boolean;
  /** Begins no round any more. @returns the names whose next round will not come, when those that run have ended */
  close(): Promise<readonly string[]>;
}

interface Entry<S> {
  readonly state: S;
  /** The round that runs; null: none. */
  round: Promise<void> | null;
  /** Somebody asked since the last round began. */
  isAsked: boolean;
  /** Milliseconds since 1970. */
  endedAtMs: number;
  /** Stops the timer of the next round; null: there is none. */
  stopTimer: (() => void) | null;
  /** That round was wanted for later than the end of the pause. */
  isLater: boolean;
}

/** Makes rounds of one kind of work. */
export function createPostbackRounds<S>(parts: PostbackRoundParts<S>): PostbackRounds<S> {
  const { begin, work, pauseMs, most, now, startTimer } = parts;
  // In the order of their last rounds, so that the ones to forget come first.
  const entries = new Map<string, Entry<S>>();
  let isClosing = false;

  return {
    ask(name, note) {
      forgetOld();
      const known = entries.get(name);
      if (isClosing || (!known && entries.size >= most)) return false;
      const entry = known ?? {
        state: begin(),
        round: null,
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
      for (const { round } of entries.values()) await round;
      return [...entries].filter(([, { isAsked }]) => isAsked).map(([name]) => name);
    },
  };

  function goOn(name: string, entry: Entry<S>, waitMs = 0): void {
    if (isClosing || entry.round) return;
    // Who asks in the pause waits for its end, and does not put it off.
    if (entry.stopTimer && !entry.isLater) return;
    entry.stopTimer?.();
    const start = () => {
      entry.stopTimer = null;
      entry.round = run(name, entry);
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
    entry.round = null;
    entry.endedAtMs = now();
    entries.delete(name);
    entries.set(name, entry);
    if (waitMs !== null) goOn(name, entry, waitMs);
  }

  function forgetOld(): void {
    for (const [name, entry] of entries) {
      if (entry.round || entry.stopTimer) continue;
      if (restOfPause(entry) > 0) return;
      entries.delete(name);
    }
  }

  /** A wall clock may be set back: no rest is longer than the pause. */
  function restOfPause({ endedAtMs }: Entry<S>): number {
    return Math.min(pauseMs, Math.max(0, endedAtMs + pauseMs - now()));
  }
}
