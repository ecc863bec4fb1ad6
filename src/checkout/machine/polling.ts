/**
 * When the element looks an invoice up again, and which: moves of what is followed.
 *
 * Promise kept here: whatever happens, there is a next step. A look-up is in flight or due, or the page is away.
 *
 * A proxy that holds its answers (`?wait=25`) is asked again as each answer comes; one that answers "still pending" in
 * less than half the wait is asked on the schedule of `contract/schedule` until the payer's next return. Never two
 * look-ups at once.
 */

import { maxWaitSeconds } from '../../contract/types.js';
import { minPollIntervalMs, nextLookUpDelayMs } from '../../contract/schedule.js';
import type { LookUp } from './events-and-commands.js';
import type { Given, Pace, Polling, TrackedInvoice, Watch } from './state.js';

/** Milliseconds between the look-ups after the payer came back: the bank has told the service by then, or soon will. */
const returnDelaysMs: Partial<Readonly<Record<Pace, number>>> = [1_000, 2_000, 4_000, 8_000];

/** The pace of a first look-up that the proxy may not hold: the payer waits for it to see anything. */
export const plain: Pace = 4;

/** Largest span of the jitter after failures: a person may have to find an outcome out. */
const longestSpanMs = 30_000;

/** Polling that asks at once. */
export function startPolling(nowMs: number, pace: Pace = 'held'): Polling {
  return { startedAtMs: nowMs, pace, turn: 0, failures: 0, dueMs: nowMs, sinceMs: null };
}

/** Which invoice's turn it is (0: the newest), and how long the proxy may hold the answer. */
function turnOf({ turn, invoices, pace, failures }: Watch) {
  const others = invoices.length - 1;
  const index = turn % 2 && others ? 1 + (((turn - 1) / 2) % others) : 0;
  const holds = (pace === 'held' || pace === 'cut') && failures === 0 && index === 0;
  return { index, waitSeconds: holds ? maxWaitSeconds : 0 };
}

/** The invoice that the look-up in flight asks for; `null`: none is in flight. */
export function askedOf(watch: Watch): TrackedInvoice | null {
  return watch.sinceMs === null ? null : (watch.invoices[turnOf(watch).index] ?? null);
}

/** Starts the look-up that is due. */
export function startLookUp(watch: Watch, nowMs: number): { watch: Watch; lookUp: LookUp } {
  const { index, waitSeconds } = turnOf(watch);
  const { invoiceId, lookupToken } = watch.invoices[index] ?? watch.invoices[0];
  // After a return a connection that slept with the phone can hang for half a minute.
  const timeoutMs = typeof watch.pace === 'number' ? 6_000 : waitSeconds * 1_000 + 8_000;
  return {
    lookUp: { type: 'look_up', invoiceId, lookupToken, waitSeconds, timeoutMs },
    watch: { ...watch, dueMs: null, sinceMs: nowMs },
  };
}

/** A look-up answered, and the answer is not final. */
export function afterAnswer(watch: Watch, given: Given): Watch {
  const { nowMs } = given;
  const { index, waitSeconds } = turnOf(watch);
  if (index > 0) return toNewest(watch, given);
  const wasHeld = nowMs - (watch.sinceMs ?? nowMs) >= waitSeconds * 500;
  const pace = waitSeconds === 0 ? watch.pace : wasHeld ? 'held' : 'scheduled';
  const next = { ...watch, pace, failures: 0 };
  // A former code may be paid too: it is asked for right behind the newest, so that the newest waits no longer.
  return watch.invoices.length > 1
    ? waitUntil(nowMs, next, { turn: next.turn + 1 })
    : toNewest(next, given);
}

/** The newest invoice's next look-up, at the time of the pace. */
function toNewest(watch: Watch, { nowMs, terms }: Given): Watch {
  const { pace, startedAtMs } = watch;
  const turn = nextEven(watch);
  const quickMs = returnDelaysMs[pace];
  if (quickMs !== undefined) {
    return waitUntil(nowMs + quickMs, watch, { turn, pace: Number(pace) + 1 });
  }
  return pace === 'scheduled'
    ? waitUntil(nowMs + nextLookUpDelayMs(nowMs - startedAtMs, terms.pollIntervalMs), watch, {
        turn,
      })
    : waitUntil(nowMs, watch, { turn, pace: slower(pace, false) });
}

/**
 * A look-up failed, or look-ups that stood still go on. The next one comes after full jitter (uniform over an
 * exponentially growing span), or after the proxy's Retry-After if that is longer; but for the quick ones after a return
 * it is a former invoice's, if there is one.
 */
export function afterFailure(
  watch: Watch,
  given: Given,
  retryAfterSeconds: number | null = null,
): Watch {
  const { pace, sinceMs, invoices } = watch;
  const { nowMs, random, terms } = given;
  const { index, waitSeconds } = turnOf(watch);
  const notBeforeMs = nowMs + (retryAfterSeconds ?? 0) * 1_000;
  if (sinceMs !== null && index > 0) {
    // A failure for an older invoice changes the newest's time only by Retry-After.
    const next = toNewest(watch, given);
    return { ...next, dueMs: Math.max(next.dueMs ?? 0, notBeforeMs) };
  }
  const failures = watch.failures + 1;
  const turn = nextEven(watch);
  const quickMs = returnDelaysMs[pace];
  if (quickMs !== undefined) {
    const dueMs = Math.max(nowMs + quickMs, notBeforeMs);
    return waitUntil(dueMs, watch, { failures, turn, pace: Number(pace) + 1 });
  }
  const delayMs = pauseMs(random, terms.pollIntervalMs, failures - 1, retryAfterSeconds);
  return waitUntil(nowMs + delayMs, watch, {
    failures,
    turn: invoices.length > 1 ? turn + 1 : turn,
    pace: slower(pace, sinceMs !== null && waitSeconds > 0),
  });
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

/** The pace where no quick look-up follows. */
function slower(pace: Pace, wasCut: boolean): Pace {
  if (typeof pace === 'number') return 'held';
  if (!wasCut) return pace;
  return pace === 'held' ? 'cut' : 'scheduled';
}

/** The payer came back, pressed "Já paguei", or the line is up again: look now, then quickly, then as before. */
export function afterReturn(watch: Watch, nowMs: number): Watch {
  return waitUntil(nowMs, watch, { pace: 0, failures: 0, turn: nextEven(watch) });
}

/** Nothing is asked until the next return: the browser is offline, or the page is being put away. */
export function pause(watch: Watch): Watch {
  return waitUntil(null, watch);
}

/** Whether nothing is in flight, and nothing due. */
export function isPaused({ dueMs, sinceMs }: Watch): boolean {
  return dueMs === null && sinceMs === null;
}

/**
 * Look-ups that stood still go on, each time later: a proxy that refuses every token it gives is not asked in a loop.
 * What is in flight or waits for its time is left alone.
 */
export function goOn(watch: Watch, given: Given, retryAfterSeconds?: number | null): Watch {
  return isPaused(watch) ? afterFailure(watch, given, retryAfterSeconds) : watch;
}

function waitUntil(dueMs: number | null, watch: Watch, changes: Partial<Polling> = {}): Watch {
  return { ...watch, ...changes, dueMs, sinceMs: null };
}

function nextEven({ turn }: Watch): number {
  return turn + (turn % 2);
}
