/**
 * When the element looks an invoice up again: a small machine of its own, embedded in the phases that follow one.
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

/** Largest back-off after failures. */
const backOffCapMs = 30_000;

/** So many held look-ups in a row may fail before something between us is taken to cut them. */
const heldFailuresAllowed = 2;

export interface Polling {
  /** Where the schedule counts from. */
  readonly startedAtMs: number;
  /** Whether the next ordinary look-up asks the proxy to hold its answer. */
  readonly held: boolean;
  readonly heldFailures: number;
  /** Look-ups of the newest invoice failed in a row. */
  readonly failures: number;
  /** Which of the look-ups after a return comes next; `null`: none of them. */
  readonly returnStep: number | null;
  /** Which invoice is asked for next: 0 is the newest. */
  readonly turn: number;
  /** The former invoice whose turn comes after the newest's. */
  readonly nextFormer: number;
  readonly activity:
    | { readonly kind: 'waiting'; readonly untilMs: number }
    | { readonly kind: 'in_flight'; readonly waitSeconds: number; readonly sinceMs: number }
    | { readonly kind: 'paused' };
}

/** What is asked, once a look-up is due. */
export interface Ask {
  readonly turn: number;
  readonly waitSeconds: number;
  readonly timeoutMs: number;
}

/**
 * Polling that asks at once.
 * @param first whether the proxy may hold its first answer; not while the payer waits for it to see anything
 */
export function startPolling(nowMs: number, first: 'held' | 'plain' = 'held'): Polling {
  return {
    startedAtMs: nowMs,
    held: true,
    heldFailures: 0,
    failures: 0,
    returnStep: first === 'plain' ? returnDelaysMs.length : null,
    turn: 0,
    nextFormer: 1,
    activity: { kind: 'waiting', untilMs: nowMs },
  };
}

/** When a look-up is due, monotonic milliseconds; `null` while one is in flight or all is paused. */
export function lookUpDueMs(polling: Polling): number | null {
  return polling.activity.kind === 'waiting' ? polling.activity.untilMs : null;
}

/** Starts the look-up that is due. */
export function startLookUp(polling: Polling, nowMs: number): { polling: Polling; ask: Ask } {
  const { held, failures, returnStep, turn } = polling;
  const holds = held && failures === 0 && returnStep === null && turn === 0;
  const waitSeconds = holds ? maxWaitSeconds : 0;
  return {
    polling: { ...polling, activity: { kind: 'in_flight', waitSeconds, sinceMs: nowMs } },
    ask: {
      turn,
      waitSeconds,
      timeoutMs: returnStep === null ? waitSeconds * 1_000 + timeoutMs : returnTimeoutMs,
    },
  };
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
  const { activity } = polling;
  if (activity.kind !== 'in_flight') return polling;
  const asked = activity.waitSeconds > 0;
  const wasHeld = asked && nowMs - activity.sinceMs >= activity.waitSeconds * 500;
  const next = {
    ...polling,
    failures: polling.turn === 0 ? 0 : polling.failures,
    heldFailures: asked ? 0 : polling.heldFailures,
    held: asked ? wasHeld : polling.held,
  };
  // A former code may be paid too: it is asked for right behind the newest, so that the newest waits no longer.
  if (polling.turn === 0 && invoices > 1) return waitUntil(toFormer(next, invoices), nowMs);
  return scheduleNext({ ...next, turn: 0 }, nowMs, intervalMs);
}

function toFormer(polling: Polling, invoices: number): Polling {
  if (invoices === 1) return polling;
  const turn = polling.nextFormer < invoices ? polling.nextFormer : 1;
  return { ...polling, turn, nextFormer: turn + 1 };
}

function scheduleNext(polling: Polling, nowMs: number, intervalMs: number): Polling {
  if (polling.returnStep !== null) {
    const delay = returnDelaysMs[polling.returnStep];
    if (delay !== undefined) {
      return waitUntil({ ...polling, returnStep: polling.returnStep + 1 }, nowMs + delay);
    }
    return waitUntil({ ...polling, returnStep: null }, nowMs + (polling.held ? 0 : intervalMs));
  }
  if (polling.held) return waitUntil(polling, nowMs);
  return waitUntil(
    polling,
    nowMs + nextLookUpDelayMs(nowMs - polling.startedAtMs, Math.max(intervalMs, minPollIntervalMs)),
  );
}

/**
 * A look-up failed. The next one comes after full jitter (uniform over an exponentially growing span), or after the
 * proxy's Retry-After if that is longer; but for the quick ones after a return it is a former invoice's, if there is one.
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
  const { activity } = polling;
  const notBeforeMs = nowMs + (how.retryAfterSeconds ?? 0) * 1_000;
  if (polling.turn > 0) {
    // What ails a former invoice neither hurries nor delays the newest.
    return postpone(scheduleNext({ ...polling, turn: 0 }, nowMs, intervalMs), notBeforeMs);
  }
  const asked = activity.kind === 'in_flight' && activity.waitSeconds > 0;
  const failures = polling.failures + 1;
  const heldFailures = asked ? polling.heldFailures + 1 : polling.heldFailures;
  const step = polling.returnStep === null ? undefined : returnDelaysMs[polling.returnStep];
  const span = Math.min(backOffCapMs, intervalMs * 2 ** Math.min(failures - 1, 16));
  const delay = step ?? Math.max(minPollIntervalMs, how.random * span);
  const held = polling.held && heldFailures < heldFailuresAllowed;
  const failed = { ...polling, failures, heldFailures, held };
  const next =
    step === undefined
      ? toFormer({ ...failed, returnStep: null }, invoices)
      : { ...failed, returnStep: (polling.returnStep ?? 0) + 1 };
  return postpone(waitUntil(next, nowMs + delay), notBeforeMs);
}

/** The payer came back, pressed "Já paguei", or the line is up again: look now, then quickly, then as before. */
export function afterReturn(polling: Polling, nowMs: number): Polling {
  return waitUntil(
    { ...polling, held: true, heldFailures: 0, failures: 0, returnStep: 0, turn: 0 },
    nowMs,
  );
}

/** Nothing is asked until the next return: the browser is offline, or the page is being put away. */
export function pausePolling(polling: Polling): Polling {
  return polling.activity.kind === 'paused'
    ? polling
    : { ...polling, activity: { kind: 'paused' } };
}

function postpone(polling: Polling, notBeforeMs: number): Polling {
  return waitUntil(polling, Math.max(lookUpDueMs(polling) ?? 0, notBeforeMs));
}

function waitUntil(polling: Polling, untilMs: number): Polling {
  return { ...polling, activity: { kind: 'waiting', untilMs } };
}
