/**
 * How many look-ups this process may begin for closed pages, besides its rate limit. The pace begins low, grows while there is
 * more to do and the service answers in time, and halves when the service is in trouble. After that it grows fast to just
 * below the pace of the last trouble, and slowly from there.
 */

import { isAhead, isNear, minuteMs, secondMs } from '../../../domain/spans.js';

/** Calls a second. */
const first = 5;
const least = 0.5;

/**
 * What each answer in time adds: a tenth of the pace in a second, but near the pace of the last trouble a hundredth in two
 * seconds.
 */
const growth = { fast: 0.1, slow: 0.005 };

/** Between these parts of the last trouble's pace, it grows slowly. */
const near = { from: 0.85, to: 1.15 };

/** How long a trouble is remembered, milliseconds. */
const troubleCountsForMs = 10 * minuteMs;

/** Calls that may always begin together. Payers' own calls need room in the same second. */
const smallBatch = 4;

/** The part of the pace that payers' calls may use. */
const payersPart = 0.75;

/** Calls that may always be in flight. */
const atOnce = 4;

/** A later answer is not in time, milliseconds. */
const inTimeMs = 2_000;

/** Longest pause that the service may ask for, milliseconds. */
const longestPauseMs = 2 * minuteMs;

/** The pace as a plain value. */
export interface Rate {
  readonly perSecond: number;
  /** Calls that were made and have not drained at the rate of the pace. */
  readonly level: number;
  readonly atMs: number;
  /** The pace at the last trouble, and its time. */
  readonly trouble: { readonly perSecond: number; readonly atMs: number };
  /** Until when the service asked for a pause. */
  readonly pausedUntilMs: number;
}

/** How a call ended. */
export interface EndedCall {
  readonly beganAtMs: number;
  /** Null if the service answered; otherwise how soon it allows the next call, milliseconds. */
  readonly afterMs: number | null;
}

export const firstRate: Rate = {
  perSecond: first,
  level: 0,
  atMs: -Infinity,
  trouble: { perSecond: Infinity, atMs: -Infinity },
  pausedUntilMs: -Infinity,
};

/** Counts how many calls may begin now. */
export function countRoom(rate: Rate, nowMs: number): number {
  return isPaused(rate, nowMs) ? 0 : Math.floor(toBatchSize(rate) - drain(rate, nowMs).level);
}

/**
 * How long until one call may begin, if none begins before, milliseconds. Infinity while the service is in trouble, which no
 * caller waits for.
 */
export function toRoomMs(rate: Rate, nowMs: number): number {
  const now = drain(rate, nowMs);
  if (isTroubled(now)) return Infinity;
  return Math.max(0, Math.ceil(((now.level + 1 - toBatchSize(now)) / now.perSecond) * secondMs));
}

/** Counts a call that begins. */
export function countBegun(rate: Rate, nowMs: number): Rate {
  const { level, ...others } = drain(rate, nowMs);
  return { ...others, level: level + 1 };
}

/**
 * Counts a payer's call. Once the service refused calls, payers' calls use up what it allows, but leave a part for the others.
 */
function countPayerCall(rate: Rate, nowMs: number): Rate {
  const now = drain(rate, nowMs);
  const isCounted = isTroubled(now) && now.level < toBatchSize(now) * payersPart;
  return isCounted ? { ...now, level: now.level + 1 } : now;
}

/** Applies the end of a call. A call that began before the last trouble says nothing new. */
export function applyEnded(rate: Rate, { beganAtMs, afterMs }: EndedCall, nowMs: number): Rate {
  const now = drain(rate, nowMs);
  if (afterMs === null) return isNear(beganAtMs, inTimeMs, nowMs) ? grow(now) : now;
  const longMs = Math.min(afterMs, longestPauseMs);
  const pausedUntilMs = Math.max(nowMs + longMs, isPaused(now, nowMs) ? now.pausedUntilMs : 0);
  if (isTroubled(now) && beganAtMs <= now.trouble.atMs) return { ...now, pausedUntilMs };
  const perSecond = Math.max(least, now.perSecond / 2);
  // A service mostly counts by the second, so payers get the rest of this one.
  const level = Math.max(now.level, toBatchSize({ ...now, perSecond }));
  const trouble = { perSecond: now.perSecond, atMs: nowMs };
  return { ...now, perSecond, level, trouble, pausedUntilMs };
}

/** Raises the pace, unless the present one is not used up: then nothing shows that the service allows more. */
function grow(rate: Rate): Rate {
  if (rate.level < toBatchSize(rate) / 2) return rate;
  const part = rate.perSecond / rate.trouble.perSecond;
  const isSlow = isTroubled(rate) && part >= near.from && part <= near.to;
  return { ...rate, perSecond: rate.perSecond + (isSlow ? growth.slow : growth.fast) };
}

/** Brings the rate to a later moment. A clock that was set back counts as if it had gone on as far. */
function drain(rate: Rate, nowMs: number): Rate {
  const seconds = Math.abs(nowMs - rate.atMs) / secondMs;
  return { ...rate, level: Math.max(0, rate.level - seconds * rate.perSecond), atMs: nowMs };
}

function toBatchSize({ perSecond }: Rate): number {
  return Math.max(smallBatch, perSecond);
}

function isTroubled({ trouble, atMs }: Rate): boolean {
  return isNear(trouble.atMs, troubleCountsForMs, atMs);
}

function isPaused({ pausedUntilMs }: Rate, nowMs: number): boolean {
  return isAhead(pausedUntilMs, longestPauseMs, nowMs);
}

export type Pace = ReturnType<typeof createPace>;

export function createPace(now: () => number) {
  let rate = firstRate;
  let tenthAtMs = -Infinity;

  return {
    room(this: void, inFlight: number): number {
      // A slow service gets half a second's calls at most.
      const most = Math.max(atOnce, Math.ceil(rate.perSecond / 2)) - inFlight;
      return Math.min(most, countRoom(rate, now()) - inFlight);
    },
    /** Room for work that waits for all other: a tenth of the calls, one at a time. */
    tenth(this: void, inFlight: number): number {
      const isEarly = isNear(tenthAtMs, (10 * secondMs) / rate.perSecond, now());
      if (inFlight > 0 || isEarly || isPaused(rate, now())) return 0;
      tenthAtMs = now();
      return 1;
    },
    /** See {@link toRoomMs}. */
    roomInMs: () => toRoomMs(rate, now()),
    /** Counts a call for a payer, which uses what the service allows. */
    noteBegun(this: void): void {
      rate = countPayerCall(rate, now());
    },
    /** Records that the service refused a call, for a payer or in the background. */
    noteRefused(this: void, ended: EndedCall): void {
      rate = applyEnded(rate, ended, now());
    },
    /** Records a call for due work that has ended. */
    note(ended: EndedCall): void {
      rate = applyEnded(countBegun(rate, now()), ended, now());
    },
  };
}
