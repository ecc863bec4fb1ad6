/**
 * When the element looks an invoice up again: a small machine of its own, embedded in what is followed.
 *
 * Promise kept here: whatever happens, there is a next step. A look-up is in flight or due, or the page is away.
 *
 * A proxy that holds its answers (`?wait=25`) is asked again as each answer comes; one that answers "still pending" in
 * less than half the wait is asked on the schedule of `contract/schedule` until the payer's next return. Never two
 * look-ups at once. Pure: times are monotonic milliseconds, randomness comes in as a number from 0 to 1.
 */

import { maxWaitSeconds } from '../../contract/types.js';
import { minPollIntervalMs, nextLookUpDelayMs } from '../../contract/schedule.js';

/** Milliseconds between the look-ups after the payer came back: the bank has told the service by then, or soon will. */
const returnDelaysMs = [1_000, 2_000, 4_000, 8_000] as const;

/** A look-up beyond its wait may take this long. */
const timeoutMs = 8_000;

/** After a return a look-up may take this long: a connection that slept with the phone can hang for half a minute. */
const returnTimeoutMs = 6_000;

/** Largest span of the jitter after failures: a person may have to find an outcome out. */
const longestSpanMs = 30_000;

/**
 * How ordinary look-ups are made. After a return: a number, that of the quick look-ups made so far. Then `held` by the
 * proxy; `cut`, which is held once more after one of those failed; `scheduled`, for a proxy that does not hold, or whose
 * held answers something between us cuts.
 */
export type Pace = number | 'held' | 'cut' | 'scheduled';

export interface Polling {
  /** Where the schedule counts from. */
  readonly startedAtMs: number;
  readonly pace: Pace;
  /** Even: the newest invoice is asked for next. Odd: one of the former. */
  readonly turn: number;
  /** Look-ups of the newest invoice failed in a row. */
  readonly failures: number;
  /** When the next look-up is due; `null` while one is in flight, or all is paused. */
  readonly dueMs: number | null;
  /** The look-up in flight. */
  readonly lookUp: LookUp | null;
}

export interface LookUp {
  /** Which invoice is asked for: 0 is the newest. */
  readonly index: number;
  readonly waitSeconds: number;
  readonly timeoutMs: number;
  readonly sinceMs: number;
}

/** The pace of a first look-up that the proxy may not hold: the payer waits for it to see anything. */
export const plain: Pace = returnDelaysMs.length;

/** Polling that asks at once. */
export function startPolling(nowMs: number, pace: Pace = 'held'): Polling {
  return { startedAtMs: nowMs, pace, turn: 0, failures: 0, dueMs: nowMs, lookUp: null };
}

/** Starts the look-up that is due. @param invoices how many invoices are followed */
export function startLookUp(polling: Polling, nowMs: number, invoices: number) {
  const { pace, turn, failures } = polling;
  const index = turn % 2 === 0 || invoices === 1 ? 0 : 1 + (((turn - 1) / 2) % (invoices - 1));
  const holds = (pace === 'held' || pace === 'cut') && failures === 0 && index === 0;
  const waitSeconds = holds ? maxWaitSeconds : 0;
  const limitMs = typeof pace === 'number' ? returnTimeoutMs : waitSeconds * 1_000 + timeoutMs;
  const lookUp: LookUp = { index, waitSeconds, timeoutMs: limitMs, sinceMs: nowMs };
  return { lookUp, polling: { ...polling, dueMs: null, lookUp } };
}

/**
 * A look-up answered, and the answer is not final.
 * @param invoices how many invoices are followed
 * @param intervalMs base of the schedule
 */
export function afterAnswer(
  polling: Polling,
  nowMs: number,
  invoices: number,
  intervalMs: number,
): Polling {
  const { lookUp } = polling;
  if (!lookUp) return polling;
  if (lookUp.index > 0) return toNewest(polling, nowMs, intervalMs);
  const wasHeld = nowMs - lookUp.sinceMs >= lookUp.waitSeconds * 500;
  const pace = lookUp.waitSeconds === 0 ? polling.pace : wasHeld ? 'held' : 'scheduled';
  const next = { ...polling, pace, failures: 0 };
  // A former code may be paid too: it is asked for right behind the newest, so that the newest waits no longer.
  return invoices > 1
    ? waitUntil({ ...next, turn: next.turn + 1 }, nowMs)
    : toNewest(next, nowMs, intervalMs);
}

/** The newest invoice's next look-up, at the time of the pace. */
function toNewest(polling: Polling, nowMs: number, intervalMs: number): Polling {
  const { pace, startedAtMs } = polling;
  const next = { ...polling, turn: nextEven(polling.turn) };
  if (typeof pace === 'number') {
    const delay = returnDelaysMs[pace];
    return delay === undefined
      ? waitUntil({ ...next, pace: 'held' }, nowMs)
      : waitUntil({ ...next, pace: pace + 1 }, nowMs + delay);
  }
  if (pace !== 'scheduled') return waitUntil(next, nowMs);
  const baseMs = Math.max(intervalMs, minPollIntervalMs);
  return waitUntil(next, nowMs + nextLookUpDelayMs(nowMs - startedAtMs, baseMs));
}

/**
 * A look-up failed, or look-ups that stood still go on. The next one comes after full jitter (uniform over an
 * exponentially growing span), or after the proxy's Retry-After if that is longer; but for the quick ones after a return
 * it is a former invoice's, if there is one.
 * @param invoices how many invoices are followed
 * @param intervalMs base of the schedule
 * @param how `random` from 0 to 1
 */
export function afterFailure(
  polling: Polling,
  nowMs: number,
  invoices: number,
  intervalMs: number,
  how: { readonly random: number; readonly retryAfterSeconds: number | null },
): Polling {
  const { pace, lookUp } = polling;
  const notBeforeMs = nowMs + (how.retryAfterSeconds ?? 0) * 1_000;
  if (lookUp && lookUp.index > 0) {
    // A failure for an older invoice changes the newest's time only by Retry-After.
    const next = toNewest(polling, nowMs, intervalMs);
    return waitUntil(next, Math.max(next.dueMs ?? 0, notBeforeMs));
  }
  const failures = polling.failures + 1;
  const turn = nextEven(polling.turn);
  const quickMs = typeof pace === 'number' ? returnDelaysMs[pace] : undefined;
  if (typeof pace === 'number' && quickMs !== undefined) {
    const next = { ...polling, failures, turn, pace: pace + 1 };
    return waitUntil(next, Math.max(nowMs + quickMs, notBeforeMs));
  }
  const next = {
    ...polling,
    failures,
    turn: invoices > 1 ? turn + 1 : turn,
    pace: slower(pace, lookUp !== null && lookUp.waitSeconds > 0),
  };
  const { random, retryAfterSeconds } = how;
  return waitUntil(next, nowMs + pauseMs(random, intervalMs, failures - 1, retryAfterSeconds));
}

/**
 * Milliseconds until a failed request is made again: full jitter over a span that doubles with each try, and at least
 * what the proxy asks for.
 */
export function pauseMs(
  random: number,
  firstSpanMs: number,
  tries: number,
  retryAfterSeconds: number | null,
): number {
  const span = Math.min(longestSpanMs, firstSpanMs * 2 ** Math.min(tries, 16));
  return Math.max(minPollIntervalMs, random * span, (retryAfterSeconds ?? 0) * 1_000);
}

/** The pace after a failure that no quick look-up follows. */
function slower(pace: Pace, wasHeld: boolean): Pace {
  if (typeof pace === 'number') return 'held';
  if (!wasHeld) return pace;
  return pace === 'held' ? 'cut' : 'scheduled';
}

/** The payer came back, pressed "Já paguei", or the line is up again: look now, then quickly, then as before. */
export function afterReturn(polling: Polling, nowMs: number): Polling {
  return waitUntil({ ...polling, pace: 0, failures: 0, turn: nextEven(polling.turn) }, nowMs);
}

/** Nothing is asked until the next return: the browser is offline, or the page is being put away. */
export function pausePolling(polling: Polling): Polling {
  return isPaused(polling) ? polling : { ...polling, dueMs: null, lookUp: null };
}

/** Whether nothing is in flight, and nothing due. */
export function isPaused({ dueMs, lookUp }: Polling): boolean {
  return dueMs === null && lookUp === null;
}

function waitUntil(polling: Polling, dueMs: number): Polling {
  return { ...polling, dueMs, lookUp: null };
}

function nextEven(turn: number): number {
  return turn + (turn % 2);
}
