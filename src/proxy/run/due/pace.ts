/**
 * How many look-ups this process may begin for closed pages, beside its rate limit. The pace begins low, grows while there is
 * more to do and the service answers in time, and halves when the service is in trouble. Then it grows fast to just below the
 * pace of the last trouble, and slowly from there.
 */

import { isAhead, isNear, minuteMs, secondMs } from '../../../domain/spans.js';

/** Calls a second. */
const first = 5;
const least = 0.5;

/** What an answer adds: as fast as a tenth of the pace in a second, and near the pace of the last trouble a hundredth in two. */
const growth = { fast: 0.1, slow: 0.005 };

/** Between these parts of the pace of the last trouble it grows slowly. */
const near = { from: 0.85, to: 1.15 };

/** How long that is remembered, milliseconds. */
const troubleCountsForMs = 10 * minuteMs;

/** Calls that may begin together, at least: payers' own have to find room in the same second. */
const smallBatch = 4;

/** The part of the pace that payers' calls may take. */
const payersPart = 0.75;

/** Calls in flight, at least. */
const atOnce = 4;

/** What is answered after this is not in time, milliseconds. */
const inTimeMs = 2_000;

/** Longest that the service may ask to be left alone, milliseconds. */
const longestPauseMs = 2 * minuteMs;

/** The pace as a plain value. */
export interface Rate {
  readonly perSecond: number;
  /** Calls that went out and have not drained yet, at the rate of the pace. */
  readonly level: number;
  readonly atMs: number;
  /** The pace at the last trouble, and when that was. */
  readonly trouble: { readonly perSecond: number; readonly atMs: number };
  /** The service's own word. */
  readonly pausedUntilMs: number;
}

/** How a call ended. */
export interface EndedCall {
  readonly beganAtMs: number;
  /** Null: it was answered. Else how soon the service wants to be asked again, milliseconds. */
  readonly afterMs: number | null;
}

export const firstRate: Rate = {
  perSecond: first,
  level: 0,
  atMs: -Infinity,
  trouble: { perSecond: Infinity, atMs: -Infinity },
  pausedUntilMs: -Infinity,
};

/** @returns how many may begin now */
export function countRoom(rate: Rate, nowMs: number): number {
  return isPaused(rate, nowMs) ? 0 : Math.floor(toBatchSize(rate) - drain(rate, nowMs).level);
}

/** @returns in how many milliseconds there is room for one, if none begins. Infinity: the service is in trouble, and is not waited for */
export function toRoomMs(rate: Rate, nowMs: number): number {
  const now = drain(rate, nowMs);
  if (isTroubled(now)) return Infinity;
  return Math.max(0, Math.ceil(((now.level + 1 - toBatchSize(now)) / now.perSecond) * secondMs));
}

/** One begins. */
export function countBegun(rate: Rate, nowMs: number): Rate {
  const { level, ...others } = drain(rate, nowMs);
  return { ...others, level: level + 1 };
}

/** One begins for a payer. Once the service has refused calls it is one of those that pass; a part stays for the others all the same. */
function countPayerCall(rate: Rate, nowMs: number): Rate {
  const now = drain(rate, nowMs);
  const isCounted = isTroubled(now) && now.level < toBatchSize(now) * payersPart;
  return isCounted ? { ...now, level: now.level + 1 } : now;
}

/** One ended. What began before the last trouble says nothing new. */
export function applyEnded(rate: Rate, { beganAtMs, afterMs }: EndedCall, nowMs: number): Rate {
  const now = drain(rate, nowMs);
  if (afterMs === null) return isNear(beganAtMs, inTimeMs, nowMs) ? grow(now) : now;
  const longMs = Math.min(afterMs, longestPauseMs);
  const pausedUntilMs = Math.max(nowMs + longMs, isPaused(now, nowMs) ? now.pausedUntilMs : 0);
  if (isTroubled(now) && beganAtMs <= now.trouble.atMs) return { ...now, pausedUntilMs };
  const perSecond = Math.max(least, now.perSecond / 2);
  // What the service counts by is most often a second: the rest of this one is left to payers.
  const level = Math.max(now.level, toBatchSize({ ...now, perSecond }));
  const trouble = { perSecond: now.perSecond, atMs: nowMs };
  return { ...now, perSecond, level, trouble, pausedUntilMs };
}

/** What is not used up says nothing about whether more would pass. */
function grow(rate: Rate): Rate {
  if (rate.level < toBatchSize(rate) / 2) return rate;
  const part = rate.perSecond / rate.trouble.perSecond;
  const isSlow = isTroubled(rate) && part >= near.from && part <= near.to;
  return { ...rate, perSecond: rate.perSecond + (isSlow ? growth.slow : growth.fast) };
}

/** The same at a later moment. A clock that was set back was set as far as one that went on. */
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
    /** @param inFlight how many there are */
    room(this: void, inFlight: number): number {
      // A service that is slow has half a second's calls to answer at most.
      const most = Math.max(atOnce, Math.ceil(rate.perSecond / 2)) - inFlight;
      return Math.min(most, countRoom(rate, now()) - inFlight);
    },
    /** The same for work that waits for all other: a tenth of the calls is for it, one after the other. */
    tenth(this: void, inFlight: number): number {
      const isEarly = isNear(tenthAtMs, (10 * secondMs) / rate.perSecond, now());
      if (inFlight > 0 || isEarly || isPaused(rate, now())) return 0;
      tenthAtMs = now();
      return 1;
    },
    /** See {@link toRoomMs}. */
    roomInMs: () => toRoomMs(rate, now()),
    /** A call for a payer goes out: it is one of those that the service allows. */
    noteBegun(this: void): void {
      rate = countPayerCall(rate, now());
    },
    /** The service refused a call, whoever it was for. */
    noteRefused(this: void, ended: EndedCall): void {
      rate = applyEnded(rate, ended, now());
    },
    /** One went out that began then. */
    note(ended: EndedCall): void {
      rate = applyEnded(countBegun(rate, now()), ended, now());
    },
  };
}
