/**
 * What came before what in this process, counted. No clock: one that is set back, or that stands still for a moment, would
 * take an answer from before a request for one that was asked for because of it.
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
