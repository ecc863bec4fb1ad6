/**
 * When an unpaid invoice is looked up again. The element uses it (with a proxy that does no long polling) and so does the
 * proxy (which asks the service during a long poll).
 *
 * The element makes its first look-up at once (`startWatch`). After that: first after two base intervals, then after each
 * base interval for three minutes, then after each two and a half. Compared with fixed or exponential schedules this needs
 * the fewest requests for the same mean delay, and payers who are going to pay do so within three minutes. Pure: elapsed time
 * comes in.
 */

/** Default base interval, milliseconds. */
export const defaultPollIntervalMs = 4_000;

/** Smallest base interval, milliseconds. */
export const minPollIntervalMs = 250;

/** After this time, milliseconds, the interval grows. */
const quickLookUpsForMs = 180_000;

/**
 * Computes the next delay.
 * @param elapsedMs milliseconds since the invoice was first shown (or first watched)
 * @param baseMs base interval, milliseconds
 * @returns milliseconds until the next look-up
 */
export function nextLookUpDelayMs(elapsedMs: number, baseMs = defaultPollIntervalMs): number {
  if (elapsedMs < baseMs * 2) return baseMs * 2 - Math.max(0, elapsedMs);
  return elapsedMs < quickLookUpsForMs ? baseMs : baseMs * 2.5;
}
