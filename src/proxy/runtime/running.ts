/**
 * How work runs: in flight, so that closing can wait for it; in a loop; with a time limit; measured for the operator's
 * numbers. Where no sink takes those numbers, nothing is measured or wrapped.
 */

import type { MetricLabels, StartTimer } from '../config/options.js';
import type { HistogramName } from '../config/metrics.js';
import type { Settings } from '../config/read-options.js';

const nothing = () => undefined;

/** Work in flight. */
interface InFlight {
  readonly isClosing: () => boolean;
  /** Returns the promise it was given. Work that begins while it is closing is waited for too. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  /** Sets `isClosing`. Resolves when all work has ended, failed or not. */
  readonly close: () => Promise<void>;
}

/** Makes an empty set of work in flight. */
export function createInFlight(): InFlight {
  const running = new Set<Promise<unknown>>();
  let isClosing = false;

  return {
    isClosing: () => isClosing,

    track(work) {
      running.add(work);
      const end = () => void running.delete(work);
      work.then(end, end);
      return work;
    },

    async close() {
      isClosing = true;
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** A job that runs at intervals, never twice at the same time. */
export interface JobLoop {
  /** Runs the job now, or once more after the current run. */
  readonly wake: () => void;
  /** Stops the loop. Resolves when the current run has ended. */
  readonly close: () => Promise<void>;
}

/** Milliseconds until the first run, and after the end of each. */
interface JobTimes {
  readonly firstMs: number;
  readonly everyMs: number;
}

/**
 * Starts a job.
 * @param run gets a signal that aborts when the loop is closed; must not reject
 */
export function startJobLoop(
  run: (signal: AbortSignal) => Promise<unknown>,
  { firstMs, everyMs }: JobTimes,
  startTimer: StartTimer,
): JobLoop {
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | null = null;
  let isWantedAgain = false;
  let stopTimer = startTimer(begin, firstMs);

  return {
    wake() {
      if (running) isWantedAgain = true;
      else begin();
    },
    async close() {
      closing.abort();
      stopTimer();
      await running;
    },
  };

  function begin(): void {
    if (signal.aborted || running) return;
    stopTimer();
    running = runOnce();
  }

  async function runOnce(): Promise<void> {
    do {
      isWantedAgain = false;
      await run(signal);
    } while (isWantedAgain && !signal.aborted);
    running = null;
    if (!signal.aborted) stopTimer = startTimer(begin, everyMs);
  }
}

/**
 * Runs code of others, the merchant's or the store's, with a time limit.
 * @param longestMs milliseconds; a later result is dropped
 * @param toLate makes the error of a late result; default: a DOMException `TimeoutError`
 * @throws that error, and what the code throws
 */
export async function withTimeout<T>(
  startTimer: StartTimer,
  longestMs: number,
  ask: () => Promise<T>,
  toLate: () => Error = toTimeoutError,
): Promise<T> {
  let stopTimer: () => void = nothing;
  const late = new Promise<never>((_resolve, reject) => {
    stopTimer = startTimer(() => reject(toLate()), longestMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    stopTimer();
  }
}

function toTimeoutError(): Error {
  return new DOMException("The merchant's code is late", 'TimeoutError');
}

/**
 * Runs work, and tells the sink how long it took and how it ended.
 * @param toOutcome makes the label `outcome` of an error; default: `failed`
 */
export type Time = <T>(
  name: HistogramName,
  labels: MetricLabels,
  work: () => Promise<T>,
  toOutcome?: (thrown: unknown) => string,
) => Promise<T>;

/** Runs work without measuring it. */
export const untimed: Time = (_name, _labels, work) => work();

export function createTime({ metrics, now }: Pick<Settings, 'metrics' | 'now'>): Time {
  if (!metrics) return untimed;
  return async (name, labels, work, toOutcome = () => 'failed') => {
    const startedAtMs = now();
    const tell = (outcome: string) => {
      // A wall clock may be set back.
      const seconds = Math.max(0, now() - startedAtMs) / 1_000;
      metrics.observe(name, seconds, { ...labels, outcome });
    };
    try {
      const result = await work();
      tell('ok');
      return result;
    } catch (thrown) {
      tell(toOutcome(thrown));
      throw thrown;
    }
  };
}

/** Wraps each operation of a store, so that its duration is told to the sink. */
export function withTimes<T extends object>(store: T, time: Time): T {
  if (time === untimed) return store;
  const timed = Object.entries(store).map(([operation, run]: [string, unknown]) => {
    // A store's clock is none.
    if (typeof run !== 'function' || operation === 'now') return [operation, run];
    const measured = (...args: unknown[]) =>
      time('pix_ledger_seconds', { operation }, async () => (run as Operation)(...args));
    return [operation, measured];
  });
  return Object.fromEntries(timed) as T;
}

type Operation = (...args: unknown[]) => unknown;
