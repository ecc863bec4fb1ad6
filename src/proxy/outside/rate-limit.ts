/**
 * How many calls of the service go out a minute, and who comes first. Payers at work go before the background, and a tenth
 * of the calls is reserved for reconciliation: busy pages must not keep the payment of a closed one from the merchant.
 *
 * A process with a shared store books its calls there, in blocks; without one it counts them itself.
 */

import { logError } from '../set-up/log.js';
import type { Settings } from '../set-up/options/read-options.js';
import { isAhead, isNear } from '../../domain/spans.js';
import {
  bookedForSeconds,
  countsForSeconds,
  createCallBook,
  usableForSeconds,
} from '../store/call-book.js';
import type { OrderStore } from '../store/order-store.js';
import { ProxyError } from '../set-up/proxy-error.js';
import { withTimeout } from '../runtime/running.js';

/** `payer`: a payer pays, or comes back to see whether it worked. `background`: waiting pages and reconciliation. */
export type Priority = 'payer' | 'background';

/** Whom booked calls are for. `reserved`: reconciliation. */
type Share = Priority | 'reserved';

/** The part of a minute's calls after which a look-up waits. */
const shares: Readonly<Record<Share, number>> = { payer: 0.9, background: 0.75, reserved: 1 };

/** The part that only reconciliation may use, one call at a time, evenly over the minute. */
const reservedShare = 0.1;

/** What one process may use while the store does not answer: less than it needs, for there may be ten. */
const aloneShare = 0.1;

/** How long a store that failed is not asked, milliseconds. */
const aloneForMs = 5_000;

/** Longest the store may take, milliseconds. */
const longestMs = 2_000;

/** Largest block, as a part of a minute's calls: what of it is not used is lost for a minute. */
const largestBlock = 1 / 60;

/** A look-up that was not made, to spare the service. */
export class Throttled extends ProxyError {
  constructor(waitMs: number) {
    super('service_unavailable', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }
}

/** The calls of one process. */
export interface RateLimit {
  /** Counts a creation, each try by itself. It always goes out. */
  readonly countCreation: () => void;
  /**
   * Counts a look-up that goes out now.
   * @param mayUseReserve it is reconciliation's
   * @returns null: it is counted; a promise: nothing is, and to ask again makes sense when it resolves
   * @throws Throttled if calls of its priority have to wait
   */
  readonly spend: (priority: Priority, mayUseReserve?: boolean) => Promise<void> | null;
  /** Resolves when the store knows of all creations, or failed. */
  readonly ended: () => Promise<void>;
}

/** What the rate limit needs. */
interface RateLimitParts {
  readonly settings: Pick<Settings, 'serviceCallsPerMinute' | 'now' | 'startTimer' | 'log'>;
  readonly store: Pick<OrderStore, 'isShared' | 'bookCalls' | 'passThrottle'>;
}

/** Makes the rate limit of one process. */
export function createRateLimit({ settings, store }: RateLimitParts): RateLimit {
  const { serviceCallsPerMinute: perMinute, now } = settings;
  if (perMinute === Infinity)
    return { countCreation: () => undefined, spend: () => null, ended: async () => undefined };
  if (!store.isShared) return createOwnLimit(perMinute, now);
  return createSharedLimit({ settings, store });
}

/** How far apart reserved calls are, whole milliseconds. */
function toReserveEveryMs(perMinute: number): number {
  return Math.ceil((countsForSeconds * 1_000) / (perMinute * reservedShare));
}

/** Counts the calls of this process alone. */
function createOwnLimit(perMinute: number, now: () => number): RateLimit {
  const { book } = createCallBook(countsForSeconds, now);
  let reserveUsedAtMs = -Infinity;

  return {
    countCreation: () => void book(1, Infinity),
    ended: async () => undefined,

    spend(priority, mayUseReserve = false) {
      const { calls, waitMs } = book(1, perMinute * shares[priority]);
      if (calls === 0 && !(mayUseReserve && useReserve())) throw new Throttled(waitMs);
      return null;
    },
  };

  /** @returns whether a reserved call may go out now; then it is used */
  function useReserve(): boolean {
    const isEarly = isNear(reserveUsedAtMs, toReserveEveryMs(perMinute), now());
    if (isEarly || book(1, perMinute).calls === 0) return false;
    reserveUsedAtMs = now();
    return true;
  }
}

/** Booked calls of one share, and what the store said of it last. */
interface Block {
  size: number;
  left: number;
  bookedAtMs: number;
  /** Until then there is no room for more, milliseconds since 1970. */
  fullUntilMs: number;
  booking: Promise<void> | null;
}

/** Counts the calls of all processes, in their store. */
function createSharedLimit({ settings, store }: RateLimitParts): RateLimit {
  const { serviceCallsPerMinute: perMinute, now, startTimer, log } = settings;
  const mostAtOnce = Math.max(1, Math.floor(perMinute * largestBlock));
  // Counts what the store allowed, too: when it fails, what went out already goes off this process's part.
  const alone = createOwnLimit(Math.ceil(perMinute * aloneShare), now);
  let failedAtMs = -Infinity;
  /** Creations that the store has not been told of. */
  let uncounted = 0;
  let counting: Promise<void> | null = null;
  const blocks = { payer: toBlock(), background: toBlock(), reserved: toBlock() };

  return {
    countCreation() {
      alone.countCreation();
      if (useBooked(['payer', 'background'])) return;
      uncounted += 1;
      counting ??= countAfterwards();
    },

    ended: async () => counting ?? undefined,

    spend(priority, mayUseReserve = false) {
      if (isNear(failedAtMs, aloneForMs, now())) return alone.spend(priority, mayUseReserve);
      if (useBooked(priority === 'payer' ? ['payer', 'background'] : ['background']))
        return count();
      if (!isFull(priority)) return book(priority);
      if (!mayUseReserve) throw new Throttled(blocks[priority].fullUntilMs - now());
      if (useBooked(['reserved'])) return count();
      if (!isFull('reserved')) return book('reserved');
      throw new Throttled(blocks[priority].fullUntilMs - now());
    },
  };

  /**
   * Creations go out, whatever the store says, and wait for nothing. One question at a time: a store that is slow needs
   * its connections to record what was created.
   */
  async function countAfterwards(): Promise<void> {
    while (uncounted > 0) {
      const calls = uncounted;
      uncounted = 0;
      try {
        await store.bookCalls(calls, Infinity);
      } catch (thrown) {
        noteFailure(thrown);
        // The next creation counts them.
        uncounted += calls;
        break;
      }
    }
    counting = null;
  }

  function count(): null {
    alone.countCreation();
    return null;
  }

  function useBooked(from: readonly Share[]): boolean {
    const found = from.find((share) => blocks[share].left > 0 && isUsable(blocks[share]));
    if (found) blocks[found].left -= 1;
    return found !== undefined;
  }

  /** Those who wait for one share wait for one answer. */
  function book(share: Share): Promise<void> {
    const block = blocks[share];
    block.booking ??= bookBlock(share, block)
      .catch(noteFailure)
      .finally(() => {
        block.booking = null;
      });
    return block.booking;
  }

  /** A block that was used up in its time is followed by one twice as large. */
  async function bookBlock(share: Share, block: Block): Promise<void> {
    const isFast = isUsable(block) && block.size > 0;
    const size = isFast ? Math.min(2 * block.size, mostAtOnce) : 1;
    const bookedAtMs = now();
    let isAwaited = true;
    const { calls, waitMs } = await ask(async () => {
      if (share !== 'reserved') return store.bookCalls(size, perMinute * shares[share]);
      const everyMs = toReserveEveryMs(perMinute);
      const mayBook = await store.passThrottle('reserved call', everyMs);
      // The time for it may be over meanwhile, and the proxy closed.
      return mayBook && isAwaited ? store.bookCalls(1, perMinute) : { calls: 0, waitMs: 1_000 };
    }).finally(() => (isAwaited = false));
    Object.assign(block, { size: calls, left: calls, bookedAtMs });
    block.fullUntilMs = calls > 0 ? -Infinity : now() + waitMs;
  }

  function ask<T>(work: () => Promise<T>): Promise<T> {
    return withTimeout(startTimer, longestMs, work);
  }

  function noteFailure(thrown: unknown): void {
    failedAtMs = now();
    logError(log, thrown, { operation: 'look_up', event: 'ledger_failed' });
  }

  /** Counted from when it was asked for: the store may have been slow to answer. */
  function isUsable({ bookedAtMs }: Block): boolean {
    return isNear(bookedAtMs, usableForSeconds * 1_000, now());
  }

  function isFull(share: Share): boolean {
    return isAhead(blocks[share].fullUntilMs, 2 * bookedForSeconds * 1_000, now());
  }
}

function toBlock(): Block {
  return { size: 0, left: 0, bookedAtMs: -Infinity, fullUntilMs: -Infinity, booking: null };
}
