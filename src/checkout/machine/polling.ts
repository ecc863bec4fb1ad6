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

const held: Pace = { kind: 'held' };
const scheduled: Pace = { kind: 'scheduled' };

/** The pace of a first look-up that the proxy may not hold, because the payer sees nothing until it is answered. */
export const plain: Pace = { kind: 'quick', delaysMs: [] };

/** The pace after the payer came back: by then the bank has told the service, or soon will. */
export const quick: Pace = { kind: 'quick', delaysMs: [1_000, 2_000, 4_000, 8_000] };

/** Largest span of the jitter after failures: a person may have to find an outcome out. */
const longestSpanMs = 30_000;

/** Begins to follow invoices. The first look-up is due at once. */
export function startWatch(
  invoices: Watch['invoices'],
  attemptKey: string | null,
  nowMs: number,
  pace: Pace = held,
): Watch {
  const polling = { startedAtMs: nowMs, pace, turn: 0, dueMs: nowMs, sinceMs: null };
  return { ...polling, failures: 0, refusals: 0, renewedAtMs: -Infinity, invoices, attemptKey };
}

/** The index of the invoice whose turn it is (0 is the newest), and how long the proxy may hold the answer. */
function turnOf({ turn, invoices, pace, failures }: Watch) {
  const others = invoices.length - 1;
  const index = turn % 2 && others ? 1 + (((turn - 1) / 2) % others) : 0;
  const holds = (pace.kind === 'held' || pace.kind === 'cut') && failures === 0 && index === 0;
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
  const timeoutMs = watch.pace.kind === 'quick' ? 6_000 : waitSeconds * 1_000 + 8_000;
  return {
    lookUp: { type: 'look_up', invoiceId, lookupToken, waitSeconds, timeoutMs },
    watch: { ...watch, dueMs: null, sinceMs: nowMs },
  };
}

/** Plans the next look-up after an answer that is not final. */
export function afterAnswer(watch: Watch, given: Given): Watch {
  const { nowMs } = given;
  const { index, waitSeconds } = turnOf(watch);
  if (index > 0) return toNewest(watch, given);
  const wasHeld = nowMs - (watch.sinceMs ?? nowMs) >= waitSeconds * 500;
  const pace = waitSeconds === 0 ? watch.pace : wasHeld ? held : scheduled;
  const next = { ...watch, pace, failures: 0, refusals: 0 };
  // A former code may be paid too. It is asked for right after the newest, so that the newest need not wait longer.
  return watch.invoices.length > 1
    ? waitUntil(nowMs, next, { turn: next.turn + 1 })
    : toNewest(next, given);
}

/** Plans the newest invoice's next look-up, at the time that the pace gives. */
function toNewest(watch: Watch, { nowMs, terms }: Given): Watch {
  const { pace, startedAtMs } = watch;
  const turn = nextEven(watch);
  if (pace.kind === 'quick') {
    const [quickMs = 0, ...delaysMs] = pace.delaysMs;
    const next: Pace = isQuick(pace) ? { kind: 'quick', delaysMs } : held;
    return waitUntil(nowMs + quickMs, watch, { turn, pace: next });
  }
  const isScheduled = pace.kind === 'scheduled';
  const delayMs = isScheduled ? nextLookUpDelayMs(nowMs - startedAtMs, terms.pollIntervalMs) : 0;
  return waitUntil(nowMs + delayMs, watch, { turn });
}

/**
 * Plans the next look-up after one that failed, or after look-ups that stood still. It comes after jitter (a random time
 * in the second half of a span that doubles with each failure), and not before the proxy's Retry-After. Where former invoices are
 * followed, the next look-up asks for one of those. The quick look-ups after a return keep their times.
 */
export function afterFailure(
  watch: Watch,
  given: Given,
  retryAfterSeconds: number | null = null,
): Watch {
  const { pace, sinceMs, invoices } = watch;
  const { nowMs, random, terms } = given;
  const { index, waitSeconds } = turnOf(watch);
  const isFormer = sinceMs !== null && index > 0;
  // The failure of a former invoice's look-up says nothing of the newest.
  const failures = watch.failures + (isFormer ? 0 : 1);
  if (isFormer || isQuick(pace)) {
    const next = toNewest(watch, given);
    const notBeforeMs = nowMs + (retryAfterSeconds ?? 0) * 1_000;
    return { ...next, failures, dueMs: Math.max(next.dueMs ?? 0, notBeforeMs) };
  }
  // Never sooner than after an answer: else a proxy that fails each other time would be asked more often.
  const delayMs = pauseMs(random, terms.pollIntervalMs, failures, retryAfterSeconds);
  const turn = nextEven(watch) + (invoices.length > 1 ? 1 : 0);
  return waitUntil(nowMs + delayMs, watch, {
    failures,
    turn,
    pace: pace.kind === 'quick' ? held : sinceMs !== null && waitSeconds > 0 ? slower(pace) : pace,
  });
}

/** The pace after a look-up that the proxy held has failed. */
function slower(pace: Pace): Pace {
  return pace.kind === 'held' ? { kind: 'cut' } : scheduled;
}

/** Whether a quick look-up is still to come. */
function isQuick(pace: Pace): boolean {
  return pace.kind === 'quick' && pace.delaysMs.length > 0;
}

/**
 * Milliseconds until a failed request is made again: jitter over the second half of a span that doubles with each try, and
 * at least what the proxy asks for.
 */
export function pauseMs(
  random: number,
  firstSpanMs: number,
  tries: number,
  retryAfterSeconds: number | null,
): number {
  const span = Math.min(longestSpanMs, firstSpanMs * 2 ** Math.min(tries, 16));
  const jitteredMs = (span * (1 + random)) / 2;
  return Math.max(minPollIntervalMs, jitteredMs, (retryAfterSeconds ?? 0) * 1_000);
}

/** The payer came back, pressed "Já paguei", or the line is up again: look now, then quickly, then as before. */
export function afterReturn(watch: Watch, nowMs: number): Watch {
  return waitUntil(nowMs, watch, { pace: quick, failures: 0, turn: nextEven(watch) });
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
export function goOnIfPaused(watch: Watch, given: Given, retryAfterSeconds?: number | null): Watch {
  return isPaused(watch) ? afterFailure(watch, given, retryAfterSeconds) : watch;
}

function waitUntil(dueMs: number | null, watch: Watch, changes: Partial<Polling> = {}): Watch {
  return { ...watch, ...changes, dueMs, sinceMs: null };
}

function nextEven({ turn }: Watch): number {
  return turn + (turn % 2);
}
