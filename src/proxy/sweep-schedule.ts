/**
 * When an invoice is looked up although nobody asks. Pure: the time comes in.
 *
 * Payers who pay do so soon, so that the ages grow; a payment that no page saw is found an age later at most.
 */

import type { RememberedInvoice } from './orders/orders.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Ages of an invoice at which it is looked up, milliseconds. */
const agesMs: readonly number[] = [
  15_000,
  30_000,
  ...[1, 2, 5, 10, 30].map((minutes) => minutes * minuteMs),
  ...[1, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 3, 4, 5, 6, 7].map((days) => days * dayMs),
];

/** How long after a deadline the look-up goes out that tells whether it was met, milliseconds: clocks differ. */
const lapsesAfterMs = 5_000;

/** How old an invoice is when even a look-up that failed is not tried again, milliseconds. */
const givenUpAfterMs = 8 * dayMs;

/** After a failure: as soon as this part of the invoice's age is over, but not sooner than a minute. */
const retryPart = 0.1;

/** What the times depend on. */
export type Scheduled = Pick<RememberedInvoice, 'createdAtMs' | 'deadlineMs'>;

/**
 * The next look-up of an invoice that was looked up now.
 * @param nowMs milliseconds since 1970
 * @returns milliseconds since 1970; null: never again
 */
export function toNextLookUpMs(
  { createdAtMs, deadlineMs }: Scheduled,
  nowMs: number,
): number | null {
  const times = agesMs.map((ageMs) => createdAtMs + ageMs);
  if (deadlineMs !== null) times.push(deadlineMs + lapsesAfterMs);
  return earliest(times.filter((atMs) => atMs > nowMs));
}

/**
 * The same after a look-up that failed. Not only at the next age, which may be a day away: a payer may have paid.
 * @param notBeforeMs when the service wants to be asked again
 */
export function toNextTryMs(invoice: Scheduled, nowMs: number, notBeforeMs: number): number | null {
  const ageMs = Math.max(0, nowMs - invoice.createdAtMs);
  const soonMs = nowMs + Math.max(minuteMs, Math.round(ageMs * retryPart));
  const regularMs = toNextLookUpMs(invoice, nowMs);
  if (regularMs === null && soonMs - invoice.createdAtMs > givenUpAfterMs) return null;
  return Math.max(notBeforeMs, Math.min(soonMs, regularMs ?? Infinity));
}

/** Whether a look-up that began now can say that the deadline was not met. */
export function isOver({ deadlineMs }: Scheduled, nowMs: number): boolean {
  return deadlineMs !== null && nowMs >= deadlineMs + lapsesAfterMs;
}

function earliest(times: readonly number[]): number | null {
  return times.length > 0 ? Math.min(...times) : null;
}
