/**
 * When the proxy looks an invoice up by itself or calls a hook, and when it repeats that. How long it keeps an order, and so
 * watches it, stands in `due.ts`.
 */

import { dayMs, hourMs, isNear, minuteMs, secondMs } from '../../domain/spans.js';
import type { KeptEvent, KeptInvoice, NamedId, NamedOutcome, AnswerTime } from './order.js';

/** All times are milliseconds. */
export const times = {
  /** How long one process owns due work that it took. After that it is due again. */
  takenForMs: minuteMs,

  /**
   * When an invoice that may be paid is looked up: often at first, because most payers pay soon. When a page gets the code
   * again, its age counts from then.
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
     * After the list, the invoice is looked up daily for a week or until the deadline, then weekly for as long as the order
     * is kept, because a code may be paid all that time.
     */
    daily: { everyMs: dayMs, forMs: 7 * dayMs },
    weekly: { everyMs: 7 * dayMs },
    /** From this age on, the look-ups of a code that is shown again begin anew. A younger code is looked up often enough. */
    beginsAnewAfterMs: 30 * minuteMs,
    /** The first look-up comes late enough after the deadline for clocks that differ; the others find payers who are late. */
    afterDeadlineMs: [5 * secondMs, hourMs, dayMs],
    /**
     * A postback makes a look-up due at once. These follow it, because the service may send a postback before its own
     * look-up shows the change.
     */
    afterHintMs: [15 * secondMs, 75 * secondMs],
    /** Shortest time between two look-ups that postbacks cause. */
    hintPaceMs: 2 * secondMs,
    /**
     * After a failure the look-up is repeated once this part of the invoice's age has passed, but not before `leastMs`, and
     * sooner after a postback.
     */
    retry: { part: 0.1, leastMs: minuteMs, hintedMs: 5 * secondMs },
  },

  /** The age at which an open card needs a person: later if its look-up failed, because waiting may be enough. */
  unresolvedAfterMs: { answered: hourMs, failed: dayMs },

  /** An id that a postback named. */
  named: {
    /** Pauses after the first look-ups. The last pause repeats. */
    pausesMs: [5 * secondMs, 15 * secondMs, minuteMs, 5 * minuteMs, 30 * minuteMs, hourMs],
    /**
     * Most look-ups, by the last answer. One is not enough, because the service may send a postback before its own look-up
     * shows the change; that takes longest for a new invoice.
     */
    mostTries: { open: 2, notFound: 6 },
    /** How long failing look-ups are repeated. */
    patienceMs: 7 * dayMs,
    /**
     * After how long, and how often, the shop is told that the look-ups get no answer. The order takes no card and gives no
     * new code meanwhile.
     */
    unanswered: { afterMs: hourMs, everyMs: dayMs },
    /** Most look-ups for one order, over all processes. */
    limit: { most: 3, withinMs: minuteMs },
  },

  /**
   * The ages at which a paid invoice is looked up for a return, since its payment or the postback that named it, and how
   * long after the last age a failed look-up is repeated. A payer has 80 days to contest a Pix (Banco Central, MED 2.0).
   */
  paid: { atAgesMs: [dayMs, 7 * dayMs, 30 * dayMs, 80 * dayMs], patienceMs: 7 * dayMs },

  /**
   * After an answer that is older than the recorded one, the invoice is looked up again once this part of the recorded
   * answer's age has passed. If its look-up began more than `lagMs` after the recorded one, an answer is never older: a replica
   * of the service lags by an hour at most, so its `updated_at` must be wrong.
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
    /** An event is overdue at this age, but only after this many tries, because a proxy may have been off for a day. */
    overdue: { afterMs: dayMs, atLeastTries: 10 },
    /** How often an overdue event is tried, for as long as its order is kept. */
    overdueRetryMs: 6 * hourMs,
    /** How soon a failed warning is repeated: about daily, because tries are six hours apart. */
    warnAgainAfterMs: 23 * hourMs,
  },
} as const;

/** A look-up that failed. `afterMs`: how soon the service or the rate limit allows the next one. */
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
  const regularMs = toRegularLookUpMs(invoice, nowMs, isSparse);
  if (failed === null) return regularMs;
  const { retry } = times.open;
  const { deadlineMs, hintedAtMs = -Infinity } = invoice;
  const isPast = deadlineMs !== null && deadlineMs <= nowMs;
  const sinceMs = Math.max(toAgeStartMs(invoice), isPast ? deadlineMs : -Infinity, hintedAtMs);
  const agedMs = Math.max(retry.leastMs, Math.round((nowMs - sinceMs) * retry.part));
  const waitMs = nowMs - hintedAtMs < minuteMs ? retry.hintedMs : agedMs;
  return Math.max(nowMs + failed.afterMs, Math.min(nowMs + waitMs, regularMs));
}

/**
 * When the next regular look-up of an invoice is due: by its age, its deadline and its last postback, milliseconds since
 * 1970.
 */
function toRegularLookUpMs(invoice: Timed, nowMs: number, isSparse: boolean): number {
  const { deadlineMs, hintedAtMs } = invoice;
  const { atAgesMs, sparse, afterDeadlineMs, afterHintMs, daily, weekly } = times.open;
  const agesMs = atAgesMs.filter((_, index) => !isSparse || (index + 1) % sparse === 0);
  const beginMs = toAgeStartMs(invoice);
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

/** Whether the invoice is still looked up daily, or a postback came for it within a day, so that a payment is likely. */
export function isWatchedClosely(invoice: Timed, nowMs: number): boolean {
  return nowMs < toDailyUntilMs(invoice) || isNear(invoice.hintedAtMs ?? -Infinity, dayMs, nowMs);
}

/** When the daily look-ups of an invoice become weekly, milliseconds since 1970. */
function toDailyUntilMs({ deadlineMs, ...invoice }: Timed): number {
  return Math.max(toAgeStartMs(invoice) + times.open.daily.forMs, deadlineMs ?? -Infinity);
}

/** Whether a code that is shown again is old enough for its look-ups to begin anew. */
export function mayBeginAnew(invoice: Pick<Timed, 'createdAtMs' | 'shownAtMs'>, nowMs: number) {
  return nowMs - (invoice.shownAtMs ?? invoice.createdAtMs) >= times.open.beginsAnewAfterMs;
}

/** Whether a look-up that begins now can tell that the deadline was missed. */
export function isPastDeadline({ deadlineMs }: Pick<Timed, 'deadlineMs'>, nowMs: number): boolean {
  return deadlineMs !== null && nowMs >= deadlineMs + times.open.afterDeadlineMs[0];
}

/**
 * Whether a card has been open for so long that it needs a person.
 * @param isAnswered whether the service answered this look-up; if not, waiting longer may be enough
 */
export function isLongUnresolved(
  { createdAtMs }: Timed,
  nowMs: number,
  isAnswered: boolean,
): boolean {
  const { answered, failed } = times.unresolvedAfterMs;
  return nowMs - createdAtMs >= (isAnswered ? answered : failed);
}

/**
 * When a named id is looked up again, milliseconds since 1970; null if it is explained, or was tried often or long enough.
 */
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
 * When a paid invoice is looked up again for a return, milliseconds since 1970; null if never. It is looked up at fixed ages
 * since `namedAtMs`, and after a failure also after a pause.
 * @param isWatched false if only postbacks cause its look-ups
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

/** Whether an answer of the service is older than the last answer that the order recorded. */
export function isOlderAnswer(word: AnswerTime, known: AnswerTime): boolean {
  if (word.beganMs < known.beganMs) return true;
  if (word.updatedAtMs === null || known.updatedAtMs === null) return false;
  const mayLag = word.beganMs < known.beganMs + times.olderWord.lagMs;
  return mayLag && word.updatedAtMs < known.updatedAtMs;
}

/** How soon an invoice is looked up again after an answer that is older than this recorded one, milliseconds. */
export function toRecheckMs({ beganMs }: AnswerTime, nowMs: number): number {
  const { part, leastMs } = times.olderWord;
  return Math.max(leastMs, Math.round((nowMs - beganMs) * part));
}

/**
 * When an event whose hook failed now is tried again, milliseconds since 1970.
 * @param part random part of the longest pause, 0 to 1, so that events that failed together are tried apart
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
  // If the event becomes overdue before that, it is tried at that moment, not up to an hour later.
  const overdueAtMs = event.queuedAtMs + overdue.afterMs;
  return nowMs < overdueAtMs ? Math.min(retryAtMs, overdueAtMs) : retryAtMs;
}

/** Whether to warn a person of an event that failed. Once it is overdue, a warning is due daily, until one arrived. */
export function isWarningDue(
  event: Pick<KeptEvent, 'queuedAtMs' | 'tries' | 'warnedAtMs' | 'isWarningHeard'>,
  nowMs: number,
): boolean {
  if (event.isWarningHeard || !isOverdue(event, nowMs)) return false;
  const { warnedAtMs } = event;
  return warnedAtMs === undefined || !isNear(warnedAtMs, times.event.warnAgainAfterMs, nowMs);
}

/** Whether an event has failed for a day and often enough. */
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

/** How long to wait before the next look-up of a named id: longer after each try, and as long as the service asks. */
function toPauseMs(tries: number, found: NamedOutcome | Failed): number {
  const { pausesMs } = times.named;
  const pauseMs = pausesMs[Math.max(1, tries) - 1] ?? pausesMs.at(-1)!;
  return Math.max(pauseMs, typeof found === 'object' ? found.afterMs : 0);
}

/** The time from which an invoice's age counts: its creation, or the last time a page got its code again. */
function toAgeStartMs({
  createdAtMs,
  shownAtMs,
}: Pick<Timed, 'createdAtMs' | 'shownAtMs'>): number {
  return Math.max(createdAtMs, shownAtMs ?? createdAtMs);
}
