/**
 * Holds look-ups until an invoice's status changes. While anybody waits for an invoice, one look-up after another goes
 * out for it, on the contract's schedule, however many wait; when nobody does, no timer is left.
 *
 * Knows nothing of requests but their signal, and of tokens but that each may hold two.
 */

import { nextLookUpDelayMs } from '../contract/schedule.js';
import type { Finding, LookUps } from './look-ups.js';
import type { IssuedInvoice } from './orders/orders.js';
import { Refusal } from './refusal.js';
import type { StartTimer } from './types.js';

/** Most requests held for one look-up token. */
const maxPerToken = 2;

/** Most requests held by this process; beyond, a look-up is answered at once. */
export const maxHeld = 1_000;

/** How long a page may be away between two held look-ups and still be on the same schedule, milliseconds. */
const restartsAfterMs = 60_000;

/** A look-up that may be held. */
export interface HoldRequest {
  readonly issued: IssuedInvoice;
  /** What was found at once. A status other than this one ends the wait. */
  readonly first: Finding;
  readonly token: string;
  readonly waitMs: number;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** Held look-ups of one proxy. */
export interface Holds {
  /** Resolves with the newest finding: when the status has changed, the time is over, or the client has gone. */
  readonly hold: (request: HoldRequest) => Promise<Finding>;
  /** Tells everybody who waits for this invoice. */
  readonly publish: (invoiceId: string, finding: Finding) => void;
}

interface Waiter {
  readonly knownStatus: string;
  readonly end: () => void;
}

interface Watch {
  readonly startedAtMs: number;
  readonly waiters: Set<Waiter>;
  latest: Finding;
  usedAtMs: number;
  stopTimer: () => void;
}

const nothing = () => undefined;

/** @param lookUp each finding must come back through {@link Holds.publish} */
export function createHolds(
  lookUp: LookUps['lookUp'],
  now: () => number,
  startTimer: StartTimer,
): Holds {
  const watches = new Map<string, Watch>();
  const heldByToken = new Map<string, number>();
  let held = 0;

  return {
    async hold(request) {
      const { first, token, waitMs, signal } = request;
      const ofToken = heldByToken.get(token) ?? 0;
      if (waitMs <= 0 || signal.aborted || ofToken >= maxPerToken || held >= maxHeld) return first;
      held += 1;
      heldByToken.set(token, ofToken + 1);
      try {
        return await wait(request);
      } finally {
        held -= 1;
        const left = (heldByToken.get(token) ?? 1) - 1;
        if (left > 0) heldByToken.set(token, left);
        else heldByToken.delete(token);
      }
    },

    publish(invoiceId, finding) {
      const watch = watches.get(invoiceId);
      if (!watch) return;
      watch.latest = finding;
      for (const waiter of watch.waiters) {
        if (waiter.knownStatus !== finding.data.status) waiter.end();
      }
    },
  };

  function wait({ issued, first, waitMs, signal }: HoldRequest): Promise<Finding> {
    const watch = join(issued, first);
    return new Promise((resolve) => {
      const end = () => {
        if (!watch.waiters.delete(waiter)) return;
        stopClock();
        signal.removeEventListener('abort', end);
        watch.usedAtMs = now();
        if (watch.waiters.size === 0) watch.stopTimer();
        resolve(watch.latest);
      };
      const waiter: Waiter = { knownStatus: first.data.status, end };
      const stopClock = startTimer(end, waitMs);
      signal.addEventListener('abort', end, { once: true });
      watch.waiters.add(waiter);
      if (watch.waiters.size === 1) scheduleLookUp(issued, watch, 0);
    });
  }

  /** The schedule goes on where a page left it a moment ago: it slows down after minutes, not after each answer. */
  function join({ invoiceId }: IssuedInvoice, first: Finding): Watch {
    for (const [id, watch] of watches) {
      const isLeft = watch.waiters.size === 0 && now() - watch.usedAtMs > restartsAfterMs;
      if (isLeft) watches.delete(id);
    }
    const watch = watches.get(invoiceId) ?? {
      startedAtMs: now(),
      waiters: new Set(),
      latest: first,
      usedAtMs: now(),
      stopTimer: nothing,
    };
    watch.latest = first;
    watches.set(invoiceId, watch);
    return watch;
  }

  function scheduleLookUp(issued: IssuedInvoice, watch: Watch, atLeastMs: number): void {
    const delayMs = Math.max(atLeastMs, nextLookUpDelayMs(now() - watch.startedAtMs));
    // One timer per invoice: somebody may have come while a look-up was under way, and set one already.
    watch.stopTimer();
    watch.stopTimer = startTimer(() => {
      void lookAgain(issued, watch);
    }, delayMs);
  }

  async function lookAgain(issued: IssuedInvoice, watch: Watch): Promise<void> {
    let atLeastMs = 0;
    try {
      await lookUp(issued);
    } catch (thrown) {
      // The service may be back before the wait is over: whoever waits keeps what is known.
      if (thrown instanceof Refusal) atLeastMs = (thrown.retryAfterSeconds ?? 0) * 1_000;
    }
    if (watch.waiters.size > 0) scheduleLookUp(issued, watch, atLeastMs);
  }
}
