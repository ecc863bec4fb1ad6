/**
 * The book of the service's calls: how many of the last minute are counted, and how many more may go out. The rule that
 * every store applies, and a book in this process. Calls are counted by the second.
 */

import { isNear } from '../../domain/spans.js';

/** The calls that were booked in one second. */
export interface CallSecond {
  /** Whole seconds since 1970. */
  readonly second: number;
  readonly calls: number;
}

/** What was booked. */
export interface BookedCalls {
  readonly calls: number;
  /** When there may be room for one more, milliseconds from now; 0: there is now. */
  readonly waitMs: number;
}

/** How long a booked call may wait until it goes out, seconds. */
export const usableForSeconds = 2;

/** How long a call counts that goes out when it is counted, seconds: one more than a minute, because of whole seconds. */
export const countsForSeconds = 61;

/** How long a call counts that may go out a little later, seconds. */
export const bookedForSeconds = countsForSeconds + usableForSeconds;

/**
 * Books as many calls as there is room for.
 * @param counted what is booked, oldest first
 * @param upTo calls go out while fewer than this are counted; Infinity: always
 * @param nowMs milliseconds since 1970
 */
function toBooking(
  counted: readonly CallSecond[],
  { most, upTo, forSeconds }: { most: number; upTo: number; forSeconds: number },
  nowMs: number,
): BookedCalls {
  let total = counted.reduce((sum, { calls }) => sum + calls, 0);
  const calls = Math.min(most, Math.max(0, Math.ceil(upTo - total)));
  total += calls;
  if (total < upTo) return { calls, waitMs: 0 };
  const second = Math.floor(nowMs / 1_000);
  const blocking = counted.find((each) => {
    total -= each.calls;
    return total < upTo;
  });
  return { calls, waitMs: ((blocking?.second ?? second) + forSeconds) * 1_000 - nowMs };
}

/**
 * Books calls in a book.
 * @param seconds the book, oldest first
 * @returns what was booked, and the book afterwards
 */
export function bookIn(
  seconds: readonly CallSecond[],
  terms: { readonly most: number; readonly upTo: number; readonly forSeconds: number },
  nowMs: number,
): { readonly booking: BookedCalls; readonly seconds: readonly CallSecond[] } {
  const now = Math.floor(nowMs / 1_000);
  const counted = seconds.filter(({ second }) => isNear(second, terms.forSeconds, now));
  const booking = toBooking(counted, terms, nowMs);
  return { booking, seconds: withCalls(counted, now, booking.calls) };
}

function withCalls(
  seconds: readonly CallSecond[],
  second: number,
  calls: number,
): readonly CallSecond[] {
  if (calls === 0) return seconds;
  const others = seconds.filter((each) => each.second !== second);
  const known = seconds.find((each) => each.second === second);
  const one = { second, calls: calls + (known?.calls ?? 0) };
  return [...others, one].toSorted((a, b) => a.second - b.second);
}

/** A book in this process. */
export interface CallBook {
  /** See {@link toBooking}. */
  readonly book: (most: number, upTo: number) => BookedCalls;
}

/**
 * @param forSeconds how long a call counts
 * @param now wall clock, milliseconds since 1970
 */
export function createCallBook(forSeconds: number, now: () => number): CallBook {
  let seconds: readonly CallSecond[] = [];

  return {
    book(most, upTo) {
      const booked = bookIn(seconds, { most, upTo, forSeconds }, now());
      seconds = booked.seconds;
      return booked.booking;
    },
  };
}
