/**
 * The work that falls due: look-ups, ids that were named, ends of deadlines and of sent cards, events for the merchant's server.
 * One loop in a process that stays, `runDue` where none does. Beside it, hourly, old orders are forgotten.
 */

import { logError } from '../../set-up/log.js';
import type { DueRun } from '../../set-up/options/options.js';
import { createInFlight, startJobLoop, startPause } from '../../runtime/running.js';
import type { JobLoop } from '../../runtime/running.js';
import { createDueWork } from './due-work.js';
import { createEventTasks, toKindsWithHook } from './hook-calls.js';
import type { EventTaskParts } from './hook-calls.js';
import { createLookUpTask } from './look-ups.js';
import { createNamedIdTask } from './named-ids.js';
import { reportNumbers } from './numbers.js';
import { createPace } from './pace.js';
import type { Pace } from './pace.js';
import { createSentCardTask } from './sent-cards.js';
import { hourMs, minuteMs, secondMs } from '../../../domain/spans.js';
import { wantedAgain } from '../../order/told/outbox.js';
import { record } from '../../store/record.js';
import type { LookUpTaskParts, Operation } from './task.js';

/** When each job runs first, and how long after its end it runs again, milliseconds. Pruning begins early, because a process may not live for an hour. */
const times = {
  work: { firstMs: secondMs, everyMs: secondMs },
  prune: { firstMs: minuteMs, everyMs: hourMs },
  count: { firstMs: minuteMs, everyMs: minuteMs },
  alive: { firstMs: secondMs, everyMs: minuteMs },
};

/** Shortest time between two prunings of one store, milliseconds. All processes with that store count. */
const pruneEveryMs = 30 * minuteMs;

/** How soon `runDue` asks to be called again, milliseconds: when something is left to do, and when the store failed to tell. */
const again = { leftMs: 5 * secondMs, unknownMs: minuteMs };

/** How long `runDue` waits in all for room, milliseconds, and how long at a time: a few calls together cost the store less than one by one. */
const longestWaitMs = 50 * secondMs;
const leastWaitMs = 100;

/** Payers at work come first, but a tenth of the calls is reserved. */
const loopTerms = { priority: 'background', mayUseReserve: true } as const;

/** No pace but the rate limit: a caller waits. */
const unpaced: Pace = {
  room: () => Infinity,
  tenth: () => Infinity,
  roomInMs: () => 0,
  note: () => undefined,
};

/** What the work needs. */
type WorkParts = EventTaskParts & Omit<LookUpTaskParts, 'pace' | 'terms'>;

/** The due work of one proxy. */
export function createWork(parts: WorkParts) {
  const { settings, store } = parts;
  const { now, log, startTimer, metrics, hooks } = settings;
  const pace = createPace(now);
  const due = createDueWork({ store, tasks: toTasks(parts, pace), now, onFailure });
  const atOnce = { ...parts, pace: unpaced, terms: {} };
  const ofOrder = [
    createLookUpTask(atOnce),
    createNamedIdTask(atOnce, 'named'),
    createNamedIdTask(atOnce, 'named_paid'),
  ];
  const events = createEventTasks(parts);
  // One for each call of runDue: workers share no signal between requests, and refuse one while a module is loaded.
  const calls = new Set<AbortController>();
  const runs = createInFlight();
  let isClosed = false;
  let loops: readonly JobLoop[] | null = null;
  due.onRoom(wake);

  return {
    /** Sets the timers, once. `createProxy` does not, because worker platforms refuse timers while a module loads. */
    start(): void {
      loops ??= [
        startJobLoop((signal) => due.begin(signal), times.work, startTimer),
        startJobLoop(() => tryTo('prune', prune), times.prune, startTimer),
        startJobLoop(() => tryTo('sweep', tellAlive), times.alive, startTimer),
        ...(metrics ? [startJobLoop(() => tryTo('count', report), times.count, startTimer)] : []),
      ];
    },

    wake,

    /** Does what is due of this order now: a postback came. Once closed, it is left to others. Never rejects. */
    async runOrder(this: void, externalId: string): Promise<void> {
      if (!runs.isClosing()) await runs.track(due.runOrder(externalId, ofOrder));
    },

    /** Tells the merchant's server at once what it was not told of an order. @returns whether there was anything */
    async tellAgain(externalId: string): Promise<boolean> {
      const isAny = await record(store, externalId, wantedAgain, null);
      if (isAny) await runs.track(tellAll(externalId));
      return isAny;
    },

    /** Does all that is due, with or without timers, and waits for the hooks that it called. Never rejects. */
    async runDue(): Promise<DueRun> {
      const call = new AbortController();
      const { signal } = call;
      calls.add(call);
      if (isClosed) call.abort();
      const nextMs = await runs.track(runAll(signal));
      calls.delete(call);
      if (signal.aborted || nextMs === null) return { nextAt: null };
      const { leftMs, unknownMs } = again;
      return { nextAt: new Date(Math.max(now() + leftMs, nextMs ?? now() + unknownMs)) };
    },

    /** Stops every timer, and resolves when what runs has ended. */
    async close(): Promise<void> {
      isClosed = true;
      for (const call of calls) call.abort();
      const started = loops ?? [];
      loops = [];
      await Promise.all(started.map((loop) => loop.close()));
      // A postback may have come meanwhile.
      await runs.close();
      await due.allEnded();
    },
  };

  /**
   * What ends may make more due: the hooks of a payment that is found now run in the same call.
   * @returns when the next thing falls due, milliseconds since 1970; null: nothing will; undefined: the store did not tell
   */
  async function runAll(signal: AbortSignal): Promise<number | null | undefined> {
    const untilMs = now() + longestWaitMs;
    let isMore = true;
    while (isMore) {
      const isBegun = await due.begin(signal);
      isMore = (await due.oneEnded()) || isBegun || (await roomComes(untilMs, signal));
    }
    if (!signal.aborted) await tryTo('prune', prune);
    if (!signal.aborted) await tryTo('sweep', tellAlive);
    return signal.aborted ? null : tryTo('count', report);
  }

  /** @returns whether there is room again for what had none left */
  async function roomComes(untilMs: number, signal: AbortSignal): Promise<boolean> {
    const waitMs = pace.roomInMs();
    const mayWait = waitMs > 0 && now() + waitMs <= untilMs && !signal.aborted;
    if (!mayWait || !(await tryTo('sweep', due.isLeft)) || signal.aborted) return false;
    await startPause(startTimer, Math.max(leastWaitMs, waitMs), signal).over;
    return true;
  }

  /** What waited behind an event is due when that is through. */
  async function tellAll(externalId: string): Promise<void> {
    let isMore = true;
    while (isMore) isMore = await due.runOrder(externalId, events);
  }

  /** Begins what is due now, if timers are set. */
  function wake(): void {
    loops?.[0]?.wake();
  }

  /** A job that fails runs again at its next time. */
  async function tryTo<T>(
    operation: 'prune' | 'count' | 'sweep',
    job: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await job();
    } catch (thrown) {
      logError(log, thrown, { event: 'ledger_failed', operation });
      return undefined;
    }
  }

  async function prune(): Promise<void> {
    if (await store.passThrottle('prune', pruneEveryMs)) await store.prune();
  }

  /** Who moves a store sees by it that processes run. */
  async function tellAlive(): Promise<void> {
    await store.passThrottle('running', minuteMs);
  }

  function report(): Promise<number | null> {
    return reportNumbers({ store, now }, toKindsWithHook(hooks), metrics);
  }

  function onFailure(thrown: unknown, operation: Operation): void {
    logError(log, thrown, { operation });
  }
}

/** In the order in which they begin: paid invoices come last, and have a tenth. */
function toTasks(parts: WorkParts, pace: Pace) {
  const inPace = { ...parts, pace, terms: loopTerms };
  return [
    createSentCardTask(parts.settings.log),
    createNamedIdTask(inPace, 'named'),
    createLookUpTask(inPace),
    ...createEventTasks(parts),
    createNamedIdTask(inPace, 'named_paid'),
  ];
}
