/**
 * Spans of time, and whether a moment lies within one. If someone sets a clock back, a moment of the past lies ahead, and
 * must not count for longer than its span.
 */

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** In seconds, for standards that count in seconds. */
export const hourSeconds = hourMs / secondMs;
export const daySeconds = 24 * hourSeconds;

/**
 * Whether a moment lies less than a span ago, or less than a span ahead, because clocks of machines differ. All three are in
 * one unit.
 */
export function isNear(at: number, span: number, now: number): boolean {
  return Math.abs(now - at) < span;
}

/** Whether a moment lies less than a span ago. A moment ahead of now does not. */
export function isWithin(at: number, span: number, now: number): boolean {
  return at <= now && now - at < span;
}

/** Whether a moment is still to come, within this span. A moment further ahead does not count. */
export function isAhead(at: number, span: number, now: number): boolean {
  return at > now && at - now <= span;
}

/**
 * The end of the day in which a moment lies, by UTC. An indexed time that seldom changes is cheaper: PostgreSQL leaves its
 * indexes alone when a row changes but its indexed columns do not.
 */
export function toDayMs(atMs: number): number {
  return Math.ceil(atMs / dayMs) * dayMs;
}
