/**
 * How many calls a minute the service is asked to answer, and who comes first: payments, then payers who come back, then
 * pages that wait, then look-ups that nobody asked for.
 *
 * Owns what is let through. Of this process only: several share a service's limit by each having a part of it.
 */

import { ProxyError } from '../runtime/proxy-error.js';
import type { ServiceClient } from '../../service.js';

/** Whose look-up it is: a payment's to be made, a payer's who came back (a postback's too), a waiting page's, nobody's. */
export type Urgency = 'payment' | 'return' | 'poll' | 'sweep';

/** What a call of the service is for. */
export type Purpose = 'create' | Urgency;

/** The part of a minute's calls up to which a look-up is let through, whatever the others were for. */
const shares: Readonly<Record<Urgency, number>> = {
  payment: 1,
  return: 0.9,
  poll: 0.75,
  sweep: 0.5,
};

/**
 * The part of a minute's calls that look-ups nobody asked for get in any case, as long as payers
 * who come back are served: or a busy day of waiting pages would keep the payments of closed ones from the merchant until night.
 */
const reconcileAtLeast = 0.05;

/** How long a call counts, seconds: one more than a minute, for it is counted by the second it was made in. */
const countsForSeconds = 61;

/** A look-up that was not made, to spare the service. */
export class Throttled extends ProxyError {
  constructor(retryAfterSeconds: number) {
    super('service_unavailable', { retryAfterSeconds });
  }
}

/** The calls of one process. */
export interface RateLimit {
  /**
   * Counts a call that goes out now. A creation is never refused.
   * @throws KeptBack
   */
  readonly spend: (purpose: Purpose) => void;
}

/** The service's client, its creations counted: each that is sent, a second try too. Look-ups count themselves. */
export function countCreations(service: ServiceClient, { spend }: RateLimit): ServiceClient {
  return {
    ...service,
    createInvoice(request, options) {
      spend('create');
      return service.createInvoice(request, options);
    },
  };
}

interface Second {
  readonly second: number;
  calls: number;
  sweeps: number;
}

/**
 * @param callsPerMinute Infinity: any number
 * @param now wall clock, milliseconds since 1970
 */
export function createRateLimit(callsPerMinute: number, now: () => number): RateLimit {
  /** Oldest first. */
  let seconds: Second[] = [];

  return {
    spend(purpose) {
      if (callsPerMinute === Infinity) return;
      const current = Math.floor(now() / 1_000);
      // A clock may be set back: what is ahead of it would count for ever.
      seconds = seconds.filter(
        ({ second }) => second <= current && second > current - countsForSeconds,
      );
      if (purpose !== 'create' && !isLetThrough(purpose)) {
        throw new Throttled(toRoomInSeconds(callsPerMinute * shares[purpose], current));
      }
      const isSweep = purpose === 'sweep' ? 1 : 0;
      const last = seconds.at(-1);
      if (last?.second === current) {
        last.calls += 1;
        last.sweeps += isSweep;
      } else {
        seconds.push({ second: current, calls: 1, sweeps: isSweep });
      }
    },
  };

  function isLetThrough(urgency: Urgency): boolean {
    const calls = sum(({ calls }) => calls);
    if (calls < callsPerMinute * shares[urgency]) return true;
    const isReconciliationDue = sum(({ sweeps }) => sweeps) < callsPerMinute * reconcileAtLeast;
    return urgency === 'sweep' && isReconciliationDue && calls < callsPerMinute * shares.return;
  }

  function toRoomInSeconds(limit: number, current: number): number {
    let calls = sum(({ calls }) => calls);
    const blocking = seconds.find((each) => {
      calls -= each.calls;
      return calls < limit;
    });
    return (blocking?.second ?? current) + countsForSeconds - current;
  }

  function sum(toNumber: (each: Second) => number): number {
    return seconds.reduce((total, each) => total + toNumber(each), 0);
  }
}
