/**
 * When reconciliation looks an invoice up. Most payers pay soon, so the times lie closer together for a young invoice; a
 * payment that no page saw is found at the next of them.
 */

import type { DueInvoice } from '../ledger/ledger.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Ages of an invoice at which it is looked up, milliseconds: since its creation, or since its code was shown again. */
const agesMs: readonly number[] = [
  15_000,
  30_000,
  ...[1, 2, 5, 10, 30].map((minutes) => minutes * minuteMs),
  ...[1, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 3, 4, 5, 6, 7].map((days) => days * dayMs),
];

/** How long after a deadline the look-up goes out that tells whether it was met, milliseconds: clocks differ. */
const expiresAfterMs = 5_000;

/** How long after a deadline it is looked up, milliseconds: a payer who is late is late by a little. */
const afterDeadlineMs: readonly number[] = [expiresAfterMs, hourMs, dayMs];

/** How long after its creation, or its deadline, even a look-up that failed is not tried again, milliseconds. */
const deadAfterMs = 30 * dayMs;

/** After a failure: as soon as this part of that time is over, but not sooner than a minute. */
const retryPart = 0.1;

/** How soon a hastened look-up is repeated: the service may show a change a little later than it tells of it. */
const onceMoreAfterMs = minuteMs;

/** The age at which a card that has not ended needs a person, milliseconds. */
const unresolvedAfterMs = { answered: hourMs, failed: dayMs };

/** What the times depend on. */
type Scheduled = Pick<DueInvoice, 'createdAtMs' | 'deadlineMs'> &
  Partial<Pick<DueInvoice, 'shownAtMs'>>;

/**
 * The next look-up of an invoice that was looked up now.
 * @param nowMs milliseconds since 1970
 * @returns milliseconds since 1970; null: never again
 */
export function toNextLookUpMs(invoice: Scheduled, nowMs: number): number | null {
  return earliest(toTimesMs(invoice).filter((atMs) => atMs > nowMs));
}

/** The same after a hastened look-up, which was not due by the invoice's age: once more a little later. */
export function toOnceMoreMs(invoice: Scheduled, nowMs: number): number {
  return Math.min(nowMs + onceMoreAfterMs, toNextLookUpMs(invoice, nowMs) ?? Infinity);
}

/**
 * The same after a look-up that failed. Sooner than at the next age, which may be a day away.
 * @param notBeforeMs when the service wants to be asked again
 */
export function toNextTryMs(invoice: Scheduled, nowMs: number, notBeforeMs: number): number | null {
  const { deadlineMs } = invoice;
  const beganAtMs = toBeginningMs(invoice);
  const isPast = deadlineMs !== null && deadlineMs <= nowMs;
  const sinceMs = Math.max(beganAtMs, isPast ? deadlineMs : beganAtMs);
  const waitMs = Math.max(minuteMs, Math.round((nowMs - sinceMs) * retryPart));
  const regularMs = toNextLookUpMs(invoice, nowMs);
  if (regularMs === null && nowMs + waitMs - sinceMs > deadAfterMs) return null;
  return Math.max(notBeforeMs, Math.min(nowMs + waitMs, regularMs ?? Infinity));
}

/** Whether a look-up was due then by the invoice's age or deadline, and was not hastened. */
export function isRegular(invoice: Scheduled, dueAtMs: number): boolean {
  return toTimesMs(invoice).includes(dueAtMs);
}

/**
 * Whether a card that is not known to have ended needs a person. While the service does not answer, it may need only
 * patience.
 */
export function isUnresolved(
  { createdAtMs }: Scheduled,
  nowMs: number,
  isAnswered: boolean,
): boolean {
  const { answered, failed } = unresolvedAfterMs;
  return nowMs - createdAtMs >= (isAnswered ? answered : failed);
}

/** Whether a look-up that began now can say that the deadline was not met. */
export function isOver({ deadlineMs }: Scheduled, nowMs: number): boolean {
  return deadlineMs !== null && nowMs >= deadlineMs + expiresAfterMs;
}

/** A code that is shown again is as good as new. */
function toBeginningMs({ createdAtMs, shownAtMs }: Omit<Scheduled, 'deadlineMs'>): number {
  return Math.max(createdAtMs, shownAtMs ?? createdAtMs);
}

function toTimesMs({ deadlineMs, ...invoice }: Scheduled): number[] {
  const beganAtMs = toBeginningMs(invoice);
  const times = agesMs.map((ageMs) => beganAtMs + ageMs);
  if (deadlineMs !== null) times.push(...afterDeadlineMs.map((afterMs) => deadlineMs + afterMs));
  return times;
}

function earliest(times: readonly number[]): number | null {
  return times.length > 0 ? Math.min(...times) : null;
}
