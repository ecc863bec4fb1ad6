/**
 * How many calls of the service this process makes a minute, and who comes first: its part of `serviceCallsPerMinute`. Payers at
 * work go before the background, and a tenth of the calls is reserved for reconciliation: busy pages must not keep the payment of a
 * closed one from the merchant. Calls are counted by the second.
 */

import { isAhead, isNear, minuteMs, secondMs } from '../../domain/spans.js';
import { ProxyError } from '../set-up/proxy-error.js';
import type { Settings } from '../set-up/options/read-options.js';

/** `payer`: a payer pays, or comes back to see whether it worked. `background`: waiting pages and reconciliation. */
export type Priority = 'payer' | 'background';

/** The part of a minute's calls after which a look-up waits. */
const shares: Readonly<Record<Priority, number>> = { payer: 0.9, background: 0.75 };

/** The part that only reconciliation may use, one call at a time, evenly over the minute. */
const reservedShare = 0.1;

/** How long a call counts, seconds: one more than a minute, because of whole seconds. */
const countsForSeconds = 61;

/** Longest that the service may ask to be left alone, milliseconds. */
const longestPauseMs = 2 * minuteMs;

/** A look-up that was not made, to spare the service. */
export class Throttled extends ProxyError {
  constructor(waitMs: number) {
    super('service_unavailable', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / secondMs)) });
  }
}

export type RateLimit = ReturnType<typeof createRateLimit>;

export function createRateLimit({
  serviceCallsPerMinute,
  processes,
  now,
}: Pick<Settings, 'serviceCallsPerMinute' | 'processes' | 'now'>) {
  const perMinute = Math.max(1, Math.floor(serviceCallsPerMinute / processes));
  const reserveEveryMs = Math.ceil((countsForSeconds * secondMs) / (perMinute * reservedShare));
  /** Oldest first. */
  let counted: readonly { readonly second: number; readonly calls: number }[] = [];
  let reserveUsedAtMs = -Infinity;
  let pausedUntilMs = -Infinity;

  return {
    /** Counts a creation, each try by itself. It always goes out. */
    countCreation: () => void count(Infinity),

    /**
     * Counts a look-up that goes out now.
     * @param mayUseReserve it is reconciliation's
     * @throws Throttled if calls of its priority have to wait
     */
    spend(this: void, priority: Priority, mayUseReserve = false): void {
      if (priority === 'background' && isAhead(pausedUntilMs, longestPauseMs, now())) {
        throw new Throttled(pausedUntilMs - now());
      }
      const waitMs = count(perMinute * shares[priority]);
      if (waitMs > 0 && !(mayUseReserve && useReserve())) throw new Throttled(waitMs);
    },

    /** The service asked for no look-ups for so long, milliseconds. Those of payers at work go out all the same. */
    pause(this: void, forMs: number): void {
      pausedUntilMs = now() + Math.min(forMs, longestPauseMs);
    },
  };

  /** @returns whether a reserved call may go out now; then it is used */
  function useReserve(): boolean {
    if (isNear(reserveUsedAtMs, reserveEveryMs, now()) || count(perMinute) > 0) return false;
    reserveUsedAtMs = now();
    return true;
  }

  /**
   * Counts one call, if fewer than `upTo` are counted.
   * @returns in how many milliseconds there may be room for it; 0: it is counted
   */
  function count(upTo: number): number {
    if (perMinute === Infinity) return 0;
    const second = Math.floor(now() / secondMs);
    counted = counted.filter((each) => isNear(each.second, countsForSeconds, second));
    let total = counted.reduce((sum, { calls }) => sum + calls, 0);
    if (total < upTo) {
      const others = counted.filter((each) => each.second !== second);
      const calls = 1 + (counted.find((each) => each.second === second)?.calls ?? 0);
      counted = [...others, { second, calls }].toSorted((a, b) => a.second - b.second);
      return 0;
    }
    const blocking = counted.find(({ calls }) => (total -= calls) < upTo);
    return ((blocking?.second ?? second) + countsForSeconds) * secondMs - now();
  }
}
