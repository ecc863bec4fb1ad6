/**
 * When an unpaid invoice is looked at again. Shared by the element (which asks a proxy that does no long
 * polling) and the proxy (which asks the service during a long poll).
 *
 * The element's own first look-up is made at once (`startWatch`). These come after it: first after two base intervals, then
 * each base interval for three minutes, then each two and a half. Against fixed or exponential schedules this needs the fewest
 * requests for the same mean delay, and payers who are going to pay do so within three minutes. Pure: elapsed time comes in.
 */

/** Default base interval, milliseconds. */
export const defaultPollIntervalMs = 4_000;

/** Smallest base interval, milliseconds. */
export const minPollIntervalMs = 250;

/** After this long, milliseconds, the interval grows. */
const quickLookUpsForMs = 180_000;

/**
 * @param elapsedMs milliseconds since the invoice was first shown (or first watched)
 * @param baseMs base interval, milliseconds
 * @returns milliseconds until the next look-up
 */
export function nextLookUpDelayMs(elapsedMs: number, baseMs = defaultPollIntervalMs): number {
  if (elapsedMs < baseMs * 2) return baseMs * 2 - Math.max(0, elapsedMs);
  return elapsedMs < quickLookUpsForMs ? baseMs : baseMs * 2.5;
}
