/**
 * Spans of time, and moments by a clock that someone may set back: a moment from before then lies in the future, and must not
 * count for longer than its span.
 */

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** In seconds, for standards that count so. */
export const hourSeconds = hourMs / secondMs;
export const daySeconds = 24 * hourSeconds;

/** Whether a moment lies less than a span ago, or ahead: clocks of machines differ. All three in one unit. */
export function isNear(at: number, span: number, now: number): boolean {
  return Math.abs(now - at) < span;
}

/** Whether a moment lies less than a span ago. One that lies ahead does not. */
export function isWithin(at: number, span: number, now: number): boolean {
  return at <= now && now - at < span;
}

/** Whether a moment is still to come, in a span at most. One further ahead does not count. */
export function isAhead(at: number, span: number, now: number): boolean {
  return at > now && at - now <= span;
}

/**
 * The end of the day in which a moment lies, by UTC. A time that a database has an index of is better one that seldom changes:
 * PostgreSQL then leaves its indexes alone when a row changes.
 */
export function toDayMs(atMs: number): number {
  return Math.ceil(atMs / dayMs) * dayMs;
}
