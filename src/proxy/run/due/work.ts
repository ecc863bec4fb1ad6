/**
 * Runs all due work: look-ups, named ids, deadlines, sent cards, and events for the merchant's server. A long-lived process
 * has one loop for it; elsewhere the merchant calls `runDue`. Once an hour, old orders are deleted.
 */

import { logError, type Log } from '../../set-up/log.js';
import { markUnansweredCards } from '../../order/attempts.js';
import type { DueRun, PixProxy } from '../../set-up/options/options.js';
import {
  createInFlight,
  findCallingMerchant,
  startJobLoop,
  startPause,
  markNow,
} from '../../runtime/running.js';
import type { JobLoop, MerchantCall } from '../../runtime/running.js';
import { createDueWork, toTask } from './due-work.js';
import { createEventTasks, toKindsWithHook, type EventTaskParts } from './hook-calls.js';
import { createLookUpTask, createNamedIdTask } from './look-ups.js';
import type { Pace } from '../../outside/service-calls.js';
import { hourMs, minuteMs, secondMs, dayMs } from '../../../domain/spans.js';
import { requeueUntold } from '../../order/told/outbox.js';
import { record, type OrderStore } from '../../store/order-store.js';
import type { LookUpTaskParts, Operation, Task } from './due-work.js';
import type { Settings } from '../../set-up/options/read-options.js';
import { nullIfNotFound } from '../../set-up/proxy-error.js';
import type { LookUps, LookUpFirst, News } from '../look-up.js';
import type { RunAsk } from '../run-ask.js';
import type { Sink } from '../../set-up/metrics.js';
import type { EntryKind } from '../../order/due.js';
import type { DeliveryKind } from '../../order/order.js';

/**
 * When each job first runs, and how long after its end it runs again, milliseconds. Pruning begins early, because a process
 * may not live for an hour.
 */
const times = {
  work: { firstMs: secondMs, everyMs: secondMs },
  prune: { firstMs: minuteMs, everyMs: hourMs },
  count: { firstMs: minuteMs, everyMs: minuteMs },
  alive: { firstMs: secondMs, everyMs: minuteMs },
};

/** Shortest time between two prunings of a store, by any process, milliseconds. */
const pruneEveryMs = 30 * minuteMs;

/** How soon `runDue` asks to be called again, milliseconds: when work is left, and when the store could not tell. */
const again = { leftMs: 5 * secondMs, unknownMs: minuteMs };

/**
 * How long `runDue` waits for room altogether, and how long at least each time, milliseconds. Several calls together cost the
 * store less than one by one.
 */
const longestWaitMs = 50 * secondMs;
const leastWaitMs = 100;

/** Payers' calls go first, but a tenth of the calls is reserved for this loop. */
const loopTerms = { priority: 'background', mayUseReserve: true } as const;

/** For work of a single order. Only the rate limit applies, because a caller waits. */
const unpaced: Pick<Pace, 'room' | 'tenth' | 'note'> = {
  room: () => Infinity,
  tenth: () => Infinity,
  note: () => undefined,
};

type WorkParts = EventTaskParts & Omit<LookUpTaskParts, 'terms'> & { readonly pace: Pace };

/** Creates the loop of due work, `runDue`, and the due work of a single order. */
export function createWork(parts: WorkParts) {
  const { settings, store, pace } = parts;
  const { now, log, startTimer, metrics, hooks } = settings;
  const due = createDueWork({ store, tasks: createTasks(parts), now, onFailure });
  const atOnce = { ...parts, pace: unpaced, terms: {} };
  const ofOrder = [
    createLookUpTask(atOnce),
    createNamedIdTask(atOnce, 'named'),
    createNamedIdTask(atOnce, 'named_paid'),
  ];
  const events = createEventTasks(parts);
  // Each call of `runDue` has its own signal. Workers share no signal between requests, and refuse to make one while a module
  // loads.
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
        startJobLoop(() => tryJob('prune', prune), times.prune, startTimer),
        startJobLoop(() => tryJob('sweep', noteRunning), times.alive, startTimer),
        ...(metrics ? [startJobLoop(() => tryJob('count', report), times.count, startTimer)] : []),
      ];
    },

    wake,

    /** Does the due work of this order after a postback. A closed proxy leaves it to others. Never rejects. */
    async runOrder(this: void, externalId: string): Promise<void> {
      if (!runs.isClosing()) await runs.track(due.runOrder(externalId, ofOrder));
    },

    /** Calls the hooks at once with all events of an order that they have not taken. @returns whether there was any */
    async tellAgain(externalId: string): Promise<boolean> {
      const isAny = await record(store, externalId, requeueUntold, null);
      if (isAny) await runs.track(deliverAll(externalId));
      return isAny;
    },

    /** Does all due work, with or without timers, and waits for the hooks. Never rejects. */
    async runDue(): Promise<DueRun> {
      const call = new AbortController();
      const { signal } = call;
      calls.add(call);
      if (isClosed) call.abort();
      const run = findCallingMerchant() ? runForHook : runUntilIdle;
      const nextMs = await runs.track(run(signal));
      calls.delete(call);
      if (signal.aborted || nextMs === null) return { nextAt: null };
      const { leftMs, unknownMs } = again;
      return { nextAt: new Date(Math.max(now() + leftMs, nextMs ?? now() + unknownMs)) };
    },

    /** Stops every timer. Resolves when all work has ended. */
    async close(): Promise<void> {
      isClosed = true;
      for (const call of calls) call.abort();
      const started = loops ?? [];
      loops = [];
      await Promise.all(started.map((loop) => loop.close()));
      // A postback may have come meanwhile, so its work is waited for as well.
      await runs.close();
      await due.waitForAll();
    },

    /** See `waitForOthers` in `createDueWork`. */
    async waitForOthers(closer: MerchantCall): Promise<void> {
      await Promise.all((loops ?? []).map((loop) => loop.close()));
      await due.waitForOthers(closer);
    },
  };

  /**
   * Begins due work again and again until nothing is due, the rate leaves no room within `longestWaitMs`, or `signal` aborts.
   * Work that ends may make more due, so a payment's hooks run in the same call.
   * @returns when the next work is due, milliseconds since 1970; null if none will be, or if aborted; undefined if the store
   * failed
   */
  async function runUntilIdle(signal: AbortSignal): Promise<number | null | undefined> {
    const untilMs = now() + longestWaitMs;
    let isMore = true;
    while (isMore) {
      const begun = await due.begin(signal);
      isMore = (await due.waitForAny()) || begun.length > 0 || (await waitForRoom(untilMs, signal));
    }
    return endRun(signal);
  }

  /**
   * Does due work for a hook that calls `runDue`. It waits only for what it began, because the hook itself may be work in
   * flight. Ends with the hourly pruning.
   * @returns as {@link runUntilIdle}
   */
  async function runForHook(signal: AbortSignal): Promise<number | null | undefined> {
    for (;;) {
      const begun = await due.begin(signal);
      if (begun.length === 0) return endRun(signal);
      await Promise.all(begun);
    }
  }

  /** Ends a call of `runDue`: prunes, and finds out when the next work is due. @returns as {@link runUntilIdle} */
  async function endRun(signal: AbortSignal): Promise<number | null | undefined> {
    if (!signal.aborted) await tryJob('prune', prune);
    if (!signal.aborted) await tryJob('sweep', noteRunning);
    return signal.aborted ? null : tryJob('count', report);
  }

  /** Waits for room in the pace if work was left without it. @returns whether there is room again */
  async function waitForRoom(untilMs: number, signal: AbortSignal): Promise<boolean> {
    const waitMs = pace.roomInMs();
    const mayWait = waitMs > 0 && now() + waitMs <= untilMs && !signal.aborted;
    if (!mayWait || !(await tryJob('sweep', due.isWorkLeft)) || signal.aborted) return false;
    await startPause(startTimer, Math.max(leastWaitMs, waitMs), signal).over;
    return true;
  }

  /** Delivers all events of an order. It repeats, because an event makes those behind it due once it came through. */
  async function deliverAll(externalId: string): Promise<void> {
    let isMore = true;
    while (isMore) isMore = await due.runOrder(externalId, events);
  }

  /** Begins due work now, if the timers are set. */
  function wake(): void {
    loops?.[0]?.wake();
  }

  /** Runs a job. @returns undefined if it failed: that is logged, and the job runs again at its next time */
  async function tryJob<T>(
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

  /** Notes in the store that a process runs, so that the command `move` refuses a store in use. */
  async function noteRunning(): Promise<void> {
    await store.passThrottle('running', minuteMs);
  }

  function report(): Promise<number | null> {
    return reportNumbers({ store, now }, toKindsWithHook(hooks), metrics);
  }

  function onFailure(thrown: unknown, operation: Operation): void {
    logError(log, thrown, { operation });
  }
}

/** Creates the tasks in the order in which they begin. Behind the others, paid invoices have a tenth of the calls. */
function createTasks(parts: WorkParts) {
  const inPace = { ...parts, terms: loopTerms };
  return [
    createSentCardTask(parts.settings.log),
    createNamedIdTask(inPace, 'named'),
    createLookUpTask(inPace),
    ...createEventTasks(parts),
    createNamedIdTask(inPace, 'named_paid'),
  ];
}

// Sent cards
//
// A card's answer may not come in time, most often because its process was killed. Then its outcome is unknown.

/** How many entries are taken at once. */
const mostSentCards = 50;

/** Creates the task that marks cards whose answer did not come in time as unknown, and logs each. */
function createSentCardTask(log: Log): Task {
  return toTask<number>({
    operation: 'sweep',
    kinds: ['sent'],
    room: () => mostSentCards,
    takenForMs: 0,
    isRelaxed: false,
    take(order, _entry, given) {
      const [next, count] = markUnansweredCards(order, given);
      return [next, count > 0 ? count : null];
    },
    async run(count, externalId) {
      for (let left = count; left > 0; left -= 1) {
        log({ level: 'error', event: 'outcome_unknown', operation: 'sweep', externalId });
      }
    },
  });
}

// A person's answer to an alert: `resolveOutcome`. `order/asks/resolution.ts` decides what follows from it.

interface ResolvingParts extends Pick<LookUps, 'lookUpNamed'> {
  readonly settings: Pick<Settings, 'watchReturns'>;
  readonly runAsk: RunAsk;
  readonly lookUpFirst: LookUpFirst;
  readonly news: Pick<News, 'tellPayment'>;
}

/** Creates `resolveOutcome`, which takes a person's answer to an alert and reports whether the order took it. */
export function createResolveOutcome(parts: ResolvingParts): PixProxy['resolveOutcome'] {
  const { settings, runAsk, lookUpFirst, lookUpNamed, news } = parts;

  return async function resolveOutcome({ externalId, deliveryId, invoiceId }) {
    const requester = { cameAt: markNow(), trace: null };
    const { watchReturns: isWatched } = settings;
    const ask = { kind: 'resolution', externalId, deliveryId, invoiceId, isWatched } as const;
    const { isHeeded, isPaid } = await runAsk(ask, {
      carryOut: {
        look_up: (command, { learned }) => lookUpFirst(command, learned.said, requester),
        look_up_named: async (command) => {
          const told = await lookUpNamed({ ...command, externalId }).catch(nullIfNotFound);
          return { learned: { found: told?.is ?? 'none' } };
        },
      },
    });
    if (isPaid) news.tellPayment();
    return isHeeded;
  };
}

// Numbers for operators: how much work is due, how late it is, and when the next work is due.

/** Counting stops here. An operator who reads this number knows enough. */
const most = 10_000;

/** How long the counts of one process serve all processes, milliseconds. */
const countedForMs = minuteMs;

/** Kinds that are looked up. Paid invoices may wait, and have a lag of their own. */
const lookedUp: readonly EntryKind[] = ['look_up', 'named'];

interface NumbersParts {
  readonly store: Pick<OrderStore, 'count' | 'search' | 'share'>;
  readonly now: () => number;
}

/**
 * Sets the metrics of due work, if the proxy has a sink, and finds out when the next work is due.
 * @param told the kinds of events that have a hook
 * @returns that time, milliseconds since 1970, perhaps in the past; null if no work will be due
 */
async function reportNumbers(
  parts: NumbersParts,
  told: readonly DeliveryKind[],
  metrics: Sink | null,
): Promise<number | null> {
  const { store, now } = parts;
  const events = told.map((kind): EntryKind => `event ${kind}`);
  const late = await findFirstDueMs(store, lookedUp);
  const watched = await findFirstDueMs(store, ['named_paid']);
  if (metrics) {
    // The counts depend on the hooks, and another program with the same ledger may have others.
    const name = ['numbers', ...events].join(' ');
    const counts = await store.share(name, countedForMs, () => countForMetrics(parts, events));
    const { queuedAtMs } = counts;
    const lag = (sinceMs: number | null) => Math.max(0, now() - (sinceMs ?? now())) / 1_000;
    metrics.set('pix_reconciliation_lag_seconds', lag(late));
    metrics.set('pix_returns_lag_seconds', lag(watched));
    metrics.set('pix_outbox_events', counts.events);
    metrics.set('pix_outbox_age_seconds', lag(queuedAtMs));
    metrics.set('pix_dead_events', counts.dead);
    metrics.set('pix_unresolved_charges', counts.unknown);
  }
  const next = await findFirstDueMs(store, ['sent', ...events]);
  const nextMs = Math.min(late ?? Infinity, watched ?? Infinity, next ?? Infinity);
  return nextMs === Infinity ? null : nextMs;
}

/**
 * Counts the events that wait, those queued a day ago or earlier, and the cards of unknown outcome. One kind at a time, so
 * that other work of the store waits for one count only.
 */
async function countForMetrics({ store, now }: NumbersParts, kinds: readonly EntryKind[]) {
  let events = 0;
  let overdue = 0;
  // The rank of the event that was queued first.
  let first = Infinity;
  // The last rank of that millisecond.
  const untilRank = (now() - dayMs) * 1_000 + 999;
  for (const kind of kinds) {
    const { count, rank } = await store.count({ kinds: [kind], most });
    events += count;
    first = Math.min(first, rank ?? Infinity);
    if (rank === null || rank > untilRank) continue;
    overdue += (await store.count({ kinds: [kind], untilRank, most })).count;
  }
  const unknown = await store.count({ kinds: ['unknown'], most });
  return {
    events,
    queuedAtMs: first === Infinity ? null : Math.floor(first / 1_000),
    dead: overdue,
    unknown: unknown.count,
  };
}

/** Finds when the first entry of these kinds is due, milliseconds since 1970; null if there is none. */
async function findFirstDueMs(
  store: Pick<OrderStore, 'search'>,
  kinds: readonly EntryKind[],
): Promise<number | null> {
  const times: number[] = [];
  for (const kind of kinds) {
    const [first] = await store.search({ kinds: [kind], most: 1 });
    if (first) times.push(first.atMs);
  }
  return times.length > 0 ? Math.min(...times) : null;
}
