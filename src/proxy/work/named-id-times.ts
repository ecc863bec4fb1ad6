/** When a named id is looked up again. */

import type { NamedOutcome } from '../order/heard.js';
import type { NamedId } from '../order/order.js';
import { ProxyError } from '../runtime/proxy-error.js';
import { dayMs, minuteMs } from '../order/spans.js';

/** Pauses after the first look-ups of an id, milliseconds; the last one is that of all further ones. */
const againAfterMs = [5_000, 15_000, minuteMs, 5 * minuteMs, 30 * minuteMs, 60 * minuteMs] as const;

/**
 * How often an id is looked up at most, by what the last answer was. More than once, because the service may send a postback
 * before its own look-up shows the change; a new invoice takes longest.
 */
const maxTries = { open: 2, notFound: 6 };

/** How long an id whose look-ups fail is tried again, milliseconds. */
const patienceMs = 7 * dayMs;

/** How soon after its payment an invoice is asked about first, milliseconds. */
const firstAgeMs = dayMs;

/**
 * How long after its payment, or after a postback that named it, a paid invoice is asked about, milliseconds. A payer has
 * 80 days to contest a Pix (Banco Central, MED 2.0).
 */
const agesMs = [firstAgeMs, 7 * dayMs, 30 * dayMs, 80 * dayMs];

/** An id that was looked up now, this time counted. */
type Tried = Pick<NamedId, 'tries' | 'namedAtMs'>;

/** @returns milliseconds since 1970; null: it is not looked up again */
export function toNextMs(
  { tries, namedAtMs }: Tried,
  found: NamedOutcome | ProxyError,
  nowMs: number,
): number | null {
  if (found === 'recorded' || found === 'none') return null;
  const most = isNotFound(found) ? maxTries.notFound : found === 'open' ? maxTries.open : Infinity;
  if (tries >= most || nowMs - namedAtMs >= patienceMs) return null;
  return nowMs + toPauseMs(tries, found);
}

/**
 * The same for a paid invoice.
 * @param isWatched false: only postbacks ask about it
 */
export function toNextPaidMs(
  { tries, namedAtMs }: Tried,
  found: NamedOutcome | ProxyError,
  nowMs: number,
  isWatched: boolean,
): number | null {
  const timesMs = (isWatched ? agesMs : [0]).map((ageMs) => namedAtMs + ageMs);
  const nextMs = timesMs.find((atMs) => atMs > nowMs) ?? null;
  if (!(found instanceof ProxyError) || isNotFound(found)) return nextMs;
  const againMs = nowMs + toPauseMs(tries, found);
  return againMs < Math.max(...timesMs) + patienceMs ? Math.min(againMs, nextMs ?? Infinity) : null;
}

function isNotFound(found: NamedOutcome | ProxyError): boolean {
  return found instanceof ProxyError && found.code === 'not_found';
}

function toPauseMs(tries: number, found: NamedOutcome | ProxyError): number {
  const pauseMs = againAfterMs[Math.max(1, tries) - 1] ?? againAfterMs[5];
  const retryAfterSeconds = found instanceof ProxyError ? (found.retryAfterSeconds ?? 0) : 0;
  return Math.max(pauseMs, retryAfterSeconds * 1_000);
}
