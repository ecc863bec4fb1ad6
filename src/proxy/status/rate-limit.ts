/**
 * Limits how many calls a minute this process makes to the service. Payers at work go before the background, and a tenth of
 * the calls is reserved for reconciliation: busy pages must not keep the payment of a closed one from the merchant.
 */

import { ProxyError } from '../runtime/proxy-error.js';
import type { ServiceClient } from '../../service.js';

/** `payer`: a payer pays, or comes back to see whether it worked. `background`: waiting pages and reconciliation. */
export type Priority = 'payer' | 'background';

/** The part of a minute's calls after which a look-up waits. */
const shares: Readonly<Record<Priority, number>> = { payer: 0.9, background: 0.75 };

/** The part that only reconciliation may use, one call at a time, evenly over the minute. */
const reservedShare = 0.1;

/** How long a call counts, seconds: one more than a minute, because calls are counted by the second. */
const countsForSeconds = 61;

/** A look-up that was not made, to spare the service. */
export class Throttled extends ProxyError {
  constructor(retryAfterSeconds: number) {
    super('service_unavailable', { retryAfterSeconds });
  }
}

/** The calls of one process. */
export interface RateLimit {
  /** Counts a creation. It always goes out. */
  readonly countCreation: () => void;
  /**
   * Counts a look-up that goes out now.
   * @param mayUseReserve it is reconciliation's
   * @throws Throttled if calls of its priority have to wait
   */
  readonly spend: (priority: Priority, mayUseReserve?: boolean) => void;
}

/** The service's client with its creations counted, each try by itself. Look-ups count themselves. */
export function countCreations(
  service: ServiceClient,
  { countCreation }: RateLimit,
): ServiceClient {
  return {
    ...service,
    createInvoice(request, options) {
      countCreation();
      return service.createInvoice(request, options);
    },
  };
}

interface Second {
  readonly second: number;
  calls: number;
}

/**
 * @param callsPerMinute Infinity: any number
 * @param now wall clock, milliseconds since 1970
 */
export function createRateLimit(callsPerMinute: number, now: () => number): RateLimit {
  /** Oldest first. */
  let seconds: Second[] = [];
  const reserveEveryMs = (countsForSeconds * 1_000) / (callsPerMinute * reservedShare);
  let reserveUsedAtMs = -Infinity;

  return {
    countCreation: () => count(forgetOld()),

    spend(priority, mayUseReserve = false) {
      const current = forgetOld();
      const limit = callsPerMinute * shares[priority];
      if (countCalls() >= limit && !(mayUseReserve && useReserve())) {
        throw new Throttled(toWaitSeconds(limit, current));
      }
      count(current);
    },
  };

  /** @returns whether a reserved call may go out now; then it is used */
  function useReserve(): boolean {
    const nowMs = now();
    // A clock may be set back.
    const isDue = Math.abs(nowMs - reserveUsedAtMs) >= reserveEveryMs;
    if (!isDue || countCalls() >= callsPerMinute) return false;
    reserveUsedAtMs = nowMs;
    return true;
  }

  /** @returns the current second */
  function forgetOld(): number {
    const current = Math.floor(now() / 1_000);
    // A clock may be set back: calls ahead of it would count for ever.
    seconds = seconds.filter(
      ({ second }) => second <= current && second > current - countsForSeconds,
    );
    return current;
  }

  function count(current: number): void {
    if (callsPerMinute === Infinity) return;
    const last = seconds.at(-1);
    if (last?.second === current) last.calls += 1;
    else seconds.push({ second: current, calls: 1 });
  }

  function countCalls(): number {
    return seconds.reduce((total, { calls }) => total + calls, 0);
  }

  function toWaitSeconds(limit: number, current: number): number {
    let calls = countCalls();
    const blocking = seconds.find((each) => {
      calls -= each.calls;
      return calls < limit;
    });
    return (blocking?.second ?? current) + countsForSeconds - current;
  }
}
