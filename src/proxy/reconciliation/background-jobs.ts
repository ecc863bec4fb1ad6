/**
 * The background jobs of a proxy with a ledger or a hook: the outbox, reconciliation, pruning the ledger, and telling the
 * operator's sink how it stands. Timers run them in a process that stays, `runDue` where none does.
 */

import type { Outbox } from '../outbox/outbox.js';
import { errorNameOf } from '../config/log.js';
import type { Log } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import type { Ledger } from '../ledger/ledger.js';
import { startJobLoop } from '../runtime/work.js';
import type { JobLoop } from '../runtime/work.js';
import type { Reconciliation } from './reconciliation.js';
import type { DueRun, LogEvent, StartTimer } from '../config/options.js';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** When each job runs first, and how long after its end it runs again, milliseconds. Pruning begins early, because a process may not live for an hour. */
const times = {
  deliver: { firstMs: secondMs, everyMs: secondMs },
  sweep: { firstMs: 5 * secondMs, everyMs: 5 * secondMs },
  prune: { firstMs: minuteMs, everyMs: 60 * minuteMs },
  count: { firstMs: minuteMs, everyMs: minuteMs },
};

/** Shortest time between two prunings of one ledger, milliseconds. All processes with that ledger count. */
const pruneEveryMs = 30 * minuteMs;

/** How soon `runDue` asks to be called again, milliseconds: when something is left to do, and when the ledger failed to tell. */
const again = { leftMs: times.sweep.everyMs, unknownMs: minuteMs };

/** What the background jobs need. */
interface WorkerParts {
  readonly outbox: Outbox;
  readonly reconciliation: Reconciliation;
  readonly ledger: Pick<Ledger, 'prune' | 'passThrottle' | 'readState'>;
  readonly settings: Pick<Settings, 'metrics'>;
  readonly now: () => number;
  readonly startTimer: StartTimer;
  readonly log: Log;
}

/** The background jobs of one proxy. */
export interface Worker {
  /** Sets the timers, once. `createProxy` does not, because worker platforms refuse timers while a module loads. */
  readonly start: () => void;
  /** Runs the outbox now, if timers are set: an event was queued. */
  readonly wake: () => void;
  /** Runs each job once, with or without timers, and waits for the hooks that it called. Never rejects. */
  readonly runDue: () => Promise<DueRun>;
  /** Stops every timer, and resolves when what runs has ended. */
  readonly close: () => Promise<void>;
}

/** @returns when the next thing falls due, if the job knows */
type Job = (signal: AbortSignal) => Promise<number | null | void>;

/** Makes the background jobs of one proxy. */
export function createWorker(parts: WorkerParts): Worker {
  const { outbox, reconciliation, ledger, now, startTimer, log } = parts;
  const { metrics } = parts.settings;

  const jobs: Readonly<Record<keyof typeof times, readonly [fault: LogEvent, job: Job]>> = {
    deliver: ['unexpected_error', (signal) => outbox.deliverDue(signal)],
    sweep: ['unexpected_error', (signal) => reconciliation.reconcileDue(signal)],
    prune: ['ledger_failed', prune],
    count: ['ledger_failed', report],
  };
  // One for each call of runDue: workers share no signal between requests, and refuse one while a module is loaded.
  const calls = new Set<AbortController>();
  let isClosed = false;
  let loops: readonly JobLoop[] | null = null;

  return {
    start() {
      const names = [
        'deliver',
        'sweep',
        'prune',
        ...(metrics ? (['count'] as const) : []),
      ] as const;
      loops ??= names.map((name) =>
        startJobLoop((signal) => run(name, signal), times[name], startTimer),
      );
    },

    wake: () => loops?.[0]?.wake(),

    async runDue() {
      const call = new AbortController();
      const { signal } = call;
      calls.add(call);
      if (isClosed) call.abort();
      // In this order, so that the hooks of a payment that is found now run in the same call.
      await run('sweep', signal);
      await run('deliver', signal);
      await outbox.ended();
      await run('prune', signal);
      const nextDueAtMs = await run('count', signal);
      calls.delete(call);
      if (signal.aborted || nextDueAtMs === null) return { nextAt: null };
      const { leftMs, unknownMs } = again;
      return { nextAt: new Date(Math.max(now() + leftMs, nextDueAtMs ?? now() + unknownMs)) };
    },

    async close() {
      isClosed = true;
      for (const call of calls) call.abort();
      loops ??= [];
      await Promise.all(loops.map((loop) => loop.close()));
      await outbox.ended();
    },
  };

  /** A job that fails runs again at its next time. */
  async function run(operation: keyof typeof times, signal: AbortSignal): ReturnType<Job> {
    const [event, job] = jobs[operation];
    try {
      return await job(signal);
    } catch (thrown) {
      log({ level: 'error', event, operation, errorName: errorNameOf(thrown) });
    }
  }

  async function prune(): Promise<void> {
    if (await ledger.passThrottle('prune', pruneEveryMs)) await ledger.prune();
  }

  /** Without a sink of numbers only `runDue` asks. @returns when the next thing falls due */
  async function report(): Promise<number | null> {
    const state = await ledger.readState(outbox.kinds);
    const { oldestEventAtMs } = state;
    const ageMs = oldestEventAtMs === null ? 0 : now() - oldestEventAtMs;
    metrics?.set('pix_reconciliation_lag_seconds', state.sweepLagMs / 1_000);
    metrics?.set('pix_outbox_events', state.undelivered);
    metrics?.set('pix_outbox_age_seconds', Math.max(0, ageMs) / 1_000);
    metrics?.set('pix_dead_events', state.deadEvents);
    metrics?.set('pix_unresolved_charges', state.unknownAttempts);
    return state.nextDueAtMs;
  }
}
