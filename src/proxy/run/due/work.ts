/**
 * The work that falls due: look-ups, ids that were named, ends of deadlines and of sent cards, events for the merchant's server.
 * One loop in a process that stays, `runDue` where none does. Beside it, hourly, old orders are forgotten.
 */

import { logError } from '../../set-up/log.js';
import type { DueRun, PixProxy } from '../../set-up/options/options.js';
import {
  createInFlight,
  findCallingMerchant,
  startJobLoop,
  startPause,
  markNow,
} from '../../runtime/running.js';
import type { JobLoop, MerchantCall } from '../../runtime/running.js';
import { createDueWork } from './due-work.js';
import { createEventTasks, toKindsWithHook } from './hook-calls.js';
import type { EventTaskParts } from './hook-calls.js';
import { createLookUpTask, createNamedIdTask, createSentCardTask } from './look-ups.js';
import type { Pace } from './pace.js';
import { hourMs, minuteMs, secondMs, dayMs } from '../../../domain/spans.js';
import { requeueUntold } from '../../order/told/outbox.js';
import { record } from '../../store/order-store.js';
import type { LookUpTaskParts, Operation } from './due-work.js';
import type { Settings } from '../../set-up/options/read-options.js';
import { nullIfNotFound } from '../../set-up/proxy-error.js';
import type { LookUps, LookUpFirst } from '../look-up.js';
import type { RunAsk } from '../run-ask.js';
import type { Sink } from '../../set-up/metrics.js';
import type { EntryKind } from '../../order/due.js';
import type { DeliveryKind } from '../../order/order.js';
import type { OrderStore } from '../../store/order-store.js';

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
const unpaced: Pick<Pace, 'room' | 'tenth' | 'note'> = {
  room: () => Infinity,
  tenth: () => Infinity,
  note: () => undefined,
};

/** What the work needs. */
type WorkParts = EventTaskParts & Omit<LookUpTaskParts, 'terms'> & { readonly pace: Pace };

/** The due work of one proxy. */
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
      const isAny = await record(store, externalId, requeueUntold, null);
      if (isAny) await runs.track(tellAll(externalId));
      return isAny;
    },

    /** Does all that is due, with or without timers, and waits for the hooks that are called. Never rejects. */
    async runDue(): Promise<DueRun> {
      const call = new AbortController();
      const { signal } = call;
      calls.add(call);
      if (isClosed) call.abort();
      const run = findCallingMerchant() ? runOwn : runAll;
      const nextMs = await runs.track(run(signal));
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
      await due.waitForAll();
    },

    /** See the one of `createDueWork`. */
    async waitForOthers(closer: MerchantCall): Promise<void> {
      await Promise.all((loops ?? []).map((loop) => loop.close()));
      await due.waitForOthers(closer);
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
      const begun = await due.begin(signal);
      isMore = (await due.waitForAny()) || begun.length > 0 || (await waitForRoom(untilMs, signal));
    }
    return endRun(signal);
  }

  /** The same for a hook that calls: it waits for what it began alone, because what began before may be the hook itself. */
  async function runOwn(signal: AbortSignal): Promise<number | null | undefined> {
    for (;;) {
      const begun = await due.begin(signal);
      if (begun.length === 0) return endRun(signal);
      await Promise.all(begun);
    }
  }

  async function endRun(signal: AbortSignal): Promise<number | null | undefined> {
    if (!signal.aborted) await tryTo('prune', prune);
    if (!signal.aborted) await tryTo('sweep', tellAlive);
    return signal.aborted ? null : tryTo('count', report);
  }

  /** @returns whether there is room again for what had none left */
  async function waitForRoom(untilMs: number, signal: AbortSignal): Promise<boolean> {
    const waitMs = pace.roomInMs();
    const mayWait = waitMs > 0 && now() + waitMs <= untilMs && !signal.aborted;
    if (!mayWait || !(await tryTo('sweep', due.hasLeft)) || signal.aborted) return false;
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

// Puts a person's word to its order: `resolveOutcome`. What follows from it is decided in `order/asks/resolution.ts`.

interface ResolvingParts extends Pick<LookUps, 'lookUpNamed'> {
  readonly settings: Pick<Settings, 'watchReturns'>;
  readonly runAsk: RunAsk;
  readonly lookUpFirst: LookUpFirst;
  /** Called when the merchant's server has to hear of a payment. */
  readonly onPayment: () => void;
}

export function createResolveOutcome(parts: ResolvingParts): PixProxy['resolveOutcome'] {
  const { settings, runAsk, lookUpFirst, lookUpNamed, onPayment } = parts;

  return async function resolveOutcome({ externalId, deliveryId, invoiceId }) {
    const requester = { cameAt: markNow(), trace: null };
    const { watchReturns: isWatched } = settings;
    const ask = { kind: 'resolution', externalId, deliveryId, invoiceId, isWatched } as const;
    const { isHeeded, isPaid } = await runAsk(ask, {
      isAwaited: () => true,
      carryOut: {
        look_up: (command, { learned }) => lookUpFirst(command, learned.said, requester),
        look_up_named: async (command) => {
          const told = await lookUpNamed({ ...command, externalId }).catch(nullIfNotFound);
          return { learned: { found: told?.is ?? 'none' } };
        },
      },
    });
    if (isPaid) onPayment();
    return isHeeded;
  };
}

// What operators watch: how much is due, how late it is, and when the next thing falls due.

/** Most entries of a kind that are counted: an operator who reads this number knows enough. */
const most = 10_000;

/** How long what one process counted serves for all, milliseconds. */
const countedForMs = minuteMs;

/** Kinds that are looked up. Those of paid invoices may wait, and have a lag of their own. */
const lookedUp: readonly EntryKind[] = ['look_up', 'named'];

interface NumbersParts {
  readonly store: Pick<OrderStore, 'count' | 'search' | 'share'>;
  readonly now: () => number;
}

/**
 * @param told the events that have a hook
 * @returns when the next thing falls due, milliseconds since 1970, also in the past; null: nothing will
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
    // Of one set of hooks: another program with the same ledger may have others.
    const name = ['numbers', ...events].join(' ');
    const counts = await store.share(name, countedForMs, () => countAll(parts, events));
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

/** One kind after the other: each is a step of its own, so that no one waits for all of them. */
async function countAll({ store, now }: NumbersParts, kinds: readonly EntryKind[]) {
  let events = 0;
  let overdue = 0;
  // When the first of them was queued, by rank.
  let first = Infinity;
  // Of that millisecond, whichever of its order it was.
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

/** When the first of these kinds falls due: the first entry of each in the index. */
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
