/**
 * When an open invoice is looked up. Most payers pay soon, so the times lie closer together for a young invoice; a payment
 * that no page saw is found at the next of them. A code that a page gets again is young again.
 */

import { dayMs, hourMs, minuteMs, secondMs } from '../order/spans.js';
import type { KeptInvoice } from '../order/order.js';

/** Ages of an invoice at which it is looked up, milliseconds. */
const agesMs: readonly number[] = [
  15 * secondMs,
  30 * secondMs,
  ...[1, 2, 5, 10, 30].map((minutes) => minutes * minuteMs),
  ...[1, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 3, 4, 5, 6, 7].map((days) => days * dayMs),
];

/** How long after a deadline the look-up goes out that tells whether it was met, milliseconds: clocks differ. */
const expiresAfterMs = 5 * secondMs;

/** How long after a deadline it is looked up, milliseconds: a payer who is late is late by a little. */
const afterDeadlineMs: readonly number[] = [expiresAfterMs, hourMs, dayMs];

/** How long after a postback it is looked up again, milliseconds: the service may show a change later than it tells of it. */
const afterHintMs: readonly number[] = [15 * secondMs, 75 * secondMs];

/** How long after its creation, its deadline or a postback even a look-up that failed is not tried again, milliseconds. */
const deadAfterMs = 30 * dayMs;

/** After a failure: as soon as this part of that time is over, but not sooner than this, milliseconds. */
const retry = { part: 0.1, leastMs: minuteMs, hintedMs: 5 * secondMs };

/** The age at which a card that has not ended needs a person, milliseconds. */
const unresolvedAfterMs = { answered: hourMs, failed: dayMs };

/** What the times depend on. */
type Timed = Pick<KeptInvoice, 'createdAtMs' | 'shownAtMs' | 'hintedAtMs' | 'deadlineMs'>;

/** @returns when it is looked up next, milliseconds since 1970; null: never again */
export function toNextLookUpMs(invoice: Timed, nowMs: number): number | null {
  const times = toTimesMs(invoice).filter((atMs) => atMs > nowMs);
  return times.length > 0 ? Math.min(...times) : null;
}

/**
 * The same after a look-up that failed. Sooner than at the next age, which may be a day away.
 * @param notBeforeMs when the service wants to be asked again
 */
export function toNextTryMs(invoice: Timed, nowMs: number, notBeforeMs: number): number | null {
  const { deadlineMs, hintedAtMs = -Infinity } = invoice;
  const isPast = deadlineMs !== null && deadlineMs <= nowMs;
  const sinceMs = Math.max(toBeginMs(invoice), isPast ? deadlineMs : -Infinity, hintedAtMs);
  const isHinted = nowMs - hintedAtMs < minuteMs;
  const leastMs = isHinted ? retry.hintedMs : retry.leastMs;
  const waitMs = isHinted ? leastMs : Math.max(leastMs, Math.round((nowMs - sinceMs) * retry.part));
  const regularMs = toNextLookUpMs(invoice, nowMs);
  if (regularMs === null && nowMs + waitMs - sinceMs > deadAfterMs) return null;
  return Math.max(notBeforeMs, Math.min(nowMs + waitMs, regularMs ?? Infinity));
}

/**
 * Whether a card that is not known to have ended needs a person. While the service does not answer, it may need only
 * patience.
 */
export function isUnresolved({ createdAtMs }: Timed, nowMs: number, isAnswered: boolean): boolean {
  const { answered, failed } = unresolvedAfterMs;
  return nowMs - createdAtMs >= (isAnswered ? answered : failed);
}

/** Whether a look-up that began now can say that the deadline was not met. */
export function isPastDeadline({ deadlineMs }: Pick<Timed, 'deadlineMs'>, nowMs: number): boolean {
  return deadlineMs !== null && nowMs >= deadlineMs + expiresAfterMs;
}

function toTimesMs(invoice: Timed): number[] {
  const { deadlineMs, hintedAtMs } = invoice;
  const beginMs = toBeginMs(invoice);
  return [
    ...agesMs.map((ageMs) => beginMs + ageMs),
    ...(deadlineMs === null ? [] : afterDeadlineMs.map((afterMs) => deadlineMs + afterMs)),
    ...(hintedAtMs === undefined ? [] : afterHintMs.map((afterMs) => hintedAtMs + afterMs)),
  ];
}

function toBeginMs({ createdAtMs, shownAtMs }: Timed): number {
  return Math.max(createdAtMs, shownAtMs ?? createdAtMs);
}
