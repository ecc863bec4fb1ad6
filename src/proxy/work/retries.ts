/** When an event whose hook failed is told again. */

import type { TakenEvent } from '../order/outbox-events.js';
import type { OutboxOutcome } from '../order/outbox.js';

/** The time before another try: a random part of a span that doubles with each failure, milliseconds. */
const retry = { firstMs: 5_000, longestMs: 3_600_000, shortestMs: 1_000 };

/** An event is given up at this age, milliseconds, and not before so many tries: a proxy may have been off for a day. */
const giveUp = { afterMs: 24 * 3_600_000, atLeastTries: 10 };

/**
 * The outcome for an event whose hook failed now.
 * @param nowMs milliseconds since 1970
 * @param uuid the source of randomness
 */
export function toOutcomeOfFailure(
  { queuedAtMs, tries }: Pick<TakenEvent, 'queuedAtMs' | 'tries'>,
  nowMs: number,
  uuid: string,
): OutboxOutcome {
  const giveUpAtMs = queuedAtMs + giveUp.afterMs;
  if (nowMs >= giveUpAtMs && tries >= giveUp.atLeastTries) return 'given_up';
  const retryAtMs = nowMs + toRetryDelayMs(tries, uuid);
  // The last try is made when the day is over, not an hour before.
  return { retryAtMs: nowMs < giveUpAtMs ? Math.min(retryAtMs, giveUpAtMs) : retryAtMs };
}

/**
 * Full jitter: many that failed together are not tried together.
 * @param tries how often it was tried, one or more
 * @returns milliseconds
 */
function toRetryDelayMs(tries: number, uuid: string): number {
  const mostMs = Math.min(retry.longestMs, retry.firstMs * 2 ** (tries - 1));
  const digits = Number.parseInt(uuid.slice(0, 8), 16);
  const part = Number.isNaN(digits) ? 1 : digits / 0xffff_ffff;
  return Math.max(retry.shortestMs, Math.round(mostMs * part));
}
