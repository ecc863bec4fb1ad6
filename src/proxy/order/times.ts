/**
 * When the proxy by itself looks an invoice up, or calls a hook, and when again. How long an order is kept, and so watched, stands
 * in `entries.ts`.
 */

import { dayMs, hourMs, isNear, minuteMs, secondMs } from '../../domain/spans.js';
import type { KeptEvent, KeptInvoice, NamedId, NamedOutcome, WordTime } from './order.js';

/** Milliseconds. */
export const times = {
  /** How long what is taken is one process's. Then it is due again. */
  takenForMs: minuteMs,

  /** An invoice that may be paid: most payers pay soon. A code that a page gets again is young again. */
  open: {
    atAgesMs: [
      15 * secondMs,
      30 * secondMs,
      ...[1, 2, 5, 10, 30].map((minutes) => minutes * minuteMs),
      ...[1, 3, 6, 12].map((hours) => hours * hourMs),
    ],
    /** While postbacks arrive, only each fourth of them. */
    sparse: 4,
    /** Then daily, for so long or up to its deadline, and weekly for as long as its order is kept: a code may be paid all that time. */
    daily: { everyMs: dayMs, forMs: 7 * dayMs },
    weekly: { everyMs: 7 * dayMs },
    /** How old a beginning has to be until the next one counts: up to there it is looked up often enough. */
    beginsAnewAfterMs: 30 * minuteMs,
    /** The first tells whether the deadline was met: clocks differ. A payer who is late is late by a little. */
    afterDeadlineMs: [5 * secondMs, hourMs, dayMs],
    /** After a postback, beside at once: the service may show a change later than it tells of it. */
    afterHintMs: [15 * secondMs, 75 * secondMs],
    /** Shortest time between two look-ups that postbacks cause. */
    hintPaceMs: 2 * secondMs,
    /** After a failure: as soon as this part of its age is over, but not sooner than this; sooner after a postback. */
    retry: { part: 0.1, leastMs: minuteMs, hintedMs: 5 * secondMs },
  },

  /** The age at which a card that has not ended needs a person. While the service does not answer, it may need only patience. */
  unresolvedAfterMs: { answered: hourMs, failed: dayMs },

  /** An id that a postback named. */
  named: {
    /** Pauses after its first look-ups; the last one is that of all further ones. */
    pausesMs: [5 * secondMs, 15 * secondMs, minuteMs, 5 * minuteMs, 30 * minuteMs, hourMs],
    /**
     * How often at most, by what the last answer was. More than once, because the service may send a postback before its own
     * look-up shows the change; a new invoice takes longest.
     */
    mostTries: { open: 2, notFound: 6 },
    /** How long one whose look-ups fail is tried again. */
    patienceMs: 7 * dayMs,
    /** When the shop hears that the look-ups of one fail (its order takes no card and gives no new code meanwhile), and how often. */
    unanswered: { afterMs: hourMs, everyMs: dayMs },
    /** Of one order, over all processes. */
    limit: { most: 3, withinMs: minuteMs },
  },

  /** A paid invoice, after its payment or a postback that named it: a payer has 80 days to contest a Pix (Banco Central, MED 2.0). */
  paid: { atAgesMs: [dayMs, 7 * dayMs, 30 * dayMs, 80 * dayMs], patienceMs: 7 * dayMs },

  /**
   * A word of the service that is older than a known one: it is looked up again after this part of the age of the known one. A
   * replica lags for an hour at most: afterwards the service's own times are wrong, and it is believed.
   */
  olderWord: { part: 0.5, leastMs: 15 * secondMs, lagMs: hourMs },

  /** An event whose hook failed: after a random part of a span that doubles with each failure, but not sooner than the shortest. */
  event: {
    spanMs: 5 * secondMs,
    longestMs: hourMs,
    shortestMs: secondMs,
    /** It is overdue at this age, and not before so many tries: a proxy may have been off for a day. */
    overdue: { afterMs: dayMs, atLeastTries: 10 },
    /** How often one that is overdue is tried, for as long as its order is kept. */
    overdueRetryMs: 6 * hourMs,
    /** How soon after a warning that failed comes another one: a day, by tries that are six hours apart. */
    warnAgainAfterMs: 23 * hourMs,
  },
} as const;

/** A look-up did not tell. `afterMs`: how soon the service, or the rate limit, wants to be asked again. */
export interface Failed {
  readonly failed: 'not_found' | 'throttled' | 'no_answer';
  readonly afterMs: number;
}

type Timed = Pick<KeptInvoice, 'createdAtMs' | 'shownAtMs' | 'hintedAtMs' | 'deadlineMs'>;

/** An id that was looked up now, this time counted. */
type Tried = Pick<NamedId, 'tries' | 'namedAtMs'>;

/** @returns when one that is created or shown now is looked up first, milliseconds since 1970 */
export function toFirstLookUpMs(nowMs: number): number {
  return nowMs + times.open.atAgesMs[0];
}

/**
 * When an invoice that may be paid is looked up next, milliseconds since 1970: it is, for as long as its order is kept.
 * @param failed the look-up that was now; it is repeated sooner than at the next age, which may be a week away. Null: it told
 * @param isSparse postbacks arrive: they tell sooner
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

/** Whether it is looked up daily at least: it may well be paid yet. */
export function isWatchedClosely(invoice: Timed, nowMs: number): boolean {
  return nowMs < toDailyUntilMs(invoice) || isNear(invoice.hintedAtMs ?? -Infinity, dayMs, nowMs);
}

function toDailyUntilMs({ deadlineMs, ...invoice }: Timed): number {
  return Math.max(toBeginMs(invoice) + times.open.daily.forMs, deadlineMs ?? -Infinity);
}

/** Whether a code that is shown again begins anew. */
export function beginsAnew(invoice: Pick<Timed, 'createdAtMs' | 'shownAtMs'>, nowMs: number) {
  return nowMs - (invoice.shownAtMs ?? invoice.createdAtMs) >= times.open.beginsAnewAfterMs;
}

/** Whether a look-up that began now can say that the deadline was not met. */
export function isPastDeadline({ deadlineMs }: Pick<Timed, 'deadlineMs'>, nowMs: number): boolean {
  return deadlineMs !== null && nowMs >= deadlineMs + times.open.afterDeadlineMs[0];
}

/** Whether a card that is not known to have ended needs a person. */
export function isLongUnresolved(
  { createdAtMs }: Timed,
  nowMs: number,
  isAnswered: boolean,
): boolean {
  const { answered, failed } = times.unresolvedAfterMs;
  return nowMs - createdAtMs >= (isAnswered ? answered : failed);
}

/** @returns when a named id is looked up again, milliseconds since 1970; null: it is forgotten */
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

/** The same for a paid invoice. @param isWatched false: only postbacks ask about it */
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

/** Whether a word of the service is older than one that is known. */
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

/** When an event whose hook failed now is tried again. @param part of the longest pause, 0 to 1: those that failed together part */
export function toRetryMs(
  event: Pick<KeptEvent, 'queuedAtMs' | 'tries'>,
  nowMs: number,
  part: number,
): number {
  const { spanMs, longestMs, shortestMs, overdue, overdueRetryMs } = times.event;
  if (isOverdue(event, nowMs)) return nowMs + overdueRetryMs;
  const mostMs = Math.min(longestMs, spanMs * 2 ** (event.tries - 1));
  const retryAtMs = nowMs + Math.max(shortestMs, Math.round(mostMs * part));
  // The first try of an overdue one is made when the day is over, not an hour later.
  const overdueAtMs = event.queuedAtMs + overdue.afterMs;
  return nowMs < overdueAtMs ? Math.min(retryAtMs, overdueAtMs) : retryAtMs;
}

/** Whether a person is warned now of an event whose hook failed: daily, until one warning came through. */
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
