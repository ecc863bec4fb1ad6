/** Spans of time by a clock that may be set back: what was noted before lies ahead then, and must not hold for longer than its span. */

/** Whether a moment lies less than a span ago, or ahead: clocks of machines differ. All three in one unit. */
export function isNear(at: number, span: number, now: number): boolean {
  return Math.abs(now - at) < span;
}

/** Whether a moment lies less than a span ago. One that lies ahead does not. */
export function isWithin(at: number, span: number, now: number): boolean {
  return at <= now && now - at < span;
}
