/**
 * When the proxy looks an invoice up by itself, or calls a hook, and when it does so again. How long it keeps an order, and so
 * watches it, stands in `due.ts`.
 */

import { dayMs, hourMs, isNear, minuteMs, secondMs } from '../../domain/spans.js';
import type { KeptEvent, KeptInvoice, NamedId, NamedOutcome, WordTime } from './order.js';

/** All times are milliseconds. */
export const times = {
  /** How long one process owns due work that it took. After that it is due again. */
  takenForMs: minuteMs,

  /**
   * When an invoice that may be paid is looked up: often at first, because most payers pay soon. When a page gets the code again,
   * its age counts from then.
   */
  open: {
    atAgesMs: [
      15 * secondMs,
      30 * secondMs,
      ...[1, 2, 5, 10, 30].map((minutes) => minutes * minuteMs),
      ...[1, 3, 6, 12].map((hours) => hours * hourMs),
    ],
    /** While postbacks arrive, only every fourth of these look-ups is made. */
    sparse: 4,
    /**
     * After those, daily for a week or until the deadline, then weekly for as long as the order is kept, because a code may be
     * paid all that time.
     */
    daily: { everyMs: dayMs, forMs: 7 * dayMs },
    weekly: { everyMs: 7 * dayMs },
    /** A code that is shown again begins anew only at this age. A younger one is looked up often enough. */
    beginsAnewAfterMs: 30 * minuteMs,
    /** The first look-up after a deadline comes late enough for clocks that differ; the others find payers who are late. */
    afterDeadlineMs: [5 * secondMs, hourMs, dayMs],
    /**
     * After a postback, besides the look-up at once: the service may send a postback before its own look-up shows the change.
     */
    afterHintMs: [15 * secondMs, 75 * secondMs],
    /** Shortest time between two look-ups that postbacks cause. */
    hintPaceMs: 2 * secondMs,
    /**
     * After a failure: once this part of the invoice's age has passed, but not before `leastMs`, and sooner after a postback.
     */
    retry: { part: 0.1, leastMs: minuteMs, hintedMs: 5 * secondMs },
  },

  /** The age at which an open card needs a person. While the service does not answer, waiting may be enough. */
  unresolvedAfterMs: { answered: hourMs, failed: dayMs },

  /** An id that a postback named. */
  named: {
    /** Pauses after the first look-ups. The last pause repeats. */
    pausesMs: [5 * secondMs, 15 * secondMs, minuteMs, 5 * minuteMs, 30 * minuteMs, hourMs],
    /**
     * Most look-ups, by the last answer. There is more than one because the service may send a postback before its own look-up
     * shows the change; a new invoice takes longest.
     */
    mostTries: { open: 2, notFound: 6 },
    /** How long failing look-ups are repeated. */
    patienceMs: 7 * dayMs,
    /** When and how often the shop hears that the look-ups fail. Its order takes no card and gives no new code meanwhile. */
    unanswered: { afterMs: hourMs, everyMs: dayMs },
    /** Most look-ups for one order, over all processes. */
    limit: { most: 3, withinMs: minuteMs },
  },

  /**
   * A paid invoice, from its payment or the postback that named it: a payer has 80 days to contest a Pix (Banco Central, MED
   * 2.0).
   */
  paid: { atAgesMs: [dayMs, 7 * dayMs, 30 * dayMs, 80 * dayMs], patienceMs: 7 * dayMs },

  /**
   * A word of the service that is older than a known one. The invoice is looked up again after this part of the known word's
   * age. A replica lags for an hour at most; after that the service's own times are wrong, and its word counts.
   */
  olderWord: { part: 0.5, leastMs: 15 * secondMs, lagMs: hourMs },

  /**
   * An event whose hook failed. It is tried again after a random part of a pause that doubles with each failure, up to
   * `longestMs`.
   */
  event: {
    spanMs: 5 * secondMs,
    longestMs: hourMs,
    shortestMs: secondMs,
    /** An event is overdue at this age, but not before this many tries, because a proxy may have been off for a day. */
    overdue: { afterMs: dayMs, atLeastTries: 10 },
    /** How often an overdue event is tried, for as long as its order is kept. */
    overdueRetryMs: 6 * hourMs,
    /** How soon a failed warning is repeated: daily, as tries are six hours apart. */
    warnAgainAfterMs: 23 * hourMs,
  },
} as const;

/** A look-up that failed. `afterMs`: when the service or the rate limit allows the next one. */
export interface Failed {
  readonly failed: 'not_found' | 'throttled' | 'no_answer';
  readonly afterMs: number;
}

type Timed = Pick<KeptInvoice, 'createdAtMs' | 'shownAtMs' | 'hintedAtMs' | 'deadlineMs'>;

/** An id whose look-up is done and counted. */
type Tried = Pick<NamedId, 'tries' | 'namedAtMs'>;

/** When an invoice that is created or shown now is looked up first, milliseconds since 1970. */
export function toFirstLookUpMs(nowMs: number): number {
  return nowMs + times.open.atAgesMs[0];
}

/**
 * When an invoice that may be paid is looked up next, milliseconds since 1970.
 * @param failed the failure of this look-up, which is then repeated sooner; null if the service answered
 * @param isSparse whether postbacks arrive, which tell sooner than look-ups
 */
export function toNextLookUpMs(
  invoice: Timed,
  failed: Failed | null,
  nowMs: number,
  isSparse = false,
): number {
  const regularMs = toRegularMs(invoice, nowMs, isSparse);
  if (failed === null) return regularMs;
  const { retry } = times.open;
  const { deadlineMs, hintedAtMs = -Infinity } = invoice;
  const isPast = deadlineMs !== null && deadlineMs <= nowMs;
  const sinceMs = Math.max(toBeginMs(invoice), isPast ? deadlineMs : -Infinity, hintedAtMs);
  const agedMs = Math.max(retry.leastMs, Math.round((nowMs - sinceMs) * retry.part));
  const waitMs = nowMs - hintedAtMs < minuteMs ? retry.hintedMs : agedMs;
  return Math.max(nowMs + failed.afterMs, Math.min(nowMs + waitMs, regularMs));
}

function toRegularMs(invoice: Timed, nowMs: number, isSparse: boolean): number {
  const { deadlineMs, hintedAtMs } = invoice;
  const { atAgesMs, sparse, afterDeadlineMs, afterHintMs, daily, weekly } = times.open;
  const agesMs = atAgesMs.filter((_, index) => !isSparse || (index + 1) % sparse === 0);
  const beginMs = toBeginMs(invoice);
  const { everyMs } = nowMs < toDailyUntilMs(invoice) ? daily : weekly;
  return Math.min(
    ...[
      ...agesMs.map((ageMs) => beginMs + ageMs),
      ...(deadlineMs === null ? [] : afterDeadlineMs.map((afterMs) => deadlineMs + afterMs)),
      ...(hintedAtMs === undefined ? [] : afterHintMs.map((afterMs) => hintedAtMs + afterMs)),
    ].filter((atMs) => atMs > nowMs),
    beginMs + (Math.floor((nowMs - beginMs) / everyMs) + 1) * everyMs,
  );
}

/** Whether it is looked up at least daily, because it may well be paid yet. */
export function isWatchedClosely(invoice: Timed, nowMs: number): boolean {
  return nowMs < toDailyUntilMs(invoice) || isNear(invoice.hintedAtMs ?? -Infinity, dayMs, nowMs);
}

function toDailyUntilMs({ deadlineMs, ...invoice }: Timed): number {
  return Math.max(toBeginMs(invoice) + times.open.daily.forMs, deadlineMs ?? -Infinity);
}

/** Whether the look-ups of a code that is shown again begin anew. */
export function beginsAnew(invoice: Pick<Timed, 'createdAtMs' | 'shownAtMs'>, nowMs: number) {
  return nowMs - (invoice.shownAtMs ?? invoice.createdAtMs) >= times.open.beginsAnewAfterMs;
}

/** Whether a look-up that begins now can tell that the deadline was missed. */
export function isPastDeadline({ deadlineMs }: Pick<Timed, 'deadlineMs'>, nowMs: number): boolean {
  return deadlineMs !== null && nowMs >= deadlineMs + times.open.afterDeadlineMs[0];
}

/** Whether a card has been open for so long that it needs a person. */
export function isLongUnresolved(
  { createdAtMs }: Timed,
  nowMs: number,
  isAnswered: boolean,
): boolean {
  const { answered, failed } = times.unresolvedAfterMs;
  return nowMs - createdAtMs >= (isAnswered ? answered : failed);
}

/** When a named id is looked up again, milliseconds since 1970; null if it is dropped. */
export function toNextNamedMs(
  { tries, namedAtMs }: Tried,
  found: NamedOutcome | Failed,
  nowMs: number,
): number | null {
  if (found === 'recorded' || found === 'none') return null;
  const { mostTries, patienceMs } = times.named;
  const most = isNotFound(found)
    ? mostTries.notFound
    : found === 'open'
      ? mostTries.open
      : Infinity;
  if (tries >= most || nowMs - namedAtMs >= patienceMs) return null;
  return nowMs + toPauseMs(tries, found);
}

/**
 * When a paid invoice is looked up again, milliseconds since 1970; null if never. @param isWatched false if only postbacks
 * cause its look-ups
 */
export function toNextPaidMs(
  { tries, namedAtMs }: Tried,
  found: NamedOutcome | Failed,
  nowMs: number,
  isWatched: boolean,
): number | null {
  const allMs = (isWatched ? times.paid.atAgesMs : [0]).map((ageMs) => namedAtMs + ageMs);
  const nextMs = allMs.find((atMs) => atMs > nowMs) ?? null;
  if (typeof found === 'string' || isNotFound(found)) return nextMs;
  const againMs = nowMs + toPauseMs(tries, found);
  const isLate = againMs >= Math.max(...allMs) + times.paid.patienceMs;
  return isLate ? null : Math.min(againMs, nextMs ?? Infinity);
}

/** Whether a word of the service is older than the known one. */
export function isOlder(word: WordTime, known: WordTime): boolean {
  if (word.beganMs < known.beganMs) return true;
  if (word.updatedAtMs === null || known.updatedAtMs === null) return false;
  const mayLag = word.beganMs < known.beganMs + times.olderWord.lagMs;
  return mayLag && word.updatedAtMs < known.updatedAtMs;
}

/** How soon an older word is looked up again, milliseconds. */
export function toDoubtMs({ beganMs }: WordTime, nowMs: number): number {
  const { part, leastMs } = times.olderWord;
  return Math.max(leastMs, Math.round((nowMs - beganMs) * part));
}

/**
 * When an event whose hook failed now is tried again. @param part random part of the longest pause, 0 to 1, so that events
 * that failed together are tried apart
 */
export function toRetryMs(
  event: Pick<KeptEvent, 'queuedAtMs' | 'tries'>,
  nowMs: number,
  part: number,
): number {
  const { spanMs, longestMs, shortestMs, overdue, overdueRetryMs } = times.event;
  if (isOverdue(event, nowMs)) return nowMs + overdueRetryMs;
  const mostMs = Math.min(longestMs, spanMs * 2 ** (event.tries - 1));
  const retryAtMs = nowMs + Math.max(shortestMs, Math.round(mostMs * part));
  // An event that becomes overdue meanwhile is tried at that time, not up to an hour later.
  const overdueAtMs = event.queuedAtMs + overdue.afterMs;
  return nowMs < overdueAtMs ? Math.min(retryAtMs, overdueAtMs) : retryAtMs;
}

/** Whether a person has to be warned now of an event whose hook failed: daily, until one warning came through. */
export function isToBeWarned(
  event: Pick<KeptEvent, 'queuedAtMs' | 'tries' | 'warnedAtMs' | 'isWarningHeard'>,
  nowMs: number,
): boolean {
  if (event.isWarningHeard || !isOverdue(event, nowMs)) return false;
  const { warnedAtMs } = event;
  return warnedAtMs === undefined || !isNear(warnedAtMs, times.event.warnAgainAfterMs, nowMs);
}

function isOverdue(
  { queuedAtMs, tries }: Pick<KeptEvent, 'queuedAtMs' | 'tries'>,
  nowMs: number,
): boolean {
  const { afterMs, atLeastTries } = times.event.overdue;
  return nowMs >= queuedAtMs + afterMs && tries >= atLeastTries;
}

function isNotFound(found: NamedOutcome | Failed): boolean {
  return typeof found === 'object' && found.failed === 'not_found';
}

function toPauseMs(tries: number, found: NamedOutcome | Failed): number {
  const { pausesMs } = times.named;
  const pauseMs = pausesMs[Math.max(1, tries) - 1] ?? pausesMs.at(-1)!;
  return Math.max(pauseMs, typeof found === 'object' ? found.afterMs : 0);
}

function toBeginMs({ createdAtMs, shownAtMs }: Pick<Timed, 'createdAtMs' | 'shownAtMs'>): number {
  return Math.max(createdAtMs, shownAtMs ?? createdAtMs);
}
