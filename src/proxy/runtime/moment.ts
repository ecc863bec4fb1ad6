/**
 * Counts the moments of this process, to tell which came first. No clock can: if someone sets it back, or it stands still, an
 * answer from before a request would seem to be the answer to that request.
 */

declare const isMoment: unique symbol;

/** A moment of this process. A later one is a higher number. */
export type Moment = number & { readonly [isMoment]: true };

let last = 0;

/** A moment after all that were marked before. */
export function markNow(): Moment {
  last += 1;
  return last as Moment;
}
